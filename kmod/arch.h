/* SPDX-License-Identifier: GPL-2.0 */
/* All that depends on the processor; x86 so far. */
#ifndef GT_ARCH_H
#define GT_ARCH_H

#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/thread_info.h>
#include <linux/types.h>
#include <linux/uaccess.h>
#include <asm/cpufeature.h>
#include <asm/msr.h>
#include <asm/syscall.h>
#include <asm/tsc.h>

#ifndef CONFIG_X86_64
#error "gotrace knows x86-64 so far: add this processor to kmod/arch.h"
#endif

/* The processor's counter, not read earlier than it stands. Any context. */
static __always_inline u64 gt_arch_counter(void)
{
	return rdtsc_ordered();
}

/* Its calibrated frequency in kHz, 0 where it is not known. */
static inline u32 gt_arch_counter_khz(void)
{
	return boot_cpu_has(X86_FEATURE_TSC) ? tsc_khz : 0;
}

/* The kernel itself keeps time by it. */
static inline bool gt_arch_counter_is_trusted(void)
{
	return !check_tsc_unstable();
}

/* The running task calls by the 32-bit ABI. */
static __always_inline bool gt_arch_is_compat(void)
{
	return in_ia32_syscall();
}

/*
 * The number in the running task's saved registers: of the call it is in, -1 in
 * none; of a kernel thread, whatever is there, but always the same.
 */
static __always_inline int gt_arch_call_nr(void)
{
	return task_pt_regs(current)->orig_ax;
}

/*
 * Another task, asleep when it was looked at, is in a call. It may wake and die
 * meanwhile, and take its stack with it.
 */
static inline bool gt_arch_task_is_in_call(struct task_struct *p)
{
	unsigned long nr;

	__get_kernel_nofault(&nr, &task_pt_regs(p)->orig_ax, unsigned long, gone);
	return (int)nr != -1;
gone:
	return false;
}

/* The first two arguments of the call that the running task is in. */
static __always_inline unsigned long gt_arch_call_arg0(struct pt_regs *regs)
{
	return gt_arch_is_compat() ? (u32)regs->bx : regs->di;
}

static __always_inline unsigned long gt_arch_call_arg1(struct pt_regs *regs)
{
	return gt_arch_is_compat() ? (u32)regs->cx : regs->si;
}

static __always_inline u64 gt_arch_user_fp(struct pt_regs *regs)
{
	return gt_arch_is_compat() ? (u32)regs->bp : regs->bp;
}

/*
 * From a frame of user code to its caller's: the saved frame pointer and the
 * return address lie at *@fp. False at the end: a pointer that is not aligned,
 * not readable without a fault, or leads to itself, or once too often down
 * (@down counts what is left; Go's runtime does it when it changes stacks, but
 * a ring must have an end). Page faults are off.
 */
static __always_inline bool gt_arch_user_next(u64 *fp, u64 *pc, u32 *down)
{
	u64 at = *fp, next, ret;

	if (gt_arch_is_compat()) {
		u32 __user *p = (u32 __user *)at;
		u32 next32, ret32;

		if (!at || at & 3 || !access_ok(p, 8) || __get_user(next32, p) ||
		    __get_user(ret32, p + 1))
			return false;
		next = next32;
		ret = ret32;
	} else {
		u64 __user *p = (u64 __user *)at;

		if (!at || at & 7 || !access_ok(p, 16) || __get_user(next, p) ||
		    __get_user(ret, p + 1))
			return false;
	}
	if (!ret || ret >= TASK_SIZE_MAX)
		return false;
	*pc = ret;
	if (next == at || (next < at && !(*down)--))
		next = 0;
	*fp = next;
	return true;
}

#endif /* GT_ARCH_H */
