// SPDX-License-Identifier: GPL-2.0
/*
 * A region allocator: a block is cut from its start to its end, nothing is
 * given back before the session ends. Blocks come zeroed, so that what is
 * given out is zeroed too.
 */
#include <linux/cache.h>
#include <linux/errno.h>
#include <linux/gfp.h>
#include <linux/spinlock.h>
#include <linux/vmalloc.h>
#include "arena.h"
#include "kick.h"

#define BLOCK_SIZE	65536

/* Blocks that must be there beforehand: a storm of forks takes one in some
 * milliseconds, the worker comes in about one.
 */
#define SPARE_WANTED	4

struct block {
	struct block *next;
	u8 data[] ____cacheline_aligned;
};

static struct {
	raw_spinlock_t lock;	/* innermost; any context but NMI */
	u8 *pos, *end;		/* the rest of the block in use */
	struct block *used;	/* in use and used up */
	struct block *spare;
	u32 nr_spare;
	u64 bytes;		/* all blocks */
	u64 limit;
} arena = { .lock = __RAW_SPIN_LOCK_UNLOCKED(arena.lock) };

int gt_arena_init(u64 limit)
{
	arena.limit = limit;
	return gt_arena_refill(SPARE_WANTED * BLOCK_SIZE);
}

static void free_blocks(struct block *b)
{
	while (b) {
		struct block *next = b->next;

		vfree(b);
		b = next;
	}
}

/* No probe runs any more. */
void gt_arena_destroy(void)
{
	free_blocks(arena.used);
	free_blocks(arena.spare);
	arena.used = arena.spare = NULL;
	arena.pos = arena.end = NULL;
	arena.nr_spare = 0;
	arena.bytes = 0;
	arena.limit = 0;	/* a late kick finds nothing to do */
}

/* Process context; the worker and who starts a session may do it at once. */
static bool charge(s64 bytes)
{
	bool may;

	raw_spin_lock_irq(&arena.lock);
	may = arena.bytes + bytes <= arena.limit;
	if (may)
		arena.bytes += bytes;
	raw_spin_unlock_irq(&arena.lock);
	return may;
}

/**
 * gt_arena_refill() - have blocks ready
 * @bytes: how much at least, in all; 0 for what a worker keeps there
 *
 * Return: 0, -ENOSPC at the session's limit, -ENOMEM.
 * Context: Process context. May sleep.
 */
int gt_arena_refill(size_t bytes)
{
	/* A tail too short for what is asked next is lost, hence one more. */
	u32 wanted = max_t(u32, SPARE_WANTED, bytes / (BLOCK_SIZE - sizeof(struct block)) + 1);

	while (READ_ONCE(arena.nr_spare) < wanted) {
		struct block *b;

		if (!charge(BLOCK_SIZE))
			return -ENOSPC;
		/* When there is none, it is counted, or START says so. */
		b = __vmalloc(BLOCK_SIZE, GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN);
		if (!b) {
			charge(-BLOCK_SIZE);
			return -ENOMEM;
		}
		raw_spin_lock_irq(&arena.lock);
		b->next = arena.spare;
		arena.spare = b;
		arena.nr_spare++;
		raw_spin_unlock_irq(&arena.lock);
	}
	return 0;
}

/**
 * gt_arena_alloc() - zeroed memory until the session ends
 * @size: bytes, at most GT_ARENA_ALLOC_MAX; rounded up to 8, and aligned to a
 *        cache line from 64 on
 *
 * Return: the memory, or NULL when no block is there; a worker brings more.
 * Context: Any context but NMI.
 */
void *gt_arena_alloc(size_t size)
{
	size_t align = size >= SMP_CACHE_BYTES ? SMP_CACHE_BYTES : 8;
	unsigned long flags;
	u8 *p;

	if (size > GT_ARENA_ALLOC_MAX)
		return NULL;
	size = ALIGN(size, 8);
	raw_spin_lock_irqsave(&arena.lock, flags);
	p = PTR_ALIGN(arena.pos, align);
	if (!p || p + size > arena.end) {
		struct block *b = arena.spare;

		p = NULL;
		if (!b)
			goto out;
		arena.spare = b->next;
		arena.nr_spare--;
		b->next = arena.used;
		arena.used = b;
		arena.end = (u8 *)b + BLOCK_SIZE;
		p = b->data;
	}
	arena.pos = p + size;
out:
	raw_spin_unlock_irqrestore(&arena.lock, flags);
	if (gt_arena_is_low())
		gt_kick();
	return p;
}

/* A worker should come and refill. */
bool gt_arena_is_low(void)
{
	return READ_ONCE(arena.nr_spare) < SPARE_WANTED &&
	       READ_ONCE(arena.bytes) + BLOCK_SIZE <= arena.limit;
}

u64 gt_arena_bytes(void)
{
	return READ_ONCE(arena.bytes);
}

/* The last quarter is in use, or about to be. */
bool gt_arena_is_scarce(void)
{
	return READ_ONCE(arena.bytes) > arena.limit - arena.limit / 4;
}
