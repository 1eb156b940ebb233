// SPDX-License-Identifier: GPL-2.0
/*
 * The stack table: lookups take no lock, inserts a raw spinlock; records lie
 * in the session's arena and stay until it ends.
 */
#include <linux/atomic.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/spinlock.h>
#include <linux/vmalloc.h>
#include "arena.h"
#include "cpu.h"
#include "encode.h"
#include "frame.h"
#include "ids.h"
#include "stack.h"
#include "string.h"

#define CELLS		4096	/* names in one block of the arena */
#define CELL_BLOCKS	2048

/* Keys of stacks that are more than two strings. */
#define KEY_HASHED	(1ULL << 63)

struct gt_stack **gt_stack_hash;

/* The stack that is always there; its record is that of the unknown name. */
static const struct gt_stack unknown = { .id = GT_STACK_NAMES + GT_NAME_UNKNOWN };

struct cell {
	u32 name;	/* string */
	u32 process;	/* tgid */
};
static_assert(CELLS * sizeof(struct cell) <= GT_ARENA_ALLOC_MAX);

static struct {
	raw_spinlock_t lock;	/* any context but NMI; arena.lock nests inside */
	struct gt_ids ids;
	struct cell *cells[CELL_BLOCKS];
	u32 names;		/* cells given out, 0 to names - 1 */
	atomic64_t lost;	/* stacks and names that had no memory */
} stacks = { .lock = __RAW_SPIN_LOCK_UNLOCKED(stacks.lock) };

int gt_stack_init(void)
{
	gt_ids_init(&stacks.ids);
	memset(stacks.cells, 0, sizeof(stacks.cells));
	stacks.names = 0;
	atomic64_set(&stacks.lost, 0);
	gt_stack_hash = vzalloc(sizeof(*gt_stack_hash) << GT_STACK_HASH_BITS);
	if (!gt_stack_hash)
		return -ENOMEM;
	/* The first cell is GT_NAME_UNKNOWN; without it, the arena is empty. */
	gt_name_create(0);
	if (stacks.names)
		return 0;
	gt_stack_destroy();
	return -ENOMEM;
}

void gt_stack_destroy(void)
{
	vfree(gt_stack_hash);
	gt_stack_hash = NULL;
	stacks.ids.count = 0;
	stacks.names = 0;
}

/* Two strings need no look at the frames: no other stack has their key. */
static __always_inline struct gt_stack *find(struct gt_stack *e, u64 key, const u64 *frames, u32 n)
{
	for (; e; e = e->next) {
		if (e->key != key)
			continue;
		if (!(key & KEY_HASHED) || (e->n == n && !memcmp(e->frames, frames, n * sizeof(u64))))
			return e;
	}
	return NULL;
}

static const struct gt_stack *insert(u64 key, const u64 *frames, u32 n)
{
	struct gt_stack **head = gt_stack_bucket(key), *e;
	const struct gt_stack *found = &unknown;
	unsigned long flags;

	raw_spin_lock_irqsave(&stacks.lock, flags);
	e = find(*head, key, frames, n);
	if (e) {
		found = e;
		goto out;
	}
	/* One that is to go on for long has room for tasks, if not for all their stacks. */
	if (!gt_options.overwrite || !gt_arena_is_scarce())
		e = gt_arena_alloc(struct_size(e, frames, n));
	if (e)
		e->id = gt_ids_add_locked(&stacks.ids, e);
	if (!e || !e->id) {
		atomic64_inc(&stacks.lost);
		goto out;
	}
	e->key = key;
	e->n = n;
	memcpy(e->frames, frames, n * sizeof(u64));
	e->next = *head;
	smp_store_release(head, e);	/* (A) publish; pairs with (B) */
	found = e;
out:
	raw_spin_unlock_irqrestore(&stacks.lock, flags);
	return found;
}

/* gt_stack_put2() when the bucket's first is another: found further on, or new. */
const struct gt_stack *gt_stack_insert2(u32 leaf, u32 root)
{
	u64 key = gt_stack_key2(leaf, root), frames[2] = { leaf ?: root, root };
	u32 n = !!leaf + !!root;
	struct gt_stack *e;

	if (!n)
		return &unknown;
	e = find(smp_load_acquire(gt_stack_bucket(key)), key, frames, n);	/* (B) */
	return e ?: insert(key, frames, n);
}

static __always_inline u64 hash_frames(const u64 *frames, u32 n)
{
	u64 h = n;
	u32 i;

	for (i = 0; i < n; i++)
		h = (h ^ frames[i]) * GOLDEN_RATIO_64;
	return h | KEY_HASHED;
}

/**
 * gt_stack_put() - a stack, a new one if it is new
 * @frames: leaf first
 * @n: how many, 1 to GT_STACK_FRAMES_MAX
 *
 * Return: the stack; the one which only says "?" where there is no memory.
 * Context: Any context but NMI. Run-queue and pi locks may be held.
 */
const struct gt_stack *gt_stack_put(const u64 *frames, u32 n)
{
	u64 key = hash_frames(frames, n);
	struct gt_stack *e;

	e = find(smp_load_acquire(gt_stack_bucket(key)), key, frames, n);	/* (B) */
	return e ?: insert(key, frames, n);
}

static struct cell *cell(u32 name)
{
	return &stacks.cells[name / CELLS][name % CELLS];
}

/**
 * gt_name_create() - a cell for the name of a task to be
 * @process: its tgid
 *
 * Return: the cell; GT_NAME_UNKNOWN when there is no memory.
 * Context: Any context but NMI.
 */
u32 gt_name_create(u32 process)
{
	u32 name = GT_NAME_UNKNOWN;
	struct cell **cells;
	unsigned long flags;

	raw_spin_lock_irqsave(&stacks.lock, flags);
	if (stacks.names >= CELLS * CELL_BLOCKS)
		goto out;
	cells = &stacks.cells[stacks.names / CELLS];
	if (!*cells)
		*cells = gt_arena_alloc(CELLS * sizeof(**cells));
	if (*cells) {
		name = stacks.names++;
		cell(name)->process = process;
	}
out:
	raw_spin_unlock_irqrestore(&stacks.lock, flags);
	if (name == GT_NAME_UNKNOWN && stacks.names > 1)
		atomic64_inc(&stacks.lost);
	return name;
}

/* A cell that nobody finds any more is another task's. Any context but NMI. */
void gt_name_reuse(u32 name, u32 process)
{
	WRITE_ONCE(cell(name)->name, 0);
	WRITE_ONCE(cell(name)->process, process);
}

/* The name is final, or may be. Any context but NMI. */
void gt_name_set(u32 name, u32 string)
{
	if (name != GT_NAME_UNKNOWN)
		WRITE_ONCE(cell(name)->name, string);
}

/* All of them are filled in. */
u32 gt_stack_count(void)
{
	unsigned long flags;
	u32 n;

	raw_spin_lock_irqsave(&stacks.lock, flags);
	n = stacks.ids.count;
	raw_spin_unlock_irqrestore(&stacks.lock, flags);
	return n;
}

u32 gt_name_count(void)
{
	return READ_ONCE(stacks.names);
}

u64 gt_stack_lost(void)
{
	return atomic64_read(&stacks.lost);
}

/* By its id, while stacks are added; NULL for one that only says "?". */
const struct gt_stack *gt_stack_get(u32 id)
{
	const struct gt_stack *e = NULL;

	raw_spin_lock_irq(&stacks.lock);	/* it is counted before it is filled in */
	if (id && id <= stacks.ids.count)
		e = gt_ids_get(&stacks.ids, id);
	raw_spin_unlock_irq(&stacks.lock);
	return e;
}

/*
 * Write the record of one stack, ids 1 to gt_stack_count(), or of one name, 0
 * to gt_name_count() - 1. After STOP, or for what is there from the start;
 * process context, one at a time. The caller reserved what gt_put_stack() asks
 * for.
 */
u8 *gt_stack_dump(u8 *p, u32 id)
{
	static struct gt_put_frame out[GT_STACK_FRAMES_MAX];	/* reader's */
	const struct gt_stack *e = gt_ids_get(&stacks.ids, id);
	u32 n = gt_frame_resolve(out, e->frames, e->n);
	u8 *end;

	/* Too many bytes for Go: frames go from the middle, the root is kept. */
	while (!(end = gt_put_stack(p, id, out, n))) {
		out[n - 2] = out[n - 1];
		n--;
	}
	return end;
}

u8 *gt_name_dump(u8 *p, u32 name)
{
	const u32 string = cell(name)->name;
	struct gt_put_frame frame = gt_frame_of_string(string ?: GT_STR_UNKNOWN);

	/* Of a task that is not in the trace. */
	if (!string && name != GT_NAME_UNKNOWN)
		return p;
	return gt_put_stack(p, gt_name_stack(name), &frame, 1);
}

/* The string that says of which process the task is. As above. */
u8 *gt_name_dump_process(u8 *p, u32 name)
{
	char tgid[12];

	if (name == GT_NAME_UNKNOWN || !cell(name)->name)
		return p;
	return gt_put_string(p, GT_STR_PROCESSES + name, tgid,
			     scnprintf(tgid, sizeof(tgid), "%u", cell(name)->process));
}
