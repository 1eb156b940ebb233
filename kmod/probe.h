/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tracepoints the module hooks, and their probes.
 *
 * Probes are found by name and attached for a session only. From 7.x on they
 * may be called preemptible: each turns interrupts off itself, but
 * sched_switch's, which the scheduler calls with interrupts off on every
 * kernel. None sleeps, allocates from the kernel, prints, or wakes anybody.
 */
#ifndef GT_PROBE_H
#define GT_PROBE_H

#include <linux/tracepoint.h>

struct gt_probe {
	const char *name;
	void *func;
	/* Session options that need it; NULL for all. */
	bool (*is_wanted)(void);
	struct tracepoint *tp;	/* filled in at load */
	bool attached;
};

extern struct gt_probe gt_sched_probes[];
extern struct gt_probe gt_syscall_probes[];
extern struct gt_probe gt_mm_probes[];
extern struct gt_probe gt_power_probes[];

/* For GOTRACE_START_MEMORY. */
bool gt_memory_is_wanted(void);

/* Process context. */
int gt_probe_find(void);
int gt_probe_attach(void);
void gt_probe_detach(void);

#endif /* GT_PROBE_H */
