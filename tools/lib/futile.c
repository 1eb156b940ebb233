// SPDX-License-Identifier: LGPL-2.1 OR MIT
/* Wake-ups for nothing; see futile.h. */
#include "futile.h"

#include <stdbool.h>
#include <stdlib.h>

#include "array.h"
#include "order.h"

/* What a G did since it was woken. */
struct wakeup {
	bool futile;
	uint64_t *offs;
	size_t n, size;
};

struct search {
	struct gt_map *found;
	struct gt_map g_of;	/* G -> index of wakeups, plus 1 */
	struct wakeup *wakeups;
	size_t n, size;
};

static struct wakeup *find_wakeup(struct search *s, uint64_t g)
{
	uint64_t *at = gt_map_add(&s->g_of, g);

	if (!at)
		return NULL;
	if (!*at) {
		if (!array_reserve(&s->wakeups, s->n, &s->size,
				   sizeof(*s->wakeups)))
			return NULL;
		s->wakeups[s->n++] = (struct wakeup){ 0 };
		*at = s->n;
	}
	return &s->wakeups[*at - 1];
}

static bool add(struct wakeup *w, uint64_t off)
{
	if (!w || !array_reserve(&w->offs, w->n, &w->size, sizeof(*w->offs)))
		return false;
	w->offs[w->n++] = off;
	return true;
}

/* It blocks: was it for nothing? */
static bool end(struct search *s, struct wakeup *w, uint64_t off)
{
	if (!w)
		return false;
	if (w->futile) {
		if (!gt_map_add(s->found, off))
			return false;
		for (size_t i = 0; i < w->n; i++)
			if (!gt_map_add(s->found, w->offs[i]))
				return false;
	}
	w->futile = false;
	w->n = 0;
	return true;
}

/* Which events count is Go's choice. */
static bool look_at(struct search *s, const struct gt_event *ev)
{
	struct wakeup *w;

	switch (ev->type) {
	case GT_EV_GO_UNBLOCK:
	case GT_EV_GO_UNBLOCK_LOCAL:
		w = find_wakeup(s, ev->args[0]);
		if (w)
			w->n = 0;
		return add(w, ev->off);
	case GT_EV_GO_START:
	case GT_EV_GO_START_LOCAL:
	case GT_EV_GO_PREEMPT:
		return add(find_wakeup(s, ev->g), ev->off);
	case GT_EV_FUTILE_WAKEUP:
		w = find_wakeup(s, ev->g);
		if (w)
			w->futile = true;
		return add(w, ev->off);
	case GT_EV_GO_BLOCK:
	case GT_EV_GO_BLOCK_SEND:
	case GT_EV_GO_BLOCK_RECV:
	case GT_EV_GO_BLOCK_SELECT:
	case GT_EV_GO_BLOCK_SYNC:
	case GT_EV_GO_BLOCK_COND:
		return end(s, find_wakeup(s, ev->g), ev->off);
	default:
		return true;
	}
}

int gt_futile_find(struct gt_order *o, struct gt_map *found,
		   struct gt_error *e)
{
	struct search s = { .found = found };
	struct gt_event *ev;
	int ret;

	while ((ret = gt_order_next(o, &ev, e)) > 0) {
		if (!look_at(&s, ev)) {
			ret = gt_error_set(e, ev->off, "no memory for futile wake-ups");
			break;
		}
	}
	for (size_t i = 0; i < s.n; i++)
		free(s.wakeups[i].offs);
	free(s.wakeups);
	gt_map_exit(&s.g_of);
	return ret;
}
