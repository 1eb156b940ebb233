// SPDX-License-Identifier: GPL-2.0
/*
 * A trace for Chromium's viewer, in JSON: three processes, which have the CPUs with
 * the tasks that they run, the tasks with what they do, and their system calls.
 */
#include "export.h"

#include <string.h>

#include "out.h"

enum { PID_CPUS = 1, PID_TASKS, PID_CALLS };

/* In us, as the viewer has them, but to the ns. */
static void put_time(int64_t ns)
{
	uint64_t v = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;

	if (ns < 0)
		out_char('-');
	out_u64(v / 1000);
	out_char('.');
	for (unsigned int i = 100; i; i /= 10)
		out_char('0' + v / i % 10);
}

static void put_name(unsigned int pid, uint64_t tid, const char *what,
		     struct gt_string name)
{
	out_text(",\n{\"ph\":\"M\",\"name\":\"");
	out_text(what);
	out_text("\",\"pid\":");
	out_u64(pid);
	out_text(",\"tid\":");
	out_u64(tid);
	out_text(",\"args\":{\"name\":");
	out_json(name.text, name.len);
	out_text("}}");
}

static void put_word(unsigned int pid, const char *word)
{
	put_name(pid, 0, "process_name",
		 (struct gt_string){ word, strlen(word) });
}

static void put_slice(const struct gt_interval *iv, unsigned int pid,
		      uint64_t tid, struct gt_string name)
{
	out_text(",\n{\"ph\":\"X\",\"name\":");
	out_json(name.text, name.len);
	out_text(",\"pid\":");
	out_u64(pid);
	out_text(",\"tid\":");
	out_u64(tid);
	out_text(",\"ts\":");
	put_time(iv->start);
	out_text(",\"dur\":");
	put_time(iv->end - iv->start);
	out_char('}');
}

static void put_state(const struct gt_interval *iv)
{
	static const char *const words[] = {
		[GT_IV_RUNNING] = "running", [GT_IV_RUNNABLE] = "runnable",
		[GT_IV_UNTRACED] = "untraced",
	};
	const char *word = iv->kind == GT_IV_ASLEEP ?
		report_reason_word(report_reason(iv->why)) : words[iv->kind];

	put_slice(iv, PID_TASKS, iv->g->id,
		  (struct gt_string){ word, strlen(word) });
}

static void take(struct export *e, const struct gt_interval *iv)
{
	struct gt_string name;

	switch (iv->kind) {
	case GT_IV_CREATED:
		name = gt_timeline_g_name(e->t, iv->g);
		put_name(PID_TASKS, iv->g->id, "thread_name", name);
		put_name(PID_CALLS, iv->g->id, "thread_name", name);
		break;
	case GT_IV_RUNNING:
		put_slice(iv, PID_CPUS, iv->p, gt_timeline_g_name(e->t, iv->g));
		put_state(iv);
		break;
	case GT_IV_RUNNABLE:
	case GT_IV_ASLEEP:
	case GT_IV_UNTRACED:
		put_state(iv);
		break;
	case GT_IV_CALL:
		gt_names_string(&e->t->trace.names, iv->name, &name);
		put_slice(iv, PID_CALLS, iv->g->id, name);
		break;
	default:
		break;
	}
}

static void begin(struct export *e)
{
	out_text("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
		 "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"tid\":0,"
		 "\"args\":{\"name\":\"CPUs\"}}");
	put_word(PID_TASKS, e->t->kernel ? "tasks" : "goroutines");
	put_word(PID_CALLS, "system calls");
}

static void finish(struct export *e)
{
	(void)e;
	out_text("\n]}\n");
}

const struct export_format export_chrome = {
	.name = "chrome",
	.begin = begin,
	.take = take,
	.finish = finish,
};
