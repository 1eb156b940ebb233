/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory for the session's tables (task states, stacks, strings): given out
 * in probes, from blocks that a worker put there beforehand, freed as a whole.
 */
#ifndef GT_ARENA_H
#define GT_ARENA_H

#include <linux/types.h>

#define GT_ARENA_ALLOC_MAX	32768	/* bytes at once */

/* Session: process context, may sleep. */
int gt_arena_init(u64 limit);
void gt_arena_destroy(void);
int gt_arena_refill(size_t bytes);

/* Any context but NMI. */
void *gt_arena_alloc(size_t size);
bool gt_arena_is_low(void);
u64 gt_arena_bytes(void);
bool gt_arena_is_scarce(void);

#endif /* GT_ARENA_H */
