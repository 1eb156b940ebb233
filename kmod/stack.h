/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The session's stack table, and the names of tasks.
 *
 * A frame is the id of a string; a stack is frames, leaf first. A stack with
 * one frame, the task's name, is what GoCreate calls the new stack: its id is
 * fixed when the task is created, its frame is known only when the name is
 * final, so these live apart from the table, as one cell a task.
 */
#ifndef GT_STACK_H
#define GT_STACK_H

#include <linux/types.h>

/* Stacks of the table have ids from 1 to below this; names from here on. */
#define GT_STACK_NAMES	(1U << 20)

/* The name cell that is always there. */
#define GT_NAME_UNKNOWN	0

/* Session: process context. */
int gt_stack_init(void);
void gt_stack_destroy(void);
u32 gt_stack_count(void);
u32 gt_name_count(void);
u8 *gt_stack_dump(u8 *p, u32 id);
u8 *gt_name_dump(u8 *p, u32 name);

/* Any context but NMI. */
u32 gt_stack_put2(u32 leaf, u32 root);
u32 gt_name_create(void);
void gt_name_set(u32 name, u32 string);

static inline u32 gt_name_stack(u32 name)
{
	return GT_STACK_NAMES + name;
}

#endif /* GT_STACK_H */
