/* SPDX-License-Identifier: LGPL-2.1 OR MIT */
/*
 * Where the events of each P are in a trace, learnt by reading it once.
 *
 * Memory: an entry for every change of the P in the file, and for every row of
 * CPU samples that are in order; not for events.
 */
#ifndef GT_INDEX_H
#define GT_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "map.h"
#include "trace.h"

/**
 * struct gt_segment - Batches of one P that follow each other in the file
 * @start: offset of the first Batch record
 * @end:   behind the last event
 * @next:  of the same P, plus 1; 0: none
 */
struct gt_segment {
	uint64_t start, end;
	size_t next;
};

struct gt_index_p {
	int64_t p;
	size_t first, last;	/* segments */
};

/* CPU samples whose times grow. Other records may be between them. */
struct gt_run {
	uint64_t start, end;
	int64_t ticks;		/* of the first */
};

/* All zero is empty. */
struct gt_index {
	struct gt_segment *segments;
	size_t n_segments, size_segments;
	struct gt_index_p *ps;
	size_t n_ps, size_ps;
	struct gt_run *runs;	/* in order of their first time */
	size_t n_runs, size_runs;

	/*
	 * A GoSysExit's own time, where it has one, is this much before its
	 * place in its Batch, at most; the unit is that of gt_index_key().
	 */
	bool has_exits;
	uint64_t exits_back;
	bool has_futile;	/* there are FutileWakeups */
	struct gt_map timers;	/* the Gs that a TimerGoroutine names */

	/* While it is made. */
	struct gt_map p_of;	/* P -> index in ps, plus 1 */
	uint64_t batch_off;
	size_t p;		/* of the last Batch, plus 1 */
	bool open;		/* its segment is the last one */
	int64_t last_sample;
};

void gt_index_exit(struct gt_index *ix);

/*
 * Take in what gt_trace_next() returned: every record from the first on, then
 * gt_index_finish(). Return: false without memory.
 */
bool gt_index_add(struct gt_index *ix, const struct gt_trace *t,
		  const struct gt_event *ev);
void gt_index_finish(struct gt_index *ix);

/*
 * What a trace is in order of: time, and in Go 1.5 the number of the event.
 * gt_index_exit_key(): of a GoSysExit by its own time; false if it has none.
 */
int64_t gt_index_key(unsigned int version, const struct gt_event *ev);
bool gt_index_exit_key(unsigned int version, const struct gt_event *ev,
		       int64_t *key);

#endif
