// SPDX-License-Identifier: LGPL-2.1 OR MIT
/* Open addressing, linear probing, at most three quarters full; see map.h. */
#include "map.h"

#include <stdlib.h>

#define FIRST_SIZE 64

/* splitmix64's finisher: every bit of the key moves every bit of the hash. */
static uint64_t hash(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9u;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

/* The key's entry, or the free one where it would be. The map is not full. */
static struct gt_map_entry *slot(const struct gt_map *map, uint64_t key)
{
	size_t i = hash(key) & (map->size - 1);

	while (map->entries[i].used && map->entries[i].key != key)
		i = (i + 1) & (map->size - 1);
	return &map->entries[i];
}

static bool grow(struct gt_map *map)
{
	struct gt_map bigger = { .used = map->used };

	bigger.size = map->size ? map->size * 2 : FIRST_SIZE;
	bigger.entries = calloc(bigger.size, sizeof(*bigger.entries));
	if (!bigger.entries)
		return false;
	for (size_t i = 0; i < map->size; i++)
		if (map->entries[i].used)
			*slot(&bigger, map->entries[i].key) = map->entries[i];
	free(map->entries);
	*map = bigger;
	return true;
}

void gt_map_exit(struct gt_map *map)
{
	free(map->entries);
	*map = (struct gt_map){ 0 };
}

uint64_t *gt_map_find(const struct gt_map *map, uint64_t key)
{
	struct gt_map_entry *e;

	if (!map->used)
		return NULL;
	e = slot(map, key);
	return e->used ? &e->value : NULL;
}

uint64_t *gt_map_add(struct gt_map *map, uint64_t key)
{
	struct gt_map_entry *e;

	if (map->used + map->used / 3 >= map->size && !grow(map))
		return NULL;
	e = slot(map, key);
	if (!e->used) {
		e->used = true;
		e->key = key;
		map->used++;
	}
	return &e->value;
}
