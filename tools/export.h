/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What gotrace export has its formats made of.
 *
 *	export_sums.c      intervals to sums for each stack: pprof, folded
 *	export_pprof.c     and so on: the formats, a file each
 *
 * Formats write with out.h: standard output is the file that was asked for.
 */
#ifndef EXPORT_H
#define EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/intervals.h"
#include "lib/map.h"
#include "report.h"

/* What a profile's time is spent with. */
enum export_profile {
	EXPORT_CPU,		/* running */
	EXPORT_OFFCPU,		/* asleep */
	EXPORT_SCHED,		/* waiting for a CPU, by who made it runnable */
	EXPORT_SYSCALL,		/* in system calls; of Go programs, blocked there */
	EXPORT_SYNC,		/* asleep for others: send, recv, select, sync, cond */
	EXPORT_NET,		/* asleep for the network */
	EXPORT_PROFILES,
};

/**
 * struct export_sum - what was spent with one stack
 * @stk:    its id; of who has none, the one of its name; 0: nothing is known
 * @reason: of sleeps; else REPORT_REASONS
 * @n:      how often; in EXPORT_CPU the samples
 * @ns:     how long
 */
struct export_sum {
	uint64_t stk;
	enum report_reason reason;
	uint64_t n;
	int64_t ns;
};

/*
 * Memory: an entry for each stack and reason, a few numbers for each G. All zero
 * is empty.
 */
struct export_sums {
	struct export_sum *all;
	size_t n, size;
	struct gt_map of[REPORT_REASONS + 1];	/* stack -> index, plus 1 */

	/* By gt_g.index: its last sample, and up to where its time is told. */
	struct export_mark {
		int64_t at;
		uint64_t stk;
	} *marks;
	size_t n_marks, size_marks;
};

struct export {
	struct gt_timeline *t;
	enum export_profile profile;
	bool failed;		/* no memory, for which there is export_fail() */

	int64_t runnable;	/* tasks, see export_count_runnable() */

	/* The format's own. */
	struct export_sums sums;
	void *own;
};

/**
 * struct export_format - a format
 * @name:     as -f has it
 * @binary:   it is nothing for a terminal
 * @profiles: it is of one enum export_profile
 * @begin:    before all; NULL: nothing to do
 * @take:     an interval has ended
 * @event:    t->ev has happened; NULL: of no interest
 * @finish:   after all, unless something failed; NULL: nothing to do
 * @exit:     in any case; NULL: nothing to do
 */
struct export_format {
	const char *name;
	bool binary, profiles;
	void (*begin)(struct export *e);
	void (*take)(struct export *e, const struct gt_interval *iv);
	void (*event)(struct export *e);
	void (*finish)(struct export *e);
	void (*exit)(struct export *e);
};

extern const struct export_format export_pprof, export_folded, export_perfetto,
				  export_chrome, export_csv;

/* There is no memory for it. Returns false. */
bool export_fail(struct export *e);

/* The empty string when it is not defined. */
struct gt_string export_string(const struct export *e, uint64_t id);

/* At every event. Whether the number of runnable tasks is another now. */
bool export_count_runnable(struct export *e);

void export_sums_take(struct export *e, const struct gt_interval *iv);
void export_sums_event(struct export *e);
void export_sums_exit(struct export *e);

#endif
