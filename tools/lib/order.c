// SPDX-License-Identifier: LGPL-2.1 OR MIT
/* The order of a trace's events; see order.h. */
#include "order.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "futile.h"

static bool is_earlier(const struct gt_sysexit *a,
		       const struct gt_sysexit *b)
{
	return a->key < b->key || (a->key == b->key && a->n < b->n);
}

static bool push_exit(struct gt_order *o, struct gt_sysexit x)
{
	size_t at = o->n_exits, up;

	if (!array_reserve(&o->exits, o->n_exits, &o->size_exits,
			   sizeof(*o->exits)))
		return false;
	o->n_exits++;
	for (; at; at = up) {
		up = (at - 1) / 2;
		if (!is_earlier(&x, &o->exits[up]))
			break;
		o->exits[at] = o->exits[up];
	}
	o->exits[at] = x;
	return true;
}

static void pop_exit(struct gt_order *o)
{
	struct gt_sysexit last = o->exits[--o->n_exits];
	size_t at = 0, child;

	o->exit = o->exits[0];
	for (; (child = 2 * at + 1) < o->n_exits; at = child) {
		if (child + 1 < o->n_exits &&
		    is_earlier(&o->exits[child + 1], &o->exits[child]))
			child++;
		if (!is_earlier(&o->exits[child], &last))
			break;
		o->exits[at] = o->exits[child];
	}
	o->exits[at] = last;
}

static bool found_exit(struct gt_order *o, const struct gt_event *ev)
{
	unsigned int version = o->scout.version;
	struct gt_sysexit x = { .ev = *ev, .n = o->scout.events };

	if (!gt_index_exit_key(version, ev, &x.key))
		return true;
	/* Go 1.5 has its place and its time; its time may be unknown. */
	if (version >= GT_V1_7)
		x.ev.ticks = x.key;
	else if (ev->args[2])
		x.ev.ticks = ev->args[2];
	return push_exit(o, x);
}

/* Find every exit that belongs before key, or at it. */
static int look_ahead(struct gt_order *o, int64_t key, struct gt_error *e)
{
	uint64_t back = o->merge.index->exits_back;
	struct gt_event *ev;
	int ret;

	while (!o->scout_ended) {
		/* Both are of one trace: the difference is what counts. */
		if (o->scout_key > key &&
		    (uint64_t)o->scout_key - (uint64_t)key > back)
			break;
		ret = gt_merge_next(&o->scout, &ev, e);
		if (ret < 0)
			return -1;
		o->scout_ended = ret == 0;
		if (ret == 0)
			break;
		o->scout_key = gt_index_key(o->scout.version, ev);
		if (!found_exit(o, ev))
			return gt_error_set(e, ev->off, "no memory for the ends of system calls");
	}
	return 0;
}

/* The merge's next event; those that were found ahead are not seen again. */
static int pend(struct gt_order *o, struct gt_error *e)
{
	int64_t own;
	int ret;

	do {
		ret = gt_merge_next(&o->merge, &o->pending, e);
	} while (ret > 0 && o->has_scout &&
		 gt_index_exit_key(o->merge.version, o->pending, &own));
	if (ret <= 0)
		o->pending = NULL;
	o->ended = ret == 0;
	return ret;
}

static bool is_exit_next(const struct gt_order *o)
{
	struct gt_sysexit x = { .n = o->merge.events };

	if (!o->n_exits || o->ended)
		return o->n_exits;
	x.key = gt_index_key(o->merge.version, o->pending);
	return is_earlier(&o->exits[0], &x);
}

static int next_event(struct gt_order *o, struct gt_event **ev,
		      struct gt_error *e)
{
	if (!o->pending && !o->ended && pend(o, e) < 0)
		return -1;
	if (o->has_scout &&
	    look_ahead(o, o->ended ? INT64_MAX :
		       gt_index_key(o->merge.version, o->pending), e))
		return -1;
	if (is_exit_next(o)) {
		pop_exit(o);
		*ev = &o->exit.ev;
		return 1;
	}
	*ev = o->pending;
	o->pending = NULL;
	return *ev ? 1 : 0;
}

int gt_order_next(struct gt_order *o, struct gt_event **ev, struct gt_error *e)
{
	int ret;

	do {
		ret = next_event(o, ev, e);
		if (ret <= 0)
			return ret;
		/* Only Go 1.5's own numbers can be at odds with its times. */
		if ((*ev)->ticks < o->last_ticks && o->merge.lenient) {
			o->merge.corrected++;
			(*ev)->ticks = o->last_ticks;
		}
		if ((*ev)->ticks < o->last_ticks)
			return gt_error_set(e, (*ev)->off, "time stamps out of order: %s at %" PRId64 " after an event at %" PRId64,
					    (*ev)->desc->name, (*ev)->ticks,
					    o->last_ticks);
		o->last_ticks = (*ev)->ticks;
	} while (o->futile.used && gt_map_find(&o->futile, (*ev)->off));
	return 1;
}

static int begin(struct gt_order *o, const struct gt_source *source,
		 const struct gt_index *index, unsigned int version,
		 bool lenient, struct gt_error *e)
{
	o->last_ticks = INT64_MIN;
	o->scout_key = INT64_MIN;
	o->has_scout = index->has_exits;
	if (gt_merge_init(&o->merge, source, index, version, lenient, e))
		return -1;
	if (!o->has_scout)
		return 0;
	return gt_merge_init(&o->scout, source, index, version, lenient, e);
}

int gt_order_init(struct gt_order *o, const struct gt_source *source,
		  const struct gt_index *index, unsigned int version,
		  bool lenient, struct gt_error *e)
{
	struct gt_map futile = { 0 };
	int ret = 0;

	memset(o, 0, sizeof(*o));
	if (index->has_futile) {
		ret = begin(o, source, index, version, lenient, e);
		if (!ret)
			ret = gt_futile_find(o, &futile, e);
		gt_order_exit(o);
		o->futile = futile;
	}
	return ret ? ret : begin(o, source, index, version, lenient, e);
}

void gt_order_exit(struct gt_order *o)
{
	gt_merge_exit(&o->merge);
	gt_merge_exit(&o->scout);
	free(o->exits);
	gt_map_exit(&o->futile);
	memset(o, 0, sizeof(*o));
}
