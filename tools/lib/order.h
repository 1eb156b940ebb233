/* SPDX-License-Identifier: LGPL-2.1 OR MIT */
/*
 * The events of a trace in their order, each GoSysExit at its own time.
 *
 * A Go program writes a GoSysExit when the goroutine gets a P, with the time at
 * which its call had returned, which may be long before. So where a trace has
 * such times a second merge runs as far ahead as they go back, and what it
 * finds is put in where it belongs. (Ours have none.)
 *
 * Futile wake-ups, which Go programs up to 1.13 marked, are left out, as Go's
 * reader leaves them out: GoUnblock, GoStart, FutileWakeup and GoBlock.
 */
#ifndef GT_ORDER_H
#define GT_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "event.h"
#include "index.h"
#include "map.h"
#include "merge.h"
#include "source.h"

/* A GoSysExit that was found ahead. */
struct gt_sysexit {
	struct gt_event ev;
	int64_t key;
	uint64_t n;		/* its number in the merge */
};

struct gt_order {
	struct gt_merge merge;
	struct gt_merge scout;	/* only if the index has exits */
	bool has_scout;
	bool scout_ended;
	int64_t scout_key;

	struct gt_sysexit *exits;	/* a heap, the earliest in front */
	size_t n_exits, size_exits;
	struct gt_sysexit exit;	/* the one returned last */

	struct gt_event *pending;	/* the merge's event, not returned yet */
	bool ended;			/* there is none any more */
	struct gt_map futile;		/* offsets of events to leave out */
	int64_t last_ticks;
};

/*
 * source and index stay the caller's. lenient: as in merge.h.
 * Return: 0, or -1 with an error.
 */
int gt_order_init(struct gt_order *o, const struct gt_source *source,
		  const struct gt_index *index, unsigned int version,
		  bool lenient, struct gt_error *e);
void gt_order_exit(struct gt_order *o);

/*
 * The next event; it and its text are valid until the next call.
 * Return: 1, 0 behind the last one, -1 with an error.
 */
int gt_order_next(struct gt_order *o, struct gt_event **ev, struct gt_error *e);

#endif
