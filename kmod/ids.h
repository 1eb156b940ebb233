/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What was given a dense id, by id: blocks in the session's arena, made as ids
 * are given out. Ids start at 1; 0 is nobody's.
 */
#ifndef GT_IDS_H
#define GT_IDS_H

#include <linux/compiler.h>
#include <linux/string.h>
#include <linux/types.h>
#include "arena.h"

#define GT_IDS_BLOCK	2048
#define GT_IDS_BLOCKS	512
#define GT_IDS_MAX	(GT_IDS_BLOCK * GT_IDS_BLOCKS - 1)
static_assert(GT_IDS_BLOCK * sizeof(void *) <= GT_ARENA_ALLOC_MAX);

struct gt_ids {
	u32 count;		/* given out, 1 to count */
	void **blocks[GT_IDS_BLOCKS];
};

static inline void gt_ids_init(struct gt_ids *ids)
{
	memset(ids, 0, sizeof(*ids));
}

/* The next id, for @p; 0 without memory. Under the owner's lock. */
static inline u32 gt_ids_add_locked(struct gt_ids *ids, void *p)
{
	u32 id = ids->count + 1;
	void ***block;

	if (id > GT_IDS_MAX)
		return 0;
	block = &ids->blocks[id / GT_IDS_BLOCK];
	if (!*block)
		*block = gt_arena_alloc(GT_IDS_BLOCK * sizeof(void *));
	if (!*block)
		return 0;
	(*block)[id % GT_IDS_BLOCK] = p;
	WRITE_ONCE(ids->count, id);
	return id;
}

/* 1 to count. */
static inline void *gt_ids_get(const struct gt_ids *ids, u32 id)
{
	return ids->blocks[id / GT_IDS_BLOCK][id % GT_IDS_BLOCK];
}

#endif /* GT_IDS_H */
