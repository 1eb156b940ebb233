// SPDX-License-Identifier: GPL-2.0
/* The tables of gotrace report; see report.h. */
#include "report.h"

#include <inttypes.h>
#include <stdio.h>

#include "out.h"

const char *const report_by_words[REPORT_BY_COUNT + 1] = {
	"task", "comm", "cpu", "syscall", "stack", "waker", NULL,
};

/* ---- Cells ---- */

/* Rows are filled from the left to the right, as their columns are listed. */
struct pen {
	struct row *row;
	size_t at;
};

static void put_none(struct pen *pen)
{
	pen->row->is_none[pen->at++] = true;
}

static void put_text(struct pen *pen, struct gt_string s)
{
	pen->row->cells[pen->at++].text = s;
}

static void put_word(struct pen *pen, const char *word)
{
	put_text(pen, gt_string_of(word));
}

static void put_count(struct pen *pen, uint64_t n)
{
	pen->row->cells[pen->at++].count = n;
}

static void put_ns(struct pen *pen, int64_t ns)
{
	pen->row->cells[pen->at++].ns = ns;
}

static void put_percent(struct pen *pen, int64_t part, int64_t of)
{
	if (!of)
		put_none(pen);
	else
		pen->row->cells[pen->at++].percent =
			100.0 * (double)part / (double)of;
}

static void put_g(struct pen *pen, struct report *r, const struct gt_g *g)
{
	if (!g) {
		put_none(pen);
		put_none(pen);
		return;
	}
	put_count(pen, g->id);
	put_text(pen, gt_timeline_g_name(r->t, g));
}

static void put_process(struct pen *pen, struct report *r, const struct gt_g *g)
{
	uint64_t process = gt_timeline_g_process(r->t, g);

	if (process)
		put_count(pen, process);
	else
		put_none(pen);
}

/* If there is any at all: */
static void put_ns_if(struct pen *pen, bool any, int64_t ns)
{
	if (any)
		put_ns(pen, ns);
	else
		put_none(pen);
}

#define TASK_ID		{ "id", "ID", CELL_ID, 0 }
#define TASK_NAME	{ "name", "TASK", CELL_TEXT, 0 }

/* How long: three percentiles, the greatest and its moment. */
#define HIST_COLUMNS(key, title, rank) \
	{ key "_p50_ns", title "P50", CELL_TIME, rank }, \
	{ key "_p90_ns", NULL, CELL_TIME, 0 }, \
	{ key "_p99_ns", title "P99", CELL_TIME, rank }, \
	{ key "_max_ns", title "MAX", CELL_TIME, 1 }, \
	{ key "_max_at_ns", "AT", CELL_MOMENT, (rank) + 1 }

static void put_hist(struct pen *pen, const struct gt_histogram *h, int64_t at)
{
	static const double percents[] = { 50, 90, 99 };

	for (size_t i = 0; i < 3; i++)
		put_ns_if(pen, h->n, gt_histogram_percentile(h, percents[i]));
	put_ns_if(pen, h->n, h->max);
	put_ns_if(pen, h->n, at);
}

/* Of runnable tasks that wait. */
#define WAITS_COLUMNS(rank) \
	{ "waits", NULL, CELL_COUNT, 0 }, \
	HIST_COLUMNS("wait", "WAIT ", rank), \
	{ "wait_max_cpu", NULL, CELL_ID, 0 }, \
	{ "wait_max_held_by", NULL, CELL_ID, 0 }, \
	{ "wait_max_held_by_name", "HELD BY", CELL_TEXT, (rank) + 2 }, \
	{ "wait_max_held_ns", "FOR", CELL_TIME, (rank) + 3 }

static void put_waits(struct pen *pen, struct report *r,
		      const struct report_waits *w)
{
	put_count(pen, w->hist.n);
	put_hist(pen, &w->hist, w->at);
	if (w->hist.n)
		put_count(pen, w->p);
	else
		put_none(pen);
	put_g(pen, r, w->holder);
	put_ns_if(pen, w->holder, w->held);
}

/* ---- By task, by name ---- */

#define SLEEP_COLUMNS(reason) \
	{ "sleep_" reason "_ns", NULL, CELL_TIME, 0 }, \
	{ "sleeps_" reason, NULL, CELL_COUNT, 0 }, \
	{ "sleep_" reason "_max_ns", NULL, CELL_TIME, 0 }

#define SUMS_COLUMNS \
	{ "life_ns", NULL, CELL_TIME, 0 }, \
	{ "running_ns", "RUN", CELL_TIME, 0 }, \
	{ "running_percent", "RUN%", CELL_PERCENT, 5 }, \
	{ "runnable_ns", "WAIT", CELL_TIME, 1 }, \
	WAITS_COLUMNS(4), \
	{ "asleep_ns", "ASLEEP", CELL_TIME, 2 }, \
	{ "asleep_mostly", "MOSTLY", CELL_TEXT, 3 }, \
	{ "untraced_ns", NULL, CELL_TIME, 0 }, \
	SLEEP_COLUMNS("sleep"), \
	SLEEP_COLUMNS("net"), \
	SLEEP_COLUMNS("select"), \
	SLEEP_COLUMNS("sync"), \
	SLEEP_COLUMNS("cond"), \
	SLEEP_COLUMNS("recv"), \
	SLEEP_COLUMNS("send"), \
	SLEEP_COLUMNS("syscall"), \
	SLEEP_COLUMNS("gc"), \
	SLEEP_COLUMNS("other"), \
	{ "sleep_before_ns", NULL, CELL_TIME, 0 }, \
	{ "runs", "RUNS", CELL_COUNT, 8 }, \
	{ "sleeps", "SLEEPS", CELL_COUNT, 9 }, \
	{ "yields", "YIELDS", CELL_COUNT, 12 }, \
	{ "preempts", "PREEMPTS", CELL_COUNT, 9 }, \
	{ "migrations", "MOVES", CELL_COUNT, 8 }, \
	{ "woken", "WOKEN", CELL_COUNT, 10 }, \
	{ "woken_by_irq", NULL, CELL_COUNT, 0 }, \
	{ "wakes", "WAKES", CELL_COUNT, 10 }, \
	{ "calls", "CALLS", CELL_COUNT, 11 }, \
	{ "reclaims", NULL, CELL_COUNT, 0 }, \
	{ "reclaim_ns", NULL, CELL_TIME, 0 }, \
	{ "reclaim_max_ns", NULL, CELL_TIME, 0 }

static const struct column task_columns[] = {
	TASK_ID,
	TASK_NAME,
	{ "process", NULL, CELL_ID, 0 },
	SUMS_COLUMNS,
	{ 0 }
};

static const struct column comm_columns[] = {
	TASK_NAME,
	{ "tasks", "TASKS", CELL_COUNT, 1 },
	SUMS_COLUMNS,
	{ 0 }
};

static int64_t life(const struct report_task *t)
{
	return t->running + t->runnable + t->asleep + t->untraced;
}

static enum report_reason mostly(const struct report_task *t)
{
	enum report_reason reason = 0;

	for (size_t i = 1; i < REPORT_REASONS; i++)
		if (t->sleeps[i].ns > t->sleeps[reason].ns)
			reason = i;
	return reason;
}

static void put_sums(struct pen *pen, struct report *r,
		     const struct report_task *t)
{
	uint64_t sleeps = 0;

	put_ns(pen, life(t));
	put_ns(pen, t->running);
	put_percent(pen, t->running, r->to - r->from);
	put_ns(pen, t->runnable);
	put_waits(pen, r, &t->waits);
	put_ns(pen, t->asleep);
	if (t->asleep)
		put_word(pen, report_reason_word(mostly(t)));
	else
		put_none(pen);
	put_ns(pen, t->untraced);
	for (size_t i = 0; i < REPORT_BEFORE; i++) {
		put_ns(pen, t->sleeps[i].ns);
		put_count(pen, t->sleeps[i].n);
		put_ns(pen, t->sleeps[i].max);
		sleeps += t->sleeps[i].n;
	}
	put_ns(pen, t->sleeps[REPORT_BEFORE].ns);
	put_count(pen, t->runs);
	put_count(pen, sleeps);
	put_count(pen, t->yields);
	put_count(pen, t->preempts);
	put_count(pen, t->migrations);
	put_count(pen, t->woken);
	put_count(pen, t->woken_irq);
	put_count(pen, t->wakes);
	put_count(pen, t->calls);
	put_count(pen, t->assists.n);
	put_ns(pen, t->assists.ns);
	put_ns(pen, t->assists.max);
}

static bool fill_task(void *arg, size_t i, struct row *row)
{
	struct report *r = arg;
	const struct report_task *t = &r->tasks[i];
	struct pen pen = { row, 0 };

	if (!report_wants(r, t->g) || !life(t))
		return false;
	put_g(&pen, r, t->g);
	put_process(&pen, r, t->g);
	put_sums(&pen, r, t);
	return true;
}

static bool fill_comm(void *arg, size_t i, struct row *row)
{
	struct report *r = arg;
	const struct report_task *t = &r->comms[i];
	struct pen pen = { row, 0 };

	put_text(&pen, t->name);
	put_count(&pen, t->tasks);
	put_sums(&pen, r, t);
	return true;
}

/* For the overview: each task's longest wait. */
static const struct column worst_columns[] = {
	TASK_ID,
	TASK_NAME,
	{ "wait_max_ns", "WAITED", CELL_TIME, 0 },
	{ "wait_max_at_ns", "AT", CELL_MOMENT, 0 },
	{ "wait_max_cpu", "CPU", CELL_ID, 0 },
	{ "wait_max_held_by", "HELD BY", CELL_ID, 2 },
	{ "wait_max_held_by_name", "TASK", CELL_TEXT, 1 },
	{ "wait_max_held_ns", "FOR", CELL_TIME, 1 },
	{ 0 }
};

static bool fill_worst(void *arg, size_t i, struct row *row)
{
	struct report *r = arg;
	const struct report_waits *w = &r->tasks[i].waits;
	struct pen pen = { row, 0 };

	if (!w->hist.n)
		return false;
	put_g(&pen, r, w->g);
	put_ns(&pen, w->hist.max);
	put_ns(&pen, w->at);
	put_count(&pen, w->p);
	put_g(&pen, r, w->holder);
	put_ns_if(&pen, w->holder, w->held);
	return true;
}

/* ---- By CPU ---- */

static const struct column cpu_columns[] = {
	{ "cpu", "CPU", CELL_ID, 0 },
	{ "running_ns", "RUN", CELL_TIME, 0 },
	{ "running_percent", "RUN%", CELL_PERCENT, 5 },
	{ "idle_ns", "IDLE", CELL_TIME, 1 },
	{ "stopped_ns", "UNTRACED", CELL_TIME, 7 },
	WAITS_COLUMNS(4),
	{ "wait_max_id", NULL, CELL_ID, 0 },
	{ "wait_max_name", NULL, CELL_TEXT, 0 },
	{ "runs", "RUNS", CELL_COUNT, 3 },
	{ "yields", "YIELDS", CELL_COUNT, 9 },
	{ "preempts", "PREEMPTS", CELL_COUNT, 8 },
	{ "migrations", "MOVES", CELL_COUNT, 8 },
	{ "wakes", "WAKES", CELL_COUNT, 8 },
	{ "lost_events", "LOST", CELL_COUNT, 2 },
	{ "lost_ns", "DARK", CELL_TIME, 6 },
	{ 0 }
};

static bool fill_cpu(void *arg, size_t i, struct row *row)
{
	struct report *r = arg;
	const struct report_cpu *c = &r->cpus[i];
	const struct gt_losses *losses = &r->t->losses;
	int64_t p = gt_state_p(&r->t->state, i)->id, dark = 0;
	struct pen pen = { row, 0 };
	uint64_t lost = 0;

	if (p == GT_NO_P)
		return false;
	for (size_t k = 0; k < losses->n; k++) {
		const struct gt_loss *l = &losses->all[k];

		if (l->p != p || !report_inside(r, l->from, l->to))
			continue;
		lost += l->events;
		dark += report_inside(r, l->from, l->to);
	}
	put_count(&pen, p);
	put_ns(&pen, c->running);
	put_percent(&pen, c->running, r->to - r->from);
	put_ns(&pen, c->idle);
	put_ns(&pen, c->stopped);
	put_waits(&pen, r, &c->waits);
	put_g(&pen, r, c->waits.g);
	put_count(&pen, c->runs);
	put_count(&pen, c->yields);
	put_count(&pen, c->preempts);
	put_count(&pen, c->migrations);
	put_count(&pen, c->wakes);
	put_count(&pen, lost);
	put_ns(&pen, dark);
	return true;
}

/* ---- By system call ---- */

static const struct column call_columns[] = {
	{ "name", "CALL", CELL_TEXT, 0 },
	{ "calls", "CALLS", CELL_COUNT, 1 },
	{ "total_ns", "TOTAL", CELL_TIME, 0 },
	HIST_COLUMNS("call", "", 3),
	{ "call_max_id", NULL, CELL_ID, 0 },
	{ "call_max_name", "BY", CELL_TEXT, 5 },
	{ "asleep_ns", "ASLEEP", CELL_TIME, 2 },
	{ "asleep_percent", "ASLEEP%", CELL_PERCENT, 6 },
	{ "sleeps", "SLEEPS", CELL_COUNT, 5 },
	{ 0 }
};

static bool fill_call(void *arg, size_t i, struct row *row)
{
	static const size_t prefix = sizeof("syscall.") - 1;
	struct report *r = arg;
	const struct report_call *c = &r->calls[i];
	struct gt_string name = c->name;
	struct pen pen = { row, 0 };

	if (!c->n && !c->ns && !c->asleep && !c->hist.n)
		return false;
	if (r->t->kernel) {
		name.text += prefix;
		name.len -= prefix;
	}
	put_text(&pen, name);
	put_count(&pen, c->n);
	put_ns(&pen, c->ns);
	put_hist(&pen, &c->hist, c->at);
	put_g(&pen, r, c->g);
	put_ns(&pen, c->asleep);
	put_percent(&pen, c->asleep, c->ns);
	put_count(&pen, c->sleeps);
	return true;
}

/* ---- Sleeps by stack ---- */

static const struct column stack_columns[] = {
	{ "asleep_ns", "ASLEEP", CELL_TIME, 0 },
	{ "sleeps", "SLEEPS", CELL_COUNT, 1 },
	{ "sleep_max_ns", "MAX", CELL_TIME, 1 },
	{ "sleep_max_at_ns", "AT", CELL_MOMENT, 2 },
	{ "sleep_max_id", NULL, CELL_ID, 0 },
	{ "sleep_max_name", NULL, CELL_TEXT, 0 },
	{ "reason", "REASON", CELL_TEXT, 0 },
	{ "stk", NULL, CELL_ID, 0 },
	{ "frames", "STACK", CELL_STACK, 0 },
	{ 0 }
};

static bool fill_stack(void *arg, size_t i, struct row *row)
{
	struct report *r = arg;
	const struct report_stack *s = &r->stacks[i];
	struct pen pen = { row, 0 };

	if (!s->sleeps.ns && !s->sleeps.n)
		return false;
	put_ns(&pen, s->sleeps.ns);
	put_count(&pen, s->sleeps.n);
	put_ns_if(&pen, s->g, s->sleeps.max);
	put_ns_if(&pen, s->g, s->sleeps.max_at);
	put_g(&pen, r, s->g);
	put_word(&pen, report_reason_word(s->reason));
	put_count(&pen, s->stk);
	put_count(&pen, s->stk);
	return true;
}

/* ---- Who wakes whom ---- */

static const struct column pair_columns[] = {
	{ "waker", "WAKER", CELL_ID, 0 },
	{ "waker_name", "TASK", CELL_TEXT, 0 },
	{ "woken", "WOKEN", CELL_ID, 0 },
	{ "woken_name", "TASK", CELL_TEXT, 0 },
	{ "wakes", "WAKES", CELL_COUNT, 0 },
	{ "asleep_ns", "ASLEEP", CELL_TIME, 1 },
	{ "wait_ns", "WAIT", CELL_TIME, 2 },
	{ "wait_max_ns", "MAX", CELL_TIME, 2 },
	{ "wait_max_at_ns", "AT", CELL_MOMENT, 3 },
	{ 0 }
};

static bool fill_pair(void *arg, size_t i, struct row *row)
{
	struct report *r = arg;
	const struct report_pair *p = &r->pairs[i];
	struct pen pen = { row, 0 };

	if (!p->n)
		return false;
	if (p->by) {
		put_g(&pen, r, p->by);
	} else {
		put_none(&pen);
		put_word(&pen, p->irq ? "an interrupt" : "not known");
	}
	put_g(&pen, r, p->g);
	put_count(&pen, p->n);
	put_ns(&pen, p->slept);
	put_ns(&pen, p->waits.ns);
	put_ns_if(&pen, p->waits.max, p->waits.max);
	put_ns_if(&pen, p->waits.max, p->waits.max_at);
	return true;
}

/* ---- All of them ---- */

static const struct {
	const struct column *columns;
	bool (*fill)(void *arg, size_t i, struct row *row);
	const char *sort;
} tables[REPORT_BY_COUNT] = {
	[REPORT_BY_TASK] = { task_columns, fill_task, "running_ns" },
	[REPORT_BY_COMM] = { comm_columns, fill_comm, "running_ns" },
	[REPORT_BY_CPU] = { cpu_columns, fill_cpu, "cpu" },
	[REPORT_BY_SYSCALL] = { call_columns, fill_call, "total_ns" },
	[REPORT_BY_STACK] = { stack_columns, fill_stack, "asleep_ns" },
	[REPORT_BY_WAKER] = { pair_columns, fill_pair, "wakes" },
};

const struct column *report_columns(enum report_by by)
{
	return tables[by].columns;
}

static size_t count_rows(const struct report *r, enum report_by by)
{
	switch (by) {
	case REPORT_BY_TASK:
		return r->n_tasks;
	case REPORT_BY_COMM:
		return r->n_comms;
	case REPORT_BY_CPU:
		return r->n_cpus;
	case REPORT_BY_SYSCALL:
		return r->n_calls;
	case REPORT_BY_STACK:
		return r->n_stacks;
	default:
		return r->n_pairs;
	}
}

bool report_print(struct report *r, enum report_by by, enum table_format format,
		  const char *sort, size_t top)
{
	struct table t = {
		.name = report_by_words[by], .columns = tables[by].columns,
		.n_rows = count_rows(r, by), .fill = tables[by].fill,
		.arg = r, .names = &r->t->trace.names,
	};
	struct table_order order = {
		table_column(t.columns, sort ? sort : tables[by].sort), top,
	};

	return table_print(&t, format, &order);
}

/* ---- The whole ---- */

static const struct column trace_columns[] = {
	{ "from_ns", NULL, CELL_TIME, 0 },
	{ "to_ns", NULL, CELL_TIME, 0 },
	{ "end_ns", NULL, CELL_TIME, 0 },
	{ "kernel", NULL, CELL_COUNT, 0 },
	{ "events", NULL, CELL_COUNT, 0 },
	{ "cpus", NULL, CELL_COUNT, 0 },
	{ "tasks", NULL, CELL_COUNT, 0 },
	{ "lost_events", NULL, CELL_COUNT, 0 },
	{ "losses", NULL, CELL_COUNT, 0 },
	{ "lost_ns", NULL, CELL_TIME, 0 },
	{ "gcs", NULL, CELL_COUNT, 0 },
	{ "gc_ns", NULL, CELL_TIME, 0 },
	{ "gc_max_ns", NULL, CELL_TIME, 0 },
	{ "reclaims", NULL, CELL_COUNT, 0 },
	{ "reclaim_ns", NULL, CELL_TIME, 0 },
	{ "reclaim_max_ns", NULL, CELL_TIME, 0 },
	{ "stops", NULL, CELL_COUNT, 0 },
	{ "stop_ns", NULL, CELL_TIME, 0 },
	{ "stop_max_ns", NULL, CELL_TIME, 0 },
	{ 0 }
};

/* Go programs have a P for what is on none. */
static uint64_t count_cpus(const struct report *r)
{
	return r->n_cpus - !!gt_state_find_p(&r->t->state, GT_NO_P);
}

static uint64_t count_tasks(const struct report *r)
{
	uint64_t n = 0;

	for (size_t i = 0; i < r->n_comms; i++)
		n += r->comms[i].tasks;
	return n;
}

/* How long events were lost on at least one CPU. */
static int64_t gaps_ns(const struct report *r)
{
	const struct gt_losses *l = &r->t->losses;
	int64_t ns = 0;

	for (size_t i = 0; i < l->n_gaps; i++)
		ns += l->gaps[i].to - l->gaps[i].from;
	return ns;
}

static void put_tally(struct pen *pen, const struct report_tally *t)
{
	put_count(pen, t->n);
	put_ns(pen, t->ns);
	put_ns(pen, t->max);
}

static bool fill_trace(void *arg, size_t i, struct row *row)
{
	struct report *r = arg;
	struct pen pen = { row, i };

	put_ns(&pen, r->from);
	put_ns(&pen, r->to);
	put_ns(&pen, r->t->time);
	put_count(&pen, r->t->kernel);
	put_count(&pen, r->t->events);
	put_count(&pen, count_cpus(r));
	put_count(&pen, count_tasks(r));
	put_count(&pen, r->t->losses.events);
	put_count(&pen, r->t->losses.n);
	put_ns(&pen, gaps_ns(r));
	put_tally(&pen, &r->gc);
	put_tally(&pen, &r->assists);
	put_tally(&pen, &r->stw);
	return true;
}

static void say(const char *what, uint64_t n)
{
	out_u64(n);
	out_text(what);
}

static void say_time(int64_t ns)
{
	char text[CELL_MAX];

	table_time(text, ns);
	out_text(text);
}

static void say_tally(const char *what, const struct report_tally *t)
{
	if (!t->ns)
		return;
	out_text(what);
	say(t->n == 1 ? " time, " : " times, ", t->n);
	say_time(t->ns);
	if (t->max) {
		char at[CELL_MAX];

		out_text(", the longest ");
		say_time(t->max);
		table_moment(at, t->max_at);
		out_text(" at ");
		out_text(at);
	}
	out_char('\n');
}

static void say_trace(const struct report *r, const char *name)
{
	char from[CELL_MAX], to[CELL_MAX];

	out_text(name);
	out_text(": ");
	table_moment(from, r->from);
	table_moment(to, r->to);
	out_text(from);
	out_text(" to ");
	out_text(to);
	out_text(", ");
	say(" CPUs, ", count_cpus(r));
	say(" tasks, ", count_tasks(r));
	say(" events\n", r->t->events);
	if (r->t->losses.events) {
		say(" kernel events lost in ", r->t->losses.events);
		say_time(gaps_ns(r));
		out_text("; what lasted over that is in no percentile and no maximum\n");
	}
	say_tally("background reclaim: ", &r->gc);
	say_tally("direct reclaim: ", &r->assists);
	say_tally("all CPUs stopped: ", &r->stw);
}

bool report_print_trace(struct report *r, enum table_format format,
			const char *name)
{
	struct table t = {
		.name = "trace", .columns = trace_columns, .n_rows = 1,
		.fill = fill_trace, .arg = r, .names = &r->t->trace.names,
	};

	if (format == TABLE_JSON)
		return table_print(&t, format, &(struct table_order){ 0 });
	if (format == TABLE_TEXT)
		say_trace(r, name);
	return true;
}

static bool print_worst(struct report *r, size_t top)
{
	struct table t = {
		.columns = worst_columns, .n_rows = r->n_tasks,
		.fill = fill_worst, .arg = r, .names = &r->t->trace.names,
	};

	return table_print(&t, TABLE_TEXT, &(struct table_order){
		table_column(worst_columns, "wait_max_ns"), top });
}

bool report_overview(struct report *r, size_t top)
{
	static const struct {
		const char *title;
		enum report_by by;
	} parts[] = {
		{ "CPUs", REPORT_BY_CPU },
		{ "Tasks", REPORT_BY_TASK },
		{ "System calls", REPORT_BY_SYSCALL },
		{ "Sleeps", REPORT_BY_STACK },
		{ "Who wakes whom", REPORT_BY_WAKER },
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (!count_rows(r, parts[i].by))
			continue;
		out_char('\n');
		out_text(parts[i].title);
		out_char('\n');
		if (!report_print(r, parts[i].by, TABLE_TEXT, NULL, top))
			return false;
		if (parts[i].by != REPORT_BY_TASK)
			continue;
		out_text("\nLongest waits for a CPU\n");
		if (!print_worst(r, top))
			return false;
	}
	return true;
}
