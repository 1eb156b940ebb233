/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a session leaves out, as struct gotrace_filter says. To a reader, a task
 * that is left out does not exist: the CPU that runs it runs no G. It is the same
 * to the probes as a task that cannot be written, but that nothing is lost.
 *
 * What is known of a task is kept with its state, one answer a byte, each with
 * its own writers; so nobody need agree with anybody:
 *
 *	unpicked   by its ids     who makes the state, and its fork
 *	misnamed   by its name    the same, and whoever renames it
 *	misplaced  by its user and control group, which change without a probe:
 *	           the same, its exec, and each switch to it
 *	followed   whatever the others say: its fork, and the end of the first walk
 *
 * A session without such a filter pays nothing for it: it has other probes.
 */
#ifndef GT_FILTER_H
#define GT_FILTER_H

#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <uapi/linux/gotrace.h>
#include "call.h"
#include "task.h"

struct gt_filter {
	bool on;		/* the probes that ask are in use */
	bool tasks;		/* some tasks are left out */
	bool lazy;		/* scheduling is: a task is a G from its first event on */
	bool places;		/* by user or control group */
	bool follow;
	bool walked;		/* the tasks that were there at the start are known */
	bool cpus;		/* some CPUs are left out */
	bool calls;		/* some system calls are */
	bool calls_except;	/* those in the set, not the others */
	const unsigned long *call_set[GT_ABIS];	/* by number, GOTRACE_FILTER_CALL_MAX bits */
	const struct cpumask *cpu_set;
};

extern struct gt_filter gt_filter;	/* fixed while probes are there */

struct gt_rules;

/* Session: process context, may sleep. */
struct gt_rules *gt_filter_create(const struct gotrace_filter *arg);
void gt_filter_free(struct gt_rules *rules);
void gt_filter_use(struct gt_rules *rules, bool lazy);
void gt_filter_destroy(void);
u32 gt_filter_kinds(void);
void gt_filter_walked(void);

/*
 * Probes: interrupts off. @p lives, @t is its state; with filters on tasks only.
 * gt_filter_new() holds tasks.lock.
 */
void gt_filter_new(struct gt_task *t, struct task_struct *p);
void gt_filter_fork(struct gt_task *t, struct task_struct *p);
void gt_filter_rename(struct gt_task *t, const char *comm);
void gt_filter_place(struct gt_task *t, struct task_struct *p);

/* Any context, NMI included. */
static inline bool gt_filter_has(const struct gt_task *t)
{
	return READ_ONCE(t->followed) ||
	       !(READ_ONCE(t->unpicked) | READ_ONCE(t->misnamed) | READ_ONCE(t->misplaced));
}

/* It is a G as soon as it runs. */
static inline bool gt_filter_starts(const struct gt_task *t)
{
	return !gt_filter.lazy && gt_filter_has(t);
}

static inline bool gt_filter_has_cpu(u32 cpu)
{
	return !gt_filter.cpus || cpumask_test_cpu(cpu, gt_filter.cpu_set);
}

/* A call of the running task. */
static inline bool gt_filter_has_call(long nr)
{
	const unsigned long *set;

	if (!gt_filter.calls)
		return true;
	set = gt_filter.call_set[gt_arch_is_compat(current) ? GT_ABI_32 : GT_ABI_64];
	return ((unsigned long)nr < GOTRACE_FILTER_CALL_MAX && test_bit(nr, set)) !=
	       gt_filter.calls_except;
}

#endif /* GT_FILTER_H */
