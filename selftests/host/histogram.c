// SPDX-License-Identifier: GPL-2.0
/* The tools' histogram beside all values, sorted: percentiles, maximum, memory. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/histogram.h"

#define N 20000
#define BUCKETS (60 * 32)

static int points, failures;

static void check(const char *name, bool good)
{
	points++;
	failures += !good;
	printf("%sok %d - %s\n", good ? "" : "not ", points, name);
}

/* xorshift64* */
static uint64_t next(void)
{
	static uint64_t x = 88172645463325252u;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	return x * 2685821657736338717u;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* The worst relative error of 1000 percentiles, of n values as they come. */
static double worst(uint64_t *values, size_t n,
		    struct gt_histogram *h)
{
	double error = 0, e, p;
	uint64_t exact;

	for (size_t i = 0; i < n; i++)
		if (!gt_histogram_add(h, values[i]))
			return 1;
	qsort(values, n, sizeof(*values), compare);
	for (int i = 1; i <= 1000; i++) {
		p = i / 10.0;
		exact = values[(i * n + 999) / 1000 - 1];
		e = (double)gt_histogram_percentile(h, p) - (double)exact;
		if (e < 0)
			e = -e;
		if (exact)
			e /= (double)exact;
		if (e > error)
			error = e;
	}
	return error;
}

/* How many buckets two values are in. */
static size_t buckets(uint64_t a, uint64_t b)
{
	struct gt_histogram h = { 0 };
	size_t n;

	gt_histogram_add(&h, a);
	gt_histogram_add(&h, b);
	n = h.used;
	gt_histogram_exit(&h);
	return n;
}

static void check_buckets(void)
{
	bool good = true;
	uint64_t low, next_low;

	for (uint32_t at = 0; at + 1 < BUCKETS; at++) {
		low = gt_histogram_low(at);
		next_low = gt_histogram_low(at + 1);
		good = good && low < next_low && buckets(low, next_low - 1) == 1 &&
		       buckets(low, next_low) == 2;
	}
	check("buckets begin and end where it says", good);
	check("the last one ends with the greatest value",
	      buckets(gt_histogram_low(BUCKETS - 1), UINT64_MAX) == 1);
}

int main(void)
{
	static uint64_t values[N], all[2 * N];
	struct gt_histogram a = { 0 }, b = { 0 };

	check_buckets();
	check("empty: 0", gt_histogram_percentile(&a, 50) == 0);

	for (int i = 0; i < N; i++)
		all[i] = values[i] = next() >> (next() % 64);
	check("any values: within 1/64", worst(values, N, &a) <= 1 / 64.0);
	check("100 % is the greatest", gt_histogram_percentile(&a, 100) == values[N - 1] &&
	      a.max == values[N - 1] && a.n == N);
	check("memory is for buckets, not for values", a.used <= BUCKETS && a.size <= 2 * BUCKETS);

	for (int i = 0; i < N; i++)
		all[N + i] = values[i] = next() % 64;
	check("small values: exact", worst(values, N, &b) == 0);

	gt_histogram_merge(&a, &b);
	gt_histogram_exit(&b);
	check("two in one", worst(all, 2 * N, &b) <= 1 / 64.0 && b.used == a.used && a.n == b.n &&
	      gt_histogram_percentile(&a, 37) == gt_histogram_percentile(&b, 37));
	gt_histogram_exit(&a);
	gt_histogram_exit(&b);
	printf("1..%d\n", points);
	return failures > 0;
}
