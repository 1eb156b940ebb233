/* SPDX-License-Identifier: LGPL-2.1 OR MIT */
/*
 * The events of all Ps in one order, in which every cause comes before what it
 * causes.
 *
 * Each P's next event waits until its G is in the state that it needs: events
 * count a G's steps (seq) for this. Of those that can be next, the one with the
 * earliest time is. CPU samples need nothing.
 *
 * A lenient merge takes every event. One whose G is not in the state that it needs
 * when all that is earlier is done waits for nothing: the steps before it are
 * lost, and it is taken all the same. A time that is earlier than the one before it
 * becomes the same.
 *
 * Memory: a window for each P, a few numbers for each G.
 */
#ifndef GT_MERGE_H
#define GT_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cursor.h"
#include "error.h"
#include "event.h"
#include "index.h"
#include "map.h"
#include "source.h"

/* What a G's next step must find, or makes. */
struct gt_merge_g {
	uint64_t seq;
	int64_t block;		/* ticks of its last GoSysBlock, 0: none */
	unsigned int status;
	unsigned int waiting;	/* the stream that waits for it, plus 1 */
};

/* Which G an event moves, and from where to where. */
struct gt_merge_step {
	size_t g;		/* index, plus 1; 0: none */
	uint64_t id;
	uint64_t seq;		/* the step's number */
	bool any_seq;		/* it has none: whichever is next */
	bool counts;		/* the next step has the next number */
	unsigned int from, to;
};

/* A P, or a run of samples. */
struct gt_stream {
	struct gt_cursor cursor;
	struct gt_event ev;	/* its next */
	struct gt_merge_step step;
	uint64_t last_id;	/* the G that was looked for last, and where it is */
	size_t last_g;
	int64_t key;		/* where that belongs */
	unsigned int next;	/* that waits for the same G, or is free; plus 1 */
	bool waits;
};

struct gt_merge {
	const struct gt_source *source;
	const struct gt_index *index;
	unsigned int version;
	bool lenient;
	struct gt_record rec;

	struct gt_stream *streams;
	size_t n_streams, size_streams;
	unsigned int free;	/* of them, plus 1 */
	size_t next_run;
	size_t waiting;		/* streams that wait */

	/* Streams whose event can be next, the earliest in front. */
	unsigned int *heap;
	size_t n_heap, size_heap;
	unsigned int current;	/* the stream returned last, plus 1 */

	struct gt_map g_of;	/* G -> index, plus 1 */
	struct gt_merge_g *gs;	/* the first is none: it counts GCStarts */
	size_t n_gs, size_gs;

	uint64_t events;	/* returned */
	uint64_t forced;	/* of them, all the same */
	uint64_t corrected;	/* times of them */
	struct gt_error why;	/* the first of them */
	int64_t last_ticks;
};

/* The first two stay the caller's. Return: 0, or -1 with an error. */
int gt_merge_init(struct gt_merge *m, const struct gt_source *source,
		  const struct gt_index *index, unsigned int version,
		  bool lenient, struct gt_error *e);
void gt_merge_exit(struct gt_merge *m);

/*
 * The next event; it and its text are valid until the next call.
 * Return: 1, 0 behind the last one, -1 with an error.
 */
int gt_merge_next(struct gt_merge *m, struct gt_event **ev, struct gt_error *e);

#endif
