/* SPDX-License-Identifier: LGPL-2.1 OR MIT */
/*
 * A trace: its events in the order of the file, with its strings, its stacks
 * and its clock at hand as far as they are known.
 *
 * What can be read twice (a file) can be indexed first: then strings, stacks,
 * the exact frequency and the first moment are known before the first event.
 * What cannot (a pipe) is read as it comes, and knows what came so far.
 */
#ifndef GT_TRACE_H
#define GT_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "event.h"
#include "names.h"
#include "reader.h"

struct gt_trace {
	/* Read-only for callers. */
	struct gt_reader reader;
	struct gt_names names;
	struct gt_record rec;	/* the one that was read last */
	bool indexed;
	uint64_t events;	/* read so far */
	uint64_t hz;		/* ticks a second, 0 if not known */
	int64_t first_ticks;	/* where time begins, once there was an event */

	/* The trace's own. */
	struct gt_decoder decoder;
	bool learning;
	bool has_first;
	struct gt_error broken;	/* the index ended with it */
};

/*
 * gt_trace_init_fd() - read from fd, from its present position on
 * gt_trace_init_mem() - read what lies in memory
 *
 * Return: 0, or -1 with an error. After either, gt_trace_exit() is to be
 * called. The fd stays the caller's.
 */
int gt_trace_init_fd(struct gt_trace *t, int fd);
int gt_trace_init_mem(struct gt_trace *t, const void *data, size_t len);
void gt_trace_exit(struct gt_trace *t);

/**
 * gt_trace_index() - read it all once, then go back to its beginning
 * @t: trace of which nothing was read yet
 *
 * Errors in the trace are not reported here but when reading gets to them.
 * Afterwards time begins with the earliest event, and the last Frequency rules;
 * without the index it is the first event of the file, and the first Frequency.
 *
 * Return: 1; 0 when it cannot be read twice, and nothing has happened; -1 with
 * an error.
 */
int gt_trace_index(struct gt_trace *t);

/*
 * Of a trace of which nothing was read yet: it is read for the sake of what it
 * teaches. As with the index, the last Frequency rules and time begins with the
 * earliest event.
 */
void gt_trace_learn(struct gt_trace *t);

enum gt_trace_next {
	GT_TRACE_ERROR = -1,
	GT_TRACE_END = 0,
	GT_TRACE_EVENT,		/* an event: in @ev */
	GT_TRACE_RECORD,	/* something without a time: in t->rec */
};

/*
 * The next record. Its text is valid until the next call. At the end of the
 * trace, what Go would miss in it is an error too.
 */
enum gt_trace_next gt_trace_next(struct gt_trace *t, struct gt_event *ev);

/* "offset 123: …", valid as long as the trace. */
const char *gt_trace_error(const struct gt_trace *t);

/* Nanoseconds since the beginning, as Go computes them; hz must be known. */
int64_t gt_trace_time(const struct gt_trace *t, int64_t ticks);

#endif
