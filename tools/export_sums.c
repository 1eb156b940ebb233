// SPDX-License-Identifier: GPL-2.0
/* Intervals to sums for each stack; see export.h. */
#include "export.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"

/* Who has no stack is known by its name at least: that is one of its own. */
static void add(struct export *e, uint64_t stk, const struct gt_g *g,
		enum report_reason reason, uint64_t n, int64_t ns)
{
	struct export_sums *s = &e->sums;
	uint64_t *at;

	if (!gt_names_stack(&e->t->trace.names, stk))
		stk = g->newstk;
	at = gt_map_add(&s->of[reason], stk);
	if (at && !*at &&
	    array_reserve(&s->all, s->n, &s->size, sizeof(*s->all))) {
		s->all[s->n] = (struct export_sum){
			.stk = stk, .reason = reason,
		};
		*at = ++s->n;
	}
	if (!at || !*at) {
		export_fail(e);
		return;
	}
	s->all[*at - 1].n += n;
	s->all[*at - 1].ns += ns;
}

/* ---- Running ---- */

static struct export_mark *mark(struct export *e, const struct gt_g *g)
{
	struct export_sums *s = &e->sums;

	while (s->n_marks <= g->index) {
		if (!array_reserve(&s->marks, s->n_marks, &s->size_marks,
				   sizeof(*s->marks))) {
			export_fail(e);
			return NULL;
		}
		s->marks[s->n_marks++] = (struct export_mark){ 0 };
	}
	return &s->marks[g->index];
}

/*
 * A sample speaks for the time since the one before it, the last one also for
 * what is left of the run. So the sum is the time run, with samples or without.
 */
static void add_sample(struct export *e, const struct gt_g *g, uint64_t stk)
{
	struct export_mark *m = mark(e, g);
	int64_t ns = 0;

	if (!m)
		return;
	if (g->now.status == GT_G_RUNNING) {
		if (m->at < g->now.since)
			m->at = g->now.since;
		if (e->t->time > m->at) {
			ns = e->t->time - m->at;
			m->at = e->t->time;
		}
		m->stk = stk;
	}
	add(e, stk, g, REPORT_REASONS, 1, ns);
}

static void add_running(struct export *e, const struct gt_interval *iv)
{
	struct export_mark *m = mark(e, iv->g);

	if (!m)
		return;
	if (m->at < iv->start)
		m->at = iv->start;
	add(e, m->stk, iv->g, REPORT_REASONS, 0, iv->end - m->at);
	m->at = iv->end;
	m->stk = 0;
}

void export_sums_event(struct export *e)
{
	const struct gt_event *ev = e->t->ev;

	if (e->profile == EXPORT_CPU && ev->type == GT_EV_CPU_SAMPLE && ev->g)
		add_sample(e, e->t->state.g, ev->stk);
}

/* ---- Everything else ---- */

static bool is_sync(enum report_reason reason)
{
	return reason == REPORT_SEND || reason == REPORT_RECV ||
	       reason == REPORT_SELECT || reason == REPORT_SYNC ||
	       reason == REPORT_COND;
}

static bool wants_sleep(const struct export *e, enum report_reason reason)
{
	switch (e->profile) {
	case EXPORT_OFFCPU:
		return true;
	case EXPORT_SYSCALL:
		return !e->t->kernel && reason == REPORT_SYSCALL;
	case EXPORT_SYNC:
		return is_sync(reason);
	case EXPORT_NET:
		return reason == REPORT_NET;
	default:
		return false;
	}
}

void export_sums_take(struct export *e, const struct gt_interval *iv)
{
	enum report_reason reason = REPORT_REASONS;

	switch (iv->kind) {
	case GT_IV_RUNNING:
		if (e->profile == EXPORT_CPU)
			add_running(e, iv);
		return;
	case GT_IV_RUNNABLE:
		if (e->profile != EXPORT_SCHED)
			return;
		break;
	case GT_IV_CALL:
		if (e->profile != EXPORT_SYSCALL)
			return;
		break;
	case GT_IV_ASLEEP:
		reason = report_reason(iv->why);
		if (!wants_sleep(e, reason))
			return;
		break;
	default:
		return;
	}
	add(e, iv->stk, iv->g, reason, 1, iv->end - iv->start);
}

void export_sums_exit(struct export *e)
{
	for (size_t i = 0; i <= REPORT_REASONS; i++)
		gt_map_exit(&e->sums.of[i]);
	free(e->sums.all);
	free(e->sums.marks);
}
