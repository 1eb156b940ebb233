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

static __always_inline void enter_call(long nr, bool region)
{
	struct gt_cpu *c;
	struct gt_task *t;
	unsigned long flags;

	local_irq_save(flags);
	c = this_cpu_ptr(&gt_cpus);
	if (unlikely(!gt_cpu_begin(c))) {
		note_call(c);
		goto out;
	}
	t = c->g;
	if (unlikely(!t)) {
		c->lost[GOTRACE_LOST_TASK]++;
		goto out;
	}
	gt_doing_call(c, t, nr);
	if (region)
		gt_emit_region_start(c, t);
	else
		gt_emit_call(c);
out:
	local_irq_restore(flags);
}

/* syscalls=calls. Context: the task itself, in its call; no locks. */
static void notrace gt_probe_sys_enter_call(void *data, struct pt_regs *regs, long nr)
{
	enter_call(nr, false);
}

/* syscalls=regions. Context: as above. */
static void notrace gt_probe_sys_enter_region(void *data, struct pt_regs *regs, long nr)
{
	enter_call(nr, true);
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
	struct gt_task *t;
	unsigned long flags;

	local_irq_save(flags);
	c = this_cpu_ptr(&gt_cpus);
	if (unlikely(!gt_cpu_begin(c))) {
		note_call(c);
	} else {
		t = c->g;
		if (likely(t) && likely(t->region))
			gt_emit_region_end(c, t, gt_cpu_time(c));
	}
	local_irq_restore(flags);
}

static bool calls_are_wanted(void)
{
	return gt_options.syscalls == GOTRACE_SYSCALLS_CALLS;
}

static bool regions_are_wanted(void)
{
	return gt_options.syscalls == GOTRACE_SYSCALLS_REGIONS;
}

static void __maybe_unused check_types(void)
{
	check_trace_callback_type_sys_enter(gt_probe_sys_enter_call);
	check_trace_callback_type_sys_enter(gt_probe_sys_enter_region);
	check_trace_callback_type_sys_exit(gt_probe_sys_exit);
}

struct gt_probe gt_syscall_probes[] = {
	{ "sys_enter", gt_probe_sys_enter_call, calls_are_wanted },
	{ "sys_enter", gt_probe_sys_enter_region, regions_are_wanted },
	{ "sys_exit", gt_probe_sys_exit, regions_are_wanted },
	{ }
};
