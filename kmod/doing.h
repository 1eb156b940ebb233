/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the running task is doing: the call it is in, and the stack that says
 * so. Noted at the call's entry, with the user stack, and reused for all that
 * happens inside it.
 */
#ifndef GT_DOING_H
#define GT_DOING_H

#include <linux/preempt.h>
#include "arch.h"
#include "call.h"
#include "cpu.h"
#include "stack.h"
#include "string.h"
#include "task.h"

void gt_doing_user(struct gt_task *t, const u64 *user, u32 n);
const struct gt_doing *gt_doing_find(struct gt_task *t);
const struct gt_stack *gt_doing_kernel(const struct gt_stack *base);

/*
 * The running task @t enters a call, from where @user, @n frames, says.
 * Interrupts off.
 */
static __always_inline void gt_doing_call(struct gt_task *t, long nr, const u64 *user, u32 n)
{
	t->doing.nr = nr;
	t->doing.call = gt_call_by_number(nr);
	if (n)
		gt_doing_user(t, user, n);
	else
		t->doing.stack = gt_stack_put2(t->doing.call.name, t->comm);
}

/*
 * What was noted at the entry of the call that the running task is in. Any
 * context, NMI included, but where a writer is interrupted.
 */
static inline bool gt_doing_is_known(const struct gt_task *t)
{
	return gt_options.syscalls != GOTRACE_SYSCALLS_OFF && t->doing.call.name &&
	       t->doing.nr == gt_arch_call_nr(current);
}

/* What was noted does not hold any more: an unseen call, a new name. */
static inline void gt_doing_forget(struct gt_task *t)
{
	t->doing.nr = GT_DOING_NOTHING;
}

/**
 * gt_doing() - what the running task is doing
 * @t: the state kept for it
 *
 * Return: it; of no call when it is in none.
 * Context: The task's CPU, interrupts off; run-queue and pi locks may be held.
 */
static __always_inline const struct gt_doing *gt_doing(struct gt_task *t)
{
	if (likely(t->doing.nr == gt_arch_call_nr(current)))
		return &t->doing;
	return gt_doing_find(t);
}

/* The stack id of here and now, on @base. */
static __always_inline u32 gt_doing_here(const struct gt_stack *base)
{
	if (gt_options.stacks & GOTRACE_STACKS_KERNEL)
		base = gt_doing_kernel(base);
	return base->id;
}

/* The same, of the task that runs or of an interrupt. */
static __always_inline u32 gt_doing_stack(struct gt_cpu *c)
{
	if (likely(in_task() && c->cur))
		return gt_doing_here(gt_doing(c->cur)->stack);
	return gt_doing_here(gt_stack_put2(GT_STR_IRQ, c->cur ? c->cur->comm : 0));
}

#endif /* GT_DOING_H */
