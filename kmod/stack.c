// SPDX-License-Identifier: GPL-2.0
/*
 * The stack table: lookups take no lock, inserts a raw spinlock; records lie
 * in the session's arena and stay until it ends.
 *
 * (A) publish a record at its bucket's head; pairs with (B), the lookup.
 */
#include <linux/errno.h>
#include <linux/hash.h>
#include <linux/spinlock.h>
#include <linux/vmalloc.h>
#include "arena.h"
#include "encode.h"
#include "stack.h"
#include "string.h"

#define HASH_BITS	13

/* Go's table of stacks is dense; so is ours. */
#define IDS_MAX		65536

#define CELLS		8192	/* names in one block of the arena */
#define CELL_BLOCKS	1024

struct stack {
	struct stack *next;
	u32 id;
	u32 n;
	u32 frames[];		/* string ids, leaf first */
};

static struct {
	raw_spinlock_t lock;	/* any context but NMI; arena.lock nests inside */
	struct stack **hash;	/* 1 << HASH_BITS */
	struct stack **by_id;	/* IDS_MAX */
	u32 count;		/* ids given out, 1 to count */
	u32 *cells[CELL_BLOCKS];
	u32 names;		/* cells given out, 0 to names - 1 */
} stacks = { .lock = __RAW_SPIN_LOCK_UNLOCKED(stacks.lock) };

int gt_stack_init(void)
{
	memset(stacks.cells, 0, sizeof(stacks.cells));
	stacks.count = 0;
	stacks.names = 0;
	stacks.hash = vzalloc(sizeof(*stacks.hash) << HASH_BITS);
	stacks.by_id = vzalloc(sizeof(*stacks.by_id) * IDS_MAX);
	if (!stacks.hash || !stacks.by_id)
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
	vfree(stacks.hash);
	stacks.by_id = stacks.hash = NULL;
}

static u32 insert(struct stack **head, const u32 *frames, u32 n)
{
	u32 id = 0, i;
	struct stack *e;
	unsigned long flags;

	raw_spin_lock_irqsave(&stacks.lock, flags);
	for (e = *head; e; e = e->next) {
		if (e->n == n && !memcmp(e->frames, frames, n * sizeof(*frames))) {
			id = e->id;
			goto out;
		}
	}
	if (stacks.count >= IDS_MAX - 1)
		goto out;
	e = gt_arena_alloc(struct_size(e, frames, n));
	if (!e)
		goto out;
	e->n = n;
	for (i = 0; i < n; i++)
		e->frames[i] = frames[i];
	e->next = *head;
	id = e->id = ++stacks.count;
	stacks.by_id[id] = e;
	smp_store_release(head, e);	/* (A) */
out:
	raw_spin_unlock_irqrestore(&stacks.lock, flags);
	return id;
}

/**
 * gt_stack_put2() - the id of a stack, a new one if it is new
 * @leaf: string id of the leaf frame; 0 for a stack of the root alone
 * @root: string id of the root frame, the task's name; 0 when there is no task
 *
 * Return: the id; where there is no memory, that of the stack which only says
 * "?", for Go's viewers do not stand a region or a task without one.
 * Context: Any context but NMI. Run-queue and pi locks may be held.
 */
u32 gt_stack_put2(u32 leaf, u32 root)
{
	u32 frames[2] = { leaf, root }, id;
	u32 first = !leaf, n = 2 - first - (root == 0);
	struct stack **head = &stacks.hash[hash_64((u64)leaf << 32 | root, HASH_BITS)], *e;

	for (e = smp_load_acquire(head); e; e = e->next) {	/* (B) */
		if (e->n == n && e->frames[0] == frames[first] &&
		    (n == 1 || e->frames[1] == root))
			return e->id;
	}
	id = n ? insert(head, frames + first, n) : 0;
	return id ?: gt_name_stack(GT_NAME_UNKNOWN);
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
	const struct stack *e = stacks.by_id[id];

	return gt_put_stack(p, id, e->frames, e->n, GT_STR_UNKNOWN);
}

u8 *gt_name_dump(u8 *p, u32 name)
{
	u32 string = stacks.cells[name / CELLS][name % CELLS] ?: GT_STR_UNKNOWN;

	return gt_put_stack(p, gt_name_stack(name), &string, 1, GT_STR_UNKNOWN);
}
