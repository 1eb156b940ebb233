// SPDX-License-Identifier: GPL-2.0
/* What Go's tools want of a trace; see rules.h. */
#include "rules.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Go draws rows of its own from here on. */
#define P_LIMIT 1000000

enum { FATAL, WARNING };

static void found(struct rules *r, const char *rule, int warning,
		  enum gt_minds minds, uint64_t off, const char *fmt, ...)
	__attribute__((format(printf, 6, 7)));

static void found(struct rules *r, const char *rule, int warning,
		  enum gt_minds minds, uint64_t off, const char *fmt, ...)
{
	struct finding f = { .rule = rule, .warning = warning };
	va_list ap;

	/* Of what the newer do not read, that is all that there is to say. */
	if (minds == GT_MIND_NEW && r->version && r->version < GT_V1_11)
		return;
	va_start(ap, fmt);
	gt_error_vset(&f.error, off, fmt, ap);
	va_end(ap);
	f.error.minds = minds;
	r->found(r->arg, &f);
}

void rules_begin(struct rules *r, unsigned int version)
{
	if (version < GT_V1_11)
		found(r, "version", WARNING, GT_MIND_NEW, 0,
		      "a trace of version %u.%u, which Go from 1.22 on does not read",
		      version / 1000, version % 1000);
	r->version = version;
}

void rules_exit(struct rules *r)
{
	gt_map_exit(&r->frame_of);
	free(r->gs);
	free(r->ps);
}

/* Entry i of an array that is all zero where nothing was written yet. */
static void *entry(struct rules *r, void *array, size_t *n, size_t i,
		   size_t size)
{
	void **data = array, *more;
	size_t bigger = *n ? *n : 64;

	while (bigger <= i)
		bigger *= 2;
	if (bigger > *n) {
		more = realloc(*data, bigger * size);
		if (!more) {
			r->no_memory = true;
			return NULL;
		}
		memset((char *)more + *n * size, 0, (bigger - *n) * size);
		*data = more;
		*n = bigger;
	}
	return (char *)*data + i * size;
}

static struct rules_g *find_g(struct rules *r, const struct gt_g *g)
{
	return entry(r, &r->gs, &r->n_gs, g->index, sizeof(*r->gs));
}

static struct rules_p *find_p(struct rules *r, const struct gt_p *p)
{
	return entry(r, &r->ps, &r->n_ps, p->index, sizeof(*r->ps));
}

/* ---- Records ---- */

static void check_string(struct rules *r, const struct gt_record *rec,
			 uint64_t off)
{
	if (!r->seen_batch)
		found(r, "string-before-batch", FATAL, GT_MIND_NEW, off,
		      "String before the first Batch: it is lost, and its id is another string's");
	if (rec->args[0] > INT64_MAX)
		found(r, "string-id", FATAL, GT_MIND_NEW, off,
		      "String with the id %" PRIu64 ": too large",
		      rec->args[0]);
}

static uint64_t place_hash(const uint64_t *frame)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (unsigned int i = 1; i < 4; i++)
		h = (h ^ frame[i]) * 0x9e3779b97f4a7c15u;
	return h | 1;
}

static void check_frame(struct rules *r, const uint64_t *frame, bool leaf,
			uint64_t off)
{
	uint64_t *place = gt_map_add(&r->frame_of, frame[0]);
	uint64_t h = place_hash(frame);

	if (!leaf && (!frame[0] || !frame[1] || !frame[2] || !frame[3]))
		found(r, "frame-incomplete", FATAL, GT_MIND_NEW, off,
		      "Stack has a frame without pc, function, file or line, which only the innermost may be");
	if (!place) {
		r->no_memory = true;
		return;
	}
	if (*place && *place != h)
		found(r, "pc-twice", WARNING, GT_MIND_ALL, off,
		      "pc %" PRIu64 " is two places, of which one is shown",
		      frame[0]);
	*place = h;
}

static void check_stack(struct rules *r, const struct gt_record *rec,
			uint64_t off)
{
	if (rec->args[0] > UINT32_MAX)
		found(r, "stack-id", FATAL, GT_MIND_NEW, off,
		      "Stack with the id %" PRIu64 ": beyond 32 bits",
		      rec->args[0]);
	if (r->version < GT_V1_7)
		return;
	for (size_t i = 0; i < rec->args[1]; i++)
		check_frame(r, &rec->args[2 + 4 * i], i == 0, off);
}

void rules_record(struct rules *r, const struct gt_trace *t)
{
	const struct gt_record *rec = &t->rec;
	uint64_t off = t->reader.rec_off;

	switch (rec->type) {
	case GT_EV_BATCH:
		r->seen_batch = true;
		if (rec->args[0] >= P_LIMIT && rec->args[0] != UINT64_MAX)
			found(r, "p-large", FATAL, GT_MIND_ALL, off,
			      "Batch of P %" PRIu64 ": from %d on they are rows of the viewer's own",
			      rec->args[0], P_LIMIT);
		break;
	case GT_EV_STRING:
		check_string(r, rec, off);
		break;
	case GT_EV_STACK:
		check_stack(r, rec, off);
		break;
	case GT_EV_FUTILE_WAKEUP:
		found(r, "futile-wakeup", FATAL, GT_MIND_NEW, off,
		      "FutileWakeup, of which the whole trace is lost");
		break;
	case GT_EV_GO_SYSEXIT_LOCAL:
		found(r, "sysexit-local", FATAL, GT_MIND_ALL, off,
		      "GoSysExitLocal, which Go reads wrongly");
		break;
	}
}

/* ---- The beginning ---- */

/* Until the first Gomaxprocs the newer Go's take all for the initial state. */
static void check_initial(struct rules *r, const struct gt_timeline *t)
{
	const struct gt_event *ev = t->ev;

	switch (ev->type) {
	case GT_EV_GOMAXPROCS:
		r->gomaxprocs++;
		break;
	case GT_EV_GO_WAITING:
	case GT_EV_GO_IN_SYSCALL:
		if (r->gomaxprocs)
			found(r, "initial-late", FATAL, GT_MIND_NEW, ev->off,
			      "%s of G %" PRIu64 " after the first Gomaxprocs",
			      ev->desc->name, ev->g);
		break;
	case GT_EV_GO_START_LABEL:
		if (!r->gomaxprocs)
			found(r, "label-early", FATAL, GT_MIND_NEW, ev->off,
			      "GoStartLabel of G %" PRIu64 " before the first Gomaxprocs",
			      ev->g);
		break;
	}
}

/* ---- Ps and threads ---- */

static void check_thread(struct rules *r, const struct gt_timeline *t)
{
	const struct gt_p *p = t->state.p, *q;

	for (size_t i = 0; i < t->state.n_ps; i++) {
		q = gt_state_p(&t->state, i);
		if (q == p || !q->running || q->thread != p->thread)
			continue;
		found(r, "thread-twice", FATAL, GT_MIND_NEW, t->ev->off,
		      "ProcStart of P %" PRId64 " with thread %" PRIu64 ", which carries P %" PRId64,
		      p->id, p->thread, q->id);
		return;
	}
}

static void check_start(struct rules *r, const struct gt_timeline *t)
{
	const struct gt_event *ev = t->ev;

	if (!t->state.p->running)
		found(r, "start-without-proc", FATAL, GT_MIND_NEW, ev->off,
		      "%s of G %" PRIu64 " on P %" PRId64 ", which has not started",
		      ev->desc->name, ev->g, ev->p);
	if (ev->type == GT_EV_GO_START_LABEL && !ev->args[2])
		found(r, "label-empty", FATAL, GT_MIND_NEW, ev->off,
		      "GoStartLabel without a label");
}

/* ---- Steps of Gs ---- */

static void check_create(struct rules *r, const struct gt_timeline *t)
{
	const struct gt_event *ev = t->ev;
	const struct gt_g *by = t->state.g;

	if (ev->args[0] > INT64_MAX)
		found(r, "g-large", FATAL, GT_MIND_NEW, ev->off,
		      "GoCreate of G %" PRIu64 ": shown as a negative number",
		      ev->args[0]);
	if (r->version >= GT_V1_7 &&
	    !gt_names_stack(&t->trace.names, ev->args[1]))
		found(r, "newstk-empty", FATAL, GT_MIND_OLD, ev->off,
		      "GoCreate of G %" PRIu64 " without a stack for where it begins",
		      ev->args[0]);
	if (by && by->n_regions && by->regions[by->n_regions - 1].task &&
	    !gt_names_stack(&t->trace.names, ev->stk))
		found(r, "create-in-region", FATAL, GT_MIND_OLD, ev->off,
		      "GoCreate without a stack, in a region of a task");
}

/* A Local form is for a step whose last one was on the same P. */
static void check_local(struct rules *r, const struct gt_timeline *t,
			const struct rules_g *g)
{
	const struct gt_event *ev = t->ev;

	if (gt_event_plain(ev->type) != ev->type && g->p != ev->p)
		found(r, "local-elsewhere", WARNING, GT_MIND_ALL, ev->off,
		      "%s of G %" PRIu64 " on P %" PRId64 ", whose last step was on P %" PRId64,
		      ev->desc->name, t->state.moved->id, ev->p, g->p);
}

static void check_death(struct rules *r, const struct gt_timeline *t,
			const struct rules_g *g)
{
	if (t->state.moved->assists || g->in_stw)
		found(r, "death-inside", FATAL, GT_MIND_NEW, t->ev->off,
		      "%s of G %" PRIu64 ", whose %s has not ended",
		      t->ev->desc->name, t->state.moved->id,
		      g->in_stw ? "STW" : "mark assist");
}

/* ---- System calls ---- */

static void check_sysblock(struct rules *r, const struct gt_timeline *t,
			   const struct rules_g *g)
{
	if (g->last != GT_EV_GO_SYSCALL)
		found(r, "sysblock-without-call", FATAL, GT_MIND_NEW,
		      t->ev->off,
		      "GoSysBlock of G %" PRIu64 ", whose event before is no GoSysCall",
		      t->state.moved->id);
}

static void check_return(struct rules *r, const struct gt_timeline *t)
{
	const struct gt_span *was = &t->state.was;
	const struct gt_event *ev = t->ev;
	uint64_t g = t->state.moved->id;

	if (gt_event_plain(ev->type) == GT_EV_GO_UNBLOCK) {
		if (was->why == GT_EV_GO_SYSBLOCK)
			found(r, "unblock-in-call", FATAL, GT_MIND_NEW, ev->off,
			      "%s of G %" PRIu64 ", which waits since a GoSysBlock",
			      ev->desc->name, g);
		return;
	}
	if (was->status != GT_G_SYSCALL)
		found(r, "sysexit-without-call", FATAL, GT_MIND_ALL, ev->off,
		      "%s of G %" PRIu64 ", which is in no system call",
		      ev->desc->name, g);
	if (was->why == GT_EV_GO_IN_SYSCALL)
		found(r, "in-syscall-returns", WARNING, GT_MIND_NEW, ev->off,
		      "%s of G %" PRIu64 " after its GoInSyscall: the page by threads breaks",
		      ev->desc->name, g);
}

/* ---- Intervals ---- */

static void check_stw(struct rules *r, const struct gt_timeline *t)
{
	const struct gt_event *ev = t->ev;
	const struct gt_g *g = t->state.p->g;
	struct rules_g *rg = g ? find_g(r, g) : NULL;

	if (!g) {
		found(r, "stw-idle", FATAL, GT_MIND_NEW, ev->off,
		      "%s on P %" PRId64 ", which runs no G", ev->desc->name,
		      ev->p);
		return;
	}
	if (!rg)
		return;
	if (ev->type == GT_EV_STW_DONE && !rg->in_stw)
		found(r, "stw-other-g", FATAL, GT_MIND_NEW, ev->off,
		      "STWDone by G %" PRIu64 ", which has not stopped the world",
		      g->id);
	rg->in_stw = ev->type == GT_EV_STW_START;
}

static void check_assist(struct rules *r, const struct gt_timeline *t)
{
	if (!t->state.g)
		found(r, "assist-idle", FATAL, GT_MIND_ALL, t->ev->off,
		      "%s on P %" PRId64 ", which runs no G",
		      t->ev->desc->name, t->ev->p);
	else if (t->state.stray)
		found(r, "assist-end", FATAL, GT_MIND_NEW, t->ev->off,
		      "GCMarkAssistDone of G %" PRIu64 ", which has begun none",
		      t->state.g->id);
}

static void check_region(struct rules *r, const struct gt_timeline *t)
{
	const struct gt_event *ev = t->ev;

	if (!t->state.g)
		found(r, "region-idle", FATAL, GT_MIND_ALL, ev->off,
		      "UserRegion on P %" PRId64 ", which runs no G", ev->p);
	if (ev->args[1] == 0 && !gt_names_stack(&t->trace.names, ev->stk))
		found(r, "region-stack", FATAL, GT_MIND_OLD, ev->off,
		      "UserRegion begins without a stack");
}

static void check_task(struct rules *r, const struct gt_timeline *t)
{
	if (!t->ev->args[0])
		found(r, "task-zero", FATAL, GT_MIND_NEW, t->ev->off,
		      "UserTaskCreate of task 0, which is no task");
}

/* ---- Events ---- */

/* A step of a G: t->state.moved. */
static void check_step(struct rules *r, const struct gt_timeline *t)
{
	const struct gt_event *ev = t->ev;
	struct rules_g *g = find_g(r, t->state.moved);

	if (!g)
		return;
	check_local(r, t, g);
	switch (gt_event_plain(ev->type)) {
	case GT_EV_GO_CREATE:
		check_create(r, t);
		break;
	case GT_EV_GO_START:
	case GT_EV_GO_START_LABEL:
		check_start(r, t);
		break;
	case GT_EV_GO_END:
	case GT_EV_GO_STOP:
		check_death(r, t, g);
		break;
	case GT_EV_GO_SYSBLOCK:
		check_sysblock(r, t, g);
		break;
	case GT_EV_GO_UNBLOCK:
	case GT_EV_GO_SYSEXIT:
		check_return(r, t);
		break;
	}
	g->p = ev->p;
}

static void check_others(struct rules *r, const struct gt_timeline *t)
{
	switch (t->ev->type) {
	case GT_EV_PROC_START:
		check_thread(r, t);
		break;
	case GT_EV_STW_START:
	case GT_EV_STW_DONE:
		check_stw(r, t);
		break;
	case GT_EV_MARK_ASSIST_START:
	case GT_EV_MARK_ASSIST_DONE:
		check_assist(r, t);
		break;
	case GT_EV_USER_REGION:
		check_region(r, t);
		break;
	case GT_EV_USER_TASK_CREATE:
		check_task(r, t);
		break;
	}
}

/* The P of a GoSysBlock changes its thread: the G keeps the old one. */
static void check_handoff(struct rules *r, const struct gt_timeline *t)
{
	const struct gt_event *ev = t->ev;
	struct rules_p *p = t->state.p ? find_p(r, t->state.p) : NULL;
	unsigned int type = gt_event_plain(ev->type);
	bool starts = type == GT_EV_GO_START || type == GT_EV_GO_START_LABEL;

	/* These are not where they are written. */
	if (!p || type == GT_EV_CPU_SAMPLE || type == GT_EV_GO_SYSEXIT)
		return;
	if (p->blocked && type != GT_EV_PROC_STOP)
		found(r, starts ? "sysblock-then-start" : "sysblock-without-stop",
		      starts ? FATAL : WARNING, GT_MIND_NEW, ev->off,
		      "%s on P %" PRId64 " behind a GoSysBlock, where a ProcStop should be",
		      ev->desc->name, ev->p);
	p->blocked = type == GT_EV_GO_SYSBLOCK;
}

/* To the newer Go's, what stops the world or collects is a G's as well. */
static void note_last(struct rules *r, const struct gt_timeline *t)
{
	const struct gt_event *ev = t->ev;
	const struct gt_g *g = t->state.g;
	struct rules_g *rg;

	switch (ev->type) {
	case GT_EV_GC_START:
	case GT_EV_GC_DONE:
	case GT_EV_STW_START:
	case GT_EV_STW_DONE:
		g = t->state.p->g;
		break;
	}
	rg = g ? find_g(r, g) : NULL;
	if (rg)
		rg->last = ev->type;
}

void rules_event(struct rules *r, const struct gt_timeline *t)
{
	const struct gt_event *ev = t->ev;

	if (ev->ticks < 0)
		found(r, "time-negative", FATAL, GT_MIND_ALL, ev->off,
		      "%s at %" PRId64 " ticks, before time began",
		      ev->desc->name, ev->ticks);
	check_initial(r, t);
	if (t->state.moved)
		check_step(r, t);
	else
		check_others(r, t);
	check_handoff(r, t);
	note_last(r, t);
}

/* ---- The end ---- */

/* Of what is still going on. */
static void check_open(struct rules *r, const struct gt_state *s, uint64_t end)
{
	for (size_t i = 0; i < s->n_ps; i++) {
		const struct gt_p *p = gt_state_p(s, i);

		if (p->g)
			found(r, "end-running", FATAL, GT_MIND_OLD, end,
			      "the trace ends while P %" PRId64 " runs G %" PRIu64 ", which began at offset %" PRIu64,
			      p->id, p->g->id, p->g->now.off);
		if (p->sweeps)
			found(r, "end-sweep", FATAL, GT_MIND_OLD, end,
			      "the trace ends inside a sweep of P %" PRId64,
			      p->id);
	}
	if (s->gc)
		found(r, "end-gc", FATAL, GT_MIND_OLD, end,
		      "the trace ends inside a GC");
	if (s->stw)
		found(r, "end-stw", FATAL, GT_MIND_OLD, end,
		      "the trace ends while the world is stopped");
}

void rules_end(struct rules *r, const struct gt_timeline *t)
{
	uint64_t end = t->source.len;

	if (!r->gomaxprocs)
		found(r, "gomaxprocs-none", FATAL, GT_MIND_NEW, end,
		      "the trace has no Gomaxprocs, with which its initial state ends");
	else if (r->gomaxprocs == 1)
		found(r, "gomaxprocs-once", WARNING, GT_MIND_NEW, end,
		      "the trace has one Gomaxprocs, the page of utilization wants a second");
	check_open(r, &t->state, end);
}
