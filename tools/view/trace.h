/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What gotrace view keeps of a trace.
 *
 *	load.c     a trace to tracks
 *	store.c    tracks: records on disk, found by time
 *	tiles.c    what a track looks like at some zoom
 *	slice.c    all about one record, for people
 *	flame.c    stacks and how long, in a window
 *	window.c   the report's sums, in a window
 *	api.c      what the page asks for, as JSON or bytes
 *	server.c   HTTP, and who may ask
 *	assets.c   the page itself; its sources are in web/
 */
#ifndef VIEW_TRACE_H
#define VIEW_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/intervals.h"
#include "lib/map.h"
#include "report.h"
#include "view/store.h"

/* Annotations' regions nest; deeper ones are counted, not shown. */
#define VIEW_DEPTH	6

/* The tracks of a G: numbers plus 1, 0: it has none. By gt_g.index. */
struct view_g {
	uint32_t state;		/* running, runnable, asleep, untraced */
	uint32_t calls;
	uint32_t assists;
	uint32_t samples;	/* what it did while it ran */
	uint32_t regions[VIEW_DEPTH];

	/* While they are made: its last sample in this run. */
	int64_t sample_at;
	uint32_t sample_stk;	/* plus 1; 0: none */
};

/* Something that was said at a moment. */
struct view_mark {
	int64_t time;
	uint32_t g;		/* plus 1, 0: nobody */
	uint32_t name;		/* its category, or of a task's name */
	uint32_t text, len;	/* in texts */
	uint8_t type;		/* GT_EV_USER_LOG, _TASK_CREATE, _TASK_END */
};

struct view_heap {
	int64_t time;
	uint64_t heap, goal;
};

/* Most marks, bytes of their texts, and points of the heap that are kept. */
#define VIEW_MARKS_MAX	1000000
#define VIEW_TEXTS_MAX	(64u << 20)
#define VIEW_HEAP_MAX	1000000

/* Numbers for ids, from 0 on; 0 is id 0, none. */
struct view_ids {
	struct gt_map of;	/* id -> number, plus 1 */
	uint64_t *all;
	size_t n, size;
};

struct view {
	struct gt_timeline *t;
	const char *name;	/* the file's, for people */
	struct report report;	/* of the whole trace */
	struct report window;	/* of the window asked for last, if its t is set */
	struct view_store store;

	struct view_g *gs;	/* by gt_g.index */
	size_t n_gs, size_gs;
	uint32_t *cpus;		/* tracks, plus 1, by gt_p.index */
	size_t n_cpus, size_cpus;
	uint32_t gc, stw;	/* tracks, plus 1 */
	uint32_t wakes;		/* of all tasks; they have no length */
	uint64_t deep;		/* regions deeper than VIEW_DEPTH */

	struct view_mark *marks;
	size_t n_marks, size_marks;
	uint64_t more_marks;	/* that are not kept */
	char *texts;
	size_t n_texts, size_texts;
	struct view_heap *heap;
	size_t n_heap, size_heap;

	struct view_ids names, stacks;	/* as records have them */

	struct gt_intervals intervals;
	int err;		/* negative errno, while it is made */
};

/*
 * Read a trace to its end. Return: 0, or -1 with t->error; view_exit() is to be
 * called in any case.
 */
int view_load(struct view *v);
void view_exit(struct view *v);

/* The ids of strings and stacks behind their numbers. */
static inline uint64_t view_name(const struct view *v, uint32_t n)
{
	return v->names.all[n];
}

static inline uint64_t view_stack(const struct view *v, uint32_t n)
{
	return v->stacks.all[n];
}

static inline const struct gt_g *view_g(const struct view *v, uint32_t g)
{
	return g ? gt_state_g(&v->t->state, g - 1) : NULL;
}

static inline int64_t view_p(const struct view *v, uint16_t p)
{
	return p ? gt_state_p(&v->t->state, p - 1)->id : GT_NO_P;
}

/*
 * The report of a window; of the whole trace if it is all of it. It is good until the
 * next one is asked for. NULL: there is nothing in it, or no memory.
 */
struct report *view_window(struct view *v, int64_t from, int64_t to);

#endif
