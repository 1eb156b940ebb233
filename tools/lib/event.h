/* SPDX-License-Identifier: LGPL-2.1 OR MIT */
/*
 * Records to events: what a record says once its place in the file is known.
 *
 * The P and the time come from the last Batch; the G is the one that was
 * started last on that P and has not stopped, which is remembered from batch
 * to batch.
 */
#ifndef GT_EVENT_H
#define GT_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "map.h"
#include "record.h"

#define GT_NO_P (-1)

/**
 * struct gt_event - an event
 * @desc:  its type's description
 * @type:  GT_EV_*
 * @off:   offset of its record in the trace
 * @p:     the P it happened on, or GT_NO_P
 * @g:     the G it belongs to, 0 for none
 * @ticks: when, in ticks of the trace's clock
 * @seq:   Go 1.5 only: its number in the order of all events
 * @nargs: entries of @args used
 * @args:  as desc->args says
 * @stk:   its stack's id, 0 for none; only if desc->stack
 * @text:  UserLog's message, valid as long as the record's
 * @text_len: bytes of it
 */
struct gt_event {
	const struct gt_event_desc *desc;
	unsigned int type;
	unsigned int nargs;
	uint64_t off;
	int64_t p;
	uint64_t g;
	int64_t ticks;
	uint64_t seq;
	uint64_t args[GT_EVENT_ARGS_MAX];
	uint64_t stk;
	const uint8_t *text;
	size_t text_len;
};

/* How an event of a type takes its G off its P. */
enum gt_leaves {
	GT_LEAVES_NOT,
	GT_LEAVES_DEAD,
	GT_LEAVES_RUNNABLE,
	GT_LEAVES_ASLEEP,
};

enum gt_leaves gt_event_leaves(unsigned int type);

/* GoStart for GoStartLocal, and so on: they say the same. */
unsigned int gt_event_plain(unsigned int type);

/* All zero but the version is a decoder at the start of a trace. */
struct gt_decoder {
	unsigned int version;

	/* The P of the last Batch, and the G, time and number reached on it. */
	int64_t p;
	uint64_t g;
	uint64_t ticks;
	uint64_t seq;

	struct gt_map last_g;	/* P -> g, of the other Ps */
};

void gt_decoder_exit(struct gt_decoder *d);

enum gt_decode_result {
	GT_DECODE_EVENT,	/* ev is filled in */
	GT_DECODE_OTHER,	/* the record is no event (it has no time) */
	GT_DECODE_NO_MEMORY,
};

/* The records of a trace must come one after the other, all of them. */
enum gt_decode_result gt_decode(struct gt_decoder *d,
				const struct gt_record *rec, uint64_t off,
				struct gt_event *ev);

#endif
