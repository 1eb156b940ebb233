/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writing a trace from events in the order of time: Batches of each P, the steps
 * of Gs numbered. Strings and stacks are the caller's, with
 * putrecord.h, anywhere behind writer_begin().
 */
#ifndef WRITER_H
#define WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/event.h"
#include "lib/map.h"

/* What a P has written and the file has not. */
struct writer_p {
	int64_t p;
	int64_t ticks;		/* of the last event in buf */
	uint8_t *buf;
	size_t used, size;
};

struct writer_g {
	uint64_t seq;		/* of its next step */
	int64_t p;		/* of its last */
};

struct writer {
	/* Read-only for callers. */
	FILE *to;
	unsigned int version;
	uint64_t events;
	uint64_t bytes;		/* of all that, and of what is not in the file yet */

	/* The writer's own. */
	struct writer_p *ps;
	size_t n_ps, size_ps;
	size_t last_p;		/* of the event before: index in ps, plus 1 */
	struct gt_map p_of;	/* P -> index in ps, plus 1 */
	struct writer_g *gs;
	size_t n_gs, size_gs;
	struct gt_map g_of;
	uint64_t gcs;		/* GCStarts */
};

/* The header, and a first Batch of P 0. */
void writer_begin(struct writer *w, FILE *to, unsigned int version,
		  int64_t ticks);

/*
 * The next event of its P. What counts here are type (Local or not is the same),
 * p, ticks, args, stk and text; sequence numbers are the writer's. A GoSysExit is
 * given its time, and has none of its own. Return: false without memory.
 */
bool writer_event(struct writer *w, const struct gt_event *ev);

/* An event to begin with; args, stk and text as they are needed. */
struct gt_event writer_make(unsigned int type, int64_t p, uint64_t g,
			    int64_t ticks);

void writer_frequency(struct writer *w, uint64_t hz);

/* All that is left goes into the file. Errors are the FILE's. */
void writer_end(struct writer *w);
void writer_exit(struct writer *w);

#endif
