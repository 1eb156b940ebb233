// SPDX-License-Identifier: GPL-2.0
/* Intervals to sums; see report.h. */
#include "report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"

const char *report_reason_word(enum report_reason reason)
{
	static const char *const words[REPORT_REASONS] = {
		"sleep", "net", "select", "sync", "cond", "recv", "send",
		"syscall", "gc", "other", "before",
	};

	return words[reason];
}

enum report_reason report_reason(unsigned int why)
{
	switch (why) {
	case GT_EV_GO_SLEEP:
		return REPORT_SLEEP;
	case GT_EV_GO_BLOCK_NET:
		return REPORT_NET;
	case GT_EV_GO_BLOCK_SELECT:
		return REPORT_SELECT;
	case GT_EV_GO_BLOCK_SYNC:
		return REPORT_SYNC;
	case GT_EV_GO_BLOCK_COND:
		return REPORT_COND;
	case GT_EV_GO_BLOCK_RECV:
		return REPORT_RECV;
	case GT_EV_GO_BLOCK_SEND:
		return REPORT_SEND;
	case GT_EV_GO_SYSBLOCK:
		return REPORT_SYSCALL;
	case GT_EV_GO_BLOCK_GC:
		return REPORT_GC;
	case GT_EV_GO_WAITING:
	case GT_EV_GO_IN_SYSCALL:
		return REPORT_BEFORE;
	default:
		return REPORT_OTHER;
	}
}

int64_t report_inside(const struct report *r, int64_t start, int64_t end)
{
	if (start < r->from)
		start = r->from;
	if (end > r->to)
		end = r->to;
	return end > start ? end - start : 0;
}

static bool is_inside(const struct report *r, int64_t time)
{
	return time >= r->from && time < r->to;
}

bool report_wants(const struct report *r, const struct gt_g *g)
{
	struct gt_string name;

	if (!r->has_task || !g)
		return !r->has_task;
	if (r->task_is_id)
		return g->id == r->task_id;
	name = gt_timeline_g_name(r->t, g);
	return name.len == r->task.len &&
	       !memcmp(name.text, r->task.text, name.len);
}

/* ---- Rows ---- */

/*
 * The entry of an array that a map's key leads to, all zero if it is new; NULL
 * without memory.
 */
static void *entry(struct report *r, struct gt_map *map, uint64_t key,
		   void *array, size_t *n, size_t *size, size_t bytes)
{
	uint64_t *at = gt_map_add(map, key);
	char **data = array;

	if (at && !*at && array_reserve(array, *n, size, bytes)) {
		memset(*data + *n * bytes, 0, bytes);
		*at = ++*n;
	}
	if (!at || !*at) {
		r->no_memory = true;
		return NULL;
	}
	return *data + (*at - 1) * bytes;
}

static uint64_t hash(struct gt_string s)
{
	uint64_t h = 0xcbf29ce484222325u;	/* FNV-1a */

	for (size_t i = 0; i < s.len; i++)
		h = (h ^ (uint8_t)s.text[i]) * 0x100000001b3u;
	return h;
}

static bool is_same(struct gt_string a, struct gt_string b)
{
	return a.len == b.len && !memcmp(a.text, b.text, a.len);
}

/*
 * The entry of a name, which it begins with. Names with one hash have the keys
 * that follow.
 */
static void *named(struct report *r, struct gt_map *map, struct gt_string name,
		   void *array, size_t *n, size_t *size, size_t bytes)
{
	struct gt_string *e;

	for (uint64_t key = hash(name);; key++) {
		e = entry(r, map, key, array, n, size, bytes);
		if (!e || (e->text && is_same(*e, name)))
			return e;
		if (!e->text) {
			*e = name;
			return e;
		}
	}
}

static struct report_call *call(struct report *r, uint64_t id)
{
	struct gt_string name;

	gt_names_string(&r->t->trace.names, id, &name);
	return named(r, &r->call_of, name, &r->calls, &r->n_calls,
		     &r->size_calls, sizeof(*r->calls));
}

static struct report_task *comm(struct report *r, struct gt_string name)
{
	return named(r, &r->comm_of, name, &r->comms, &r->n_comms,
		     &r->size_comms, sizeof(*r->comms));
}

static struct report_stack *stack(struct report *r, uint64_t stk,
				  enum report_reason reason)
{
	struct report_stack *s;

	s = entry(r, &r->stack_of[reason], stk, &r->stacks, &r->n_stacks,
		  &r->size_stacks, sizeof(*s));
	if (s) {
		s->stk = stk;
		s->reason = reason;
	}
	return s;
}

/* Indices of Gs are far below 32 bits: each is many bytes of the trace. */
static struct report_pair *pair(struct report *r, const struct gt_interval *i)
{
	uint64_t by = i->by ? i->by->index + 2 : i->irq;
	struct report_pair *p;

	p = entry(r, &r->pair_of, by << 32 | i->g->index, &r->pairs,
		  &r->n_pairs, &r->size_pairs, sizeof(*p));
	if (p) {
		p->by = i->by;
		p->irq = i->irq;
		p->g = i->g;
	}
	return p;
}

static void make_room(struct report *r)
{
	const struct gt_state *s = &r->t->state;

	while (r->n_tasks < s->n_gs && !r->no_memory) {
		if (!array_reserve(&r->tasks, r->n_tasks, &r->size_tasks,
				   sizeof(*r->tasks)))
			r->no_memory = true;
		else
			r->tasks[r->n_tasks] = (struct report_task){
				.g = gt_state_g(s, r->n_tasks),
			};
		r->n_tasks += !r->no_memory;
	}
	while (r->n_cpus < s->n_ps && !r->no_memory) {
		if (!array_reserve(&r->cpus, r->n_cpus, &r->size_cpus,
				   sizeof(*r->cpus)))
			r->no_memory = true;
		else
			r->cpus[r->n_cpus++] = (struct report_cpu){ 0 };
	}
}

static struct report_cpu *cpu(struct report *r, int64_t p)
{
	return &r->cpus[gt_state_find_p(&r->t->state, p)->index];
}

/* ---- Sums ---- */

/* Its length is all there is to know: it began and ended before our eyes. */
static bool is_whole(const struct report *r, const struct gt_interval *i)
{
	return !i->since_before && !i->unfinished && !i->doubtful &&
	       is_inside(r, i->end);
}

static bool tally(const struct report *r, struct report_tally *t,
		  const struct gt_interval *i)
{
	int64_t ns = i->end - i->start;

	t->ns += report_inside(r, i->start, i->end);
	if (!i->since_before && is_inside(r, i->start))
		t->n++;
	if (!is_whole(r, i) || ns <= t->max)
		return false;
	t->max = ns;
	t->max_at = i->start;
	return true;
}

static void add_wait(struct report *r, struct report_waits *w,
		     const struct gt_interval *i)
{
	uint64_t ns = i->end - i->start;

	if (!is_whole(r, i) || i->then == GT_EV_GO_WAITING ||
	    i->then == GT_EV_GO_IN_SYSCALL)
		return;
	if (!w->hist.n || ns > w->hist.max) {
		w->at = i->start;
		w->p = i->end_p;
		w->g = i->g;
		w->holder = i->holder;
		w->held = i->held;
	}
	if (!gt_histogram_add(&w->hist, ns))
		r->no_memory = true;
}

static bool is_wake(unsigned int type)
{
	return type == GT_EV_GO_UNBLOCK || type == GT_EV_GO_SYSEXIT;
}

static void add_running(struct report *r, struct report_task *t,
			const struct gt_interval *i)
{
	struct report_cpu *c = cpu(r, i->p);
	int64_t ns = report_inside(r, i->start, i->end);
	bool moved = i->last_p != GT_NO_P && i->last_p != i->p;

	t->running += ns;
	c->running += ns;
	if (!is_inside(r, i->start))
		return;
	t->runs++;
	c->runs++;
	t->migrations += moved;
	c->migrations += moved;
}

static void add_runnable(struct report *r, struct report_task *t,
			 const struct gt_interval *i)
{
	struct report_pair *p;
	bool begins = is_inside(r, i->start);

	t->runnable += report_inside(r, i->start, i->end);
	add_wait(r, &t->waits, i);
	if (i->then == GT_EV_GO_START || i->then == GT_EV_GO_START_LABEL)
		add_wait(r, &cpu(r, i->end_p)->waits, i);
	if (i->why == GT_EV_GO_SCHED) {
		t->yields += begins;
		cpu(r, i->p)->yields += begins;
	} else if (i->why == GT_EV_GO_PREEMPT) {
		t->preempts += begins;
		cpu(r, i->p)->preempts += begins;
	} else if (is_wake(i->why)) {
		p = pair(r, i);
		if (p)
			tally(r, &p->waits, i);
	}
}

static void count_wake(struct report *r, const struct gt_interval *i)
{
	struct report_pair *p;

	if (!is_wake(i->then) || !is_inside(r, i->end))
		return;
	if (i->by)
		r->tasks[i->by->index].wakes++;
	if (!report_wants(r, i->g) && !report_wants(r, i->by))
		return;
	if (report_wants(r, i->g)) {
		r->tasks[i->g->index].woken++;
		r->tasks[i->g->index].woken_irq += i->irq;
	}
	cpu(r, i->end_p)->wakes++;
	p = pair(r, i);
	if (p) {
		p->n++;
		p->slept += report_inside(r, i->start, i->end);
	}
}

static void add_call_sleep(struct report *r, const struct gt_interval *i)
{
	struct report_call *c = i->name ? call(r, i->name) : NULL;

	if (!c)
		return;
	c->asleep += report_inside(r, i->start, i->end);
	c->sleeps += is_inside(r, i->start);
}

static void add_asleep(struct report *r, struct report_task *t,
		       const struct gt_interval *i)
{
	enum report_reason reason = report_reason(i->why);
	struct report_stack *s;

	t->asleep += report_inside(r, i->start, i->end);
	tally(r, &t->sleeps[reason], i);
	s = stack(r, i->stk, reason);
	if (s && tally(r, &s->sleeps, i))
		s->g = i->g;
	add_call_sleep(r, i);
}

static void add_call(struct report *r, struct report_task *t,
		     const struct gt_interval *i)
{
	struct report_call *c = call(r, i->name);
	uint64_t ns = i->end - i->start;

	if (!c)
		return;
	if (i->kind == GT_IV_ENTER) {
		c->n += is_inside(r, i->start);
		t->calls += is_inside(r, i->start);
		return;
	}
	c->ns += report_inside(r, i->start, i->end);
	if (!is_whole(r, i))
		return;
	if (!c->hist.n || ns > c->hist.max) {
		c->at = i->start;
		c->g = i->g;
	}
	if (!gt_histogram_add(&c->hist, ns))
		r->no_memory = true;
}

static void take_g(struct report *r, const struct gt_interval *i)
{
	struct report_task *t = &r->tasks[i->g->index];

	switch (i->kind) {
	case GT_IV_RUNNING:
		add_running(r, t, i);
		break;
	case GT_IV_RUNNABLE:
		add_runnable(r, t, i);
		break;
	case GT_IV_ASLEEP:
		add_asleep(r, t, i);
		break;
	case GT_IV_UNTRACED:
		t->untraced += report_inside(r, i->start, i->end);
		break;
	case GT_IV_ENTER:
	case GT_IV_CALL:
		add_call(r, t, i);
		break;
	case GT_IV_ASSIST:
		tally(r, &t->assists, i);
		tally(r, &r->assists, i);
		break;
	default:
		break;
	}
}

void report_take(void *arg, const struct gt_interval *i)
{
	struct report *r = arg;

	make_room(r);
	if (r->no_memory)
		return;
	switch (i->kind) {
	case GT_IV_IDLE:
		cpu(r, i->p)->idle += report_inside(r, i->start, i->end);
		break;
	case GT_IV_STOPPED:
		cpu(r, i->p)->stopped += report_inside(r, i->start, i->end);
		break;
	case GT_IV_GC:
		tally(r, &r->gc, i);
		break;
	case GT_IV_STW:
		tally(r, &r->stw, i);
		break;
	default:
		if (i->kind == GT_IV_ASLEEP)
			count_wake(r, i);
		if (report_wants(r, i->g))
			take_g(r, i);
		break;
	}
}

/* ---- Tasks of one name ---- */

static void add_tally(struct report_tally *to, const struct report_tally *t)
{
	to->n += t->n;
	to->ns += t->ns;
	if (t->max > to->max) {
		to->max = t->max;
		to->max_at = t->max_at;
	}
}

static bool add_waits(struct report_waits *to, const struct report_waits *w)
{
	struct gt_histogram hist = to->hist;

	if (w->hist.n && (!hist.n || w->hist.max > hist.max)) {
		*to = *w;
		to->hist = hist;
	}
	return gt_histogram_merge(&to->hist, &w->hist);
}

static bool add_task(struct report_task *to, const struct report_task *t)
{
	to->tasks++;
	to->running += t->running;
	to->runnable += t->runnable;
	to->asleep += t->asleep;
	to->untraced += t->untraced;
	for (size_t i = 0; i < REPORT_REASONS; i++)
		add_tally(&to->sleeps[i], &t->sleeps[i]);
	add_tally(&to->assists, &t->assists);
	to->runs += t->runs;
	to->yields += t->yields;
	to->preempts += t->preempts;
	to->migrations += t->migrations;
	to->woken += t->woken;
	to->woken_irq += t->woken_irq;
	to->wakes += t->wakes;
	to->calls += t->calls;
	return add_waits(&to->waits, &t->waits);
}

/* Was it there in the window, and is it asked for? */
static bool is_there(const struct report *r, const struct report_task *t)
{
	return report_wants(r, t->g) &&
	       t->running + t->runnable + t->asleep + t->untraced;
}

static void sum_comms(struct report *r)
{
	struct report_task *c;

	for (size_t i = 0; i < r->n_tasks && !r->no_memory; i++) {
		if (!is_there(r, &r->tasks[i]))
			continue;
		c = comm(r, gt_timeline_g_name(r->t, r->tasks[i].g));
		if (c && !add_task(c, &r->tasks[i]))
			r->no_memory = true;
	}
}

int report_fail(struct report *r, const char *text)
{
	snprintf(r->t->error.text, sizeof(r->t->error.text), "%s", text);
	return -1;
}

int report_read(struct report *r)
{
	int ret;

	gt_intervals_init(&r->intervals, r->t, report_take, r);
	do
		ret = gt_intervals_next(&r->intervals);
	while (ret > 0 && !r->no_memory);
	return ret < 0 ? -1 : report_finish(r);
}

int report_finish(struct report *r)
{
	if (r->from > r->t->time)
		return report_fail(r, "the trace ends before --from");
	if (r->to > r->t->time)
		r->to = r->t->time;
	sum_comms(r);
	return r->no_memory ? report_fail(r, "no memory for the report") : 0;
}

void report_exit(struct report *r)
{
	for (size_t i = 0; i < r->n_tasks; i++)
		gt_histogram_exit(&r->tasks[i].waits.hist);
	for (size_t i = 0; i < r->n_comms; i++)
		gt_histogram_exit(&r->comms[i].waits.hist);
	for (size_t i = 0; i < r->n_cpus; i++)
		gt_histogram_exit(&r->cpus[i].waits.hist);
	for (size_t i = 0; i < r->n_calls; i++)
		gt_histogram_exit(&r->calls[i].hist);
	free(r->tasks);
	free(r->comms);
	free(r->cpus);
	free(r->calls);
	free(r->stacks);
	free(r->pairs);
	gt_map_exit(&r->comm_of);
	gt_map_exit(&r->call_of);
	for (size_t i = 0; i < REPORT_REASONS; i++)
		gt_map_exit(&r->stack_of[i]);
	gt_map_exit(&r->pair_of);
	gt_intervals_exit(&r->intervals);
}
