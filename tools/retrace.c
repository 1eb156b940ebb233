// SPDX-License-Identifier: GPL-2.0
/* A part of a trace as a trace; see retrace.h. */
#include "retrace.h"

#include <stdlib.h>
#include <string.h>

/* Of a G. */
#define G_REOPEN  1	/* its regions and its mark assist are not open here yet */
#define G_IN_CALL 2	/* it was in a system call when the part began */
#define G_CALLED  4	/* its last GoSysCall was in this part */
/* Of a P. */
#define P_SWEEPS  1	/* it began in this part */
#define P_STW     2	/* so did this; before Go 1.10 it was a P's */

/* Beyond a kernel's tids and what Go or our module count. */
#define FIRST_NEW_THREAD (1u << 23)

static void note(struct retrace *r, bool ok)
{
	if (!ok)
		r->no_memory = true;
}

static uint8_t *flags(struct retrace *r, uint8_t **all, size_t *n, size_t i)
{
	static uint8_t none;
	size_t size = *n ? *n : 64;
	uint8_t *more;

	if (i < *n)
		return &(*all)[i];
	while (size <= i)
		size *= 2;
	more = realloc(*all, size);
	if (!more) {
		r->no_memory = true;
		return &none;
	}
	memset(more + *n, 0, size - *n);
	*all = more;
	*n = size;
	return &more[i];
}

static uint8_t *g_flags(struct retrace *r, const struct gt_g *g)
{
	return flags(r, &r->gs, &r->n_gs, g->index);
}

static uint8_t *p_flags(struct retrace *r, const struct gt_p *p)
{
	return flags(r, &r->ps, &r->n_ps, p->index);
}

/* ---- Events ---- */

/*
 * Between Ps, nothing but its time puts these in order. So at one time, but on
 * another P, with the one before it, it has to be later.
 */
static void put_in_order(struct retrace *r, struct gt_event *ev)
{
	/* The state at the beginning has no order in itself. */
	if (ev->ticks < r->first)
		return;
	if (ev->ticks < r->floor)
		ev->ticks = r->floor;
	switch (ev->type) {
	case GT_EV_GO_CREATE:
		r->created = ev->ticks;
		return;
	case GT_EV_PROC_START:
	case GT_EV_PROC_STOP:
	case GT_EV_GC_START:
	case GT_EV_GC_DONE:
	case GT_EV_STW_START:
	case GT_EV_STW_DONE:
	case GT_EV_USER_TASK_CREATE:
	case GT_EV_USER_TASK_END:
		break;
	default:
		return;
	}
	if (ev->ticks <= r->unordered && ev->p != r->unordered_p)
		ev->ticks = r->unordered + 1;
	r->unordered = ev->ticks;
	r->unordered_p = ev->p;
	r->floor = ev->ticks;
}

static void put(struct retrace *r, struct gt_event ev)
{
	for (unsigned int i = 0; i < GT_EVENT_ARGS_MAX; i++) {
		if (ev.desc->args[i].kind == GT_ARG_STRING)
			usednames_string(&r->names, ev.args[i]);
		else if (ev.desc->args[i].kind == GT_ARG_STACK)
			ev.args[i] = usednames_new_stack(&r->names, ev.args[i]);
	}
	ev.stk = usednames_event_stack(&r->names, ev.stk);
	if (ev.type != GT_EV_CPU_SAMPLE)
		put_in_order(r, &ev);
	note(r, writer_event(&r->writer, &ev));
	r->bytes = r->writer.bytes + r->names.bytes;
}

/* With up to three arguments. */
static void put_made(struct retrace *r, unsigned int type, int64_t p,
		     uint64_t g, int64_t ticks, uint64_t a, uint64_t b,
		     uint64_t c)
{
	struct gt_event ev = writer_make(type, p, g, ticks);

	ev.args[0] = a;
	ev.args[1] = b;
	ev.args[2] = c;
	put(r, ev);
}

static void put_region(struct retrace *r, const struct gt_region *region,
		       int64_t p, uint64_t g, int64_t ticks)
{
	struct gt_event ev = writer_make(GT_EV_USER_REGION, p, g, ticks);

	ev.args[0] = region->task;
	ev.args[2] = region->name;
	ev.stk = region->stk;
	put(r, ev);
}

/* User tasks, by the first G that runs: Go shows no task of nobody's. */
static void reopen_tasks(struct retrace *r, int64_t p, uint64_t g,
			 int64_t ticks)
{
	const struct gt_state *s = &r->t->state;

	if (!r->no_tasks)
		return;
	r->no_tasks = false;
	for (size_t i = 0; i < s->n_tasks; i++)
		if (s->tasks[i].open && s->tasks[i].since < r->begin)
			put_made(r, GT_EV_USER_TASK_CREATE, p, g, ticks,
				 s->tasks[i].id, s->tasks[i].parent,
				 s->tasks[i].name);
}

/* The G runs here for the first time: what was open is open again. */
static void reopen(struct retrace *r, const struct gt_g *g, int64_t p,
		   int64_t ticks)
{
	uint8_t *f = g_flags(r, g);

	reopen_tasks(r, p, g->id, ticks);
	if (!(*f & G_REOPEN))
		return;
	*f &= ~G_REOPEN;
	for (size_t i = 0; i < g->n_regions; i++)
		put_region(r, &g->regions[i], p, g->id, ticks);
	if (g->assists)
		put_made(r, GT_EV_MARK_ASSIST_START, p, g->id, ticks, 0, 0, 0);
}

/* ---- Threads ---- */

static bool has_thread(const struct retrace *r, uint64_t thread)
{
	for (size_t i = 0; i < r->n_threads; i++)
		if (r->threads[i] == thread + 1)
			return true;
	return false;
}

/* The thread that P has from here on. */
static uint64_t start_thread(struct retrace *r, const struct gt_p *p)
{
	uint64_t thread = p->thread;
	size_t size = r->n_threads ? r->n_threads : 16;
	uint64_t *more;

	while (size <= p->index)
		size *= 2;
	if (size > r->n_threads) {
		more = realloc(r->threads, size * sizeof(*more));
		note(r, more);
		if (!more)
			return thread;
		memset(more + r->n_threads, 0,
		       (size - r->n_threads) * sizeof(*more));
		r->threads = more;
		r->n_threads = size;
	}
	while (has_thread(r, thread))
		thread = r->next_thread++;
	r->threads[p->index] = thread + 1;
	return thread;
}

static void stop_thread(struct retrace *r, const struct gt_p *p)
{
	if (p->index < r->n_threads)
		r->threads[p->index] = 0;
}

/* ---- The beginning ---- */

static bool is_alive(const struct gt_g *g)
{
	return g->created && g->now.status != GT_G_DEAD;
}

static void begin_g(struct retrace *r, const struct gt_g *g, int64_t ticks)
{
	uint8_t *f = g_flags(r, g);

	put_made(r, GT_EV_GO_CREATE, 0, 0, ticks, g->id, g->newstk, 0);
	if (g->now.status == GT_G_WAITING || g->now.status == GT_G_SYSCALL)
		put_made(r, GT_EV_GO_WAITING, 0, g->id, ticks, g->id, 0, 0);
	*f = 0;
	if (g->now.status == GT_G_SYSCALL)
		*f |= G_IN_CALL;
	if (g->n_regions || g->assists)
		*f |= G_REOPEN;
}

static void begin_p(struct retrace *r, const struct gt_p *p, int64_t ticks)
{
	const struct gt_g *g = p->g;

	if (p->running)
		put_made(r, GT_EV_PROC_START, p->id, 0, ticks,
			 start_thread(r, p), 0, 0);
	/* Never GoStartLabel: the newest Go's viewer dies of it here. */
	if (g)
		put_made(r, GT_EV_GO_START, p->id, g->id, ticks, g->id, 0, 0);
}

static void begin_gomaxprocs(struct retrace *r, int64_t ticks)
{
	const struct gt_state *s = &r->t->state;
	uint64_t procs = s->procs ? s->procs : s->n_ps;

	/* The newest Go takes the first as the end of the initial state. */
	for (; r->gomaxprocs < 2; r->gomaxprocs++)
		put_made(r, GT_EV_GOMAXPROCS, 0, 0, ticks, procs ? procs : 1, 0, 0);
}

static void begin_machine(struct retrace *r, int64_t ticks)
{
	const struct gt_state *s = &r->t->state;

	if (s->heap)
		put_made(r, GT_EV_HEAP_ALLOC, 0, 0, ticks, s->heap, 0, 0);
	if (s->goal)
		put_made(r, GT_EV_HEAP_GOAL, 0, 0, ticks, s->goal, 0, 0);
	r->gc = s->gc;
	if (s->gc)
		put_made(r, GT_EV_GC_START, 0, 0, ticks, 0, 0, 0);
	for (size_t i = 0; i < s->n_ps; i++) {
		const struct gt_p *p = gt_state_p(s, i);

		*p_flags(r, p) = (p->sweeps ? P_SWEEPS : 0) |
				 (p->stw ? P_STW : 0);
		if (p->stw)
			put_made(r, GT_EV_STW_START, p->id, 0, ticks, 0, 0, 0);
		if (p->sweeps)
			put_made(r, GT_EV_GC_SWEEP_START, p->id, 0, ticks, 0, 0, 0);
		if (p->g)
			reopen(r, p->g, p->id, ticks);
		/* Only where who did it runs. */
		if (s->stw && !p->stw && s->stw_p == p->id && p->g && p->g == s->stw_g) {
			put_made(r, GT_EV_STW_START, p->id, 0, ticks, s->stw_kind, 0, 0);
			r->stw = s->stw_g;
		}
	}
}

static void init(struct retrace *r, const struct gt_timeline *t, FILE *to,
		 int64_t ticks)
{
	memset(r, 0, sizeof(*r));
	r->t = t;
	writer_begin(&r->writer, to, t->trace.reader.version, ticks);
	writer_frequency(&r->writer, t->trace.hz);
	r->floor = ticks;
	r->first = INT64_MIN;
	r->created = INT64_MIN;
	r->unordered = INT64_MIN;
	r->next_thread = FIRST_NEW_THREAD;
	usednames_init(&r->names, &t->trace.names);
}

void retrace_begin(struct retrace *r, const struct gt_timeline *t, FILE *to)
{
	init(r, t, to, t->trace.first_ticks);
}

void retrace_begin_here(struct retrace *r, const struct gt_timeline *t,
			FILE *to)
{
	const struct gt_state *s = &t->state;
	/*
	 * Before everything else, samples too; and the first Gomaxprocs, on its
	 * P, after what it is the end of, on others.
	 */
	int64_t ticks = t->ev->ticks > 2 ? t->ev->ticks - 2 : 0;

	init(r, t, to, ticks);
	r->first = t->ev->ticks;
	r->begin = t->time;
	r->no_tasks = true;
	for (size_t i = 0; i < s->n_gs; i++)
		if (is_alive(gt_state_g(s, i)))
			begin_g(r, gt_state_g(s, i), ticks);
	for (size_t i = 0; i < s->n_ps; i++)
		begin_p(r, gt_state_p(s, i), ticks);
	ticks += ticks > 0;
	begin_gomaxprocs(r, ticks);
	begin_machine(r, ticks);
}

/* ---- What is in between ---- */

static bool p_begins(struct retrace *r, uint8_t flag)
{
	*p_flags(r, r->t->state.p) |= flag;
	return false;
}

static bool p_ends(struct retrace *r, uint8_t flag)
{
	uint8_t *f = p_flags(r, r->t->state.p);
	bool strange = !(*f & flag);

	*f &= ~flag;
	return strange;
}

/*
 * What began before this part and is not open in it has no end either. And these
 * are somebody's: Go's viewers die of them where nobody runs.
 */
static bool is_strange(struct retrace *r, const struct gt_event *ev)
{
	bool stw_of_p = r->writer.version < GT_V1_10;

	switch (ev->type) {
	case GT_EV_GC_START:
		r->gc = true;
		return false;
	case GT_EV_GC_DONE:
		if (!r->gc)
			return true;
		r->gc = false;
		return false;
	case GT_EV_STW_START:
		if (stw_of_p)
			return p_begins(r, P_STW);
		r->stw = r->t->state.stw_g;
		return !r->stw;
	case GT_EV_STW_DONE:
		return stw_of_p ? p_ends(r, P_STW) : !r->stw;
	case GT_EV_GC_SWEEP_START:
		return p_begins(r, P_SWEEPS);
	case GT_EV_GC_SWEEP_DONE:
		return p_ends(r, P_SWEEPS);
	case GT_EV_FUTILE_WAKEUP:
		/* One that ends in nothing; of it the newest Go dies. */
		return true;
	case GT_EV_USER_REGION:
	case GT_EV_MARK_ASSIST_START:
		return !r->t->state.g;
	case GT_EV_MARK_ASSIST_DONE:
		return !r->t->state.g || r->t->state.stray;
	default:
		return false;
	}
}

/*
 * Not before the G was created, nor at the same time, when Go may think so.
 */
static void name_sample(const struct retrace *r, struct gt_event *ev)
{
	const struct gt_g *g = gt_state_find_g(&r->t->state, ev->g);

	if (ev->ticks < r->floor)
		ev->ticks = r->floor;
	if (!g || !g->created || ev->ticks <= r->created)
		ev->g = 0;
}

/* The newest Go wants a call in front of what blocks in it. */
static void begin_call(struct retrace *r, const struct gt_event *ev)
{
	const struct gt_g *g = r->t->state.g;
	struct gt_event call = writer_make(GT_EV_GO_SYSCALL, ev->p, ev->g,
					   ev->ticks);

	if (*g_flags(r, g) & G_CALLED)
		return;
	call.stk = g->call_stk;
	put(r, call);
}

/* A G that was found, or fell, asleep elsewhere does not return, it is woken. */
static void end_call(struct retrace *r, struct gt_event *ev)
{
	uint8_t *f = g_flags(r, r->t->state.g);

	if (!(*f & G_IN_CALL) && r->t->state.was.status == GT_G_SYSCALL)
		return;
	*f &= ~G_IN_CALL;
	*ev = writer_make(GT_EV_GO_UNBLOCK, ev->p, 0, ev->ticks);
	ev->args[0] = r->t->state.g->id;
}

/*
 * A G in a system call is not woken, it returns. (Of a trace that is whole it
 * never is; here what is between may be lost.)
 */
static void wake(struct retrace *r, struct gt_event *ev)
{
	const struct gt_g *g = r->t->state.moved;
	uint8_t *f = g_flags(r, g);

	if (r->t->state.was.why == GT_EV_GO_SYSBLOCK && !(*f & G_IN_CALL)) {
		*ev = writer_make(GT_EV_GO_SYSEXIT, ev->p, g->id, ev->ticks);
		ev->args[0] = g->id;
	}
	*f &= ~G_IN_CALL;
}

/*
 * Until the first Gomaxprocs the newest Go takes everything for the state that
 * the trace finds; what cannot be that shows that it is lost.
 */
static bool is_initial(const struct gt_event *ev)
{
	switch (ev->type) {
	case GT_EV_GO_START_LABEL:
	case GT_EV_GO_UNBLOCK:
	case GT_EV_GO_UNBLOCK_LOCAL:
	case GT_EV_GO_SYSEXIT:
	case GT_EV_PROC_STOP:
		return false;
	default:
		return gt_event_leaves(ev->type) == GT_LEAVES_NOT;
	}
}

/* Who stopped the world starts it, to the newest Go; whoever is said to. */
static void stw_done(struct retrace *r, struct gt_event *ev)
{
	if (r->stw && r->stw->now.status == GT_G_RUNNING)
		ev->p = r->stw->now.p;
	r->stw = NULL;
}

/* In a damaged trace, who stopped the world may never come back to start it. */
static void leave_stw(struct retrace *r, const struct gt_event *ev)
{
	if (!r->t->lenient || !r->stw || r->t->state.moved != r->stw ||
	    gt_event_leaves(ev->type) == GT_LEAVES_NOT)
		return;
	put_made(r, GT_EV_STW_DONE, ev->p, 0, ev->ticks, 0, 0, 0);
	r->stw = NULL;
}

void retrace_event(struct retrace *r)
{
	const struct gt_state *s = &r->t->state;
	struct gt_event ev = *r->t->ev;

	if (is_strange(r, &ev))
		return;
	leave_stw(r, &ev);
	if (!is_initial(&ev))
		begin_gomaxprocs(r, ev.ticks);
	switch (gt_event_plain(ev.type)) {
	case GT_EV_CPU_SAMPLE:
		name_sample(r, &ev);
		break;
	case GT_EV_GO_SYSBLOCK:
		begin_call(r, &ev);
		break;
	case GT_EV_GO_SYSEXIT:
		end_call(r, &ev);
		break;
	case GT_EV_GO_UNBLOCK:
		wake(r, &ev);
		break;
	case GT_EV_STW_DONE:
		stw_done(r, &ev);
		break;
	case GT_EV_USER_REGION:
		/* Names that are lost are all the same, but get different ones. */
		if (s->region)
			ev.args[2] = s->region->name;
		break;
	case GT_EV_GOMAXPROCS:
		r->gomaxprocs++;
		break;
	case GT_EV_PROC_START:
		ev.args[0] = start_thread(r, s->p);
		break;
	case GT_EV_PROC_STOP:
		stop_thread(r, s->p);
		break;
	}
	put(r, ev);
	switch (gt_event_plain(ev.type)) {
	case GT_EV_GO_SYSCALL:
		*g_flags(r, s->g) |= G_CALLED;
		break;
	case GT_EV_GO_START:
	case GT_EV_GO_START_LABEL:
		reopen(r, s->g, ev.p, ev.ticks);
		break;
	}
}

/* ---- The end ---- */

/* Who stopped the world has left its P since: it comes back for the end of it. */
static void end_stw(struct retrace *r, int64_t p, int64_t ticks)
{
	const struct gt_g *g = r->stw;

	if (!g || !is_alive(g))
		return;
	r->stw = NULL;
	if (g->now.status == GT_G_WAITING || g->now.status == GT_G_SYSCALL)
		put_made(r, GT_EV_GO_UNBLOCK, p, 0, ticks, g->id, 0, 0);
	put_made(r, GT_EV_GO_START, p, g->id, ticks, g->id, 0, 0);
	put_made(r, GT_EV_STW_DONE, p, 0, ticks, 0, 0, 0);
	put_made(r, GT_EV_GO_SCHED, p, g->id, ticks, 0, 0, 0);
}

static void end_p(struct retrace *r, const struct gt_p *p, int64_t ticks)
{
	const struct gt_g *g = p->g;
	uint8_t *f = p_flags(r, p);

	if (g && g == r->stw) {
		put_made(r, GT_EV_STW_DONE, p->id, 0, ticks, 0, 0, 0);
		r->stw = NULL;
	}
	if (*f & P_STW) {
		put_made(r, GT_EV_STW_DONE, p->id, 0, ticks, 0, 0, 0);
		r->ended++;
	}
	if (*f & P_SWEEPS) {
		put_made(r, GT_EV_GC_SWEEP_DONE, p->id, 0, ticks, 0, 0, 0);
		r->ended++;
	}
	*f = 0;
	if (g) {
		put_made(r, GT_EV_GO_SCHED, p->id, g->id, ticks, 0, 0, 0);
		r->closed++;
	}
}

void retrace_end(struct retrace *r, int64_t ticks)
{
	const struct gt_state *s = &r->t->state;

	begin_gomaxprocs(r, ticks);
	r->ended += r->gc + (r->stw != NULL);
	for (size_t i = 0; i < s->n_ps; i++)
		end_p(r, gt_state_p(s, i), ticks);
	if (r->gc)
		put_made(r, GT_EV_GC_DONE, 0, 0, ticks, 0, 0, 0);
	for (size_t i = 0; i < s->n_ps; i++) {
		const struct gt_p *p = gt_state_p(s, i);

		if (!p->running)
			continue;
		end_stw(r, p->id, ticks);
		put_made(r, GT_EV_PROC_STOP, p->id, 0, ticks, 0, 0, 0);
	}
	writer_end(&r->writer);
	usednames_put(&r->names, r->writer.to);
	note(r, !r->names.no_memory);
}

void retrace_exit(struct retrace *r)
{
	writer_exit(&r->writer);
	usednames_exit(&r->names);
	free(r->gs);
	free(r->ps);
	free(r->threads);
	memset(r, 0, sizeof(*r));
}
