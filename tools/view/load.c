// SPDX-License-Identifier: GPL-2.0
/* A trace to tracks; see trace.h. */
#include "view/trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"

/* ---- Numbers for ids ---- */

static uint32_t number(struct view *v, struct view_ids *ids, uint64_t id)
{
	uint64_t *at = gt_map_add(&ids->of, id);

	if (at && !*at && ids->n < UINT32_MAX &&
	    array_reserve(&ids->all, ids->n, &ids->size, sizeof(*ids->all))) {
		ids->all[ids->n++] = id;
		*at = ids->n;
	}
	if (!at || !*at) {
		v->err = -ENOMEM;
		return 0;
	}
	return *at - 1;
}

static uint32_t g_number(const struct gt_g *g)
{
	return g ? g->index + 1 : 0;
}

static uint16_t p_number(struct view *v, int64_t p)
{
	const struct gt_p *found = p == GT_NO_P ? NULL :
		gt_state_find_p(&v->t->state, p);

	if (!found)
		return 0;
	if (found->index >= UINT16_MAX) {
		v->err = -EFBIG;
		return 0;
	}
	return found->index + 1;
}

/* ---- Tracks ---- */

static void make_room(struct view *v)
{
	const struct gt_state *s = &v->t->state;

	while (v->n_gs < s->n_gs && !v->err) {
		if (!array_reserve(&v->gs, v->n_gs, &v->size_gs,
				   sizeof(*v->gs)))
			v->err = -ENOMEM;
		else
			v->gs[v->n_gs++] = (struct view_g){ 0 };
	}
	while (v->n_cpus < s->n_ps && !v->err) {
		if (!array_reserve(&v->cpus, v->n_cpus, &v->size_cpus,
				   sizeof(*v->cpus)))
			v->err = -ENOMEM;
		else
			v->cpus[v->n_cpus++] = 0;
	}
}

static void append(struct view *v, uint32_t *track, const struct view_rec *rec)
{
	if (!v->err && !*track) {
		*track = view_store_track(&v->store);
		if (!*track)
			v->err = -ENOMEM;
	}
	if (!v->err)
		v->err = view_store_append(&v->store, *track - 1, rec);
}

static struct view_rec make(struct view *v, const struct gt_interval *i)
{
	struct view_rec r = {
		.start = i->start, .end = i->end,
		.g = g_number(i->g), .by = g_number(i->by),
		.stk = number(v, &v->stacks, i->stk),
		.p = p_number(v, i->p), .end_p = p_number(v, i->end_p),
		.kind = i->kind, .why = i->why, .then = i->then,
	};

	r.flags = (i->since_before ? VIEW_SINCE_BEFORE : 0) |
		  (i->unfinished ? VIEW_UNFINISHED : 0) |
		  (i->doubtful ? VIEW_DOUBTFUL : 0) | (i->irq ? VIEW_IRQ : 0);
	if (i->kind == GT_IV_RUNNABLE) {
		r.name = g_number(i->holder);
		r.extra = i->held;
	} else {
		r.name = number(v, &v->names, i->name);
		r.extra = i->asleep;
	}
	return r;
}

/* ---- Samples ---- */

/*
 * What a sample speaks for is as in export_sums.c: the time since the one before it
 * in the same run, and for the last one also what is left of it.
 */
static void put_sample(struct view *v, struct view_g *own,
		       const struct gt_g *g, int64_t start, int64_t end)
{
	struct view_rec r = {
		.start = start, .end = end, .g = g_number(g),
		.stk = own->sample_stk - 1, .kind = GT_IV_RUNNING,
		.why = GT_EV_CPU_SAMPLE, .p = p_number(v, g->now.p),
	};

	append(v, &own->samples, &r);
}

static void take_sample(struct view *v)
{
	const struct gt_event *ev = v->t->ev;
	const struct gt_g *g = v->t->state.g;
	struct view_g *own;

	if (!ev->g || g->now.status != GT_G_RUNNING)
		return;
	own = &v->gs[g->index];
	if (own->sample_at < g->now.since)
		own->sample_at = g->now.since;
	own->sample_stk = number(v, &v->stacks, ev->stk) + 1;
	if (v->t->time > own->sample_at) {
		put_sample(v, own, g, own->sample_at, v->t->time);
		own->sample_at = v->t->time;
	}
}

static bool end_samples(struct view *v, struct view_g *own,
			const struct gt_interval *i)
{
	int64_t from = own->sample_at > i->start ? own->sample_at : i->start;

	if (!own->sample_stk)
		return false;
	if (from < i->end)
		put_sample(v, own, i->g, from, i->end);
	own->sample_stk = 0;
	return true;
}

/* ---- Intervals ---- */

static bool is_wake(unsigned int type)
{
	return type == GT_EV_GO_UNBLOCK || type == GT_EV_GO_SYSEXIT;
}

static void take_state(struct view *v, struct view_g *own,
		       const struct gt_interval *i)
{
	struct view_rec r = make(v, i);

	if (i->kind == GT_IV_RUNNING && end_samples(v, own, i))
		r.flags |= VIEW_SAMPLED;
	append(v, &own->state, &r);
	if (i->kind == GT_IV_RUNNING && r.p)
		append(v, &v->cpus[r.p - 1], &r);
	if (i->kind != GT_IV_ASLEEP || !is_wake(i->then))
		return;
	r.start = r.end;
	r.p = r.end_p;
	append(v, &v->wakes, &r);
}

/* A call takes the place of its entry, which came right before it. */
static void take_call(struct view *v, struct view_g *own,
		      const struct gt_interval *i)
{
	struct view_rec r = make(v, i), *last;
	struct view_track *t;

	if (i->kind == GT_IV_ENTER) {
		r.flags |= VIEW_ENTERED;
		append(v, &own->calls, &r);
		return;
	}
	t = own->calls ? &v->store.tracks[own->calls - 1] : NULL;
	last = t && t->n ? view_store_rec(&v->store, own->calls - 1, t->n - 1) :
		NULL;
	if (last && last->kind == GT_IV_ENTER && last->start == r.start &&
	    last->name == r.name) {
		r.flags |= VIEW_ENTERED;
		view_store_pop(&v->store, own->calls - 1);
	}
	append(v, &own->calls, &r);
}

/* How many regions it lies in: those are open still, but where all end at once. */
static size_t depth(const struct gt_interval *i)
{
	size_t n = i->g->n_regions;

	for (size_t k = 0; k < n; k++)
		if (i->g->regions[k].since == i->start &&
		    i->g->regions[k].name == i->name)
			return k;
	return n;
}

static void take_region(struct view *v, struct view_g *own,
			const struct gt_interval *i)
{
	struct view_rec r = make(v, i);
	size_t at = depth(i);

	if (at >= VIEW_DEPTH)
		v->deep++;
	else
		append(v, &own->regions[at], &r);
}

static void take(void *arg, const struct gt_interval *i)
{
	struct view *v = arg;
	struct view_g *own;
	struct view_rec r;

	make_room(v);
	report_take(&v->report, i);
	if (v->err)
		return;
	own = i->g ? &v->gs[i->g->index] : NULL;
	switch (i->kind) {
	case GT_IV_RUNNING:
	case GT_IV_RUNNABLE:
	case GT_IV_ASLEEP:
	case GT_IV_UNTRACED:
		take_state(v, own, i);
		break;
	case GT_IV_ENTER:
	case GT_IV_CALL:
		take_call(v, own, i);
		break;
	case GT_IV_REGION:
		take_region(v, own, i);
		break;
	case GT_IV_CREATED:
		break;
	case GT_IV_ASSIST:
		r = make(v, i);
		append(v, &own->assists, &r);
		break;
	case GT_IV_GC:
	case GT_IV_STW:
		r = make(v, i);
		append(v, i->kind == GT_IV_GC ? &v->gc : &v->stw, &r);
		break;
	default:
		/* Go programs have a P for what is on none. */
		r = make(v, i);
		if (r.p)
			append(v, &v->cpus[r.p - 1], &r);
		break;
	}
}

/* ---- Moments ---- */

static void take_mark(struct view *v, uint64_t name)
{
	const struct gt_event *ev = v->t->ev;
	struct view_mark m = {
		.time = v->t->time, .type = ev->type, .name = number(v, &v->names, name),
		.text = v->n_texts, .len = ev->text_len,
		.g = ev->g ? g_number(v->t->state.g) : 0,
	};

	if (v->n_marks == VIEW_MARKS_MAX ||
	    v->n_texts + m.len > VIEW_TEXTS_MAX) {
		v->more_marks++;
		return;
	}
	while (v->n_texts + m.len > v->size_texts)
		if (!array_reserve(&v->texts, v->size_texts, &v->size_texts, 1)) {
			v->err = -ENOMEM;
			return;
		}
	if (!array_reserve(&v->marks, v->n_marks, &v->size_marks, sizeof(m))) {
		v->err = -ENOMEM;
		return;
	}
	if (m.len)
		memcpy(v->texts + v->n_texts, ev->text, m.len);
	v->n_texts += m.len;
	v->marks[v->n_marks++] = m;
}

static void take_heap(struct view *v)
{
	const struct gt_state *s = &v->t->state;

	if (v->n_heap == VIEW_HEAP_MAX)
		return;
	if (!array_reserve(&v->heap, v->n_heap, &v->size_heap,
			   sizeof(*v->heap))) {
		v->err = -ENOMEM;
		return;
	}
	v->heap[v->n_heap++] = (struct view_heap){
		v->t->time, s->heap, s->goal,
	};
}

static void take_event(struct view *v)
{
	const struct gt_event *ev = v->t->ev;

	make_room(v);
	switch (ev->type) {
	case GT_EV_CPU_SAMPLE:
		take_sample(v);
		break;
	case GT_EV_USER_LOG:
		take_mark(v, ev->args[1]);
		break;
	case GT_EV_USER_TASK_CREATE:
		take_mark(v, ev->args[2]);
		break;
	case GT_EV_USER_TASK_END:
		take_mark(v, v->t->state.task ? v->t->state.task->name : 0);
		break;
	case GT_EV_HEAP_ALLOC:
	case GT_EV_HEAP_GOAL:
		take_heap(v);
		break;
	default:
		break;
	}
}

/* ---- All ---- */

static int fail(struct view *v)
{
	const char *what =
		v->err == -ENOSPC ? "no room for its intervals where temporary files go; set TMPDIR" :
		v->err == -EFBIG ? "it has more CPUs, or events of one task, than can be shown" :
		v->err == -ENOMEM ? "no memory for the trace" : NULL;
	struct gt_error *e = &v->t->error;

	if (what)
		snprintf(e->text, sizeof(e->text), "%s", what);
	else
		snprintf(e->text, sizeof(e->text),
			 "a temporary file for its intervals: %s; set TMPDIR",
			 strerror(-v->err));
	return -1;
}

int view_load(struct view *v)
{
	int ret = 0;

	v->err = view_store_init(&v->store);
	if (v->err)
		return fail(v);
	number(v, &v->names, 0);
	number(v, &v->stacks, 0);
	v->report.t = v->t;
	v->report.name = v->name;
	v->report.to = INT64_MAX;
	gt_intervals_init(&v->intervals, v->t, take, v);
	while (!v->err && (ret = gt_intervals_next(&v->intervals)) > 0)
		take_event(v);
	make_room(v);
	if (v->err)
		return fail(v);
	return ret < 0 ? -1 : report_finish(&v->report);
}

void view_exit(struct view *v)
{
	report_exit(&v->report);
	report_exit(&v->window);
	view_store_exit(&v->store);
	gt_intervals_exit(&v->intervals);
	gt_map_exit(&v->names.of);
	gt_map_exit(&v->stacks.of);
	free(v->names.all);
	free(v->stacks.all);
	free(v->gs);
	free(v->cpus);
	free(v->marks);
	free(v->texts);
	free(v->heap);
}
