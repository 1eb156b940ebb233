// SPDX-License-Identifier: GPL-2.0
/* Numbers for triples; see triples.h. */
#include "triples.h"

#include <stdlib.h>

#include "lib/array.h"

void triples_exit(struct triples *t)
{
	gt_map_exit(&t->by_hash);
	free(t->all);
}

static uint64_t hash(uint64_t a, uint64_t b, uint64_t c)
{
	const uint64_t odd = 0x9e3779b97f4a7c15u;

	return ((a * odd ^ b) * odd ^ c) * odd;
}

uint64_t triples_add(struct triples *t, uint64_t a, uint64_t b, uint64_t c,
		     bool *is_new)
{
	const struct triple *e;
	uint64_t *at;

	*is_new = false;
	/* Those with one hash have the keys that follow. */
	for (uint64_t key = hash(a, b, c);; key++) {
		at = gt_map_add(&t->by_hash, key);
		if (!at)
			return 0;
		if (!*at)
			break;
		e = &t->all[*at - 1];
		if (e->a == a && e->b == b && e->c == c)
			return *at;
	}
	if (!array_reserve(&t->all, t->n, &t->size, sizeof(*t->all)))
		return 0;
	t->all[t->n] = (struct triple){ a, b, c };
	*at = ++t->n;
	*is_new = true;
	return *at;
}
