/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The clock of time stamps, in ticks. All that depends on the processor's
 * counter is here; x86's TSC so far.
 */
#ifndef GT_CLOCK_H
#define GT_CLOCK_H

#include <linux/ktime.h>
#include <linux/types.h>
#include <uapi/linux/gotrace.h>
#ifdef CONFIG_X86
#include <asm/tsc.h>
#include <asm/msr.h>
#endif

/* As Go's cputicks()/64; nanoseconds / 16 is about as fine. */
#define GT_TSC_SHIFT	6
#define GT_NS_SHIFT	4

extern u32 gt_clock_kind;	/* GOTRACE_CLOCK_TSC, MONO or BOOT; fixed in a session */

/* A moment in ticks and in the two clocks that people know. */
struct gt_moment {
	u64 ticks;
	u64 mono;
	u64 real;
};

/* Session: process context. */
int gt_clock_select(u32 wanted);
u64 gt_clock_frequency(void);
void gt_clock_moment(struct gt_moment *m);

/* Any context, NMI included. May go back between CPUs: see gt_cpu_time(). */
static __always_inline u64 gt_clock_now(void)
{
#ifdef CONFIG_X86
	if (likely(gt_clock_kind == GOTRACE_CLOCK_TSC))
		return rdtsc_ordered() >> GT_TSC_SHIFT;
#endif
	if (gt_clock_kind == GOTRACE_CLOCK_BOOT)
		return ktime_get_boot_fast_ns() >> GT_NS_SHIFT;
	return ktime_get_mono_fast_ns() >> GT_NS_SHIFT;
}

#endif /* GT_CLOCK_H */
