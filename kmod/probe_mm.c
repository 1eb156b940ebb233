// SPDX-License-Identifier: GPL-2.0
/*
 * Memory reclaim as Go's garbage collection: kswapd is the collector, a task
 * that has to reclaim for itself assists it, a pass over a list of pages is a
 * sweep.
 */
#include <linux/irqflags.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <trace/events/vmscan.h>
#include "compat.h"
#include "cpu.h"
#include "doing.h"
#include "emit.h"
#include "global.h"
#include "heap.h"
#include "probe.h"
#include "task.h"

static void kswapd(int nid, bool awake)
{
	struct gt_cpu *c;
	unsigned long flags;

	local_irq_save(flags);
	c = this_cpu_ptr(&gt_cpus);
	gt_gc_note(nid, awake);
	if (gt_cpu_begin(c)) {
		gt_gc_settle(c, gt_cpu_time(c));
		gt_heap_write(c, gt_cpu_time(c));
	}
	local_irq_restore(flags);
}

/*
 * Context of both: kswapd itself, no locks. It may wake, that is go on, several
 * times before it sleeps; the naps in between are none.
 */
static void notrace gt_probe_mm_vmscan_kswapd_wake(void *data, int nid, int zid, int order)
{
	kswapd(nid, true);
}

static void notrace gt_probe_mm_vmscan_kswapd_sleep(void *data, int nid)
{
	kswapd(nid, false);
}

static void assist_begin(void)
{
	struct gt_cpu *c;
	unsigned long flags;

	local_irq_save(flags);
	c = this_cpu_ptr(&gt_cpus);
	if (gt_cpu_begin(c)) {
		if (gt_emit_g(c))
			gt_emit_assist_start(c, c->g);
		gt_heap_write(c, gt_cpu_time(c));
	}
	local_irq_restore(flags);
}

/* One whose start was not written has no end. */
static void assist_end(void)
{
	struct gt_cpu *c;
	unsigned long flags;

	local_irq_save(flags);
	c = this_cpu_ptr(&gt_cpus);
	if (gt_cpu_begin(c)) {
		if (c->g && (c->g->flags & GT_TASK_ASSIST))
			gt_emit_assist_done(c, c->g, gt_cpu_time(c));
		gt_heap_write(c, gt_cpu_time(c));
	} else if (c->cur && (c->cur->flags & GT_TASK_ASSIST)) {
		c->cur->flags |= GT_TASK_ASSIST_STALE;
	}
	local_irq_restore(flags);
}

/* Context of all: the task that reclaims; what it allocates for decides on its locks. */
static void notrace gt_probe_reclaim_begin(void *data, GT_RECLAIM_BEGIN_ARGS)
{
	assist_begin();
}

static void notrace gt_probe_mm_vmscan_node_reclaim_begin(void *data, int nid, int order, gfp_t gfp)
{
	assist_begin();
}

static void notrace gt_probe_reclaim_end(void *data, GT_RECLAIM_END_ARGS)
{
	assist_end();
}

/* Context: kswapd or a task that reclaims; no spinlocks. */
static void notrace gt_probe_mm_vmscan_lru_shrink_inactive(void *data, int nid,
							   unsigned long scanned,
							   unsigned long reclaimed,
							   struct reclaim_stat *stat,
							   int priority, int file)
{
	struct gt_cpu *c;
	unsigned long flags;

	local_irq_save(flags);
	c = this_cpu_ptr(&gt_cpus);
	if (gt_cpu_begin(c) && gt_emit_g(c)) {
		u64 now = gt_cpu_time(c);

		gt_ev1(c, now, EV_GC_SWEEP_START, gt_doing_stack(c));
		gt_ev2(c, now, EV_GC_SWEEP_DONE, (u64)scanned << PAGE_SHIFT,
		       (u64)reclaimed << PAGE_SHIFT);
	}
	local_irq_restore(flags);
}

static void __maybe_unused check_types(void)
{
	check_trace_callback_type_mm_vmscan_kswapd_wake(gt_probe_mm_vmscan_kswapd_wake);
	check_trace_callback_type_mm_vmscan_kswapd_sleep(gt_probe_mm_vmscan_kswapd_sleep);
	check_trace_callback_type_mm_vmscan_direct_reclaim_begin(gt_probe_reclaim_begin);
	check_trace_callback_type_mm_vmscan_direct_reclaim_end(gt_probe_reclaim_end);
	check_trace_callback_type_mm_vmscan_lru_shrink_inactive(gt_probe_mm_vmscan_lru_shrink_inactive);
#ifdef CONFIG_MEMCG
	check_trace_callback_type_mm_vmscan_memcg_reclaim_begin(gt_probe_reclaim_begin);
	check_trace_callback_type_mm_vmscan_memcg_reclaim_end(gt_probe_reclaim_end);
#endif
	check_trace_callback_type_mm_vmscan_node_reclaim_begin(gt_probe_mm_vmscan_node_reclaim_begin);
	check_trace_callback_type_mm_vmscan_node_reclaim_end(gt_probe_reclaim_end);
}

/* A group's soft limit is left out: it is part of other reclaim. */
struct gt_probe gt_mm_probes[] = {
	{ "mm_vmscan_kswapd_wake", gt_probe_mm_vmscan_kswapd_wake, gt_memory_is_wanted },
	{ "mm_vmscan_kswapd_sleep", gt_probe_mm_vmscan_kswapd_sleep, gt_memory_is_wanted },
	{ "mm_vmscan_direct_reclaim_begin", gt_probe_reclaim_begin, gt_memory_is_wanted },
	{ "mm_vmscan_direct_reclaim_end", gt_probe_reclaim_end, gt_memory_is_wanted },
#ifdef CONFIG_MEMCG
	{ "mm_vmscan_memcg_reclaim_begin", gt_probe_reclaim_begin, gt_memory_is_wanted },
	{ "mm_vmscan_memcg_reclaim_end", gt_probe_reclaim_end, gt_memory_is_wanted },
#endif
	{ "mm_vmscan_node_reclaim_begin", gt_probe_mm_vmscan_node_reclaim_begin, gt_memory_is_wanted },
	{ "mm_vmscan_node_reclaim_end", gt_probe_reclaim_end, gt_memory_is_wanted },
	{ "mm_vmscan_lru_shrink_inactive", gt_probe_mm_vmscan_lru_shrink_inactive,
	  gt_memory_is_wanted },
	{ }
};
