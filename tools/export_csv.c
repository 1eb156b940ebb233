// SPDX-License-Identifier: GPL-2.0
/*
 * A trace as one table, for spreadsheets and databases: a row for each interval,
 * when it ends, and for each event that is a moment. What a row has nothing to say
 * of is empty.
 */
#include "export.h"

#include <string.h>

#include "csv.h"
#include "out.h"

static const char titles[] =
	"kind,start_ns,end_ns,duration_ns,cpu,end_cpu,id,task,name,call,value,"
	"message,by_id,by,by_irq,holder_id,holder,held_ns,ended_by,since_before,"
	"unfinished,doubtful,stack\n";

/* Beside what the interval says. */
struct csv_row {
	const char *kind;
	struct gt_string name, call, message;
	bool has_value;
	uint64_t value;
};

static const char *const kinds[] = {
	[GT_IV_RUNNING] = "running", [GT_IV_RUNNABLE] = "runnable",
	[GT_IV_ASLEEP] = "asleep", [GT_IV_UNTRACED] = "untraced",
	[GT_IV_CREATED] = "created", [GT_IV_ENTER] = "enter",
	[GT_IV_CALL] = "call", [GT_IV_REGION] = "region",
	[GT_IV_ASSIST] = "assist", [GT_IV_IDLE] = "idle",
	[GT_IV_STOPPED] = "stopped", [GT_IV_GC] = "gc", [GT_IV_STW] = "stw",
};

/* ---- Fields ---- */

static void put_text(struct gt_string s)
{
	out_char(',');
	if (s.len)
		csv_text(s);
}

static void put_number(int64_t v, bool is_known)
{
	out_char(',');
	if (is_known)
		out_i64(v);
}

static void put_g(const struct export *e, const struct gt_g *g)
{
	out_char(',');
	if (g)
		out_u64(g->id);
	put_text(g ? gt_timeline_g_name(e->t, g) : (struct gt_string){ 0 });
}

static void put_row(struct export *e, const struct gt_interval *iv,
		    const struct csv_row *row)
{
	out_text(row->kind);
	put_number(iv->start, true);
	put_number(iv->end, true);
	put_number(iv->end - iv->start, true);
	put_number(iv->p, iv->p != GT_NO_P);
	put_number(iv->end_p, iv->end_p != GT_NO_P);
	put_g(e, iv->g);
	put_text(row->name);
	put_text(row->call);
	out_char(',');
	if (row->has_value)
		out_u64(row->value);
	put_text(row->message);
	put_g(e, iv->by);
	put_number(iv->irq, true);
	put_g(e, iv->holder);
	put_number(iv->held, iv->holder);
	put_text(iv->then == GT_EV_NONE ? (struct gt_string){ 0 } :
		 gt_string_of(gt_event_desc(iv->then)->name));
	put_number(iv->since_before, true);
	put_number(iv->unfinished, true);
	put_number(iv->doubtful, true);
	out_char(',');
	if (gt_names_stack(&e->t->trace.names, iv->stk))
		csv_stack(&e->t->trace.names, iv->stk);
	out_char('\n');
}

/* ---- Rows ---- */

static void take(struct export *e, const struct gt_interval *iv)
{
	struct csv_row row = { .kind = kinds[iv->kind] };

	switch (iv->kind) {
	case GT_IV_ASLEEP:
		row.name = gt_string_of(report_reason_word(report_reason(iv->why)));
		row.call = export_string(e, iv->name);
		break;
	case GT_IV_ENTER:
		/* Of calls with an end there is a row when they end. */
		if (iv->why == GT_EV_USER_REGION)
			return;
		row.name = export_string(e, iv->name);
		break;
	case GT_IV_CALL:
	case GT_IV_REGION:
		row.name = export_string(e, iv->name);
		break;
	default:
		break;
	}
	put_row(e, iv, &row);
}

/* Something that takes no time, or time that the caller puts in. */
static struct gt_interval moment(const struct export *e)
{
	const struct gt_event *ev = e->t->ev;

	return (struct gt_interval){
		.start = e->t->time, .end = e->t->time, .stk = ev->stk,
		.g = ev->g ? e->t->state.g : NULL, .p = ev->p, .end_p = GT_NO_P,
	};
}

static void put_value(struct export *e, const char *kind, uint64_t value)
{
	struct gt_interval iv = moment(e);

	put_row(e, &iv, &(struct csv_row){ .kind = kind, .has_value = true,
				       .value = value });
}

static void put_log(struct export *e)
{
	const struct gt_event *ev = e->t->ev;
	struct gt_interval iv = moment(e);

	put_row(e, &iv, &(struct csv_row){
		.kind = "log", .name = export_string(e, ev->args[1]),
		.message = { (const char *)ev->text, ev->text_len },
		.has_value = ev->args[0], .value = ev->args[0],
	});
}

/* A user task: from its beginning, whoever ends it. */
static void put_task(struct export *e, const struct gt_task *task,
		     struct gt_interval *iv)
{
	iv->start = task->since;
	put_row(e, iv, &(struct csv_row){
		.kind = "user_task", .name = export_string(e, task->name),
		.has_value = true, .value = task->id,
	});
}

static void event(struct export *e)
{
	const struct gt_event *ev = e->t->ev;
	struct gt_interval iv = moment(e);

	switch (ev->type) {
	case GT_EV_CPU_SAMPLE:
		put_row(e, &iv, &(struct csv_row){ .kind = "sample" });
		break;
	case GT_EV_HEAP_ALLOC:
		put_value(e, "heap", ev->args[0]);
		break;
	case GT_EV_HEAP_GOAL:
		put_value(e, "heap_goal", ev->args[0]);
		break;
	case GT_EV_USER_LOG:
		put_log(e);
		break;
	case GT_EV_USER_TASK_END:
		if (e->t->state.task)
			put_task(e, e->t->state.task, &iv);
		break;
	}
}

static void put_loss(struct export *e, const struct gt_loss *l)
{
	struct gt_interval iv = {
		.start = l->from, .end = l->to, .p = l->p, .end_p = GT_NO_P,
	};

	put_row(e, &iv, &(struct csv_row){ .kind = "lost", .has_value = true,
				       .value = l->events });
}

static void begin(struct export *e)
{
	out_text(titles);
	for (size_t i = 0; i < e->t->losses.n; i++)
		put_loss(e, &e->t->losses.all[i]);
}

static void finish(struct export *e)
{
	const struct gt_state *s = &e->t->state;
	struct gt_interval iv = {
		.end = e->t->time, .p = GT_NO_P, .end_p = GT_NO_P,
		.unfinished = true,
	};

	for (size_t i = 0; i < s->n_tasks; i++)
		if (s->tasks[i].open)
			put_task(e, &s->tasks[i], &iv);
}

const struct export_format export_csv = {
	.name = "csv",
	.begin = begin,
	.take = take,
	.event = event,
	.finish = finish,
};
