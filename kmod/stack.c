// SPDX-License-Identifier: GPL-2.0
/*
 * The stack table: lookups take no lock, inserts a raw spinlock; records lie
 * in the session's arena and stay until it ends.
 */
#include <linux/errno.h>
#include <linux/spinlock.h>
#include <linux/vmalloc.h>
#include "arena.h"
#include "encode.h"
#include "stack.h"
#include "string.h"

/* Go's table of stacks is dense; so is ours. */
#define IDS_MAX		65536

#define CELLS		8192	/* names in one block of the arena */
#define CELL_BLOCKS	1024

struct gt_stack **gt_stack_hash;

static struct {
	raw_spinlock_t lock;	/* any context but NMI; arena.lock nests inside */
	struct gt_stack **by_id;	/* IDS_MAX */
	u32 count;		/* ids given out, 1 to count */
	u32 *cells[CELL_BLOCKS];
	u32 names;		/* cells given out, 0 to names - 1 */
} stacks = { .lock = __RAW_SPIN_LOCK_UNLOCKED(stacks.lock) };

int gt_stack_init(void)
{
	memset(stacks.cells, 0, sizeof(stacks.cells));
	stacks.count = 0;
	stacks.names = 0;
	gt_stack_hash = vzalloc(sizeof(*gt_stack_hash) << GT_STACK_HASH_BITS);
	stacks.by_id = vzalloc(sizeof(*stacks.by_id) * IDS_MAX);
	if (!gt_stack_hash || !stacks.by_id)
		goto err;
	/* The first cell is GT_NAME_UNKNOWN; without it, the arena is empty. */
	gt_name_create();
	if (!stacks.names)
		goto err;
	return 0;
err:
	gt_stack_destroy();
	return -ENOMEM;
}

void gt_stack_destroy(void)
{
	vfree(stacks.by_id);
	vfree(gt_stack_hash);
	stacks.by_id = gt_stack_hash = NULL;
}

/* gt_stack_put2() when the bucket's first is another: found further on, or new. */
u32 gt_stack_insert2(u32 leaf, u32 root)
{
	u64 key = (u64)leaf << 32 | root;
	struct gt_stack **head = gt_stack_bucket(key), *e;
	u32 n = !!leaf + !!root, id = gt_name_stack(GT_NAME_UNKNOWN);
	unsigned long flags;

	if (!n)
		return id;
	for (e = smp_load_acquire(head); e; e = e->next)	/* (B) */
		if (e->key == key)
			return e->id;
	raw_spin_lock_irqsave(&stacks.lock, flags);
	for (e = *head; e; e = e->next) {
		if (e->key == key) {
			id = e->id;
			goto out;
		}
	}
	if (stacks.count >= IDS_MAX - 1)
		goto out;
	e = gt_arena_alloc(struct_size(e, frames, n));
	if (!e)
		goto out;
	e->key = key;
	e->n = n;
	e->frames[0] = leaf ?: root;
	if (n == 2)
		e->frames[1] = root;
	e->next = *head;
	id = e->id = ++stacks.count;
	stacks.by_id[id] = e;
	smp_store_release(head, e);	/* (A) publish; pairs with (B) */
out:
	raw_spin_unlock_irqrestore(&stacks.lock, flags);
	return id;
}

/**
 * gt_name_create() - a cell for the name of a task to be
 *
 * Return: the cell; GT_NAME_UNKNOWN when there is no memory.
 * Context: Any context but NMI.
 */
u32 gt_name_create(void)
{
	u32 name = GT_NAME_UNKNOWN, **cells;
	unsigned long flags;

	raw_spin_lock_irqsave(&stacks.lock, flags);
	if (stacks.names >= CELLS * CELL_BLOCKS)
		goto out;
	cells = &stacks.cells[stacks.names / CELLS];
	if (!*cells)
		*cells = gt_arena_alloc(CELLS * sizeof(u32));
	if (*cells)
		name = stacks.names++;
out:
	raw_spin_unlock_irqrestore(&stacks.lock, flags);
	return name;
}

/* The name is final, or may be. Any context but NMI. */
void gt_name_set(u32 name, u32 string)
{
	if (name != GT_NAME_UNKNOWN)
		WRITE_ONCE(stacks.cells[name / CELLS][name % CELLS], string);
}

u32 gt_stack_count(void)
{
	return READ_ONCE(stacks.count);
}

u32 gt_name_count(void)
{
	return READ_ONCE(stacks.names);
}

/*
 * Write the record of one stack, ids 1 to gt_stack_count(), or of one name, 0
 * to gt_name_count() - 1. After STOP, or for what is there from the start.
 * The caller reserved what gt_put_stack() asks for.
 */
u8 *gt_stack_dump(u8 *p, u32 id)
{
	const struct gt_stack *e = stacks.by_id[id];

	return gt_put_stack(p, id, e->frames, e->n, GT_STR_UNKNOWN);
}

u8 *gt_name_dump(u8 *p, u32 name)
{
	u32 string = stacks.cells[name / CELLS][name % CELLS] ?: GT_STR_UNKNOWN;

	return gt_put_stack(p, gt_name_stack(name), &string, 1, GT_STR_UNKNOWN);
}
