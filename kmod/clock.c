// SPDX-License-Identifier: GPL-2.0
/*
 * Which clock a session uses, and its frequency.
 */
#include <linux/errno.h>
#include <linux/irqflags.h>
#include <linux/math64.h>
#include "clock.h"

u32 gt_clock_kind __read_mostly = GOTRACE_CLOCK_MONO;

/**
 * gt_clock_check() - which clock a session would use
 * @wanted: GOTRACE_CLOCK_*
 *
 * The TSC that was asked for by name is used even where the kernel does not
 * trust it: gt_cpu_time() keeps the trace in order all the same.
 *
 * Return: GOTRACE_CLOCK_TSC, MONO or BOOT; -ENODEV where there is no TSC of
 * known frequency.
 */
int gt_clock_check(u32 wanted)
{
	if (wanted == GOTRACE_CLOCK_AUTO)
		return gt_arch_counter_khz() && gt_arch_counter_is_trusted() ?
		       GOTRACE_CLOCK_TSC : GOTRACE_CLOCK_MONO;
	if (wanted == GOTRACE_CLOCK_TSC && !gt_arch_counter_khz())
		return -ENODEV;
	return wanted;
}

/* Use it from now on. No session is running. 0 or -ENODEV. */
int gt_clock_select(u32 wanted)
{
	int kind = gt_clock_check(wanted);

	if (kind < 0)
		return kind;
	gt_clock_kind = kind;
	return 0;
}

/* Calibrated ticks per second. */
u64 gt_clock_frequency(void)
{
	if (gt_clock_kind == GOTRACE_CLOCK_TSC)
		return max_t(u64, 1, (u64)gt_arch_counter_khz() * 1000 >> GT_TSC_SHIFT);
	return NSEC_PER_SEC >> GT_NS_SHIFT;
}

/* The three clocks read as one, as far as a machine can. */
void gt_clock_moment(struct gt_moment *m)
{
	unsigned long flags;

	local_irq_save(flags);
	m->ticks = gt_clock_now();
	m->mono = ktime_get_ns();
	m->real = ktime_get_real_ns();
	local_irq_restore(flags);
}
