// SPDX-License-Identifier: GPL-2.0
/*
 * What the running task is doing, with more than its call's name.
 */
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/stacktrace.h>
#include "doing.h"
#include "frame.h"

/* Where stacks are put together. This CPU, interrupts off. */
static DEFINE_PER_CPU(u64 [GT_STACK_FRAMES_MAX], scratch);

/* The user stack under the call's name, over the task's. */
void gt_doing_user(struct gt_task *t, const u64 *user, u32 n)
{
	u64 *frames = *this_cpu_ptr(&scratch);

	frames[0] = t->doing.call.name;
	memcpy(frames + 1, user, n * sizeof(*frames));
	frames[n + 1] = t->comm;
	t->doing.stack = gt_stack_put(frames, n + 2);
}

/*
 * When its entry into the call was not seen or is forgotten. Kept for the next
 * time only while entries are seen, which refresh it: the number alone does
 * not tell a call from the same one of the other ABI.
 */
const struct gt_doing *gt_doing_find(struct gt_task *t)
{
	t->doing.nr = gt_options.syscalls == GOTRACE_SYSCALLS_OFF ? GT_DOING_NOTHING :
								    gt_arch_call_nr(current);
	t->doing.call = gt_call_get();
	t->doing.stack = gt_stack_put2(t->doing.call.name, t->comm);
	return &t->doing;
}

/**
 * gt_doing_kernel() - the kernel's stack here, over another
 * @base: what it stands on: the call, the user stack, the task's name
 *
 * Return: both, as one. Our own frames are left out; those between the traced
 * place and us are dropped when stacks are dumped.
 * Context: Any but NMI, interrupts off; run-queue and pi locks may be held.
 */
noinline const struct gt_stack *gt_doing_kernel(const struct gt_stack *base)
{
	u64 *frames = *this_cpu_ptr(&scratch);
	u32 own = 0, n;

	BUILD_BUG_ON(sizeof(unsigned long) != sizeof(u64));
	if (base->n >= gt_options.depth)
		return base;
	n = stack_trace_save((unsigned long *)frames, gt_options.depth - base->n, 1);
	while (own < n && within_module(frames[own], THIS_MODULE))
		own++;
	memcpy(frames + n, base->frames, base->n * sizeof(*frames));
	return gt_stack_put(frames + own, n - own + base->n);
}
