/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Intervals that the whole trace has one of at a time: GC, which is kswapd at
 * work, of whatever nodes; and STW, while no CPU runs anything.
 */
#ifndef GT_GLOBAL_H
#define GT_GLOBAL_H

#include <linux/types.h>
#include "cpu.h"

/* Session: process context, no probe runs. */
void gt_global_reset(void);

/* A CPU comes into the session, or leaves it. On it, interrupts off. */
void gt_global_add_cpu(int n);

/* The truth: kswapd of a node is awake, or not. Any context, interrupts off. */
void gt_gc_note(int nid, bool awake);

/*
 * The rest: on the CPU itself, interrupts off, after gt_cpu_begin(). @now:
 * never before c->last; what is written may stand later (c->last).
 */

/* What the reader believes becomes true. */
void gt_gc_settle(struct gt_cpu *c, u64 now);
/* Whatever is true: this CPU will not write any more. */
void gt_gc_close(struct gt_cpu *c, u64 now);

/* c->stw: what the G of this P has to do with the stopped world. */
#define GT_STW_STOPPER	(1 << 0)	/* it is the CPU's stopper, and counted */
#define GT_STW_OWNER	(1 << 1)	/* it has opened the STW that is open */

/* The G of this P stops its CPU. */
void gt_stw_enter_stopper(struct gt_cpu *c, u64 now);
/* The G of this P has stopped, or lets go, all others. */
void gt_stw_start(struct gt_cpu *c, u64 now);
void gt_stw_done(struct gt_cpu *c, u64 now);
/* The G of this P, for which c->stw is set, ceases to run. */
void gt_stw_leave(struct gt_cpu *c, u64 now);

#endif /* GT_GLOBAL_H */
