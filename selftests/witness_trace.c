// SPDX-License-Identifier: GPL-2.0
/*
 * gotrace as a witness: a trace file, through tools/lib's reader.
 *
 * The events of all Ps are put in order as Go's parser does it: of the Ps'
 * next events, those that are legal now, and of these the oldest. Time alone
 * would not do: a cause and its effect may carry the same tick.
 *
 * What is left out, being the format's and not the kernel's:
 *  - GoSysCall directly before GoSysBlock: it names the call that the task
 *    sleeps in. Its entry has a GoSysCall (or a region) of its own.
 *  - whatever is neither a task's coming and going, nor its call.
 */
#include "witness.h"

#include <err.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/trace.h"

#define GOID_TID(g)	((int)((g) & (W_TIDS - 1)))

struct event {
	int64_t ticks;
	uint64_t g;		/* who runs there */
	uint64_t target;
	uint64_t seq;
	int type;
	int nr;
	bool region_end;
};

struct queue {
	struct event *ev;
	size_t n, size, head;
	uint64_t g;		/* who runs there after the last event read */
};

enum status { DEAD, RUNNABLE, RUNNING, WAITING };

/* A place in a w_cpu, whose array may move. */
struct place {
	int cpu;
	size_t i;
};

struct g {
	uint64_t seq;
	enum status status;
	bool has_left;
	bool woken;
	bool at_switch;
	int waker, waker_cpu;
};

struct merge {
	struct w_witness *w;
	const char *file;
	struct queue *q;	/* by P */
	struct gt_map ids;	/* goid -> index in gs, plus 1 */
	struct g *gs;
	size_t n, size;
	uint64_t order;
};

static bool is_start(int type)
{
	return type == GT_EV_GO_START || type == GT_EV_GO_START_LOCAL ||
	       type == GT_EV_GO_START_LABEL;
}

static bool is_unblock(int type)
{
	return type == GT_EV_GO_UNBLOCK || type == GT_EV_GO_UNBLOCK_LOCAL ||
	       type == GT_EV_GO_SYSEXIT || type == GT_EV_GO_SYSEXIT_LOCAL;
}

/* How it leaves the CPU, or -1 if it does not. */
static int left(int type)
{
	switch (gt_event_leaves(type)) {
	case GT_LEAVES_DEAD:
		return W_DEAD;
	case GT_LEAVES_RUNNABLE:
		return W_RUNNABLE;
	case GT_LEAVES_ASLEEP:
		return W_ASLEEP;
	default:
		return -1;
	}
}

/* --- reading --- */

/* "syscall.read" */
static int nr_of(const struct gt_trace *t, uint64_t string)
{
	static const char prefix[] = "syscall.";
	const size_t skip = sizeof(prefix) - 1;
	struct gt_string s;

	if (!gt_names_string(&t->names, string, &s) || s.len < skip ||
	    memcmp(s.text, prefix, skip))
		return -1;
	return w_call_nr(s.text + skip, s.len - skip);
}

static int stack_nr(const struct gt_trace *t, uint64_t stk)
{
	if (!gt_names_stack(&t->names, stk))
		return -1;
	return nr_of(t, gt_names_frame(&t->names, stk, 0).fn);
}

static bool is_call_region(const struct gt_trace *t, uint64_t string)
{
	struct gt_string s;

	return gt_names_string(&t->names, string, &s) && s.len > 8 &&
	       !memcmp(s.text, "syscall.", 8);
}

/* False for events that do not matter here. */
static bool reduce(const struct gt_trace *t, const struct gt_event *ev,
		   struct event *e)
{
	*e = (struct event){ .ticks = ev->ticks, .g = ev->g, .type = ev->type };

	switch (ev->type) {
	case GT_EV_GO_CREATE:
	case GT_EV_GO_WAITING:
	case GT_EV_GO_IN_SYSCALL:
		e->target = ev->args[0];
		return true;
	case GT_EV_GO_SYSCALL:
		e->nr = stack_nr(t, ev->stk);
		return true;
	case GT_EV_USER_REGION:
		e->region_end = ev->args[1];
		e->nr = nr_of(t, ev->args[2]);
		return is_call_region(t, ev->args[2]);
	default:
		if (is_start(ev->type) || is_unblock(ev->type)) {
			e->target = ev->args[0];
			e->seq = ev->nargs > 1 ? ev->args[1] : 0;
			return true;
		}
		return left(ev->type) >= 0;
	}
}

static void enqueue(struct queue *q, const struct event *e)
{
	if (is_start(e->type))
		q->g = e->g;
	else if (left(e->type) >= 0)
		q->g = 0;
	if (e->type == GT_EV_GO_SYSBLOCK && q->n &&
	    q->ev[q->n - 1].type == GT_EV_GO_SYSCALL)
		q->n--;
	if (q->n == q->size) {
		q->size = q->size ? 2 * q->size : 1 << 14;
		q->ev = realloc(q->ev, q->size * sizeof(*q->ev));
		if (!q->ev)
			errx(1, "no memory");
	}
	q->ev[q->n++] = *e;
}

static void read_events(struct merge *m)
{
	int fd = open(m->file, O_RDONLY);
	struct gt_trace t;
	struct gt_event ev;
	struct event e;
	int next;

	if (fd < 0)
		err(1, "%s", m->file);
	if (gt_trace_init_fd(&t, fd) || gt_trace_index(&t) != 1)
		errx(1, "%s: %s", m->file, gt_trace_error(&t));
	while ((next = gt_trace_next(&t, &ev)) > 0) {
		if (next != GT_TRACE_EVENT || !reduce(&t, &ev, &e))
			continue;
		if (ev.p < 0 || ev.p >= m->w->cpus)
			errx(1, "%s: an event on P %lld", m->file,
			     (long long)ev.p);
		/* The reader gives a GoSysExit to the one that is woken. */
		if (is_unblock(ev.type))
			e.g = m->q[ev.p].g;
		enqueue(&m->q[ev.p], &e);
	}
	if (next < 0)
		errx(1, "%s: %s", m->file, gt_trace_error(&t));
	gt_trace_exit(&t);
	close(fd);
}

/* --- putting in order --- */

static struct g *g_of(struct merge *m, uint64_t goid)
{
	uint64_t *i = gt_map_add(&m->ids, goid);

	if (!i)
		errx(1, "no memory");
	if (!*i) {
		if (m->n == m->size) {
			m->size = m->size ? 2 * m->size : 1 << 10;
			m->gs = realloc(m->gs, m->size * sizeof(*m->gs));
			if (!m->gs)
				errx(1, "no memory");
		}
		memset(&m->gs[m->n++], 0, sizeof(*m->gs));
		*i = m->n;
	}
	return &m->gs[*i - 1];
}

static bool ready(struct merge *m, const struct event *e)
{
	struct g *g = g_of(m, e->target ? e->target : e->g);

	switch (e->type) {
	case GT_EV_GO_CREATE:
		return g->status == DEAD && !g->seq;
	case GT_EV_GO_WAITING:
	case GT_EV_GO_IN_SYSCALL:
		return g->status == RUNNABLE && g->seq == 1;
	case GT_EV_GO_START:
	case GT_EV_GO_START_LABEL:
		return g->status == RUNNABLE && g->seq == e->seq;
	case GT_EV_GO_START_LOCAL:
		return g->status == RUNNABLE;
	case GT_EV_GO_UNBLOCK:
	case GT_EV_GO_SYSEXIT:
		return g->status == WAITING && g->seq == e->seq;
	case GT_EV_GO_UNBLOCK_LOCAL:
	case GT_EV_GO_SYSEXIT_LOCAL:
		return g->status == WAITING;
	default:
		return g->status == RUNNING;
	}
}

/* The wake-up met the switch-out, and both were written there together. */
static bool together(const struct queue *q)
{
	const struct event *e = &q->ev[q->head];

	return q->head && !e->g && e[-1].g == e->target && left(e[-1].type) >= 0;
}

static void wake(struct merge *m, int p, const struct event *e, struct g *g)
{
	g->status = RUNNABLE;
	g->seq++;
	g->woken = true;
	g->at_switch = together(&m->q[p]);
	g->waker = GOID_TID(e->g);
	g->waker_cpu = p;
}

static void tell(struct merge *m, int p, const struct event *e)
{
	struct g *g = g_of(m, e->target ? e->target : e->g);
	struct w_rec rec = { .order = m->order++, .tid = GOID_TID(e->g) };

	if (e->type == GT_EV_GO_CREATE) {
		g->status = RUNNABLE;
		g->seq = 1;
		rec.type = W_CREATE;
		rec.other = GOID_TID(e->target);
		w_add(m->w, p, &rec);
	} else if (e->type == GT_EV_GO_WAITING || e->type == GT_EV_GO_IN_SYSCALL) {
		g->status = WAITING;
		g->seq = 2;
	} else if (is_unblock(e->type)) {
		wake(m, p, e, g);
	} else if (is_start(e->type)) {
		rec.type = W_IN;
		rec.came = !g->has_left ? W_UNKNOWN : g->woken ? W_WOKEN : W_STILL;
		rec.waker = g->waker;
		rec.waker_cpu = g->waker_cpu;
		rec.at_switch = g->at_switch;
		w_add(m->w, p, &rec);
		g->status = RUNNING;
		g->seq++;
	} else if (left(e->type) >= 0) {
		rec.type = W_OUT;
		rec.left = left(e->type);
		w_add(m->w, p, &rec);
		g->status = rec.left == W_ASLEEP ? WAITING :
			    rec.left == W_DEAD ? DEAD : RUNNABLE;
		g->has_left = true;
		g->woken = false;
	} else {
		rec.type = e->region_end ? W_RET : W_CALL;
		rec.nr = e->nr;
		w_add(m->w, p, &rec);
	}
}

static bool step(struct merge *m)
{
	int p, best = -1;

	for (p = 0; p < m->w->cpus; p++) {
		struct queue *q = &m->q[p];

		if (q->head < q->n && ready(m, &q->ev[q->head]) &&
		    (best < 0 || q->ev[q->head].ticks <
				 m->q[best].ev[m->q[best].head].ticks))
			best = p;
	}
	if (best < 0)
		return false;
	tell(m, best, &m->q[best].ev[m->q[best].head]);
	m->q[best].head++;
	return true;
}

void w_read_trace(struct w_witness *w, const char *file)
{
	struct merge m = { .w = w, .file = file };
	int p;

	w->name = "gotrace";
	m.q = calloc(w->cpus, sizeof(*m.q));
	if (!m.q)
		errx(1, "no memory");
	read_events(&m);
	while (step(&m))
		;
	for (p = 0; p < w->cpus; p++) {
		if (m.q[p].head < m.q[p].n)
			errx(1, "%s: the events on P %d cannot be put in order from tick %lld on",
			     file, p, (long long)m.q[p].ev[m.q[p].head].ticks);
		free(m.q[p].ev);
	}
	gt_map_exit(&m.ids);
	free(m.gs);
	free(m.q);
}
