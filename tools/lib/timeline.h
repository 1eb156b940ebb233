/* SPDX-License-Identifier: LGPL-2.1 OR MIT */
/*
 * A trace in the order in which things happened, with what everybody is doing.
 * This is what commands that make something of a trace are written on:
 *
 *	struct gt_timeline t;
 *	int ret = gt_timeline_init_fd(&t, fd, NULL);
 *
 *	while (!ret && (ret = gt_timeline_next(&t)) > 0) {
 *		ret = 0;
 *		... t.ev, t.time, t.state.g, t.state.moved, t.state.was ...
 *	}
 *	if (ret < 0)
 *		... t.error.text ...
 *	gt_timeline_exit(&t);
 *
 * t.state.moved is the G that the event moved, and t.state.was the time that
 * ended thereby, with its length (t.time - was.since), its kind and its reason.
 * What still goes on at the end is in t.state: gt_state_g(&t.state, 0..).
 *
 * The trace is read twice: gt_timeline_init_*() reads all of it, finds what is
 * wrong with its bytes, and knows afterwards all strings, all stacks, the
 * frequency, the losses and where each P's events are; gt_timeline_next() reads them again in
 * their order. What cannot be read twice is copied into a file without a name.
 * Memory grows with the Gs, Ps, strings, stacks and Batches of the trace, and
 * with what a Go program's system calls need (order.h), not with its events.
 *
 * What Go's reader refuses is refused, with the same rules, but only when reading
 * gets there.
 */
#ifndef GT_TIMELINE_H
#define GT_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "index.h"
#include "loss.h"
#include "order.h"
#include "source.h"
#include "state.h"
#include "trace.h"

/* The P in whose row Go's viewer draws an event; see gt_timeline_row(). */
enum {
	GT_ROW_TIMERS = 1000001,
	GT_ROW_NETWORK,
	GT_ROW_SYSCALLS,
	GT_ROW_GC,
};

/**
 * struct gt_progress - how far it is
 * @report: called now and then; NULL: never
 * @arg:    for it
 *
 * done goes from 0 to total while the trace is read once, and again while its
 * events are.
 */
struct gt_progress {
	void (*report)(void *arg, uint64_t done, uint64_t total);
	void *arg;
};

struct gt_timeline {
	/* Read-only for callers. */
	struct gt_trace trace;	/* its names (strings, stacks), hz, version */
	bool kernel;		/* it is the kernel's, and not a Go program's */
	struct gt_losses losses;	/* all of them, from the start on */
	struct gt_state state;
	struct gt_error error;	/* after a return of -1 */
	const struct gt_event *ev;	/* the last one */
	int64_t time;		/* of it, ns since the first one */
	uint64_t events;	/* so far */

	/* The timeline's own. */
	struct gt_source source;
	struct gt_index index;
	struct gt_order order;
	struct gt_progress progress;
};

/*
 * gt_timeline_init_fd() - read the trace in fd from its present position on
 * gt_timeline_init_mem() - read a trace that lies in memory
 * @progress: NULL: none
 *
 * Return: 0, or -1 with an error. After either, gt_timeline_exit() is to be
 * called. The fd stays the caller's.
 */
int gt_timeline_init_fd(struct gt_timeline *t, int fd,
			const struct gt_progress *progress);
int gt_timeline_init_mem(struct gt_timeline *t, const void *data, size_t len,
			 const struct gt_progress *progress);
void gt_timeline_exit(struct gt_timeline *t);

/*
 * The next event: t->ev, t->time and t->state, which are as they are after it.
 * Its text is valid until the next call.
 *
 * Return: 1, 0 at the end, -1 with an error; nothing can be read after that.
 */
int gt_timeline_next(struct gt_timeline *t);

/*
 * The row that Go's tools show the last event in: its P, or GT_ROW_*. A
 * GoUnblock by the network poller or by a timer and a GoSysExit are nobody's on
 * that P, and a GC is everybody's.
 */
int64_t gt_timeline_row(const struct gt_timeline *t);

/*
 * What a G is: the function where it began; in our traces the task's name. Empty
 * if the trace does not say. Valid as long as the trace.
 */
struct gt_string gt_timeline_g_name(const struct gt_timeline *t,
				    const struct gt_g *g);

#endif
