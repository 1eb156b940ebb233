/* SPDX-License-Identifier: GPL-2.0 */
/* The initial state of a trace. Session: process context, may sleep. */
#ifndef GT_WALK_H
#define GT_WALK_H

#include <linux/types.h>

struct gt_cpu;

int gt_walk_check(u32 buffers, u64 table_bytes);
int gt_walk_find_tasks(void);
int gt_walk_write(struct gt_cpu *c, u64 start);

/* After every CPU was opened. */
void gt_walk_heal_sleepers(void);

#endif /* GT_WALK_H */
