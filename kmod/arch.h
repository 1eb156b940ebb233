/* SPDX-License-Identifier: GPL-2.0 */
/* All that depends on the processor; x86 so far. */
#ifndef GT_ARCH_H
#define GT_ARCH_H

#include <linux/module.h>
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
#include <asm/unwind.h>

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

/*
 * What follows is asked of the running task, or of one that cannot run
 * meanwhile.
 */

/* It calls by the 32-bit ABI. */
static __always_inline bool gt_arch_is_compat(struct task_struct *p)
{
#ifdef CONFIG_IA32_EMULATION
	return task_thread_info(p)->status & TS_COMPAT;
#else
	return false;
#endif
}

/*
 * The number in its saved registers: of the call it is in, -1 in none; of a
 * kernel thread, whatever is there, but always the same.
 */
static __always_inline int gt_arch_call_nr(struct task_struct *p)
{
	return task_pt_regs(p)->orig_ax;
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

/* The first two arguments of the call that it is in. */
static __always_inline unsigned long gt_arch_call_arg0(struct task_struct *p)
{
	struct pt_regs *regs = task_pt_regs(p);

	return gt_arch_is_compat(p) ? (u32)regs->bx : regs->di;
}

static __always_inline unsigned long gt_arch_call_arg1(struct task_struct *p)
{
	struct pt_regs *regs = task_pt_regs(p);

	return gt_arch_is_compat(p) ? (u32)regs->cx : regs->si;
}

/* User registers of a call, not of an exception or an interrupt. */
static inline bool gt_arch_is_in_call(struct pt_regs *regs)
{
	return (int)regs->orig_ax != -1;
}

/* Bytes of a word of the user code in those registers. */
static __always_inline u32 gt_arch_user_word(struct pt_regs *regs)
{
	return regs->cs == __USER32_CS ? 4 : 8;
}

static __always_inline u64 gt_arch_user_fp(struct pt_regs *regs)
{
	return gt_arch_user_word(regs) == 4 ? (u32)regs->bp : regs->bp;
}

static __always_inline bool gt_arch_user_fp_is_good(u64 fp, u32 word)
{
	return fp && !(fp & (word - 1)) && fp < TASK_SIZE_MAX - 2 * word;
}

#define GT_ARCH_DOWN_MAX	2	/* changes to a lower stack in one walk */
#define GT_ARCH_FP_BAD		1	/* a frame pointer that leads nowhere any more */

/*
 * From a frame of user code to its caller's: at *@fp lie its frame pointer,
 * @next, and the return address, @ret. False at the end. A pointer that leads
 * to itself, or once too often down, is not followed (@down counts what is
 * left; Go's runtime does it when it changes stacks, but a ring must have an
 * end).
 */
static __always_inline bool gt_arch_user_follow(u64 *fp, u64 *pc, u32 *down, u64 next, u64 ret)
{
	if (!ret || ret >= TASK_SIZE_MAX)
		return false;
	*pc = ret;
	if (next == *fp || (next < *fp && next && !(*down)--))
		next = GT_ARCH_FP_BAD;
	*fp = next;
	return true;
}

/*
 * The same, of the running task's memory. Page faults are off; any context, but
 * an NMI must not have come where the kernel changes address spaces.
 */
static __always_inline bool gt_arch_user_next(u64 *fp, u64 *pc, u32 *down, u32 word)
{
	u64 next, ret;

	if (!gt_arch_user_fp_is_good(*fp, word))
		return false;
	if (word == 4) {
		u32 __user *p = (u32 __user *)*fp;
		u32 next32, ret32;

		if (__get_user(next32, p) || __get_user(ret32, p + 1))
			return false;
		next = next32;
		ret = ret32;
	} else {
		u64 __user *p = (u64 __user *)*fp;

		if (__get_user(next, p) || __get_user(ret, p + 1))
			return false;
	}
	return gt_arch_user_follow(fp, pc, down, next, ret);
}

/* How a walk of a kernel stack went. */
struct gt_arch_walk {
	u32 n;			/* frames, leaf first */
	bool more;		/* there are more than were asked for */
	unsigned long bad;	/* stack pointer where the unwinder began to doubt, or 0 */
};

static inline unsigned long gt_arch_unwind_sp(struct unwind_state *s)
{
#ifdef CONFIG_UNWINDER_FRAME_POINTER
	return (unsigned long)s->bp;
#else
	return (unsigned long)s->sp;
#endif
}

/**
 * gt_arch_kernel_walk() - a task's kernel stack, by the kernel's unwinder
 * @p:      the task; current, or one that is not on a CPU and has a stack. If it
 *          gets a CPU meanwhile, what is found means nothing, and no more.
 * @from:   current only: registers of kernel mode where it was interrupted; NULL
 *          for here
 * @interrupted: this is an interrupt that is not the task's matter
 * @frames: return addresses, leaf first, each behind the instruction that it is
 *          about; our own are left out, but of @from
 * @max:    how many at most, at least one
 *
 * Context: Any but NMI, interrupts off; with @from, NMI too.
 */
static inline struct gt_arch_walk gt_arch_kernel_walk(struct task_struct *p, struct pt_regs *from,
						      bool interrupted, u64 *frames, u32 max)
{
	struct gt_arch_walk w = { 0 };
	struct unwind_state s;

	if (from)
		frames[w.n++] = from->ip + 1;
	for (unwind_start(&s, p, from, NULL); !unwind_done(&s); unwind_next_frame(&s)) {
		struct pt_regs *regs = unwind_get_entry_regs(&s, NULL);
		unsigned long addr;

		if (regs && user_mode(regs))
			return w;
		if (interrupted && !regs)
			continue;
		interrupted = false;
		if (unwind_error(&s) && !w.bad)
			w.bad = gt_arch_unwind_sp(&s);
		addr = unwind_get_return_address(&s);
		if (!addr)
			break;
		/* Not called from there, but interrupted: not before it. */
		if (regs)
			addr++;
		if (!w.n && p == current && within_module(addr, THIS_MODULE))
			continue;
		w.more = w.n == max;
		if (w.more)
			return w;
		frames[w.n++] = addr;
	}
	/* It ends where user mode or the thread began, or it is lost. */
	if (!w.bad && (interrupted || unwind_error(&s) || !unwind_done(&s)))
		w.bad = gt_arch_unwind_sp(&s);
	return w;
}

#endif /* GT_ARCH_H */
