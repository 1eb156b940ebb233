// SPDX-License-Identifier: GPL-2.0
/*
 * System calls: a GoSysCall at each entry, or each call as an interval.
 */
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <trace/events/syscalls.h>
#include "cpu.h"
#include "doing.h"
#include "emit.h"
#include "filter.h"
#include "frame.h"
#include "probe.h"
#include "usermap.h"

/* The task of this CPU enters or leaves a call that nobody writes. */
static void note_call(struct gt_cpu *c)
{
	if (!c->cur)
		return;
	gt_doing_forget(c->cur);
	if (c->cur->region)
		c->cur->flags |= GT_TASK_STALE;
}

/* Mappings change whether this CPU writes or not, and while the call lasts. */
static void enter_mapping(struct gt_cpu *c, long nr)
{
	if (likely(gt_call_by_number(nr).kind != GT_CALL_MAP))
		return;
	gt_usermap_forget(current->mm);
	if (c->cur)
		c->cur->flags |= GT_TASK_REMAPS;
}

static void exit_mapping(struct gt_task *t)
{
	if (likely(!t || !(t->flags & GT_TASK_REMAPS)))
		return;
	t->flags &= ~GT_TASK_REMAPS;
	gt_usermap_forget(current->mm);
}

/* @user is NULL where user stacks are not wanted. */
static __always_inline void enter_call(long nr, bool region, const u64 *user, u32 n)
{
	struct gt_cpu *c;
	struct gt_task *t;

	local_irq_disable();
	c = this_cpu_ptr(&gt_cpus);
	if (user)
		enter_mapping(c, nr);
	if (unlikely(!gt_cpu_begin(c))) {
		note_call(c);
		goto out;
	}
	t = c->g;
	if (unlikely(!t)) {
		c->lost[GOTRACE_LOST_TASK]++;
		note_call(c);
		goto out;
	}
	gt_doing_call(t, nr, user, n);
	if (region)
		gt_emit_region_start(c, t);
	else
		gt_emit_call(c, t);
out:
	local_irq_enable();
}

/* Context of all: the task itself, in its call; interrupts on, no locks. */
static void notrace gt_probe_sys_enter_call(void *data, struct pt_regs *regs, long nr)
{
	enter_call(nr, false, NULL, 0);
}

static void notrace gt_probe_sys_enter_region(void *data, struct pt_regs *regs, long nr)
{
	enter_call(nr, true, NULL, 0);
}

/* The user stack is walked before interrupts go off, when locks may be tried. */
static void notrace gt_probe_sys_enter_user(void *data, struct pt_regs *regs, long nr)
{
	u64 user[GT_STACK_FRAMES_MAX - 2];
	u32 max = min_t(u32, ARRAY_SIZE(user), gt_options.depth - 2);

	enter_call(nr, gt_options.syscalls == GOTRACE_SYSCALLS_REGIONS, user,
		   gt_usermap_walk(regs, user, max));
}

/* A call that is left out: only what its sleeps are told by. */
static void enter_quietly(struct gt_cpu *c, long nr, const u64 *user, u32 n)
{
	note_call(c);
	if (c->cur)
		gt_doing_call(c->cur, nr, user, n);
}

static void enter_filtered(long nr, const u64 *user, u32 n)
{
	struct gt_cpu *c;
	struct gt_task *t;
	unsigned long flags;

	local_irq_save(flags);
	c = this_cpu_ptr(&gt_cpus);
	if (gt_options.stacks & GOTRACE_STACKS_USER)
		enter_mapping(c, nr);
	if (c->cur && !gt_filter_has(c->cur)) {
		note_call(c);
		goto out;
	}
	if (!gt_filter_has_call(nr)) {
		enter_quietly(c, nr, user, n);
		goto out;
	}
	if (!gt_cpu_begin(c)) {
		note_call(c);
		goto out;
	}
	t = gt_emit_g(c);
	if (!t) {
		c->lost[GOTRACE_LOST_TASK] += !c->cur;
		note_call(c);
		goto out;
	}
	gt_doing_call(t, nr, user, n);
	if (gt_options.syscalls == GOTRACE_SYSCALLS_REGIONS)
		gt_emit_region_start(c, t);
	else
		gt_emit_call(c, t);
out:
	local_irq_restore(flags);
}

/* Of the running task; interrupts on. */
static bool is_left_out(void)
{
	struct gt_task *t;
	bool ret;

	preempt_disable_notrace();
	t = gt_task_find(current);
	ret = t && !gt_filter_has(t);
	preempt_enable_notrace();
	return ret;
}

/* Where something is left out, for all options. */
static void notrace gt_probe_sys_enter_filter(void *data, struct pt_regs *regs, long nr)
{
	u64 user[GT_STACK_FRAMES_MAX - 2];
	u32 max = min_t(u32, ARRAY_SIZE(user), gt_options.depth - 2), n = 0;

	if ((gt_options.stacks & GOTRACE_STACKS_USER) && !is_left_out())
		n = gt_usermap_walk(regs, user, max);
	enter_filtered(nr, user, n);
}

/*
 * The call's number may be another by now (exec, sigreturn); what counts is
 * which region is open: none for a call that began before the trace, or with
 * syscalls=calls.
 */
static __always_inline struct gt_task *exit_call(void)
{
	struct gt_cpu *c = this_cpu_ptr(&gt_cpus);
	struct gt_task *t;

	if (unlikely(!gt_cpu_begin(c))) {
		note_call(c);
		return c->cur;
	}
	t = c->g;
	if (unlikely(!t)) {
		note_call(c);
		return c->cur;
	}
	if (likely(t->region))
		gt_emit_region_end(c, t, gt_cpu_time(c));
	return t;
}

static void notrace gt_probe_sys_exit(void *data, struct pt_regs *regs, long ret)
{
	local_irq_disable();
	exit_call();
	local_irq_enable();
}

/* Where the call changed mappings, what was kept of them is old. */
static void notrace gt_probe_sys_exit_user(void *data, struct pt_regs *regs, long ret)
{
	local_irq_disable();
	exit_mapping(exit_call());
	local_irq_enable();
}

/* A call that was left out has no end, whose loss would count. */
static void notrace gt_probe_sys_exit_filter(void *data, struct pt_regs *regs, long ret)
{
	struct gt_task *t;
	struct gt_cpu *c;
	unsigned long flags;

	local_irq_save(flags);
	c = this_cpu_ptr(&gt_cpus);
	t = c->cur;
	if (t && (!gt_filter_has(t) || !(t->region || gt_filter_has_call(gt_arch_call_nr(current)))))
		note_call(c);
	else
		t = exit_call();
	exit_mapping(t);
	local_irq_restore(flags);
}

/* For samples alone. */
static void notrace gt_probe_sys_enter_map(void *data, struct pt_regs *regs, long nr)
{
	local_irq_disable();
	enter_mapping(this_cpu_ptr(&gt_cpus), nr);
	local_irq_enable();
}

static void notrace gt_probe_sys_exit_map(void *data, struct pt_regs *regs, long ret)
{
	local_irq_disable();
	exit_mapping(this_cpu_ptr(&gt_cpus)->cur);
	local_irq_enable();
}

static bool user_is_wanted(void)
{
	return (gt_options.stacks & GOTRACE_STACKS_USER) &&
	       gt_options.syscalls != GOTRACE_SYSCALLS_OFF && !gt_filter.on;
}

static bool calls_are_wanted(void)
{
	return gt_options.syscalls == GOTRACE_SYSCALLS_CALLS && !user_is_wanted() &&
	       !gt_filter.on;
}

static bool regions_are_wanted(void)
{
	return gt_options.syscalls == GOTRACE_SYSCALLS_REGIONS && !user_is_wanted() &&
	       !gt_filter.on;
}

static bool filter_is_wanted(void)
{
	return gt_options.syscalls != GOTRACE_SYSCALLS_OFF && gt_filter.on;
}

static bool maps_are_wanted(void)
{
	return (gt_options.stacks & GOTRACE_STACKS_USER) && gt_options.samples &&
	       gt_options.syscalls == GOTRACE_SYSCALLS_OFF;
}

static void __maybe_unused check_types(void)
{
	check_trace_callback_type_sys_enter(gt_probe_sys_enter_call);
	check_trace_callback_type_sys_enter(gt_probe_sys_enter_region);
	check_trace_callback_type_sys_enter(gt_probe_sys_enter_user);
	check_trace_callback_type_sys_enter(gt_probe_sys_enter_map);
	check_trace_callback_type_sys_enter(gt_probe_sys_enter_filter);
	check_trace_callback_type_sys_exit(gt_probe_sys_exit);
	check_trace_callback_type_sys_exit(gt_probe_sys_exit_user);
	check_trace_callback_type_sys_exit(gt_probe_sys_exit_map);
	check_trace_callback_type_sys_exit(gt_probe_sys_exit_filter);
}

/* One each of enter and exit at most, so that no option is asked in the others. */
struct gt_probe gt_syscall_probes[] = {
	{ "sys_enter", gt_probe_sys_enter_call, calls_are_wanted },
	{ "sys_enter", gt_probe_sys_enter_region, regions_are_wanted },
	{ "sys_enter", gt_probe_sys_enter_user, user_is_wanted },
	{ "sys_enter", gt_probe_sys_enter_map, maps_are_wanted },
	{ "sys_enter", gt_probe_sys_enter_filter, filter_is_wanted },
	{ "sys_exit", gt_probe_sys_exit, regions_are_wanted },
	{ "sys_exit", gt_probe_sys_exit_user, user_is_wanted },
	{ "sys_exit", gt_probe_sys_exit_map, maps_are_wanted },
	{ "sys_exit", gt_probe_sys_exit_filter, filter_is_wanted },
	{ }
};
