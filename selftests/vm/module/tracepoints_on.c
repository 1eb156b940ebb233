// SPDX-License-Identifier: GPL-2.0
/*
 * tracepoints_on: keeps two probes that do nothing on each tracepoint that
 * gotrace may attach to, so that attaching to it patches no code any more.
 *
 * For guests whose CPUs QEMU emulates side by side. Where a CPU stores into code,
 * QEMU drops its translation first and stores after; another CPU that comes by
 * between the two translates the old bytes, and keeps that. The kernel patches
 * by way of an int3, so such a CPU hangs in that int3 for good. Real machines
 * have no such window.
 */
#include <linux/module.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

static const char *const prefixes[] = {
	"sched_switch", "sched_wak", "sched_process_", "task_rename", "sys_enter", "sys_exit",
	"mm_vmscan_", "mm_compaction_", "suspend_resume", "cpuhp_",
};

static bool failed;

/* Any tracepoint's: the arguments are the caller's to clean up. */
static void nothing(void)
{
}

/* The second one makes the tracepoint call through its list, for good. */
static void *const both[] = { (void *)1, (void *)2 };

static void attach(struct tracepoint *tp, void *unused)
{
	int i, j;

	for (i = 0; i < ARRAY_SIZE(prefixes); i++) {
		if (strncmp(tp->name, prefixes[i], strlen(prefixes[i])))
			continue;
		for (j = 0; j < ARRAY_SIZE(both); j++)
			failed |= tracepoint_probe_register(tp, nothing, both[j]);
	}
}

/* There is no exit: it stays as long as the guest. */
static int __init tracepoints_on_init(void)
{
	for_each_kernel_tracepoint(attach, NULL);
	return failed ? -EINVAL : 0;
}
module_init(tracepoints_on_init);

MODULE_DESCRIPTION("Keeps tracepoints enabled in an emulated machine");
MODULE_LICENSE("GPL");
