// SPDX-License-Identifier: GPL-2.0
/* Stacks and how long, in a window; see flame.h. */
#include "view/flame.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "view/json.h"

struct sum {
	uint64_t stk;
	uint64_t n;
	int64_t ns;
	enum report_reason reason;	/* of sleeps; else REPORT_REASONS */
};

struct sums {
	const struct view *v;
	const struct view_flame *f;
	struct gt_map of[REPORT_REASONS + 1];	/* stack -> index, plus 1 */
	struct sum *all;
	size_t n, size;
	struct gt_map name_of;			/* string -> number, plus 1 */
	uint64_t *names;
	size_t n_names, size_names;
	bool failed;
};

static void add(struct sums *s, const struct view_rec *r, uint64_t stk,
		enum report_reason reason)
{
	int64_t from = r->start < s->f->from ? s->f->from : r->start;
	int64_t to = r->end > s->f->to ? s->f->to : r->end;
	uint64_t *at;

	if (from >= to)
		return;
	if (!gt_names_stack(&s->v->t->trace.names, stk))
		stk = view_g(s->v, r->g)->newstk;
	at = gt_map_add(&s->of[reason], stk);
	if (at && !*at && array_reserve(&s->all, s->n, &s->size,
					sizeof(*s->all))) {
		s->all[s->n] = (struct sum){ .stk = stk, .reason = reason };
		*at = ++s->n;
	}
	if (!at || !*at) {
		s->failed = true;
		return;
	}
	s->all[*at - 1].n++;
	s->all[*at - 1].ns += to - from;
}

static void add_state(struct sums *s, const struct view_rec *r)
{
	const struct view *v = s->v;

	switch (s->f->what) {
	case EXPORT_CPU:
		/* No sample speaks for it. */
		if (r->kind == GT_IV_RUNNING && !(r->flags & VIEW_SAMPLED))
			add(s, r, 0, REPORT_REASONS);
		break;
	case EXPORT_SCHED:
		if (r->kind == GT_IV_RUNNABLE)
			add(s, r, view_stack(v, r->stk), REPORT_REASONS);
		break;
	default:
		if (r->kind == GT_IV_ASLEEP)
			add(s, r, view_stack(v, r->stk), report_reason(r->why));
		break;
	}
}

static void add_track(struct sums *s, uint32_t track, bool samples)
{
	const struct view_store *store = &s->v->store;
	const struct view_rec *r;
	uint32_t i;

	if (!track)
		return;
	i = view_store_find(store, track - 1, s->f->from);
	for (; i < store->tracks[track - 1].n && !s->failed; i++) {
		r = view_store_rec(store, track - 1, i);
		if (r->start >= s->f->to)
			return;
		if (samples)
			add(s, r, view_stack(s->v, r->stk), REPORT_REASONS);
		else
			add_state(s, r);
	}
}

static bool wants(const struct sums *s, size_t i)
{
	struct gt_string a, b;

	if (!s->f->g || s->f->g == i + 1)
		return true;
	if (!s->f->named)
		return false;
	a = gt_timeline_g_name(s->v->t, view_g(s->v, s->f->g));
	b = gt_timeline_g_name(s->v->t, view_g(s->v, i + 1));
	return a.len == b.len && !memcmp(a.text, b.text, a.len);
}

/* ---- JSON ---- */

static uint64_t name_number(struct sums *s, uint64_t id)
{
	uint64_t *at = gt_map_add(&s->name_of, id);

	if (at && !*at && array_reserve(&s->names, s->n_names, &s->size_names,
					sizeof(*s->names))) {
		s->names[s->n_names++] = id;
		*at = s->n_names;
	}
	if (!at || !*at) {
		s->failed = true;
		return 0;
	}
	return *at - 1;
}

static void put_sum(struct sums *s, const struct sum *sum)
{
	const struct gt_names *names = &s->v->t->trace.names;
	size_t n = gt_names_stack(names, sum->stk);

	out_text("{\"f\":[");
	for (size_t i = 0; i < n; i++) {
		if (i)
			out_char(',');
		out_u64(name_number(s, gt_names_frame(names, sum->stk, i).fn));
	}
	out_char(']');
	json_i64("n", sum->n);
	json_i64("ns", sum->ns);
	if (sum->reason != REPORT_REASONS)
		json_word("reason", report_reason_word(sum->reason));
	out_char('}');
}

static void put_sums(struct sums *s)
{
	struct gt_string name;

	out_text("{\"stacks\":[");
	for (size_t i = 0; i < s->n; i++) {
		if (i)
			out_char(',');
		put_sum(s, &s->all[i]);
	}
	out_text("],\"names\":[");
	for (size_t i = 0; i < s->n_names; i++) {
		gt_names_string(&s->v->t->trace.names, s->names[i], &name);
		if (i)
			out_char(',');
		out_json(name.text, name.len);
	}
	out_text("]}");
}

bool view_flame(const struct view *v, const struct view_flame *f)
{
	struct sums s = { .v = v, .f = f };

	for (size_t i = 0; i < v->n_gs && !s.failed; i++) {
		if (!wants(&s, i))
			continue;
		add_track(&s, v->gs[i].state, false);
		if (f->what == EXPORT_CPU)
			add_track(&s, v->gs[i].samples, true);
	}
	put_sums(&s);
	for (size_t i = 0; i <= REPORT_REASONS; i++)
		gt_map_exit(&s.of[i]);
	gt_map_exit(&s.name_of);
	free(s.all);
	free(s.names);
	return !s.failed;
}
