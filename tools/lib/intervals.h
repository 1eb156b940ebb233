/* SPDX-License-Identifier: LGPL-2.1 OR MIT */
/*
 * A trace as intervals of time: what each G did, one after the other without a
 * gap from its GoCreate on; which calls and regions it was in; when each P was
 * idle or stopped; and who woke whom.
 *
 *	gt_intervals_init(&iv, &timeline, take, arg);
 *	while ((ret = gt_intervals_next(&iv)) > 0)
 *		;
 *
 * take() gets each interval when it ends, so in the order of their ends, and at
 * the end of the trace those that still go on.
 *
 * In a trace of the kernel's not all that the events say is so. What a task did
 * between the closing steps of its CPU and its own next event is not known:
 * GT_IV_UNTRACED. And what overlaps a loss, on whatever CPU, is marked doubtful.
 *
 * Memory: some numbers for each G, P and stack.
 */
#ifndef GT_INTERVALS_H
#define GT_INTERVALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "timeline.h"

enum gt_interval_kind {
	/* These four are what a G does, one at a time. */
	GT_IV_RUNNING,
	GT_IV_RUNNABLE,
	GT_IV_ASLEEP,
	GT_IV_UNTRACED,

	GT_IV_CREATED,	/* a G is there; takes no time */
	GT_IV_ENTER,	/* a G begins a call; takes no time */
	GT_IV_CALL,	/* a G is in a system call; not of Go programs, nor without
			 * their ends (--syscalls calls) */
	GT_IV_REGION,	/* a G is in any other region */
	GT_IV_ASSIST,	/* a G reclaims memory; in Go programs, a mark assist */

	GT_IV_IDLE,	/* a P runs nothing */
	GT_IV_STOPPED,	/* a P is not traced; with --idle, or in Go, also idle */

	GT_IV_GC,	/* background reclaim; in Go, a GC */
	GT_IV_STW,	/* all CPUs are stopped */
};

/**
 * struct gt_interval - a length of time with one thing in it
 * @kind:   which
 * @start:  ns since the beginning of the trace
 * @end:    likewise
 * @since_before: it began before the trace, or at least before @start
 * @unfinished: it goes on where the trace ends
 * @doubtful: events were lost meanwhile
 *
 * @g:      whose; NULL for a P's and the machine's
 * @p:      a P's own; else that of the event it began with, GT_NO_P if unknown
 * @end_p:  of the event that ended it, GT_NO_P if it is unfinished. A RUNNABLE
 *          ends with running there
 * @why:    type of the event it began with, never a Local one
 * @then:   of the one that ended it, GT_EV_NONE if it is unfinished
 * @stk:    the stack of the event it began with, 0: none. Of an ASLEEP, where
 *          the G went to sleep; of a RUNNABLE, the waker's
 * @end_stk: of the one that ended it; of an ASLEEP, the waker's
 *
 * @by:     ASLEEP, RUNNABLE: who ended the one, and began the other; CREATED: by
 *          whom; NULL: nobody, it is not known, or the G itself
 * @irq:    by an interrupt, whoever was running then
 * @last_p: RUNNING: where the G ran before, GT_NO_P: it did not
 * @holder: RUNNABLE: who had the P that it ran on then for the longest part of
 *          the time, as far as the last GT_IV_RUNS runs tell; NULL: nobody
 * @held:   for how long
 * @name:   ENTER, CALL, REGION, ASLEEP: string id of the call or region; of an
 *          ASLEEP, of the call it is in, 0: none. Of a call of the kernel's,
 *          "syscall.NAME"; of a Go program's, the function
 * @asleep: CALL: of it
 */
struct gt_interval {
	enum gt_interval_kind kind;
	int64_t start, end;
	bool since_before, unfinished, doubtful;

	struct gt_g *g;
	int64_t p, end_p;
	unsigned int why, then;
	uint64_t stk, end_stk;

	struct gt_g *by;
	bool irq;
	int64_t last_p;
	struct gt_g *holder;
	int64_t held;
	uint64_t name;
	int64_t asleep;
};

#define GT_IV_RUNS 8

typedef void (*gt_interval_fn)(void *arg, const struct gt_interval *iv);

struct gt_iv_g;
struct gt_iv_p;

struct gt_intervals {
	struct gt_timeline *t;

	/* Its own. */
	gt_interval_fn take;
	void *arg;
	struct gt_iv_g *gs;
	size_t n_gs, size_gs;
	struct gt_iv_p *ps;
	size_t n_ps, size_ps;
	bool opened;		/* there was a ProcStart */
	bool has_calls;		/* there were calls with their ends */
	bool gc, stw;
	int64_t gc_since, stw_since;
	struct gt_map calls;	/* stack -> string of its call, plus 1 */
};

/* The timeline stays the caller's; nothing was read of it yet. */
void gt_intervals_init(struct gt_intervals *iv, struct gt_timeline *t,
		       gt_interval_fn take, void *arg);
void gt_intervals_exit(struct gt_intervals *iv);

/*
 * Take in the next event; t->ev and t->state are as they are after it. At the
 * end, what still goes on is handed out. Return: as gt_timeline_next().
 */
int gt_intervals_next(struct gt_intervals *iv);

/*
 * The call in which a stack was taken: the string "syscall.NAME", or 0; found
 * once for each stack. In a Go program, its function, which makes sense for
 * stacks of GoSysCall and GoSysBlock alone.
 */
uint64_t gt_intervals_call(struct gt_intervals *iv, uint64_t stk);

#endif
