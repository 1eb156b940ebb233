// SPDX-License-Identifier: LGPL-2.1 OR MIT
/* Where the events are; see index.h. */
#include "index.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

/*
 * A new run begins after so many bytes without a sample, so that little is
 * read again for the samples' sake.
 */
#define RUN_GAP 4096

void gt_index_exit(struct gt_index *ix)
{
	free(ix->segments);
	free(ix->ps);
	free(ix->runs);
	gt_map_exit(&ix->timers);
	gt_map_exit(&ix->p_of);
	memset(ix, 0, sizeof(*ix));
}

int64_t gt_index_key(unsigned int version, const struct gt_event *ev)
{
	return version < GT_V1_7 ? (int64_t)ev->seq : ev->ticks;
}

/* Of GoSysExitLocal, Go takes the third argument, which it has not. */
bool gt_index_exit_key(unsigned int version, const struct gt_event *ev,
		       int64_t *key)
{
	*key = ev->args[version < GT_V1_7 ? 1 : 2];
	return ev->type == GT_EV_GO_SYSEXIT && (version < GT_V1_7 || *key);
}

static bool begin_batch(struct gt_index *ix, const struct gt_trace *t)
{
	int64_t p = t->rec.args[0];
	uint64_t *at = gt_map_add(&ix->p_of, p);

	if (!at)
		return false;
	if (!*at) {
		if (!array_reserve(&ix->ps, ix->n_ps, &ix->size_ps,
				   sizeof(*ix->ps)))
			return false;
		ix->ps[ix->n_ps++] = (struct gt_index_p){ .p = p };
		*at = ix->n_ps;
	}
	/* Go on with the segment while the P stays. */
	if (ix->p == *at && ix->open)
		return true;
	ix->p = *at;
	ix->open = false;
	ix->batch_off = t->reader.rec_off;
	return true;
}

static bool begin_segment(struct gt_index *ix)
{
	struct gt_index_p *p = &ix->ps[ix->p - 1];

	if (!array_reserve(&ix->segments, ix->n_segments, &ix->size_segments,
			   sizeof(*ix->segments)))
		return false;
	ix->segments[ix->n_segments++] =
		(struct gt_segment){ .start = ix->batch_off };
	if (p->first)
		ix->segments[p->last - 1].next = ix->n_segments;
	else
		p->first = ix->n_segments;
	p->last = ix->n_segments;
	ix->open = true;
	return true;
}

static bool add_sample(struct gt_index *ix, const struct gt_trace *t,
		       const struct gt_event *ev)
{
	struct gt_run *run = ix->n_runs ? &ix->runs[ix->n_runs - 1] : NULL;

	if (!run || ev->ticks < ix->last_sample ||
	    ev->off - run->end > RUN_GAP) {
		if (!array_reserve(&ix->runs, ix->n_runs, &ix->size_runs,
				   sizeof(*run)))
			return false;
		run = &ix->runs[ix->n_runs++];
		*run = (struct gt_run){ .start = ev->off, .ticks = ev->ticks };
	}
	run->end = t->reader.off;
	ix->last_sample = ev->ticks;
	return true;
}

static void add_exit(struct gt_index *ix, unsigned int version,
		     const struct gt_event *ev)
{
	int64_t key = gt_index_key(version, ev), own;

	if (!gt_index_exit_key(version, ev, &own))
		return;
	ix->has_exits = true;
	if (own < key && (uint64_t)key - (uint64_t)own > ix->exits_back)
		ix->exits_back = (uint64_t)key - (uint64_t)own;
}

bool gt_index_add(struct gt_index *ix, const struct gt_trace *t,
		  const struct gt_event *ev)
{
	if (!ev) {
		if (t->rec.type == GT_EV_BATCH)
			return begin_batch(ix, t);
		if (t->rec.type == GT_EV_TIMER_GOROUTINE)
			return gt_map_add(&ix->timers, t->rec.args[0]);
		return true;
	}
	if (ev->type == GT_EV_CPU_SAMPLE)
		return add_sample(ix, t, ev);
	if (!ix->open && !begin_segment(ix))
		return false;
	ix->segments[ix->n_segments - 1].end = t->reader.off;
	if (ev->type == GT_EV_GO_SYSEXIT)
		add_exit(ix, t->reader.version, ev);
	else if (ev->type == GT_EV_FUTILE_WAKEUP)
		ix->has_futile = true;
	return true;
}

static int by_time(const void *a, const void *b)
{
	const struct gt_run *x = a, *y = b;

	if (x->ticks != y->ticks)
		return x->ticks < y->ticks ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

void gt_index_finish(struct gt_index *ix)
{
	if (ix->n_runs)
		qsort(ix->runs, ix->n_runs, sizeof(*ix->runs), by_time);
	gt_map_exit(&ix->p_of);
}
