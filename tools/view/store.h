/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The intervals of a trace, kept so that any window of any row of the page is
 * found at once.
 *
 * A track is a row's: records that do not overlap, in their order. Records lie in
 * a file without a name, in blocks of 64; what is in memory is an entry for each
 * block: where it is, when it begins, and how much time of each kind lies before it.
 * So sums over any window look at two blocks and not at what is between them.
 */
#ifndef VIEW_STORE_H
#define VIEW_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a record's length counts as, in sums. */
enum view_class {
	VIEW_RUNNING,		/* and whatever is alone in its track */
	VIEW_RUNNABLE,
	VIEW_ASLEEP,		/* of a CPU: idle */
	VIEW_UNTRACED,
	VIEW_CLASSES,
};

enum {
	VIEW_SINCE_BEFORE = 1,
	VIEW_UNFINISHED = 2,
	VIEW_DOUBTFUL = 4,
	VIEW_IRQ = 8,		/* woken by an interrupt */
	VIEW_ENTERED = 16,	/* of a call: its entry was seen */
	VIEW_SAMPLED = 32,	/* of a run: what it did is in the samples' track */
	VIEW_CUT = 64,		/* of a tile's piece: the record is longer */
};

/**
 * struct view_rec - a record
 * @start: ns since the beginning of the trace
 * @end:   likewise
 * @extra: RUNNABLE: for how long @name had the CPU; CALL: how long it was asleep
 * @g:     whose: gt_g.index plus 1; 0: nobody's
 * @by:    RUNNABLE: who woke it; ASLEEP likewise; gt_g.index plus 1
 * @stk:   its stack, see view_stack(); of a RUNNABLE, the waker's
 * @name:  a string, see view_name(); RUNNABLE: who had the CPU, gt_g.index plus 1
 * @p:     gt_p.index plus 1 of the event it began with; 0: none
 * @end_p: of the one it ended with
 * @kind:  enum gt_interval_kind
 * @why:   the event that it began with
 * @then:  the one that ended it
 * @flags: VIEW_*
 */
struct view_rec {
	int64_t start, end;
	int64_t extra;
	uint32_t g;
	uint32_t by;
	uint32_t stk;
	uint32_t name;
	uint16_t p, end_p;
	uint8_t kind, why, then, flags;
};

struct view_block {
	uint64_t at;			/* its first record, in the file */
	int64_t start;			/* of that */
	int64_t before[VIEW_CLASSES];	/* ns, of the track's records before it */
	uint32_t longest[VIEW_CLASSES];	/* in the block: from its first on, plus 1 */
};

struct view_track {
	uint32_t n;
	uint32_t n_blocks;
	size_t size_blocks;
	struct view_block *blocks;
	int64_t end;			/* of the last record */
	int64_t ns[VIEW_CLASSES];	/* in all */
};

struct view_store {
	/* Read-only for callers. */
	struct view_track *tracks;
	size_t n_tracks;
	uint64_t n;		/* records in all */
	uint64_t bytes;		/* of the file */

	/* The store's own. */
	size_t size_tracks;
	int fd;
	struct view_rec *recs;
	uint64_t used;		/* records that blocks have taken */
};

/* Return: 0 or a negative errno. view_store_exit() is to be called in any case. */
int view_store_init(struct view_store *s);
void view_store_exit(struct view_store *s);

/* A new track: its number plus 1; 0 without memory. */
uint32_t view_store_track(struct view_store *s);

/*
 * Put a record behind the others of its track. What overlaps the last one begins
 * where that ends. Return: 0 or a negative errno.
 */
int view_store_append(struct view_store *s, uint32_t track,
		      const struct view_rec *rec);

/* Take the last record of a track off again; it had no length. */
void view_store_pop(struct view_store *s, uint32_t track);

/* Record i of a track, less than its n. */
struct view_rec *view_store_rec(const struct view_store *s, uint32_t track,
				uint32_t i);

/* The first record that ends behind the time; n if there is none. */
uint32_t view_store_find(const struct view_store *s, uint32_t track,
			 int64_t time);

enum view_class view_class(unsigned int kind);

/* What is between two times, and what is longest of that. */
struct view_sum {
	uint32_t n;			/* records, those cut too */
	int64_t ns[VIEW_CLASSES];
	uint32_t longest[VIEW_CLASSES];	/* of each, plus 1; 0: none */
};

void view_store_sum(const struct view_store *s, uint32_t track, int64_t from,
		    int64_t to, struct view_sum *sum);

#endif
