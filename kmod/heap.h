/* SPDX-License-Identifier: GPL-2.0 */
/* RAM as Go's heap: what is in use, and where background reclaim begins. */
#ifndef GT_HEAP_H
#define GT_HEAP_H

#include "cpu.h"

/* Session: process context. Between the two, samples are taken. */
void gt_heap_start(void);
void gt_heap_stop(void);

/*
 * Write what has changed. On the CPU itself, interrupts off, after
 * gt_cpu_begin(); @now: never before c->last.
 */
void gt_heap_write(struct gt_cpu *c, u64 now);

#endif /* GT_HEAP_H */
