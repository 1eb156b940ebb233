// SPDX-License-Identifier: LGPL-2.1 OR MIT
/* Lengths of time by their frequency; see histogram.h. */
#include "histogram.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

#define BITS	5		/* 1 << BITS buckets for a power of two */
#define HALF	(1u << BITS)

void gt_histogram_exit(struct gt_histogram *h)
{
	free(h->buckets);
	*h = (struct gt_histogram){ 0 };
}

/*
 * The upper BITS + 1 bits of a value, the first of which is 1, and by how many it
 * was shifted for that: HALF buckets for each shift, and HALF more for none.
 */
static uint32_t bucket_of(uint64_t value)
{
	unsigned int shift = 0;

	if (value >= 2 * HALF)
		shift = 63 - BITS - __builtin_clzll(value);
	return shift * HALF + (uint32_t)(value >> shift);
}

uint64_t gt_histogram_low(uint32_t at)
{
	unsigned int shift = at < 2 * HALF ? 0 : at / HALF - 1;

	return (uint64_t)(at - shift * HALF) << shift;
}

/* Where the bucket is, or would be. */
static size_t find(const struct gt_histogram *h, uint32_t at)
{
	size_t low = 0, high = h->used, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (h->buckets[mid].at < at)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static bool add(struct gt_histogram *h, uint32_t at, uint64_t n)
{
	size_t i = find(h, at);

	if (i == h->used || h->buckets[i].at != at) {
		if (!array_reserve_from(&h->buckets, h->used, &h->size,
					sizeof(*h->buckets), 4))
			return false;
		memmove(&h->buckets[i + 1], &h->buckets[i],
			(h->used - i) * sizeof(*h->buckets));
		h->buckets[i] = (struct gt_bucket){ .at = at };
		h->used++;
	}
	h->buckets[i].n += n;
	h->n += n;
	return true;
}

bool gt_histogram_add(struct gt_histogram *h, uint64_t value)
{
	if (!add(h, bucket_of(value), 1))
		return false;
	if (value > h->max)
		h->max = value;
	return true;
}

bool gt_histogram_merge(struct gt_histogram *h, const struct gt_histogram *of)
{
	for (size_t i = 0; i < of->used; i++)
		if (!add(h, of->buckets[i].at, of->buckets[i].n))
			return false;
	if (of->max > h->max)
		h->max = of->max;
	return true;
}

static uint64_t middle(const struct gt_histogram *h, uint32_t at)
{
	uint64_t low = gt_histogram_low(at);
	uint64_t mid = low + (gt_histogram_low(at + 1) - low - 1) / 2;

	return mid < h->max ? mid : h->max;
}

uint64_t gt_histogram_percentile(const struct gt_histogram *h, double percent)
{
	double share = (double)h->n * percent / 100;
	uint64_t wanted = share, seen = 0;

	wanted += (double)wanted < share;
	if (wanted >= h->n)
		return h->max;
	for (size_t i = 0; i < h->used; i++) {
		seen += h->buckets[i].n;
		if (seen >= wanted)
			return middle(h, h->buckets[i].at);
	}
	return h->max;
}
