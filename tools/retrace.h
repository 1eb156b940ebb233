/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writing a part of a trace as a trace of its own: the state at its beginning,
 * its events, what closes them, and the strings and stacks that they use.
 *
 * What is open at the beginning is opened again: Gs are created anew, those that
 * run start, tasks, regions, GC and the like begin at once, or when their G is
 * started for the first time. A G that is in a system call then is found waiting,
 * and is woken instead of returning: Go's viewers know no other way.
 *
 * A thread that is on two Ps at once (the ProcStop of one was cut off; and Go's own
 * runtime writes such) is another one on the second, for the newest Go's sake.
 */
#ifndef RETRACE_H
#define RETRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/timeline.h"
#include "usednames.h"
#include "writer.h"

struct retrace {
	/* Read-only for callers. */
	struct writer writer;
	uint64_t bytes;		/* about: what the file has when it ends now */
	uint64_t closed;	/* Gs that ran at the end */
	uint64_t ended;		/* GC, STW and sweeps that went on */
	struct usednames names;
	bool no_memory;		/* once, and then for good */

	/* Its own. */
	const struct gt_timeline *t;
	unsigned int gomaxprocs;	/* so many were written */
	int64_t first;		/* ticks: the state at the beginning is before it */
	int64_t floor;		/* no event is earlier from here on */
	int64_t created;	/* of the last GoCreate */
	int64_t unordered;	/* of the last one that only its time puts in order */
	int64_t unordered_p;	/* and its P */
	bool gc;		/* begun in this part */
	const struct gt_g *stw;	/* who stopped the world in it; NULL: nobody */
	bool no_tasks;		/* those that are open are not open here yet */
	int64_t begin;		/* ns */
	uint8_t *gs, *ps;	/* by index: flags, see retrace.c */
	size_t n_gs, n_ps;
	uint64_t *threads;	/* of Ps that run, by index, as written; plus 1 */
	size_t n_threads;
	uint64_t next_thread;
};

/* At the beginning of the trace, which is that of the file. */
void retrace_begin(struct retrace *r, const struct gt_timeline *t, FILE *to);
/* At t->ev, which was peeked at. */
void retrace_begin_here(struct retrace *r, const struct gt_timeline *t,
			FILE *to);

/* t->ev, after gt_timeline_next(). */
void retrace_event(struct retrace *r);

/* The part ends at that time, which is not before its last event. */
void retrace_end(struct retrace *r, int64_t ticks);
void retrace_exit(struct retrace *r);

#endif
