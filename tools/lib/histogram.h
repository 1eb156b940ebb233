/* SPDX-License-Identifier: LGPL-2.1 OR MIT */
/*
 * How often which lengths of time came, for percentiles of any number of them in
 * bounded memory.
 *
 * Log-linear: every power of two is cut into 32 buckets of the same width, and
 * what is below 64 is exact. A percentile is the middle of its bucket, so it is
 * wrong by at most 1/64 (1.6 %), and never more than the greatest value. Only
 * buckets that were hit take memory: 16 bytes each, 60 * 32 of them at most.
 */
#ifndef GT_HISTOGRAM_H
#define GT_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gt_bucket {
	uint64_t n;
	uint32_t at;		/* gt_histogram_low() of it is its least value */
};

/* All zero is empty. */
struct gt_histogram {
	uint64_t n;
	uint64_t max;		/* exact */
	struct gt_bucket *buckets;	/* in their order */
	size_t used, size;
};

void gt_histogram_exit(struct gt_histogram *h);

/* False without memory. */
bool gt_histogram_add(struct gt_histogram *h, uint64_t value);
/* All of another's. */
bool gt_histogram_merge(struct gt_histogram *h, const struct gt_histogram *of);

/*
 * The least value that at least percent of all are not above; 0 if there is
 * none. 100 is the greatest, exactly.
 */
uint64_t gt_histogram_percentile(const struct gt_histogram *h, double percent);

/* The least value of a bucket; the next one's is where it ends. */
uint64_t gt_histogram_low(uint32_t at);

#endif
