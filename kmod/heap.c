// SPDX-License-Identifier: GPL-2.0
/*
 * RAM as Go's heap. HeapAlloc: bytes in use, caches too, for they are what
 * reclaim is about. HeapGoal: how much that may be before kswapd is woken,
 * which happens when the free pages of every zone are down to its low
 * watermark and what it keeps for others.
 *
 * Written at the events of reclaim, and by a timer in between.
 */
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/percpu.h>
#include <linux/timer.h>
#include <linux/vmstat.h>
#include "cpu.h"
#include "global.h"
#include "heap.h"

#define PERIOD_MS	50

/* Last written; racy, so that now and then one is written twice. */
static u64 last_alloc, last_goal;

static void sample(struct timer_list *timer);
static DEFINE_TIMER(sampler, sample);

/* Counters of pages run late, by what CPUs keep to themselves. */
static u64 in_use(unsigned long free)
{
	unsigned long total = totalram_pages();

	return (u64)(total - min(total, free)) << PAGE_SHIFT;
}

static unsigned long reserve(struct zone *zone)
{
	return min(zone_managed_pages(zone),
		   low_wmark_pages(zone) + zone->lowmem_reserve[ZONE_MOVABLE]);
}

static unsigned long reserves(void)
{
	unsigned long pages = 0;
	int nid, z;

	for_each_online_node(nid)
		for (z = 0; z <= ZONE_MOVABLE; z++)
			pages += reserve(&NODE_DATA(nid)->node_zones[z]);
	return pages;
}

void gt_heap_write(struct gt_cpu *c, u64 now)
{
	u64 alloc = in_use(global_zone_page_state(NR_FREE_PAGES));
	u64 goal = in_use(reserves());

	if (goal != READ_ONCE(last_goal)) {
		WRITE_ONCE(last_goal, goal);
		gt_ev1(c, now, EV_HEAP_GOAL, goal);
	}
	if (alloc != READ_ONCE(last_alloc)) {
		WRITE_ONCE(last_alloc, alloc);
		gt_ev1(c, now, EV_HEAP_ALLOC, alloc);
	}
}

/* Context: softirq; on PREEMPT_RT a thread that may be preempted. */
static void sample(struct timer_list *timer)
{
	struct gt_cpu *c;
	unsigned long flags;

	local_irq_save(flags);
	c = this_cpu_ptr(&gt_cpus);
	if (gt_cpu_begin(c)) {
		gt_gc_settle(c, gt_cpu_time(c));
		gt_heap_write(c, gt_cpu_time(c));
	}
	local_irq_restore(flags);
	mod_timer(timer, jiffies + msecs_to_jiffies(PERIOD_MS));
}

void gt_heap_start(void)
{
	last_alloc = last_goal = 0;
	mod_timer(&sampler, jiffies);
}

void gt_heap_stop(void)
{
	timer_delete_sync(&sampler);
}
