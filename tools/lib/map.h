/* SPDX-License-Identifier: LGPL-2.1 OR MIT */
/*
 * A hash table from 64-bit numbers to 64-bit numbers, for ids that a trace
 * chose: any number may come, so none may be used as an index. Nothing is ever
 * taken out.
 */
#ifndef GT_MAP_H
#define GT_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gt_map_entry {
	uint64_t key;
	uint64_t value;
	bool used;
};

/* All zero is an empty map. */
struct gt_map {
	struct gt_map_entry *entries;	/* size of them, a power of two, or none */
	size_t size;
	size_t used;
};

void gt_map_exit(struct gt_map *map);

/* The value, or NULL; valid until the next gt_map_add(). */
uint64_t *gt_map_find(const struct gt_map *map, uint64_t key);

/* The value, 0 if it was not there; NULL without memory. Valid likewise. */
uint64_t *gt_map_add(struct gt_map *map, uint64_t key);

#endif
