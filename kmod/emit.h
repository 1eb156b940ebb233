/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The legal steps from what a reader believes of a task to the truth.
 * All: on the CPU @c itself, interrupts off, after gt_cpu_begin().
 */
#ifndef GT_EMIT_H
#define GT_EMIT_H

#include "cpu.h"
#include "filter.h"
#include "stack.h"
#include "task.h"

/* How a running task ceases to run. */
struct gt_stop {
	enum gt_ev ev;	/* GoSched, GoPreempt, a kind of GoBlock, GoSysBlock, GoEnd or GoStop */
	u32 stack;
};

/* @now: from gt_cpu_time() in this probe; never before c->last. */
void gt_emit_create(struct gt_cpu *c, struct gt_task *t, u64 now, u32 stack);
bool gt_emit_start(struct gt_cpu *c, struct gt_task *t, u64 now);
void gt_emit_stop(struct gt_cpu *c, struct gt_stop stop, u64 now);
void gt_emit_wake(struct gt_cpu *c, struct gt_task *t, bool may_write);
void gt_emit_sleeper(struct gt_cpu *c, struct gt_task *t);

void gt_emit_proc_start(struct gt_cpu *c, u64 now);
void gt_emit_proc_stop(struct gt_cpu *c, u64 now);

/* The truth, noted by a CPU that does not write. Interrupts off. */
void gt_note(struct gt_task *t, bool asleep);
void gt_note_dead(struct gt_task *t);

/* @t, the G of this P, entered a system call, noted in @t->doing. */
static __always_inline void gt_emit_call(struct gt_cpu *c, struct gt_task *t)
{
	gt_ev1(c, gt_cpu_time(c), EV_GO_SYS_CALL, t->doing.stack->id);
}

/* The end of the call of @t, the G of this P, as an interval. */
static __always_inline void gt_emit_region_end(struct gt_cpu *c, struct gt_task *t, u64 now)
{
	gt_ev4(c, now, EV_USER_REGION, 0, 1, t->region, 0);
	t->region = 0;
}

/* The G of this P is left out from now on. */
void gt_emit_leave(struct gt_cpu *c, u64 now);

/*
 * The G of this P, for an event that is not the scheduler's: started by it, where
 * the scheduler's events are left out. NULL when it runs none.
 */
static inline struct gt_task *gt_emit_g(struct gt_cpu *c)
{
	if (unlikely(!c->g && gt_filter.lazy && c->cur && gt_filter_has(c->cur)))
		gt_emit_start(c, c->cur, gt_cpu_time(c));
	return c->g;
}

/*
 * All that is believed open of the G of this P, and is not, or may not be any
 * more: the call, and annotations that truly ended. Innermost first.
 */
void gt_emit_region_ends(struct gt_cpu *c, u64 now);

/* Its start. Go wants each end to match the innermost start of its G. */
static __always_inline void gt_emit_region_start(struct gt_cpu *c, struct gt_task *t)
{
	u64 now = gt_cpu_time(c);

	if (unlikely(t->region))
		gt_emit_region_ends(c, now);
	gt_ev4(c, now, EV_USER_REGION, 0, 0, t->doing.call.name, t->doing.stack->id);
	t->region = t->doing.call.name;
}

/* The task @t, the G of this P, reclaims memory for itself, and has done so. */
void gt_emit_assist_start(struct gt_cpu *c, struct gt_task *t);

static inline void gt_emit_assist_done(struct gt_cpu *c, struct gt_task *t, u64 now)
{
	gt_ev0(c, now, EV_GC_MARK_ASSIST_DONE);
	t->flags &= ~(GT_TASK_ASSIST | GT_TASK_ASSIST_STALE);
}

#endif /* GT_EMIT_H */
