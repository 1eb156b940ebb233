// SPDX-License-Identifier: GPL-2.0
/*
 * Intervals that the whole trace has one of at a time.
 *
 * Any CPU may open and close them, so there is one belief for all, changed and
 * written under one lock: it is taken a few times a second. Their events have
 * no order but time, so each stands after the one before, not beside it.
 *
 * GC may be closed by any CPU that leaves the trace, and is opened again by
 * whoever writes next and finds kswapd awake (gt_gc_settle()): at the end, when
 * all CPUs have left, it is closed, whoever opened it.
 *
 * STW is told by the stoppers, a kernel thread a CPU that nothing goes before:
 * stop_machine() keeps all of them busy at once, and is otherwise not to be
 * seen. Go wants the interval on a P that runs a G, so it goes from when the
 * last stopper begins to when that same one ends. CPUs that are on their way
 * out of the machine, or into it, are not asked.
 */
#include <linux/cpumask.h>
#include <linux/nodemask.h>
#include <linux/spinlock.h>
#include "cpu.h"
#include "doing.h"
#include "filter.h"
#include "global.h"

/* Go's reasons for a stopped world that we know. */
enum { STW_UNKNOWN = 0, STW_GOMAXPROCS = 9 };

static struct {
	/* Innermost; any context but NMI, run-queue and pi locks may be held outside. */
	raw_spinlock_t lock;

	nodemask_t awake;	/* the truth: nodes whose kswapd is at work */
	bool gc;		/* open */
	u64 gc_seq;		/* of the next */
	u64 gc_last;		/* ticks of the last GC event */

	u32 cpus;		/* in the session */
	u32 stopped;		/* of those, running their stoppers */
	bool stw;		/* open */
	u64 stw_last;		/* ticks of the last STW event */
} global = { .lock = __RAW_SPIN_LOCK_UNLOCKED(global.lock) };

void gt_global_reset(void)
{
	nodes_clear(global.awake);
	global.gc = global.stw = false;
	global.gc_seq = global.gc_last = global.stw_last = 0;
	global.cpus = global.stopped = 0;
}

void gt_global_add_cpu(int n)
{
	raw_spin_lock(&global.lock);
	global.cpus += n;
	raw_spin_unlock(&global.lock);
}

/* ---- GC ---- */

void gt_gc_note(int nid, bool awake)
{
	raw_spin_lock(&global.lock);
	if (awake)
		node_set(nid, global.awake);
	else
		node_clear(nid, global.awake);
	raw_spin_unlock(&global.lock);
}

static void gc_write_locked(struct gt_cpu *c, u64 now, bool open, u32 stack)
{
	if (open == global.gc)
		return;
	now = gt_cpu_time_after(c, now, global.gc_last + 1);
	global.gc_last = now;
	global.gc = open;
	if (open)
		gt_ev2(c, now, EV_GC_START, global.gc_seq++, stack);
	else
		gt_ev0(c, now, EV_GC_DONE);
}

void gt_gc_settle(struct gt_cpu *c, u64 now)
{
	u32 stack = gt_doing_stack(c);

	raw_spin_lock(&global.lock);
	/* A node whose memory was taken out has no kswapd any more. */
	nodes_and(global.awake, global.awake, node_states[N_MEMORY]);
	gc_write_locked(c, now, !nodes_empty(global.awake), stack);
	raw_spin_unlock(&global.lock);
}

void gt_gc_close(struct gt_cpu *c, u64 now)
{
	raw_spin_lock(&global.lock);
	gc_write_locked(c, now, false, 0);
	raw_spin_unlock(&global.lock);
}

/* ---- STW ---- */

static void stw_open_locked(struct gt_cpu *c, u64 now)
{
	if (global.stw)
		return;
	now = gt_cpu_time_after(c, now, global.stw_last + 1);
	global.stw_last = now;
	global.stw = true;
	c->stw |= GT_STW_OWNER;
	/* A CPU that is no more in the session, but in the machine, is going. */
	gt_ev1(c, now, EV_STW_START,
	       gt_filter.cpus || num_online_cpus() == global.cpus ? STW_UNKNOWN : STW_GOMAXPROCS);
}

static void stw_close_locked(struct gt_cpu *c, u64 now)
{
	if (!(c->stw & GT_STW_OWNER))
		return;
	now = gt_cpu_time_after(c, now, global.stw_last + 1);
	global.stw_last = now;
	global.stw = false;
	c->stw &= ~GT_STW_OWNER;
	gt_ev0(c, now, EV_STW_DONE);
}

void gt_stw_enter_stopper(struct gt_cpu *c, u64 now)
{
	raw_spin_lock(&global.lock);
	c->stw |= GT_STW_STOPPER;
	if (++global.stopped == global.cpus)
		stw_open_locked(c, now);
	raw_spin_unlock(&global.lock);
}

void gt_stw_start(struct gt_cpu *c, u64 now)
{
	raw_spin_lock(&global.lock);
	stw_open_locked(c, now);
	raw_spin_unlock(&global.lock);
}

void gt_stw_done(struct gt_cpu *c, u64 now)
{
	raw_spin_lock(&global.lock);
	stw_close_locked(c, now);
	raw_spin_unlock(&global.lock);
}

void gt_stw_leave(struct gt_cpu *c, u64 now)
{
	raw_spin_lock(&global.lock);
	stw_close_locked(c, now);
	global.stopped -= !!(c->stw & GT_STW_STOPPER);
	c->stw = 0;
	raw_spin_unlock(&global.lock);
}
