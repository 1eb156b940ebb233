// SPDX-License-Identifier: GPL-2.0
/*
 * System calls: a GoSysCall at each entry, or each call as an interval.
 */
#include <linux/irqflags.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <trace/events/syscalls.h>
#include "cpu.h"
#include "doing.h"
#include "emit.h"
#include "probe.h"

/* The task of this CPU enters or leaves a call that nobody writes. */
static void note_call(struct gt_cpu *c)
{
	gt_doing_forget(c);
	if (c->cur && c->cur->region)
		c->cur->flags |= GT_TASK_STALE;
}

/* Context: the task itself, in its call; no locks. */
static void notrace gt_probe_sys_enter(void *data, struct pt_regs *regs, long nr)
{
	struct gt_cpu *c;
	unsigned long flags;

	local_irq_save(flags);
	c = this_cpu_ptr(&gt_cpus);
	if (unlikely(!gt_cpu_begin(c))) {
		note_call(c);
	} else if (unlikely(!c->g)) {
		c->lost[GOTRACE_LOST_TASK]++;
	} else {
		gt_doing_call(c, nr);
		if (gt_options.syscalls == GOTRACE_SYSCALLS_CALLS)
			gt_emit_call(c);
		else
			gt_emit_region_start(c);
	}
	local_irq_restore(flags);
}

/*
 * The call's number may be another by now (exec, sigreturn); what counts is
 * which region is open. None is for a call that began before the trace.
 *
 * Context: the task itself, in its call; no locks.
 */
static void notrace gt_probe_sys_exit(void *data, struct pt_regs *regs, long ret)
{
	struct gt_cpu *c;
	unsigned long flags;

	local_irq_save(flags);
	c = this_cpu_ptr(&gt_cpus);
	if (unlikely(!gt_cpu_begin(c)))
		note_call(c);
	else if (likely(c->g) && likely(c->g->region))
		gt_emit_region_end(c, gt_cpu_time(c));
	local_irq_restore(flags);
}

static bool calls_are_wanted(void)
{
	return gt_options.syscalls != GOTRACE_SYSCALLS_OFF;
}

static bool exits_are_wanted(void)
{
	return gt_options.syscalls == GOTRACE_SYSCALLS_REGIONS;
}

static void __maybe_unused check_types(void)
{
	check_trace_callback_type_sys_enter(gt_probe_sys_enter);
	check_trace_callback_type_sys_exit(gt_probe_sys_exit);
}

struct gt_probe gt_syscall_probes[] = {
	{ "sys_enter", gt_probe_sys_enter, calls_are_wanted },
	{ "sys_exit", gt_probe_sys_exit, exits_are_wanted },
	{ }
};
