// SPDX-License-Identifier: GPL-2.0
/*
 * The dictionary: a hash of records in the session's arena. Ids are dense from
 * 1, which keeps them short in the trace; an index by id serves the dump after
 * STOP. Nothing leaves it before the session ends, so lookups take no lock.
 */
#include <linux/errno.h>
#include <linux/jhash.h>
#include <linux/spinlock.h>
#include <linux/vmalloc.h>
#include <asm/barrier.h>
#include "arena.h"
#include "ids.h"
#include "string.h"

#define HASH_BITS	14

struct string {
	struct string *next;
	u32 id;
	u32 hash;
	u32 len;
	char s[];
};

static struct {
	raw_spinlock_t lock;	/* any context but NMI; arena.lock nests inside */
	struct string **hash;	/* 1 << HASH_BITS */
	struct gt_ids ids;
} strings = { .lock = __RAW_SPIN_LOCK_UNLOCKED(strings.lock) };

static struct string **bucket(u32 hash)
{
	return &strings.hash[hash & ((1 << HASH_BITS) - 1)];
}

int gt_string_init(void)
{
	gt_ids_init(&strings.ids);
	strings.hash = vzalloc(sizeof(*strings.hash) << HASH_BITS);
	if (!strings.hash)
		return -ENOMEM;
	if (gt_string_put("?", 1) != GT_STR_UNKNOWN ||
	    gt_string_put("gotrace", 7) != GT_STR_GOTRACE ||
	    gt_string_put("irq", 3) != GT_STR_IRQ)
		goto err;
	return 0;
err:
	gt_string_destroy();
	return -ENOMEM;
}

void gt_string_destroy(void)
{
	vfree(strings.hash);
	strings.hash = NULL;
	strings.ids.count = 0;
}

static struct string *find(const char *s, u32 len, u32 hash)
{
	/* (B) see all of the record; pairs with (A). */
	struct string *e = smp_load_acquire(bucket(hash));

	while (e && (e->hash != hash || e->len != len || memcmp(e->s, s, len)))
		e = e->next;
	return e;
}

/* The id of a string that is there, 0 of one that is not. Any context but NMI. */
u32 gt_string_find(const char *s, u32 len)
{
	const struct string *e = find(s, len, jhash(s, len, 0));

	return e ? e->id : 0;
}

/* What a new string takes of the arena, with its place in the index. */
u32 gt_string_cost(u32 len)
{
	return ALIGN(sizeof(struct string) + len, 8) + sizeof(void *);
}

/**
 * gt_string_put() - the id of a string, a new one if it is new
 * @s:   its bytes, any bytes
 * @len: how many, 0 to GT_STRING_MAX
 *
 * Return: the id; GT_STR_UNKNOWN for the empty string and when there is no
 * memory or no id left.
 * Context: Any context but NMI. Run-queue and pi locks may be held.
 */
u32 gt_string_put(const char *s, u32 len)
{
	u32 h = jhash(s, len, 0), id = GT_STR_UNKNOWN;
	struct string *e;
	unsigned long flags;

	if (!len || len > GT_STRING_MAX)
		return id;
	e = find(s, len, h);
	if (e)
		return e->id;
	raw_spin_lock_irqsave(&strings.lock, flags);
	e = find(s, len, h);
	if (e) {
		id = e->id;
		goto out;
	}
	e = gt_arena_alloc(sizeof(*e) + len);
	if (!e)
		goto out;
	e->id = gt_ids_add_locked(&strings.ids, e);
	if (!e->id)
		goto out;
	e->hash = h;
	e->len = len;
	memcpy(e->s, s, len);
	e->next = *bucket(h);
	smp_store_release(bucket(h), e);	/* (A) publish; pairs with (B) */
	id = e->id;
out:
	raw_spin_unlock_irqrestore(&strings.lock, flags);
	return id;
}

/* All of them are filled in. */
u32 gt_string_count(void)
{
	unsigned long flags;
	u32 n;

	raw_spin_lock_irqsave(&strings.lock, flags);
	n = strings.ids.count;
	raw_spin_unlock_irqrestore(&strings.lock, flags);
	return n;
}

/* Ids 1 to gt_string_count(); after STOP, or for the fixed ones. */
const char *gt_string_get(u32 id, u32 *len)
{
	const struct string *e = gt_ids_get(&strings.ids, id);

	*len = e->len;
	return e->s;
}
