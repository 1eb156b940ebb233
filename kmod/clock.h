/* SPDX-License-Identifier: GPL-2.0 */
/* The clock of time stamps, in ticks. */
#ifndef GT_CLOCK_H
#define GT_CLOCK_H

#include <linux/ktime.h>
#include <linux/types.h>
#include <uapi/linux/gotrace.h>
#include "arch.h"

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
int gt_clock_check(u32 wanted);
int gt_clock_select(u32 wanted);
u64 gt_clock_frequency(void);
void gt_clock_moment(struct gt_moment *m);

/* Any context, NMI included. May go back between CPUs: see gt_cpu_time(). */
static __always_inline u64 gt_clock_now(void)
{
	if (likely(gt_clock_kind == GOTRACE_CLOCK_TSC))
		return gt_arch_counter() >> GT_TSC_SHIFT;
	if (gt_clock_kind == GOTRACE_CLOCK_BOOT)
		return ktime_get_boot_fast_ns() >> GT_NS_SHIFT;
	return ktime_get_mono_fast_ns() >> GT_NS_SHIFT;
}

#endif /* GT_CLOCK_H */
