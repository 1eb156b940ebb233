// SPDX-License-Identifier: GPL-2.0
/*
 * The pool of thread ids, a bitmap: low ids are taken first, so that a viewer
 * shows as few threads as there were at once.
 */
#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/vmalloc.h>
#include "cpu.h"
#include "thread.h"

/* Tasks that may be between GoSysBlock and GoSysExit at once; a u16 holds an id. */
#define CALLS_MAX	4096

static struct {
	unsigned long *used;	/* bit n - 1 is id n */
	u32 size;		/* never all in use: a P always gets one */
	atomic_t calls;
	atomic64_t last;	/* ticks when an id was last given back */
} threads;

int gt_thread_init(void)
{
	threads.size = nr_cpu_ids + CALLS_MAX;
	threads.used = vzalloc(BITS_TO_LONGS(threads.size) * sizeof(long));
	atomic_set(&threads.calls, 0);
	atomic64_set(&threads.last, 0);
	return threads.used ? 0 : -ENOMEM;
}

void gt_thread_destroy(void)
{
	vfree(threads.used);
	threads.used = NULL;
}

/*
 * Nothing in Go's format orders who had an id before and who has it next but
 * the time, so the next is a tick later, not only not before.
 */
u32 gt_thread_get(u64 *after)
{
	u32 bit;

	do {
		/* Others take and give back; the next line settles it. */
		bit = data_race(find_first_zero_bit(threads.used, threads.size));
	} while (bit >= threads.size || test_and_set_bit(bit, threads.used));
	*after = atomic64_read(&threads.last) + 1;
	return bit + 1;
}

void gt_thread_put(u32 thread, u64 now)
{
	gt_time_raise(&threads.last, now);
	clear_bit_unlock(thread - 1, threads.used);
}

/* For a P whose own id stays with a task in GoSysBlock; 0 when there are too many. */
u32 gt_thread_get_for_call(u64 *after)
{
	if (atomic_inc_return(&threads.calls) > CALLS_MAX) {
		atomic_dec(&threads.calls);
		return 0;
	}
	return gt_thread_get(after);
}

void gt_thread_put_from_call(u32 thread, u64 now)
{
	gt_thread_put(thread, now);
	atomic_dec(&threads.calls);
}
