/* SPDX-License-Identifier: LGPL-2.1 OR MIT */
/*
 * The events of all Ps in one order, in which every cause comes before what it
 * causes.
 *
 * Each P's next event waits until its G is in the state that it needs: events
 * count a G's steps (seq) for this. Of those that can be next, the one with the
 * earliest time is. CPU samples need nothing.
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

/* A P, or a run of samples. */
struct gt_stream {
	struct gt_cursor cursor;
	struct gt_event ev;	/* its next */
	int64_t key;		/* and where that belongs */
	unsigned int next;	/* that waits for the same G, or is free; plus 1 */
	bool waits;
};

struct gt_merge {
	const struct gt_source *source;
	const struct gt_index *index;
	unsigned int version;
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
	struct gt_merge_g *gs;
	size_t n_gs, size_gs;
	struct gt_merge_g gc;	/* counts GCStarts */

	uint64_t events;	/* returned */
	int64_t last_ticks;
};

/* The first two stay the caller's. Return: 0, or -1 with an error. */
int gt_merge_init(struct gt_merge *m, const struct gt_source *source,
		  const struct gt_index *index, unsigned int version,
		  struct gt_error *e);
void gt_merge_exit(struct gt_merge *m);

/*
 * The next event; it and its text are valid until the next call.
 * Return: 1, 0 behind the last one, -1 with an error.
 */
int gt_merge_next(struct gt_merge *m, struct gt_event **ev, struct gt_error *e);

#endif
