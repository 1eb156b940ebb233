// SPDX-License-Identifier: LGPL-2.1 OR MIT
/* What Gs, Ps and tasks are doing; see state.h. */
#include "state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

#define CHUNK 256

/* What the rules look at. */
struct step {
	const struct gt_event *ev;
	unsigned int type;	/* without Local */
	struct gt_g *g;		/* G 0 has one here */
	struct gt_p *p;		/* NULL only for samples */
	int64_t time;
	struct gt_error *e;
};

const char *gt_g_status_word(enum gt_g_status status)
{
	static const char *const words[GT_G_STATUSES] = {
		[GT_G_UNKNOWN] = "not created",
		[GT_G_RUNNABLE] = "runnable",
		[GT_G_RUNNING] = "running",
		[GT_G_WAITING] = "waiting",
		[GT_G_SYSCALL] = "waiting in a system call",
		[GT_G_DEAD] = "dead",
	};

	return words[status];
}

/* ---- Pools ---- */

static void *pool_at(const struct gt_pool *pool, size_t i, size_t size)
{
	return (char *)pool->chunks[i / CHUNK] + i % CHUNK * size;
}

static void *pool_find(const struct gt_pool *pool, uint64_t id, size_t size)
{
	const uint64_t *at = gt_map_find(&pool->by_id, id);

	return at && *at ? pool_at(pool, *at - 1, size) : NULL;
}

/* A new one, all zero, index pool->n - 1. */
static void *pool_add(struct gt_pool *pool, uint64_t id, size_t size)
{
	uint64_t *at = gt_map_add(&pool->by_id, id);

	if (!at)
		return NULL;
	if (pool->n == pool->n_chunks * CHUNK) {
		if (!array_reserve(&pool->chunks, pool->n_chunks,
				   &pool->size_chunks, sizeof(*pool->chunks)))
			return NULL;
		pool->chunks[pool->n_chunks] = calloc(CHUNK, size);
		if (!pool->chunks[pool->n_chunks])
			return NULL;
		pool->n_chunks++;
	}
	*at = ++pool->n;
	return pool_at(pool, pool->n - 1, size);
}

static void pool_exit(struct gt_pool *pool)
{
	for (size_t i = 0; i < pool->n_chunks; i++)
		free(pool->chunks[i]);
	free(pool->chunks);
	gt_map_exit(&pool->by_id);
}

struct gt_g *gt_state_g(const struct gt_state *s, size_t index)
{
	return pool_at(&s->gs, index, sizeof(struct gt_g));
}

struct gt_p *gt_state_p(const struct gt_state *s, size_t index)
{
	return pool_at(&s->ps, index, sizeof(struct gt_p));
}

struct gt_g *gt_state_find_g(const struct gt_state *s, uint64_t id)
{
	return pool_find(&s->gs, id, sizeof(struct gt_g));
}

struct gt_p *gt_state_find_p(const struct gt_state *s, int64_t id)
{
	return pool_find(&s->ps, id, sizeof(struct gt_p));
}

static struct gt_g *add_g(struct gt_state *s, uint64_t id)
{
	struct gt_g *g = pool_add(&s->gs, id, sizeof(*g));

	if (!g)
		return NULL;
	g->id = id;
	g->index = s->n_gs++;
	g->now.p = GT_NO_P;
	g->call_time = -1;
	return g;
}

static struct gt_p *get_p(struct gt_state *s, int64_t id)
{
	struct gt_p *p;

	/* Mostly it is the one of the event before. */
	if (s->p && s->p->id == id)
		return s->p;
	p = gt_state_find_p(s, id);
	if (p)
		return p;
	p = pool_add(&s->ps, id, sizeof(*p));
	if (!p)
		return NULL;
	p->id = id;
	p->index = s->n_ps++;
	p->since = -1;
	return p;
}

void gt_state_init(struct gt_state *s, unsigned int version, bool lenient,
		   const struct gt_names *names)
{
	memset(s, 0, sizeof(*s));
	s->version = version;
	s->lenient = lenient;
	s->names = names;
	s->nobody.now.status = GT_G_RUNNING;
	s->nobody.now.p = GT_NO_P;
	s->nobody.call_time = -1;
}

void gt_state_exit(struct gt_state *s)
{
	for (size_t i = 0; i < s->n_gs; i++)
		free(gt_state_g(s, i)->regions);
	free(s->nobody.regions);
	pool_exit(&s->gs);
	pool_exit(&s->ps);
	gt_map_exit(&s->task_of);
	free(s->tasks);
	memset(s, 0, sizeof(*s));
}

/* ---- Words ---- */

static int no_memory(const struct step *st)
{
	return gt_error_set(st->e, st->ev->off, "no memory for the trace's states");
}

/* g: the status to complain about; what it had to be. */
static int wrong_status(const struct step *st, uint64_t id,
			const struct gt_g *g, const char *wanted)
{
	return gt_error_set(st->e, st->ev->off, "%s: G %" PRIu64 " must be %s, but it is %s",
			    st->ev->desc->name, id, wanted,
			    gt_g_status_word(g ? g->now.status : GT_G_UNKNOWN));
}

/* ---- Steps of Gs ---- */

static void move(struct gt_state *s, const struct step *st, struct gt_g *g,
		 enum gt_g_status to)
{
	s->moved = g;
	s->was = g->now;
	g->now = (struct gt_span){
		.status = to, .why = st->type, .since = st->time,
		.p = st->ev->p, .stk = st->ev->stk, .off = st->ev->off,
	};
}

static bool is_idle(const struct gt_p *p)
{
	return !p->g;
}

static uint64_t runs(const struct gt_p *p)
{
	return p->g ? p->g->id : 0;
}

/* The event's G runs, on the event's P. */
static int check_running(const struct step *st, bool nobody_may)
{
	const struct gt_event *ev = st->ev;

	if (!nobody_may && ev->g == 0)
		return gt_error_set(st->e, ev->off, "%s while P %" PRId64 " runs no G",
				    ev->desc->name, ev->p);
	if (st->g->now.status != GT_G_RUNNING)
		return wrong_status(st, ev->g, st->g, "running");
	if (runs(st->p) != ev->g)
		return gt_error_set(st->e, ev->off, "%s of G %" PRIu64 ", but P %" PRId64 " runs G %" PRIu64,
				    ev->desc->name, ev->g, ev->p, runs(st->p));
	return 0;
}

static int create(struct gt_state *s, const struct step *st)
{
	const struct gt_event *ev = st->ev;
	struct gt_g *g = gt_state_find_g(s, ev->args[0]);

	if (check_running(st, true))
		return -1;
	if (g && !g->created)
		return gt_error_set(st->e, ev->off, "GoCreate of G %" PRIu64 ", of which there was a CPUSample before",
				    g->id);
	if (g || ev->args[0] == 0)
		return gt_error_set(st->e, ev->off, "GoCreate of G %" PRIu64 ", which was there before",
				    ev->args[0]);
	g = add_g(s, ev->args[0]);
	if (!g)
		return no_memory(st);
	g->created = true;
	g->create_time = st->time;
	g->creator = ev->g;
	g->newstk = ev->args[1];
	move(s, st, g, GT_G_RUNNABLE);
	g->now.by = ev->g;
	return 0;
}

static int start(struct gt_state *s, const struct step *st)
{
	const struct gt_event *ev = st->ev;

	if (st->g->now.status != GT_G_RUNNABLE)
		return wrong_status(st, ev->g, st->g, "runnable");
	if (!is_idle(st->p))
		return gt_error_set(st->e, ev->off, "%s of G %" PRIu64 ", but P %" PRId64 " runs G %" PRIu64,
				    ev->desc->name, ev->g, ev->p, runs(st->p));
	move(s, st, st->g, GT_G_RUNNING);
	st->p->g = st->g;
	if (st->type == GT_EV_GO_START_LABEL)
		st->g->label = ev->args[2];
	return 0;
}

static int leave(struct gt_state *s, const struct step *st,
		 enum gt_g_status to)
{
	if (check_running(st, false))
		return -1;
	move(s, st, st->g, to);
	if (st->type == GT_EV_GO_SYSBLOCK)
		st->g->now.stk = st->g->call_stk;
	st->p->g = NULL;
	return 0;
}

/* GoWaiting, GoInSyscall: it has been asleep since before the trace. */
static int found_asleep(struct gt_state *s, const struct step *st,
			enum gt_g_status to)
{
	if (st->g->now.status != GT_G_RUNNABLE)
		return wrong_status(st, st->ev->g, st->g, "runnable");
	/* Its number says that it is the step after that one. */
	if (st->g->now.why != GT_EV_GO_CREATE && s->version >= GT_V1_7)
		return wrong_status(st, st->ev->g, st->g, "just created");
	move(s, st, st->g, to);
	return 0;
}

static bool is_asleep(const struct gt_g *g)
{
	return g && (g->now.status == GT_G_WAITING ||
		     g->now.status == GT_G_SYSCALL);
}

static int unblock(struct gt_state *s, const struct step *st)
{
	struct gt_g *g = gt_state_find_g(s, st->ev->args[0]);

	if (check_running(st, true))
		return -1;
	if (!is_asleep(g))
		return wrong_status(st, st->ev->args[0], g, "waiting");
	move(s, st, g, GT_G_RUNNABLE);
	g->now.by = st->ev->g;
	return 0;
}

static int sysexit(struct gt_state *s, const struct step *st)
{
	if (!is_asleep(st->g))
		return wrong_status(st, st->ev->g, st->g, "waiting");
	move(s, st, st->g, GT_G_RUNNABLE);
	return 0;
}

static int syscall_begins(const struct step *st)
{
	if (check_running(st, false))
		return -1;
	st->g->call_time = st->time;
	st->g->call_stk = st->ev->stk;
	return 0;
}

/* ---- Ps, and what the machine does ---- */

static int proc_start(const struct step *st)
{
	struct gt_p *p = st->p;

	if (p->running)
		return gt_error_set(st->e, st->ev->off, "ProcStart of P %" PRId64 ", which has started",
				    p->id);
	p->running = true;
	p->since = st->time;
	p->thread = st->ev->args[0];
	return 0;
}

static int proc_stop(const struct step *st)
{
	struct gt_p *p = st->p;

	if (!p->running)
		return gt_error_set(st->e, st->ev->off, "ProcStop of P %" PRId64 ", which has not started",
				    p->id);
	if (!is_idle(p))
		return gt_error_set(st->e, st->ev->off, "ProcStop of P %" PRId64 ", which runs G %" PRIu64,
				    p->id, runs(p));
	p->running = false;
	p->since = st->time;
	return 0;
}

/* Something begins or ends that there is once; open: is it going on? */
static int toggle(const struct step *st, bool begins, bool *open,
		  int64_t *since)
{
	if (begins && *open)
		return gt_error_set(st->e, st->ev->off, "%s, but the one before has not ended",
				    st->ev->desc->name);
	if (!begins && !*open)
		return gt_error_set(st->e, st->ev->off, "%s, but none has begun",
				    st->ev->desc->name);
	*open = begins;
	*since = st->time;
	return 0;
}

static int stw(struct gt_state *s, const struct step *st)
{
	bool begins = st->type == GT_EV_STW_START;
	uint64_t kind = begins && st->ev->nargs ? st->ev->args[0] : 0;

	/* Two kinds there were, before there were many. */
	if (kind > 1 && s->version < GT_V1_21)
		return gt_error_set(st->e, st->ev->off, "STWStart of the unknown kind %" PRIu64,
				    kind);
	if (toggle(st, begins, s->version < GT_V1_10 ? &st->p->stw : &s->stw,
		   &s->stw_since))
		return -1;
	s->stw = begins;
	if (begins)
		s->stw_kind = kind;
	/* The event is everybody's; who runs there did it. */
	s->stw_g = begins ? st->p->g : NULL;
	s->stw_p = st->ev->p;
	return 0;
}

static int mark_assist(struct gt_state *s, const struct step *st)
{
	/* It may have begun before the trace. */
	if (st->type == GT_EV_MARK_ASSIST_DONE && !st->g->assists) {
		s->stray = true;
		return 0;
	}
	return toggle(st, st->type == GT_EV_MARK_ASSIST_START, &st->g->assists,
		      &st->g->assist_since);
}

/* ---- Annotations ---- */

static const struct gt_task *find_task(const struct gt_state *s, uint64_t id)
{
	const uint64_t *at = gt_map_find(&s->task_of, id);

	return at && s->tasks[*at - 1].open ? &s->tasks[*at - 1] : NULL;
}

const struct gt_task *gt_state_find_task(const struct gt_state *s, uint64_t id)
{
	return find_task(s, id);
}

static int task_create(struct gt_state *s, const struct step *st)
{
	const struct gt_event *ev = st->ev;
	uint64_t *at;

	if (find_task(s, ev->args[0]))
		return gt_error_set(st->e, ev->off, "UserTaskCreate of task %" PRIu64 ", which has not ended",
				    ev->args[0]);
	at = gt_map_add(&s->task_of, ev->args[0]);
	if (!at)
		return no_memory(st);
	if (!*at) {
		if (!array_reserve(&s->tasks, s->n_tasks, &s->size_tasks,
				   sizeof(*s->tasks)))
			return no_memory(st);
		*at = ++s->n_tasks;
	}
	s->tasks[*at - 1] = (struct gt_task){
		.id = ev->args[0], .parent = ev->args[1], .name = ev->args[2],
		.creator = ev->g, .off = ev->off, .since = st->time,
		.open = true,
	};
	return 0;
}

static int task_end(struct gt_state *s, const struct step *st)
{
	const struct gt_task *task = find_task(s, st->ev->args[0]);

	s->task = task;
	if (task)
		s->tasks[task - s->tasks].open = false;
	return 0;
}

static bool is_same_string(const struct gt_state *s, uint64_t a, uint64_t b)
{
	struct gt_string x, y;

	if (a == b)
		return true;
	gt_names_string(s->names, a, &x);
	gt_names_string(s->names, b, &y);
	return x.len == y.len && !memcmp(x.text, y.text, x.len);
}

/* There are many Gs, and in most of them one region is open, or none. */
static bool reserve_region(struct gt_g *g)
{
	size_t size = g->size_regions ? 2 * g->size_regions : 2;
	struct gt_region *more;

	if (g->n_regions < g->size_regions)
		return true;
	more = realloc(g->regions, size * sizeof(*more));
	if (!more)
		return false;
	g->regions = more;
	g->size_regions = size;
	return true;
}

static int region_start(const struct step *st)
{
	const struct gt_event *ev = st->ev;
	struct gt_g *g = st->g;

	if (!reserve_region(g))
		return no_memory(st);
	g->regions[g->n_regions++] = (struct gt_region){
		.task = ev->args[0], .name = ev->args[2], .stk = ev->stk,
		.off = ev->off, .since = st->time,
	};
	return 0;
}

static int region_end(struct gt_state *s, const struct step *st)
{
	const struct gt_event *ev = st->ev;
	struct gt_g *g = st->g;
	const struct gt_region *r;

	/* It may have begun before the trace. */
	if (!g->n_regions)
		return 0;
	r = &g->regions[g->n_regions - 1];
	if (r->task != ev->args[0] || !is_same_string(s, r->name, ev->args[2]))
		return gt_error_set(st->e, ev->off, "UserRegion ends another region of G %" PRIu64 " than the innermost, which began at offset %" PRIu64,
				    ev->g, r->off);
	s->closed = *r;
	s->region = &s->closed;
	g->n_regions--;
	return 0;
}

static int region(struct gt_state *s, const struct step *st)
{
	switch (st->ev->args[1]) {
	case 0:
		return region_start(st);
	case 1:
		return region_end(s, st);
	default:
		return gt_error_set(st->e, st->ev->off, "UserRegion with the mode %" PRIu64 ", which must be 0 or 1",
				    st->ev->args[1]);
	}
}

/* ---- Events ---- */

static int apply_leave(struct gt_state *s, const struct step *st)
{
	switch (gt_event_leaves(st->type)) {
	case GT_LEAVES_DEAD:
		return leave(s, st, GT_G_DEAD);
	case GT_LEAVES_RUNNABLE:
		return leave(s, st, GT_G_RUNNABLE);
	case GT_LEAVES_ASLEEP:
		return leave(s, st, st->type == GT_EV_GO_SYSBLOCK ?
			     GT_G_SYSCALL : GT_G_WAITING);
	default:
		return 0;
	}
}

static int apply(struct gt_state *s, const struct step *st)
{
	const struct gt_event *ev = st->ev;

	switch (st->type) {
	case GT_EV_GO_CREATE:
		return create(s, st);
	case GT_EV_GO_START:
	case GT_EV_GO_START_LABEL:
		return start(s, st);
	case GT_EV_GO_WAITING:
		return found_asleep(s, st, GT_G_WAITING);
	case GT_EV_GO_IN_SYSCALL:
		return found_asleep(s, st, GT_G_SYSCALL);
	case GT_EV_GO_UNBLOCK:
		return unblock(s, st);
	case GT_EV_GO_SYSCALL:
		return syscall_begins(st);
	case GT_EV_GO_SYSEXIT:
		return sysexit(s, st);
	case GT_EV_PROC_START:
		return proc_start(st);
	case GT_EV_PROC_STOP:
		return proc_stop(st);
	case GT_EV_GC_START:
	case GT_EV_GC_DONE:
		return toggle(st, st->type == GT_EV_GC_START, &s->gc,
			      &s->gc_since);
	case GT_EV_STW_START:
	case GT_EV_STW_DONE:
		return stw(s, st);
	case GT_EV_GC_SWEEP_START:
	case GT_EV_GC_SWEEP_DONE:
		return toggle(st, st->type == GT_EV_GC_SWEEP_START,
			      &st->p->sweeps, &st->p->sweep_since);
	case GT_EV_MARK_ASSIST_START:
	case GT_EV_MARK_ASSIST_DONE:
		return mark_assist(s, st);
	case GT_EV_USER_TASK_CREATE:
		return task_create(s, st);
	case GT_EV_USER_TASK_END:
		return task_end(s, st);
	case GT_EV_USER_REGION:
		return region(s, st);
	case GT_EV_GOMAXPROCS:
		s->procs = ev->args[0];
		return 0;
	case GT_EV_HEAP_ALLOC:
		s->heap = ev->args[0];
		return 0;
	case GT_EV_HEAP_GOAL:
		s->goal = ev->args[0];
		return 0;
	default:
		return apply_leave(s, st);
	}
}

/* Whose event it is. A sample's G is noted: it must not be created later. */
static int find_who(struct gt_state *s, struct step *st)
{
	const struct gt_event *ev = st->ev;

	if (ev->p != GT_NO_P || ev->type != GT_EV_CPU_SAMPLE) {
		st->p = get_p(s, ev->p);
		if (!st->p)
			return no_memory(st);
	}
	if (ev->g == 0) {
		st->g = &s->nobody;
		return 0;
	}
	st->g = st->p && st->p->g && st->p->g->id == ev->g ?
		st->p->g : gt_state_find_g(s, ev->g);
	if (st->g)
		return 0;
	if (ev->type != GT_EV_CPU_SAMPLE)
		return gt_error_set(st->e, ev->off, "%s of G %" PRIu64 ", which was not created",
				    ev->desc->name, ev->g);
	if (s->lenient) {
		s->strangers++;
		st->g = &s->nobody;
		return 0;
	}
	st->g = add_g(s, ev->g);
	return st->g ? 0 : no_memory(st);
}

int gt_state_apply(struct gt_state *s, const struct gt_event *ev, int64_t time,
		   struct gt_error *e)
{
	struct step st = {
		.ev = ev, .type = gt_event_plain(ev->type), .time = time,
		.e = e,
	};

	s->moved = NULL;
	s->region = NULL;
	s->task = NULL;
	s->stray = false;
	if (find_who(s, &st))
		return -1;
	s->g = st.g == &s->nobody ? NULL : st.g;
	s->p = st.p;
	return apply(s, &st);
}
