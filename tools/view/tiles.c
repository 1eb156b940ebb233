// SPDX-License-Identifier: GPL-2.0
/* Levels of detail; see tiles.h. */
#include "view/tiles.h"

#include "lib/intervals.h"

struct pen {
	const struct view_store *s;
	uint32_t track;
	int64_t bucket;		/* ns */
	struct view_seg *segs;
	unsigned int n;
};

static int64_t length(const struct view_rec *r)
{
	return r->end - r->start;
}

static struct view_seg of_record(const struct view_rec *r, uint32_t i)
{
	struct view_seg seg = {
		.start = r->start, .end = r->end, .index = i, .who = r->g,
		.by = r->kind == GT_IV_RUNNABLE ? r->by : r->name, .n = 1,
		.kind = r->kind, .why = r->why, .flags = r->flags,
		.cpu = r->p < 255 ? r->p : 255,
	};

	seg.shares[view_class(r->kind)] = 255;
	return seg;
}

static void put_record(struct pen *pen, const struct view_rec *r, uint32_t i)
{
	pen->segs[pen->n++] = of_record(r, i);
}

/* Which one is shown for many: rather who does something than who does not. */
static uint32_t pick(const struct view_sum *sum)
{
	for (size_t c = 0; c < VIEW_CLASSES; c++)
		if (sum->longest[c] && sum->ns[c])
			return sum->longest[c] - 1;
	for (size_t c = 0; c < VIEW_CLASSES; c++)
		if (sum->longest[c])
			return sum->longest[c] - 1;
	return 0;
}

/* Return: to where it is told. */
static int64_t put_many(struct pen *pen, int64_t from, int64_t to)
{
	const struct view_rec *r;
	struct view_sum sum;
	struct view_seg seg;
	uint32_t i;

	view_store_sum(pen->s, pen->track, from, to, &sum);
	if (!sum.n)
		return to;
	i = pick(&sum);
	r = view_store_rec(pen->s, pen->track, i);
	if (sum.n == 1 && r->start >= from) {
		put_record(pen, r, i);
		return r->end > to ? r->end : to;
	}
	seg = of_record(r, i);
	seg.start = from;
	seg.end = to;
	seg.n = sum.n;
	if (sum.n == 1)
		seg.flags |= VIEW_CUT;
	for (size_t c = 0; c < VIEW_CLASSES; c++)
		seg.shares[c] = 255.0 * sum.ns[c] / (to - from) + 0.5;
	pen->segs[pen->n++] = seg;
	return to;
}

/* Where the bucket ends, or the long record begins that is the last to begin in it. */
static int64_t find_stop(const struct pen *pen, int64_t at)
{
	int64_t stop = at / pen->bucket * pen->bucket + pen->bucket;
	uint32_t i = view_store_find(pen->s, pen->track, stop);
	const struct view_rec *r;

	if (i == pen->s->tracks[pen->track].n)
		return stop;
	r = view_store_rec(pen->s, pen->track, i);
	return r->start > at && r->start < stop &&
	       length(r) >= 2 * pen->bucket ? r->start : stop;
}

unsigned int view_tile(const struct view_store *s, uint32_t track,
		       unsigned int level, uint64_t n, struct view_seg *segs)
{
	int64_t bucket = (int64_t)1 << level;
	int64_t at = n * VIEW_BUCKETS * bucket;
	int64_t end = at + VIEW_BUCKETS * bucket;
	struct pen pen = { s, track, bucket, segs, 0 };
	const struct view_rec *r;
	uint32_t i;

	while (at < end) {
		i = view_store_find(s, track, at);
		if (i == s->tracks[track].n)
			break;
		r = view_store_rec(s, track, i);
		if (r->start >= end)
			break;
		/* What it hides of its first bucket is told already. */
		if (length(r) >= 2 * bucket) {
			put_record(&pen, r, i);
			at = r->end;
			continue;
		}
		/* Where nothing is nothing is told. */
		if (at < r->start / bucket * bucket)
			at = r->start / bucket * bucket;
		at = put_many(&pen, at, find_stop(&pen, at));
	}
	return pen.n;
}
