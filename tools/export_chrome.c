// SPDX-License-Identifier: GPL-2.0
/*
 * A trace for Chromium's viewer, in JSON. What it calls a process is a group of rows
 * here:
 *
 *	CPUs		the tasks that they run, with an arrow from who wakes to who
 *			is woken, to where that one runs; samples
 *	tasks		what they do, and what they say
 *	system calls	of each task
 *	regions		of each task, and the user tasks that they belong to
 *	memory		reclaim by each task
 *	machine		reclaim in the background, the stopped world, counters
 *
 * The viewer wants what is on one row to be nested; so calls, regions and reclaim,
 * which are not, each have their own.
 */
#include "export.h"

#include <stdlib.h>
#include <string.h>

#include "out.h"
#include "triples.h"

enum { PID_CPUS = 1, PID_TASKS, PID_CALLS, PID_REGIONS, PID_MEMORY, PID_MACHINE };
enum { ROW_GC = 1, ROW_STW };

struct chrome {
	uint64_t arrows;
	struct triples frames;	/* function, line of it, the frame that called it */
	struct gt_map leaves;	/* stack -> number of its innermost frame */
};

/* ---- Parts of an event ---- */

/* In us, as the viewer has them, but to the ns. */
static void put_time(const char *key, int64_t ns)
{
	uint64_t v = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;

	out_text(key);
	if (ns < 0)
		out_char('-');
	out_u64(v / 1000);
	out_char('.');
	for (unsigned int i = 100; i; i /= 10)
		out_char('0' + v / i % 10);
}

static void begin_event(char phase, struct gt_string name, unsigned int pid,
			uint64_t tid)
{
	out_text(",\n{\"ph\":\"");
	out_char(phase);
	out_text("\",\"name\":");
	out_json(name.text, name.len);
	out_text(",\"pid\":");
	out_u64(pid);
	out_text(",\"tid\":");
	out_u64(tid);
}

/* The number of the stack's innermost frame, 0: there is none. */
static uint64_t leaf(struct export *e, uint64_t stk)
{
	const struct gt_names *names = &e->t->trace.names;
	size_t n = gt_names_stack(names, stk);
	struct chrome *c = e->own;
	uint64_t *at, node = 0;
	struct gt_frame f;
	bool is_new;

	if (!n)
		return 0;
	at = gt_map_add(&c->leaves, stk);
	if (!at)
		return export_fail(e);
	for (size_t i = n; i-- && !*at;) {
		f = gt_names_frame(names, stk, i);
		node = triples_add(&c->frames, f.fn, f.line, node, &is_new);
		if (!node)
			return export_fail(e);
		if (!i)
			*at = node;
	}
	return *at;
}

static void put_stack(struct export *e, uint64_t stk)
{
	uint64_t node = leaf(e, stk);

	if (!node)
		return;
	out_text(",\"sf\":");
	out_u64(node);
}

/* ---- Events ---- */

static void put_name(unsigned int pid, uint64_t tid, const char *what,
		     struct gt_string name)
{
	begin_event('M', gt_string_of(what), pid, tid);
	out_text(",\"args\":{\"name\":");
	out_json(name.text, name.len);
	out_text("}}");
}

static void put_slice(struct export *e, const struct gt_interval *iv,
		      unsigned int pid, uint64_t tid, struct gt_string name)
{
	begin_event('X', name, pid, tid);
	put_time(",\"ts\":", iv->start);
	put_time(",\"dur\":", iv->end - iv->start);
	put_stack(e, iv->stk);
	out_char('}');
}

static void put_counter(struct export *e, const char *name, int64_t value)
{
	begin_event('C', gt_string_of(name), PID_MACHINE, 0);
	put_time(",\"ts\":", e->t->time);
	out_text(",\"args\":{\"value\":");
	out_i64(value);
	out_text("}}");
}

static void put_arrow_end(char phase, struct gt_string name, uint64_t id,
			  int64_t p, int64_t time)
{
	begin_event(phase, name, PID_CPUS, p);
	out_text(",\"cat\":\"wake-up\",\"id\":");
	out_u64(id);
	put_time(",\"ts\":", time);
	out_char('}');
}

/* From who made it runnable, on whose CPU, to where it runs. */
static void put_arrow(struct export *e, const struct gt_interval *iv)
{
	struct gt_string name = gt_string_of(iv->why == GT_EV_GO_CREATE ? "create" :
								  "wake");
	struct chrome *c = e->own;

	if (!iv->by || iv->p == GT_NO_P || iv->end_p == GT_NO_P ||
	    iv->then != GT_EV_GO_START)
		return;
	c->arrows++;
	put_arrow_end('s', name, c->arrows, iv->p, iv->start);
	/* To the slice that begins then, which comes when it ends. */
	put_arrow_end('f', name, c->arrows, iv->end_p, iv->end);
}

/* ---- Intervals ---- */

static void put_state(struct export *e, const struct gt_interval *iv)
{
	static const char *const words[] = {
		[GT_IV_RUNNING] = "running", [GT_IV_RUNNABLE] = "runnable",
		[GT_IV_UNTRACED] = "untraced",
	};
	const char *text = iv->kind == GT_IV_ASLEEP ?
		report_reason_word(report_reason(iv->why)) : words[iv->kind];

	put_slice(e, iv, PID_TASKS, iv->g->id, gt_string_of(text));
}

static void put_names(struct export *e, const struct gt_g *g)
{
	struct gt_string name = gt_timeline_g_name(e->t, g);

	for (unsigned int pid = PID_TASKS; pid <= PID_MEMORY; pid++)
		put_name(pid, g->id, "thread_name", name);
}

static void take(struct export *e, const struct gt_interval *iv)
{
	switch (iv->kind) {
	case GT_IV_CREATED:
		put_names(e, iv->g);
		break;
	case GT_IV_RUNNING:
		put_slice(e, iv, PID_CPUS, iv->p, gt_timeline_g_name(e->t, iv->g));
		put_state(e, iv);
		break;
	case GT_IV_RUNNABLE:
		put_arrow(e, iv);
		put_state(e, iv);
		break;
	case GT_IV_ASLEEP:
	case GT_IV_UNTRACED:
		put_state(e, iv);
		break;
	case GT_IV_CALL:
		put_slice(e, iv, PID_CALLS, iv->g->id, export_string(e, iv->name));
		break;
	case GT_IV_REGION:
		put_slice(e, iv, PID_REGIONS, iv->g->id, export_string(e, iv->name));
		break;
	case GT_IV_ASSIST:
		put_slice(e, iv, PID_MEMORY, iv->g->id, gt_string_of("reclaim"));
		break;
	case GT_IV_GC:
		put_slice(e, iv, PID_MACHINE, ROW_GC, gt_string_of("reclaim"));
		break;
	case GT_IV_STW:
		put_slice(e, iv, PID_MACHINE, ROW_STW, gt_string_of("stopped"));
		break;
	default:
		break;
	}
}

/* ---- Moments ---- */

static void put_instant(struct export *e, struct gt_string name,
			unsigned int pid, uint64_t tid)
{
	begin_event('i', name, pid, tid);
	out_text(",\"s\":\"t\"");
	put_time(",\"ts\":", e->t->time);
	put_stack(e, e->t->ev->stk);
}

static void put_sample(struct export *e, const struct gt_event *ev)
{
	if (ev->p == GT_NO_P)
		return;
	put_instant(e, gt_string_of("CPU sample"), PID_CPUS, ev->p);
	out_text(",\"args\":{\"task\":");
	out_u64(ev->g);
	out_text("}}");
}

static void put_log(struct export *e, const struct gt_event *ev)
{
	put_instant(e, export_string(e, ev->args[1]), ev->g ? PID_TASKS : PID_CPUS,
		    ev->g ? ev->g : (uint64_t)ev->p);
	out_text(",\"args\":{\"message\":");
	out_json(ev->text, ev->text_len);
	out_text("}}");
}

/* With the task that began it: two ends of one row. */
static void put_task(const struct export *e, char phase, uint64_t id,
		     uint64_t name, uint64_t creator)
{
	begin_event(phase, export_string(e, name), PID_REGIONS, creator);
	out_text(",\"cat\":\"user task\",\"id\":");
	out_u64(id);
	put_time(",\"ts\":", e->t->time);
	out_char('}');
}

static void end_task(const struct export *e, const struct gt_task *task)
{
	if (task)
		put_task(e, 'e', task->id, task->name, task->creator);
}

static void event(struct export *e)
{
	const struct gt_event *ev = e->t->ev;

	switch (ev->type) {
	case GT_EV_CPU_SAMPLE:
		put_sample(e, ev);
		break;
	case GT_EV_HEAP_ALLOC:
		put_counter(e, "heap", ev->args[0]);
		break;
	case GT_EV_HEAP_GOAL:
		put_counter(e, "heap goal", ev->args[0]);
		break;
	case GT_EV_USER_LOG:
		put_log(e, ev);
		break;
	case GT_EV_USER_TASK_CREATE:
		put_task(e, 'b', ev->args[0], ev->args[2], ev->g);
		break;
	case GT_EV_USER_TASK_END:
		end_task(e, e->t->state.task);
		break;
	}
	if (export_count_runnable(e))
		put_counter(e, "runnable", e->runnable);
}

/* ---- The whole ---- */

static void put_losses(struct export *e)
{
	const struct gt_loss *l;

	for (size_t i = 0; i < e->t->losses.n; i++) {
		l = &e->t->losses.all[i];
		put_slice(e, &(struct gt_interval){ .start = l->from, .end = l->to },
			  PID_CPUS, l->p, gt_string_of("events lost"));
	}
}

static void begin(struct export *e)
{
	e->own = calloc(1, sizeof(struct chrome));
	if (!e->own) {
		export_fail(e);
		return;
	}
	out_text("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
		 "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"tid\":0,"
		 "\"args\":{\"name\":\"CPUs\"}}");
	put_name(PID_TASKS, 0, "process_name",
		 gt_string_of(e->t->kernel ? "tasks" : "goroutines"));
	put_name(PID_CALLS, 0, "process_name", gt_string_of("system calls"));
	put_name(PID_REGIONS, 0, "process_name", gt_string_of("regions"));
	put_name(PID_MEMORY, 0, "process_name", gt_string_of("memory"));
	put_name(PID_MACHINE, 0, "process_name", gt_string_of("machine"));
	put_name(PID_MACHINE, ROW_GC, "thread_name", gt_string_of("reclaim"));
	put_name(PID_MACHINE, ROW_STW, "thread_name", gt_string_of("stopped world"));
	put_losses(e);
}

static void put_frames(struct export *e)
{
	const struct chrome *c = e->own;
	struct gt_string fn;

	out_text("\n],\"stackFrames\":{");
	for (size_t i = 0; i < c->frames.n; i++) {
		const struct triple *f = &c->frames.all[i];

		fn = export_string(e, f->a);
		out_text(i ? ",\n\"" : "\n\"");
		out_u64(i + 1);
		out_text("\":{\"name\":");
		out_json(fn.text, fn.len);
		if (f->c) {
			out_text(",\"parent\":");
			out_u64(f->c);
		}
		out_char('}');
	}
	out_text("\n}}\n");
}

static void finish(struct export *e)
{
	const struct gt_state *s = &e->t->state;

	for (size_t i = 0; i < s->n_tasks; i++)
		if (s->tasks[i].open)
			end_task(e, &s->tasks[i]);
	put_frames(e);
}

static void end(struct export *e)
{
	struct chrome *c = e->own;

	if (!c)
		return;
	triples_exit(&c->frames);
	gt_map_exit(&c->leaves);
	free(c);
}

const struct export_format export_chrome = {
	.name = "chrome",
	.begin = begin,
	.take = take,
	.event = event,
	.finish = finish,
	.exit = end,
};
