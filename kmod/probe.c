// SPDX-License-Identifier: GPL-2.0
/*
 * Attaching probes to tracepoints. The tracepoints' own symbols are not
 * exported, so they are looked up by name.
 */
#include <linux/errno.h>
#include <linux/printk.h>
#include <linux/string.h>
#include "probe.h"

static struct gt_probe *const tables[] = { gt_sched_probes, gt_syscall_probes };

#define for_each_probe(t, p)						\
	for ((t) = 0; (t) < ARRAY_SIZE(tables); (t)++)			\
		for ((p) = tables[t]; (p)->name; (p)++)

static void match(struct tracepoint *tp, void *unused)
{
	struct gt_probe *p;
	u32 t;

	for_each_probe(t, p)
		if (!strcmp(p->name, tp->name))
			p->tp = tp;
}

/* -ENOENT, and a line in the log, on a kernel without one of them. */
int gt_probe_find(void)
{
	struct gt_probe *p;
	u32 t;

	for_each_kernel_tracepoint(match, NULL);
	for_each_probe(t, p) {
		if (!p->tp) {
			pr_err("this kernel has no tracepoint %s\n", p->name);
			return -ENOENT;
		}
	}
	return 0;
}

int gt_probe_attach(void)
{
	struct gt_probe *p;
	u32 t;
	int err;

	for_each_probe(t, p) {
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

/* When it returns no probe runs, nor will. */
void gt_probe_detach(void)
{
	struct gt_probe *p;
	u32 t;

	for_each_probe(t, p) {
		if (p->attached)
			tracepoint_probe_unregister(p->tp, p->func, NULL);
		p->attached = false;
	}
	tracepoint_synchronize_unregister();
}
