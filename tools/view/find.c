// SPDX-License-Identifier: GPL-2.0
/* Looking for words; see find.h. */
#include "view/find.h"

#include <stdlib.h>
#include <string.h>

struct search {
	const struct view *v;
	const char *text;
	int64_t time;
	bool back;
	bool *names, *stacks;	/* which of them have the text */
	struct view_hit *hit;
	bool found;
};

static bool has(const struct search *s, struct gt_string in)
{
	return in.len && memmem(in.text, in.len, s->text, strlen(s->text));
}

static bool stack_has(const struct search *s, uint64_t id)
{
	const struct gt_names *names = &s->v->t->trace.names;
	size_t n = gt_names_stack(names, id);
	struct gt_string fn;

	for (size_t i = 0; i < n; i++) {
		gt_names_string(names, gt_names_frame(names, id, i).fn, &fn);
		if (has(s, fn))
			return true;
	}
	return false;
}

/* Return: false without memory. */
static bool look_up(struct search *s)
{
	const struct view *v = s->v;
	struct gt_string name;

	s->names = calloc(v->names.n, sizeof(bool));
	s->stacks = calloc(v->stacks.n, sizeof(bool));
	if (!s->names || !s->stacks)
		return false;
	for (size_t i = 0; i < v->names.n; i++) {
		gt_names_string(&v->t->trace.names, v->names.all[i], &name);
		s->names[i] = has(s, name);
	}
	for (size_t i = 0; i < v->stacks.n; i++)
		s->stacks[i] = stack_has(s, v->stacks.all[i]);
	return true;
}

static bool is_better(const struct search *s, int64_t time)
{
	if (s->back)
		return time < s->time && (!s->found || time > s->hit->time);
	return time > s->time && (!s->found || time < s->hit->time);
}

static void note(struct search *s, uint32_t track, uint32_t i, int64_t time)
{
	s->found = true;
	*s->hit = (struct view_hit){ track, i, time };
}

static bool matches(const struct search *s, const struct view_rec *r)
{
	return s->stacks[r->stk] ||
	       (r->kind != GT_IV_RUNNABLE && s->names[r->name]);
}

static void in_track(struct search *s, uint32_t track)
{
	const struct view_store *store = &s->v->store;
	const struct view_rec *r;
	uint32_t i, n;

	if (!track)
		return;
	n = store->tracks[track - 1].n;
	i = n ? view_store_find(store, track - 1, s->time) : 0;
	/* From the moment on, as long as it can be better than what there is. */
	for (; !s->back && i < n; i++) {
		r = view_store_rec(store, track - 1, i);
		if (s->found && r->start >= s->hit->time)
			return;
		if (is_better(s, r->start) && matches(s, r)) {
			note(s, track, i, r->start);
			return;
		}
	}
	for (i += i < n; s->back && i; i--) {
		r = view_store_rec(store, track - 1, i - 1);
		if (s->found && r->start <= s->hit->time)
			return;
		if (is_better(s, r->start) && matches(s, r)) {
			note(s, track, i - 1, r->start);
			return;
		}
	}
}

static void in_marks(struct search *s)
{
	const struct view *v = s->v;

	for (size_t i = 0; i < v->n_marks; i++) {
		const struct view_mark *m = &v->marks[i];
		struct gt_string text = { v->texts + m->text, m->len };

		if (is_better(s, m->time) && (s->names[m->name] || has(s, text)))
			note(s, 0, i, m->time);
	}
}

int view_find(const struct view *v, const char *text, int64_t time, bool back,
	      struct view_hit *hit)
{
	struct search s = { v, text, time, back, NULL, NULL, hit, false };
	int ret = -1;

	if (look_up(&s)) {
		in_marks(&s);
		for (size_t i = 0; i < v->n_gs; i++) {
			in_track(&s, v->gs[i].calls);
			for (size_t d = 0; d < VIEW_DEPTH; d++)
				in_track(&s, v->gs[i].regions[d]);
			in_track(&s, v->gs[i].state);
		}
		ret = s.found;
	}
	free(s.names);
	free(s.stacks);
	return ret;
}
