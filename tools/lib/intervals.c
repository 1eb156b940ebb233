// SPDX-License-Identifier: LGPL-2.1 OR MIT
/* Events to intervals; see intervals.h. */
#include "intervals.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

#define PREFIX "syscall."

struct run {
	struct gt_g *g;
	int64_t start, end;
};

/* A G, by gt_g.index. */
struct gt_iv_g {
	bool initial;		/* it was there before tracing */
	bool untraced;		/* what it does now is not known */
	bool irq;		/* woken so */
	bool had_call;		/* a call of it began or ended */
	bool assists;		/* as in gt_g, before the event */
	int64_t assist_since;
	struct gt_g *by;	/* who made it runnable */
	int64_t last_p;
	int64_t asleep;		/* ns in all */
	int64_t call_asleep;	/* at the last call's start */
	uint64_t slept_in;	/* the call that it slept in last, */
	int64_t slept_until;	/* and until when */
};

/* A P, by gt_p.index. */
struct gt_iv_p {
	enum gt_interval_kind kind;	/* RUNNING, IDLE or STOPPED, since */
	int64_t since;
	unsigned int why;		/* its last event: type, */
	int64_t ticks;			/* when, */
	struct gt_g *g;			/* and whose */
	bool has_entry;			/* that was this, maybe: */
	struct gt_interval entry;
	struct run runs[GT_IV_RUNS];	/* a ring */
	unsigned int n_runs;
};

void gt_intervals_init(struct gt_intervals *iv, struct gt_timeline *t,
		       gt_interval_fn take, void *arg)
{
	*iv = (struct gt_intervals){ .t = t, .take = take, .arg = arg };
}

void gt_intervals_exit(struct gt_intervals *iv)
{
	free(iv->gs);
	free(iv->ps);
	gt_map_exit(&iv->calls);
	*iv = (struct gt_intervals){ 0 };
}

/* ---- Stacks ---- */

static uint64_t find_call(const struct gt_timeline *t, uint64_t stk)
{
	const struct gt_names *names = &t->trace.names;
	size_t n = gt_names_stack(names, stk);
	struct gt_string s;
	uint64_t fn;

	for (size_t i = 0; i < n; i++) {
		fn = gt_names_frame(names, stk, i).fn;
		gt_names_string(names, fn, &s);
		if (!t->kernel)
			return fn;
		if (s.len > strlen(PREFIX) &&
		    !memcmp(s.text, PREFIX, strlen(PREFIX)))
			return fn;
	}
	return 0;
}

uint64_t gt_intervals_call(struct gt_intervals *iv, uint64_t stk)
{
	uint64_t *at;

	if (!stk)
		return 0;
	at = gt_map_add(&iv->calls, stk);
	if (!at)
		return find_call(iv->t, stk);
	if (!*at)
		*at = find_call(iv->t, stk) + 1;
	return *at - 1;
}

/* The waker's innermost frame is "irq" where it was no task. */
static bool is_irq(const struct gt_timeline *t, uint64_t stk)
{
	const struct gt_names *names = &t->trace.names;
	struct gt_string s;

	if (!t->kernel || !gt_names_stack(names, stk))
		return false;
	gt_names_string(names, gt_names_frame(names, stk, 0).fn, &s);
	return s.len == 3 && !memcmp(s.text, "irq", 3);
}

static bool is_call(const struct gt_timeline *t, uint64_t name)
{
	struct gt_string s;

	gt_names_string(&t->trace.names, name, &s);
	return t->kernel && s.len > strlen(PREFIX) &&
	       !memcmp(s.text, PREFIX, strlen(PREFIX));
}

/* ---- Handing out ---- */

static void give(struct gt_intervals *iv, struct gt_interval i)
{
	if (i.kind <= GT_IV_ASLEEP || i.kind == GT_IV_CALL)
		i.doubtful = gt_losses_within(&iv->t->losses, i.start, i.end);
	iv->take(iv->arg, &i);
}

/* Of the event that ends intervals; at the end of the trace there is none. */
static unsigned int then_of(const struct gt_event *ev)
{
	return ev ? gt_event_plain(ev->type) : GT_EV_NONE;
}

static struct gt_interval ending(const struct gt_intervals *iv,
				 enum gt_interval_kind kind,
				 const struct gt_event *ev, int64_t start)
{
	return (struct gt_interval){
		.kind = kind, .start = start, .end = iv->t->time,
		.unfinished = !ev,
		.p = GT_NO_P, .end_p = ev ? ev->p : GT_NO_P,
		.then = then_of(ev), .end_stk = ev ? ev->stk : 0,
		.last_p = GT_NO_P,
	};
}

static enum gt_interval_kind kind_of(const struct gt_iv_g *own,
				     enum gt_g_status status)
{
	if (own->untraced)
		return GT_IV_UNTRACED;
	switch (status) {
	case GT_G_RUNNING:
		return GT_IV_RUNNING;
	case GT_G_RUNNABLE:
		return GT_IV_RUNNABLE;
	default:
		return GT_IV_ASLEEP;
	}
}

/* Who had the P in most of the time from start on. */
static void find_holder(const struct gt_iv_p *p, struct gt_interval *i)
{
	unsigned int n = p->n_runs < GT_IV_RUNS ? p->n_runs : GT_IV_RUNS;
	const struct run *r;
	int64_t held;

	for (unsigned int k = 0; k < n; k++) {
		r = &p->runs[k];
		held = r->end - (r->start > i->start ? r->start : i->start);
		if (held > i->held) {
			i->held = held;
			i->holder = r->g;
		}
	}
}

/*
 * The call that a G is asleep in. Its stack may name one that has returned: on its
 * way to user space a task sleeps, too.
 */
static uint64_t call_of_sleep(struct gt_intervals *iv, const struct gt_g *g,
			      const struct gt_span *was)
{
	const struct gt_iv_g *own = &iv->gs[g->index];

	if (!iv->t->kernel && was->why != GT_EV_GO_SYSBLOCK)
		return 0;
	for (size_t i = g->n_regions; i; i--)
		if (is_call(iv->t, g->regions[i - 1].name))
			return g->regions[i - 1].name;
	if (iv->has_calls && (!own->initial || own->had_call))
		return 0;
	return gt_intervals_call(iv, was->stk);
}

/* The span of a G has ended: by an event, or by the end of the trace. */
static void give_span(struct gt_intervals *iv, struct gt_g *g,
		      const struct gt_span *was, const struct gt_event *ev)
{
	struct gt_iv_g *own = &iv->gs[g->index];
	struct gt_interval i = ending(iv, kind_of(own, was->status), ev,
				      was->since);

	i.g = g;
	i.p = was->p;
	i.why = was->why;
	i.stk = was->stk;
	switch (i.kind) {
	case GT_IV_RUNNING:
		i.last_p = own->last_p;
		own->last_p = was->p;
		break;
	case GT_IV_RUNNABLE:
		i.since_before = own->initial && i.why == GT_EV_GO_CREATE;
		i.by = own->by;
		i.irq = own->irq;
		if (ev)
			find_holder(&iv->ps[iv->t->state.p->index], &i);
		break;
	case GT_IV_ASLEEP:
		i.since_before = i.why == GT_EV_GO_WAITING ||
				 i.why == GT_EV_GO_IN_SYSCALL;
		i.by = ev ? own->by : NULL;
		i.irq = ev && own->irq;
		own->asleep += i.end - i.start;
		i.name = call_of_sleep(iv, g, was);
		if (i.name) {
			own->slept_in = i.name;
			own->slept_until = i.end;
		}
		break;
	default:
		break;
	}
	give(iv, i);
}

/* ---- Gs ---- */

static int make_room(struct gt_intervals *iv)
{
	const struct gt_state *s = &iv->t->state;

	while (iv->n_gs < s->n_gs) {
		if (!array_reserve(&iv->gs, iv->n_gs, &iv->size_gs,
				   sizeof(*iv->gs)))
			return -1;
		iv->gs[iv->n_gs++] = (struct gt_iv_g){
			.initial = !iv->opened, .last_p = GT_NO_P,
		};
	}
	while (iv->n_ps < s->n_ps) {
		if (!array_reserve(&iv->ps, iv->n_ps, &iv->size_ps,
				   sizeof(*iv->ps)))
			return -1;
		iv->ps[iv->n_ps++] = (struct gt_iv_p){
			.kind = GT_IV_STOPPED,
		};
	}
	return 0;
}

/*
 * A task that a CPU ran when tracing began there: before, it was there, and it
 * looks runnable.
 */
static bool is_found_running(const struct gt_intervals *iv,
			     const struct gt_span *was, struct gt_iv_g *own)
{
	const struct gt_iv_p *p = &iv->ps[iv->t->state.p->index];

	return iv->t->kernel && own->initial && was->why == GT_EV_GO_CREATE &&
	       !p->n_runs && p->why == GT_EV_PROC_START;
}

static void note_waker(struct gt_intervals *iv, struct gt_iv_g *own)
{
	const struct gt_timeline *t = iv->t;

	own->irq = is_irq(t, t->ev->stk);
	own->by = own->irq || !t->ev->g || t->state.g == t->state.moved ?
		NULL : t->state.g;
}

static void note_run(struct gt_intervals *iv, struct gt_g *g,
		     const struct gt_span *was)
{
	struct gt_iv_p *p = &iv->ps[iv->t->state.p->index];

	p->runs[p->n_runs++ % GT_IV_RUNS] = (struct run){
		g, was->since, iv->t->time,
	};
	/* Not 0 again: it has run something. */
	if (p->n_runs == 2 * GT_IV_RUNS)
		p->n_runs = GT_IV_RUNS;
}

/* ---- Calls and regions ---- */

static void give_region(struct gt_intervals *iv, struct gt_g *g,
			const struct gt_region *r, const struct gt_event *ev)
{
	struct gt_iv_g *own = &iv->gs[g->index];
	struct gt_interval i = ending(iv, is_call(iv->t, r->name) ?
				      GT_IV_CALL : GT_IV_REGION, ev, r->since);

	i.g = g;
	i.name = r->name;
	i.stk = r->stk;
	i.why = GT_EV_USER_REGION;
	i.since_before = !r->off;
	i.asleep = own->asleep - own->call_asleep;
	give(iv, i);
}

static struct gt_interval entry(const struct gt_intervals *iv, uint64_t name)
{
	struct gt_interval i = ending(iv, GT_IV_ENTER, iv->t->ev, iv->t->time);

	i.g = iv->t->state.g;
	i.p = i.end_p;
	i.name = name;
	i.stk = i.end_stk;
	i.why = i.then;
	return i;
}

/*
 * A call that began before the trace and did not end under our eyes has no region;
 * but where the G slept, it said in which call: it lasted at least as long.
 */
static void end_unseen_call(struct gt_intervals *iv, struct gt_g *g,
			    const struct gt_event *ev)
{
	const struct gt_iv_g *own = &iv->gs[g->index];
	struct gt_interval i = ending(iv, GT_IV_CALL, ev, g->create_time);

	if (!own->initial || own->had_call || !own->slept_in || !iv->has_calls)
		return;
	i.g = g;
	i.name = own->slept_in;
	i.why = GT_EV_USER_REGION;
	i.since_before = true;
	i.end = own->slept_until;
	i.asleep = own->asleep;
	give(iv, i);
}

static void take_region(struct gt_intervals *iv)
{
	const struct gt_timeline *t = iv->t;
	struct gt_g *g = t->state.g;
	struct gt_iv_g *own;
	/* It was in it since before the trace: no start has this offset. */
	struct gt_region found = { .name = t->ev->args[2] };
	bool call = is_call(t, found.name);

	/* What is done while no G runs. */
	if (!t->ev->g)
		return;
	own = &iv->gs[g->index];
	iv->has_calls |= call;
	if (t->ev->args[1] == 0) {
		if (call) {
			end_unseen_call(iv, g, t->ev);
			give(iv, entry(iv, found.name));
			own->call_asleep = own->asleep;
		}
	} else if (t->state.region) {
		give_region(iv, g, t->state.region, t->ev);
	} else if (own->initial && !(call && own->had_call)) {
		found.since = g->create_time;
		give_region(iv, g, &found, t->ev);
	}
	own->had_call |= call;
}

static void end_assist(struct gt_intervals *iv, struct gt_g *g,
		       const struct gt_event *ev, int64_t since)
{
	struct gt_interval i = ending(iv, GT_IV_ASSIST, ev, since);

	i.g = g;
	i.why = GT_EV_MARK_ASSIST_START;
	give(iv, i);
}

static void end_regions(struct gt_intervals *iv, struct gt_g *g,
			const struct gt_event *ev)
{
	for (size_t i = g->n_regions; i; i--)
		give_region(iv, g, &g->regions[i - 1], ev);
	end_unseen_call(iv, g, ev);
	if (g->assists)
		end_assist(iv, g, ev, g->assist_since);
}

/*
 * With GoSysCall alone, each is an entry; but the kernel's stands also right
 * before a GoSysBlock, to say in which call. Only the P's next event tells.
 */
static void settle_entry(struct gt_intervals *iv, struct gt_iv_p *p,
			 const struct gt_event *ev)
{
	bool is_unit = iv->t->kernel && ev->type == GT_EV_GO_SYSBLOCK &&
		       ev->ticks == p->ticks;

	if (p->has_entry && !is_unit)
		give(iv, p->entry);
	p->has_entry = false;
}

static void note_entry(struct gt_intervals *iv, struct gt_iv_p *p)
{
	p->has_entry = true;
	p->entry = entry(iv, gt_intervals_call(iv, iv->t->ev->stk));
}

static void give_created(struct gt_intervals *iv, struct gt_g *g)
{
	struct gt_interval i = ending(iv, GT_IV_CREATED, iv->t->ev,
				      iv->t->time);

	i.g = g;
	i.p = i.end_p;
	i.stk = i.end_stk;
	i.why = i.then;
	i.by = iv->gs[g->index].by;
	give(iv, i);
}

static void take_step(struct gt_intervals *iv)
{
	const struct gt_state *s = &iv->t->state;
	struct gt_g *g = s->moved;
	struct gt_iv_g *own = &iv->gs[g->index];

	if (s->was.status == GT_G_RUNNABLE && g->now.status == GT_G_RUNNING &&
	    is_found_running(iv, &s->was, own))
		own->untraced = true;
	if (g->now.status == GT_G_RUNNABLE)
		note_waker(iv, own);
	if (s->was.status == GT_G_UNKNOWN)
		give_created(iv, g);
	else
		give_span(iv, g, &s->was, iv->t->ev);
	own->untraced = false;
	if (s->was.status == GT_G_RUNNING)
		note_run(iv, g, &s->was);
	if (g->now.status == GT_G_DEAD)
		end_regions(iv, g, iv->t->ev);
}

/* ---- Ps and the machine ---- */

static void give_p(struct gt_intervals *iv, const struct gt_p *p,
		   const struct gt_event *ev)
{
	const struct gt_iv_p *own = &iv->ps[p->index];
	struct gt_interval i = ending(iv, own->kind, ev, own->since);

	/* While it runs a G, that one's interval says so. */
	if (own->kind == GT_IV_RUNNING || i.start == i.end)
		return;
	i.p = p->id;
	give(iv, i);
}

static enum gt_interval_kind kind_of_p(const struct gt_p *p)
{
	if (p->g)
		return GT_IV_RUNNING;
	return p->running ? GT_IV_IDLE : GT_IV_STOPPED;
}

/*
 * The closing steps of a CPU that runs something are a GoSched and a ProcStop at
 * one tick. It goes on running, or sleeps, or whatever: nobody sees.
 */
static void check_closing(struct gt_intervals *iv, const struct gt_iv_p *p)
{
	const struct gt_event *ev = iv->t->ev;

	if (iv->t->kernel && ev->type == GT_EV_PROC_STOP &&
	    p->why == GT_EV_GO_SCHED && p->ticks == ev->ticks)
		iv->gs[p->g->index].untraced = true;
}

static void take_p(struct gt_intervals *iv, const struct gt_p *p)
{
	struct gt_iv_p *own = &iv->ps[p->index];
	const struct gt_event *ev = iv->t->ev;
	enum gt_interval_kind kind = kind_of_p(p);

	if (kind != own->kind) {
		give_p(iv, p, ev);
		own->kind = kind;
		own->since = iv->t->time;
	}
	if (ev->type == GT_EV_CPU_SAMPLE)
		return;
	check_closing(iv, own);
	settle_entry(iv, own, ev);
	if (ev->type == GT_EV_GO_SYSCALL)
		note_entry(iv, own);
	if (ev->type == GT_EV_PROC_START)
		iv->opened = true;
	own->why = gt_event_plain(ev->type);
	own->ticks = ev->ticks;
	own->g = ev->g ? iv->t->state.g : NULL;
}

/* Something that the machine has one of ends, by an event or with the trace. */
static void take_global(struct gt_intervals *iv, enum gt_interval_kind kind,
			bool now, bool *was, int64_t *since,
			const struct gt_event *ev)
{
	if (*was && (!now || !ev))
		give(iv, ending(iv, kind, ev, *since));
	if (now && !*was)
		*since = iv->t->time;
	*was = now;
}

static void take_globals(struct gt_intervals *iv, const struct gt_event *ev)
{
	const struct gt_state *s = &iv->t->state;

	take_global(iv, GT_IV_GC, s->gc, &iv->gc, &iv->gc_since, ev);
	take_global(iv, GT_IV_STW, s->stw, &iv->stw, &iv->stw_since, ev);
}

/* The assist that an event ended: gt_state keeps the last one's start. */
static void take_assist(struct gt_intervals *iv)
{
	struct gt_g *g = iv->t->state.g;

	if (iv->t->ev->g && iv->gs[g->index].assists)
		end_assist(iv, g, iv->t->ev, iv->gs[g->index].assist_since);
}

static void take_event(struct gt_intervals *iv)
{
	const struct gt_state *s = &iv->t->state;
	const struct gt_event *ev = iv->t->ev;

	if (s->moved)
		take_step(iv);
	if (ev->type == GT_EV_USER_REGION)
		take_region(iv);
	if (ev->type == GT_EV_MARK_ASSIST_DONE)
		take_assist(iv);
	if (ev->g) {
		iv->gs[s->g->index].assists = s->g->assists;
		iv->gs[s->g->index].assist_since = s->g->assist_since;
	}
	if (s->p)
		take_p(iv, s->p);
	take_globals(iv, ev);
}

/* What still goes on. */
static void finish(struct gt_intervals *iv)
{
	const struct gt_state *s = &iv->t->state;
	struct gt_g *g;

	for (size_t i = 0; i < s->n_ps; i++) {
		if (iv->ps[i].has_entry)
			give(iv, iv->ps[i].entry);
		give_p(iv, gt_state_p(s, i), NULL);
	}
	for (size_t i = 0; i < s->n_gs; i++) {
		g = gt_state_g(s, i);
		if (!g->created || g->now.status == GT_G_DEAD)
			continue;
		/* First what it does now: calls sum up its sleeps. */
		give_span(iv, g, &g->now, NULL);
		end_regions(iv, g, NULL);
	}
	take_globals(iv, NULL);
}

int gt_intervals_next(struct gt_intervals *iv)
{
	int ret = gt_timeline_next(iv->t);

	if (ret == 0)
		finish(iv);
	if (ret <= 0)
		return ret;
	if (make_room(iv))
		return gt_error_set(&iv->t->error, iv->t->ev->off,
				    "no memory for the trace's intervals");
	take_event(iv);
	return 1;
}
