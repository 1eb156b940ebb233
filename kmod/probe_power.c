// SPDX-License-Identifier: GPL-2.0
/*
 * A machine that suspends: its world is stopped from when tasks are about to be
 * frozen until they are about to be thawed. The suspending task sleeps in
 * between, and Go knows no stopped world whose owner does not run: the interval
 * is in pieces, one for each time that it runs.
 */
#include <linux/irqflags.h>
#include <linux/percpu.h>
#include <linux/string.h>
#include <trace/events/power.h>
#include "cpu.h"
#include "global.h"
#include "probe.h"
#include "task.h"

/* Context: the task that suspends the machine. */
static void note(bool stopped)
{
	struct gt_cpu *c;
	unsigned long flags;
	bool may_write;

	local_irq_save(flags);
	c = this_cpu_ptr(&gt_cpus);
	may_write = gt_cpu_begin(c);
	if (!c->cur)
		goto out;
	if (stopped)
		c->cur->flags |= GT_TASK_SUSPENDS;
	else
		c->cur->flags &= ~GT_TASK_SUSPENDS;
	if (may_write && c->g == c->cur) {
		if (stopped)
			gt_stw_start(c, gt_cpu_time(c));
		else
			gt_stw_done(c, gt_cpu_time(c));
	}
out:
	local_irq_restore(flags);
}

/* A freeze that fails thaws before it ends. */
static void notrace gt_probe_suspend_resume(void *data, const char *action, int val, bool start)
{
	if (!start)
		return;
	if (!strcmp(action, "freeze_processes"))
		note(true);
	else if (!strcmp(action, "thaw_processes"))
		note(false);
}

static void __maybe_unused check_types(void)
{
	check_trace_callback_type_suspend_resume(gt_probe_suspend_resume);
}

struct gt_probe gt_power_probes[] = {
	{ "suspend_resume", gt_probe_suspend_resume, gt_memory_is_wanted },
	{ }
};
