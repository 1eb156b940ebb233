/* SPDX-License-Identifier: LGPL-2.1 OR MIT */
/*
 * A trace in the order in which things happened, with what everybody is doing.
 * This is what commands that make something of a trace are written on:
 *
 *	struct gt_timeline t;		(large)
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

/* Go's clock on a PC of 3 GHz: its ticks are 64 cycles. */
#define GT_HZ_GUESS 46875000

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

	/* Of a damaged one: */
	bool lenient;
	bool hz_lost;		/* there was no Frequency: GT_HZ_GUESS */
	struct gt_error damage;	/* no text: none */
	uint64_t cut;		/* offset from which on nothing was read */
	uint64_t made_up;	/* events so far */
	uint64_t left_out;	/* events so far */
	struct gt_error why;	/* the first that was left out */

	/* The timeline's own. */
	struct gt_source source;
	struct gt_index index;
	struct gt_order order;
	struct gt_progress progress;
	struct gt_event *next;	/* peeked at, and not in @state yet; or NULL */
	struct gt_event made;	/* a made-up one */
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
 * The same for a trace that is damaged: it is read up to the first fault, which
 * is then in t->damage. Steps of Gs that are lost are made up where others depend
 * on them (a G that is started while it sleeps is woken first), and events that
 * cannot be all the same are left out. An error is only what leaves nothing to
 * read.
 */
int gt_timeline_init_damaged_fd(struct gt_timeline *t, int fd,
				const struct gt_progress *progress);
int gt_timeline_init_damaged_mem(struct gt_timeline *t, const void *data,
				 size_t len, const struct gt_progress *progress);

/*
 * The next event: t->ev, t->time and t->state, which are as they are after it.
 * Its text is valid until the next call.
 *
 * Return: 1, 0 at the end, -1 with an error; nothing can be read after that.
 */
int gt_timeline_next(struct gt_timeline *t);

/*
 * Look at the next event without taking it: t->ev and t->time are its, t->state
 * is as before it. The next gt_timeline_next() returns it. Return: likewise.
 */
int gt_timeline_peek(struct gt_timeline *t);

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

/* The process (tgid) that a task is of; 0 if the trace does not say. */
uint64_t gt_timeline_g_process(const struct gt_timeline *t,
			       const struct gt_g *g);

#endif
