// SPDX-License-Identifier: GPL-2.0
/*
 * Attaching probes to tracepoints. The tracepoints' own symbols are not
 * exported, so they are looked up by name.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/errno.h>
#include <linux/printk.h>
#include <linux/string.h>
#include "cpu.h"
#include "probe.h"

static struct gt_probe *const tables[] = {
	gt_sched_probes, gt_syscall_probes, gt_mm_probes, gt_power_probes,
};

bool gt_memory_is_wanted(void)
{
	return gt_options.memory;
}

/* The probe after @p, from table @t on: for (p = next(&t, NULL); p; p = next(&t, p)). */
static struct gt_probe *next(u32 *t, struct gt_probe *p)
{
	if (p && (p + 1)->name)
		return p + 1;
	*t = p ? *t + 1 : 0;
	return *t < ARRAY_SIZE(tables) ? tables[*t] : NULL;
}

static void match(struct tracepoint *tp, void *unused)
{
	struct gt_probe *p;
	u32 t;

	for (p = next(&t, NULL); p; p = next(&t, p))
		if (!strcmp(p->name, tp->name))
			p->tp = tp;
}

/* -ENOENT, and a line in the log, on a kernel without one of them. */
int gt_probe_find(void)
{
	struct gt_probe *p;
	u32 t;

	for_each_kernel_tracepoint(match, NULL);
	for (p = next(&t, NULL); p; p = next(&t, p)) {
		if (!p->tp) {
			pr_err("this kernel has no tracepoint %s\n", p->name);
			return -ENOENT;
		}
	}
	return 0;
}

/* In the order of the tables. */
int gt_probe_attach(void)
{
	struct gt_probe *p;
	u32 t;
	int err;

	for (p = next(&t, NULL); p; p = next(&t, p)) {
		if (p->is_wanted && !p->is_wanted())
			continue;
		err = tracepoint_probe_register(p->tp, p->func, NULL);
		if (err) {
			gt_probe_detach();
			return err;
		}
		p->attached = true;
	}
	return 0;
}

static struct gt_probe *last_attached(void)
{
	struct gt_probe *p, *last = NULL;
	u32 t;

	for (p = next(&t, NULL); p; p = next(&t, p))
		if (p->attached)
			last = p;
	return last;
}

/* The other way round. When it returns no probe runs, nor will. */
void gt_probe_detach(void)
{
	struct gt_probe *p;

	while ((p = last_attached())) {
		tracepoint_probe_unregister(p->tp, p->func, NULL);
		p->attached = false;
	}
	tracepoint_synchronize_unregister();
}
