// SPDX-License-Identifier: GPL-2.0
/*
 * The report of a window, from tracks: what was said of each interval is said again.
 * So its figures are those of gotrace report --from --to.
 */
#include "view/trace.h"

#include <string.h>

struct pass {
	const struct view *v;
	struct report *r;
	int64_t last_p;		/* where the G ran before */
};

static struct gt_interval unmake(const struct pass *p,
				 const struct view_rec *rec)
{
	const struct view *v = p->v;
	struct gt_interval i = {
		.kind = rec->kind, .start = rec->start, .end = rec->end,
		.since_before = rec->flags & VIEW_SINCE_BEFORE,
		.unfinished = rec->flags & VIEW_UNFINISHED,
		.doubtful = rec->flags & VIEW_DOUBTFUL,
		.irq = rec->flags & VIEW_IRQ,
		.g = rec->g ? gt_state_g(&v->t->state, rec->g - 1) : NULL,
		.by = rec->by ? gt_state_g(&v->t->state, rec->by - 1) : NULL,
		.p = view_p(v, rec->p), .end_p = view_p(v, rec->end_p),
		.why = rec->why, .then = rec->then,
		.stk = view_stack(v, rec->stk), .last_p = p->last_p,
	};

	if (rec->kind == GT_IV_RUNNABLE) {
		i.holder = rec->name ?
			gt_state_g(&v->t->state, rec->name - 1) : NULL;
		i.held = rec->extra;
	} else {
		i.name = view_name(v, rec->name);
		i.asleep = rec->extra;
	}
	return i;
}

static void give(struct pass *p, const struct view_rec *rec)
{
	struct gt_interval i = unmake(p, rec);

	if (rec->kind == GT_IV_CALL && rec->flags & VIEW_ENTERED) {
		i.kind = GT_IV_ENTER;
		i.end = i.start;
		report_take(p->r, &i);
		i = unmake(p, rec);
	}
	report_take(p->r, &i);
	if (rec->kind == GT_IV_RUNNING)
		p->last_p = i.p;
}

/* Where the G ran before its record i. */
static int64_t ran_before(const struct view *v, uint32_t track, uint32_t i)
{
	while (i--) {
		const struct view_rec *rec = view_store_rec(&v->store, track, i);

		if (rec->kind == GT_IV_RUNNING)
			return view_p(v, rec->p);
	}
	return GT_NO_P;
}

/* What touches the window, also what ends right where it begins. */
static void give_track(struct pass *p, uint32_t track)
{
	const struct view_store *s = &p->v->store;
	uint32_t n = track ? s->tracks[track - 1].n : 0, i;

	if (!n)
		return;
	i = view_store_find(s, track - 1, p->r->from - 1);
	p->last_p = ran_before(p->v, track - 1, i);
	for (; i < n; i++) {
		const struct view_rec *rec = view_store_rec(s, track - 1, i);

		if (rec->start >= p->r->to)
			return;
		give(p, rec);
	}
}

/* Of CPUs, the times without a G: those with one are told by it. */
static void give_cpu(struct pass *p, uint32_t track)
{
	const struct view_store *s = &p->v->store;
	uint32_t n = track ? s->tracks[track - 1].n : 0, i;

	for (i = n ? view_store_find(s, track - 1, p->r->from) : 0; i < n; i++) {
		const struct view_rec *rec = view_store_rec(s, track - 1, i);

		if (rec->start >= p->r->to)
			return;
		if (rec->kind != GT_IV_RUNNING)
			give(p, rec);
	}
}

static int make(const struct view *v, struct report *r, int64_t from, int64_t to)
{
	struct pass p = { v, r, GT_NO_P };

	r->t = v->t;
	r->name = v->name;
	r->from = from;
	r->to = to;
	for (size_t i = 0; i < v->n_cpus; i++)
		give_cpu(&p, v->cpus[i]);
	give_track(&p, v->gc);
	give_track(&p, v->stw);
	for (size_t i = 0; i < v->n_gs; i++) {
		give_track(&p, v->gs[i].state);
		give_track(&p, v->gs[i].calls);
		give_track(&p, v->gs[i].assists);
	}
	return report_finish(r);
}

struct report *view_window(struct view *v, int64_t from, int64_t to)
{
	struct report *r = &v->window;

	if (to > v->t->time)
		to = v->t->time;
	if (from == 0 && to == v->t->time)
		return &v->report;
	if (r->t && r->from == from && r->to == to)
		return r;
	report_exit(r);
	memset(r, 0, sizeof(*r));
	if (!make(v, r, from, to))
		return r;
	r->t = NULL;
	return NULL;
}
