/* SPDX-License-Identifier: LGPL-2.1 OR MIT */
/*
 * Where a trace says that kernel events were lost: on one CPU, from when to when,
 * how many. What others did meanwhile may be told wrong too: a task that ran
 * there looks as if it had not, until its next event.
 *
 * Memory: an entry for each time that a CPU lost events; each took it a buffer.
 */
#ifndef GT_LOSS_H
#define GT_LOSS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event.h"

struct gt_trace;

/**
 * struct gt_loss - a time without events on one P
 * @p:      which
 * @events: how many kernel events were lost
 * @from:   ns since the beginning of the trace
 * @to:     likewise
 */
struct gt_loss {
	int64_t p;
	uint64_t events;
	int64_t from, to;

	/* While they are gathered: ticks of @to, ns before it, the key's id. */
	int64_t ticks;
	uint64_t ns;
	uint64_t key;
};

/* A time in which at least one P lost events. */
struct gt_gap {
	int64_t from, to;
};

/* All zero is empty. */
struct gt_losses {
	struct gt_loss *all;	/* in the order of @from */
	size_t n, size;
	uint64_t events;
	struct gt_gap *gaps;	/* in their order, apart from each other */
	size_t n_gaps, size_gaps;
};

void gt_losses_exit(struct gt_losses *l);

/* Take in an event of the first reading. False without memory. */
bool gt_losses_add(struct gt_losses *l, const struct gt_event *ev);

/* All strings and the clock are known now. False without memory. */
bool gt_losses_finish(struct gt_losses *l, const struct gt_trace *t);

/* Were events lost at some moment between these? */
bool gt_losses_within(const struct gt_losses *l, int64_t from, int64_t to);

#endif
