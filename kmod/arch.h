/* SPDX-License-Identifier: GPL-2.0 */
/* All that depends on the processor; x86 so far. */
#ifndef GT_ARCH_H
#define GT_ARCH_H

#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/thread_info.h>
#include <linux/types.h>
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

/* The first two arguments of the call that the running task is in. */
static __always_inline unsigned long gt_arch_call_arg0(struct pt_regs *regs)
{
	return gt_arch_is_compat() ? (u32)regs->bx : regs->di;
}

static __always_inline unsigned long gt_arch_call_arg1(struct pt_regs *regs)
{
	return gt_arch_is_compat() ? (u32)regs->cx : regs->si;
}

#endif /* GT_ARCH_H */
