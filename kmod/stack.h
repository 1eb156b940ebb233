/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The session's stack table, and the names of tasks.
 *
 * A stack is frames, leaf first; a frame is 64 bits that say what they are
 * (frame.h). A stack with one frame, the task's name, is what GoCreate calls
 * the new stack: its id is fixed when the task is created, its frame is known
 * only when the name is final, so these live apart, as one cell a task.
 */
#ifndef GT_STACK_H
#define GT_STACK_H

#include <linux/hash.h>
#include <linux/types.h>
#include <asm/barrier.h>

/* Stacks of the table have ids from 1 to below this; names from here on. */
#define GT_STACK_NAMES	(1U << 20)

/* The name cell that is always there. */
#define GT_NAME_UNKNOWN	0

struct gt_stack {
	struct gt_stack *next;
	u64 key;		/* what it was looked up by */
	u32 id;
	u32 n;
	u64 frames[];		/* leaf first */
};

/* Session: process context. */
int gt_stack_init(void);
void gt_stack_destroy(void);
u32 gt_stack_count(void);
u32 gt_name_count(void);
u64 gt_stack_lost(void);
const struct gt_stack *gt_stack_get(u32 id);
u8 *gt_stack_dump(u8 *p, u32 id);
u8 *gt_name_dump(u8 *p, u32 name);
u8 *gt_name_dump_process(u8 *p, u32 name);

/* Any context but NMI. */
const struct gt_stack *gt_stack_insert2(u32 leaf, u32 root);
const struct gt_stack *gt_stack_put(const u64 *frames, u32 n);
u32 gt_name_create(u32 process);
void gt_name_set(u32 name, u32 string);
void gt_name_reuse(u32 name, u32 process);

static inline u32 gt_name_stack(u32 name)
{
	return GT_STACK_NAMES + name;
}

#define GT_STACK_HASH_BITS	15

extern struct gt_stack **gt_stack_hash;	/* there while probes are */

static __always_inline struct gt_stack **gt_stack_bucket(u64 key)
{
	return &gt_stack_hash[key * GOLDEN_RATIO_64 >> (64 - GT_STACK_HASH_BITS)];
}

/* Of a stack of one or two strings; never that of another stack. */
static __always_inline u64 gt_stack_key2(u32 leaf, u32 root)
{
	return (u64)leaf << 32 | root;
}

/**
 * gt_stack_put2() - a stack of one or two strings, a new one if it is new
 * @leaf: string id of the leaf frame; 0 for a stack of the root alone
 * @root: string id of the root frame, the task's name; 0 when there is no task
 *
 * Return: the stack; where there is no memory, the one which only says "?",
 * for Go's viewers do not stand a region or a task without one.
 * Context: Any context but NMI. Run-queue and pi locks may be held.
 */
static __always_inline const struct gt_stack *gt_stack_put2(u32 leaf, u32 root)
{
	u64 key = gt_stack_key2(leaf, root);
	/* (B) see all of the record; pairs with (A) in stack.c. */
	struct gt_stack *e = smp_load_acquire(gt_stack_bucket(key));

	if (likely(e && e->key == key))
		return e;
	return gt_stack_insert2(leaf, root);
}

#endif /* GT_STACK_H */
