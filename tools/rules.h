/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What Go's tools want of a trace beyond what the reader (lib/) refuses: what
 * their converters, validators and viewers die of, lose, or show wrongly.
 */
#ifndef RULES_H
#define RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"
#include "lib/map.h"
#include "lib/timeline.h"
#include "lib/trace.h"

/**
 * struct finding - something that is wrong
 * @error:   where, what, and who minds
 * @rule:    a word for it, the same for all of its kind
 * @warning: it opens all the same, but something is lost or shown wrongly
 */
struct finding {
	struct gt_error error;
	const char *rule;
	bool warning;
};

/* What a rule remembers of a G, and of a P, by index. */
struct rules_g {
	uint8_t last;		/* type of its last event */
	bool in_stw;
	int64_t p;		/* of its last step */
};

struct rules_p {
	bool blocked;		/* its last event was a GoSysBlock */
};

struct rules {
	void (*found)(void *arg, const struct finding *f);
	void *arg;

	unsigned int version;
	bool seen_batch;
	unsigned int gomaxprocs;
	struct gt_map frame_of;		/* pc -> hash of its place */
	struct rules_g *gs;
	size_t n_gs;
	struct rules_p *ps;
	size_t n_ps;
	bool no_memory;
};

/*
 * The records in the order of the file, then the events in theirs with the state
 * behind them, then the end. With an index, or not all is known.
 */
void rules_begin(struct rules *r, unsigned int version);
void rules_record(struct rules *r, const struct gt_trace *t);
void rules_event(struct rules *r, const struct gt_timeline *t);
void rules_end(struct rules *r, const struct gt_timeline *t);
void rules_exit(struct rules *r);

#endif
