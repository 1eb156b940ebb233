/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What gotrace report adds up, and its tables.
 *
 *	report_sums.c     intervals to sums of each task, CPU, call, stack, pair
 *	report_tables.c   which columns each table has
 *	report_wakeups.c  from a task's sleeps back through its wakers
 *
 * Of what is outside the window (--from, --to) no time counts. Things that happen
 * at a moment are counted if that is inside, and so are lengths of which we want
 * percentiles and the greatest: if they end inside, then as a whole.
 */
#ifndef REPORT_H
#define REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/histogram.h"
#include "lib/intervals.h"
#include "lib/map.h"
#include "table.h"

/* Why tasks sleep, by the event that says so. */
enum report_reason {
	REPORT_SLEEP,
	REPORT_NET,
	REPORT_SELECT,
	REPORT_SYNC,
	REPORT_COND,
	REPORT_RECV,
	REPORT_SEND,
	REPORT_SYSCALL,		/* uninterruptible, in a call: a disk mostly */
	REPORT_GC,
	REPORT_OTHER,
	REPORT_BEFORE,		/* since before the trace: nobody knows */
	REPORT_REASONS,
};

/* Of an ASLEEP interval's why. */
enum report_reason report_reason(unsigned int why);
const char *report_reason_word(enum report_reason reason);

struct report_task;

/* Of lengths of time: how many, how long in all, the greatest and when it began. */
struct report_tally {
	uint64_t n;
	int64_t ns;
	int64_t max, max_at;
};

/* Waits of the runnable for a CPU, each from its begin to its end. */
struct report_waits {
	struct gt_histogram hist;
	int64_t at;		/* the longest: when it began, */
	int64_t p;		/* where it ran then, */
	const struct gt_g *g;	/* who waited, */
	const struct gt_g *holder;	/* and who had that CPU meanwhile */
	int64_t held;
};

struct report_task {
	/* Of all tasks of one name; or of one: */
	struct gt_string name;
	uint64_t tasks;
	const struct gt_g *g;

	int64_t running, runnable, asleep, untraced;
	struct report_tally sleeps[REPORT_REASONS];
	struct report_waits waits;
	struct report_tally assists;
	uint64_t runs, yields, preempts, migrations;
	uint64_t woken, woken_irq, wakes;
	uint64_t calls;
};

struct report_cpu {
	int64_t running, idle, stopped;
	struct report_waits waits;	/* of those that ran here then */
	uint64_t runs, yields, preempts, migrations, wakes;
};

struct report_call {
	struct gt_string name;
	uint64_t n;		/* entries */
	int64_t ns, asleep;
	uint64_t sleeps;
	struct gt_histogram hist;
	int64_t at;		/* of the longest */
	const struct gt_g *g;
};

struct report_stack {
	uint64_t stk;
	enum report_reason reason;
	struct report_tally sleeps;
	const struct gt_g *g;	/* whose was the longest */
};

/* Who woke whom. */
struct report_pair {
	const struct gt_g *by;	/* NULL: an interrupt, or it is not known */
	bool irq;
	const struct gt_g *g;
	uint64_t n;
	int64_t slept;		/* what was ended so */
	struct report_tally waits;	/* what came then */
};

struct report {
	struct gt_timeline *t;
	const char *name;	/* the trace's, for people */

	/* What is asked for. */
	int64_t from, to;	/* ns */
	bool has_task;
	struct gt_string task;	/* a name, or */
	uint64_t task_id;	/* if it is a number */
	bool task_is_id;

	/* What there is. */
	struct report_task *tasks;	/* by gt_g.index */
	size_t n_tasks, size_tasks;
	struct report_task *comms;
	size_t n_comms, size_comms;
	struct report_cpu *cpus;	/* by gt_p.index */
	size_t n_cpus, size_cpus;
	struct report_call *calls;
	size_t n_calls, size_calls;
	struct report_stack *stacks;
	size_t n_stacks, size_stacks;
	struct report_pair *pairs;
	size_t n_pairs, size_pairs;
	struct report_tally gc, stw, assists;

	/* To find them. */
	struct gt_map comm_of, call_of;		/* hash of the name -> index + 1 */
	struct gt_map stack_of[REPORT_REASONS];
	struct gt_map pair_of;
	struct gt_intervals intervals;
	bool no_memory;
};

/*
 * Read the timeline to its end. Return: 0, or -1 with t->error; report_exit() is
 * to be called in any case.
 */
int report_read(struct report *r);
void report_exit(struct report *r);

/*
 * Or, for who has the intervals anyhow: give it each (r is arg), and then finish it,
 * once the timeline is at its end. Return: as report_read().
 */
void report_take(void *arg, const struct gt_interval *i);
int report_finish(struct report *r);

/* Not about a place in the trace: t->error without an offset. Returns -1. */
int report_fail(struct report *r, const char *text);

/* Does the task belong to what is asked for? */
bool report_wants(const struct report *r, const struct gt_g *g);

/* Of the interval, inside the window. */
int64_t report_inside(const struct report *r, int64_t start, int64_t end);

enum report_by {
	REPORT_BY_TASK,
	REPORT_BY_COMM,
	REPORT_BY_CPU,
	REPORT_BY_SYSCALL,
	REPORT_BY_STACK,
	REPORT_BY_WAKER,
	REPORT_BY_COUNT,
};

extern const char *const report_by_words[REPORT_BY_COUNT + 1];

const struct column *report_columns(enum report_by by);

/* sort: a column's key, NULL: the table's own choice. False without memory. */
bool report_print(struct report *r, enum report_by by, enum table_format format,
		  const char *sort, size_t top);

/* The trace as a whole: a JSON object, or some sentences. False likewise. */
bool report_print_trace(struct report *r, enum table_format format,
			const char *name);

/* Some tables of all, for people. */
bool report_overview(struct report *r, size_t top);

/*
 * From the sleeps of the task r->task_id back through its wakers. Return: 0, or
 * -1 with t->error, or without memory.
 */
int report_wakeups(struct report *r, enum table_format format, size_t top);

#endif
