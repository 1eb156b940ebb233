/* SPDX-License-Identifier: GPL-2.0 */
/* Numbers for triples of numbers, from 1 on in the order in which they come. */
#ifndef TRIPLES_H
#define TRIPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/map.h"

/* All zero is empty. */
struct triples {
	struct gt_map by_hash;
	struct triple {
		uint64_t a, b, c;
	} *all;
	size_t n, size;
};

void triples_exit(struct triples *t);

/*
 * The triple's number; is_new: it had none before. Return: 0 without memory.
 */
uint64_t triples_add(struct triples *t, uint64_t a, uint64_t b, uint64_t c,
		     bool *is_new);

#endif
