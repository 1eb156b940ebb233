/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Thread ids (Go's M): who carries a P. Unique among all in use: every P that
 * is started has one, and a task keeps its P's from GoSysBlock to GoSysExit.
 */
#ifndef GT_THREAD_H
#define GT_THREAD_H

#include <linux/types.h>

/* Session: process context. */
int gt_thread_init(void);
void gt_thread_destroy(void);

/* Probes: interrupts off. @after: ticks that its first use must not stand before. */
u32 gt_thread_get(u64 *after);
u32 gt_thread_get_for_call(u64 *after);
void gt_thread_put(u32 thread, u64 now);
void gt_thread_put_from_call(u32 thread, u64 now);

#endif /* GT_THREAD_H */
