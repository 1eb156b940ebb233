/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the running task is doing: the call it is in, and the stack that says
 * so. Noted at the call's entry, and reused for all that happens inside it.
 */
#ifndef GT_DOING_H
#define GT_DOING_H

#include <linux/preempt.h>
#include "arch.h"
#include "call.h"
#include "cpu.h"
#include "stack.h"
#include "string.h"

/* The task that runs on @c, @t, enters a call. Interrupts off. */
static __always_inline void gt_doing_call(struct gt_cpu *c, struct gt_task *t, long nr)
{
	c->doing.goid = t->goid;
	c->doing.nr = nr;
	c->doing.call = gt_call_by_number(nr);
	c->doing.stack = gt_stack_put2(c->doing.call.name, t->comm);
}

/* What was noted does not hold any more: an unseen call, a new name. */
static inline void gt_doing_forget(struct gt_cpu *c)
{
	c->doing.goid = 0;
}

const struct gt_doing *gt_doing_find(struct gt_cpu *c);

/**
 * gt_doing() - what the running task is doing
 * @c: this CPU; c->cur is the running task's state
 *
 * Return: it; of no call when it is in none.
 * Context: Interrupts off; run-queue and pi locks may be held.
 */
static __always_inline const struct gt_doing *gt_doing(struct gt_cpu *c)
{
	if (likely(c->doing.goid == c->cur->goid && c->doing.nr == gt_arch_call_nr()))
		return &c->doing;
	return gt_doing_find(c);
}

/* Who wakes or makes others here: the task that runs, or an interrupt. */
static __always_inline u32 gt_doing_stack(struct gt_cpu *c)
{
	if (likely(in_task() && c->cur))
		return gt_doing(c)->stack;
	return gt_stack_put2(GT_STR_IRQ, c->cur ? c->cur->comm : 0);
}

#endif /* GT_DOING_H */
