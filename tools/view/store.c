// SPDX-License-Identifier: GPL-2.0
/* Records in tracks; see store.h. */
#include "view/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/intervals.h"

/* The first blocks are smaller: many tasks do little. */
#define BLOCK	64u
#define FIRST	4u
#define SECOND	16u

/* How much the file grows at once. */
#define STEP	(16u << 20)

int view_store_init(struct view_store *s)
{
	const char *dir = getenv("TMPDIR");

	memset(s, 0, sizeof(*s));
	if (!dir || !*dir)
		dir = "/var/tmp";
	s->fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	return s->fd < 0 ? -errno : 0;
}

void view_store_exit(struct view_store *s)
{
	if (s->recs)
		munmap(s->recs, s->bytes);
	if (s->fd >= 0)
		close(s->fd);
	for (size_t i = 0; i < s->n_tracks; i++)
		free(s->tracks[i].blocks);
	free(s->tracks);
	memset(s, 0, sizeof(*s));
	s->fd = -1;
}

uint32_t view_store_track(struct view_store *s)
{
	if (s->n_tracks >= UINT32_MAX - 1 ||
	    !array_reserve(&s->tracks, s->n_tracks, &s->size_tracks,
			   sizeof(*s->tracks)))
		return 0;
	s->tracks[s->n_tracks++] = (struct view_track){ 0 };
	return s->n_tracks;
}

/* ---- Where records are ---- */

static uint32_t block_size(uint32_t b)
{
	return b == 0 ? FIRST : b == 1 ? SECOND : BLOCK;
}

/* Of its track's records, the first in block b. */
static uint32_t block_first(uint32_t b)
{
	return b == 0 ? 0 : b == 1 ? FIRST : FIRST + SECOND + (b - 2) * BLOCK;
}

static uint32_t block_of(uint32_t i)
{
	return i < FIRST ? 0 : i < FIRST + SECOND ? 1 :
		2 + (i - FIRST - SECOND) / BLOCK;
}

struct view_rec *view_store_rec(const struct view_store *s, uint32_t track,
				uint32_t i)
{
	uint32_t b = block_of(i);

	return &s->recs[s->tracks[track].blocks[b].at + i - block_first(b)];
}

/* ---- Growing ---- */

/* Space is taken before it is used, so that a full disk is an error and no signal. */
static int grow(struct view_store *s)
{
	uint64_t bytes = s->bytes + (s->bytes > 8 * STEP ? 8 * STEP : STEP);
	int err = posix_fallocate(s->fd, s->bytes, bytes - s->bytes);
	void *p;

	if (err)
		return -err;
	p = s->recs ? mremap(s->recs, s->bytes, bytes, MREMAP_MAYMOVE) :
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
	if (p == MAP_FAILED)
		return -errno;
	s->recs = p;
	s->bytes = bytes;
	return 0;
}

static int add_block(struct view_store *s, struct view_track *t, int64_t start)
{
	uint32_t size = block_size(t->n_blocks);
	struct view_block *b;
	int err;

	if (!array_reserve_from(&t->blocks, t->n_blocks, &t->size_blocks,
				sizeof(*t->blocks), 1))
		return -ENOMEM;
	if ((s->used + size) * sizeof(struct view_rec) > s->bytes) {
		err = grow(s);
		if (err)
			return err;
	}
	b = &t->blocks[t->n_blocks++];
	*b = (struct view_block){ .at = s->used, .start = start };
	memcpy(b->before, t->ns, sizeof(b->before));
	s->used += size;
	return 0;
}

enum view_class view_class(unsigned int kind)
{
	switch (kind) {
	case GT_IV_RUNNABLE:
		return VIEW_RUNNABLE;
	case GT_IV_ASLEEP:
	case GT_IV_IDLE:
		return VIEW_ASLEEP;
	case GT_IV_UNTRACED:
	case GT_IV_STOPPED:
		return VIEW_UNTRACED;
	default:
		return VIEW_RUNNING;
	}
}

static int64_t length(const struct view_rec *r)
{
	return r->end - r->start;
}

/* Record i is a longer one of its class than what its block knew. */
static void note_longest(const struct view_store *s, uint32_t track,
			 struct view_block *b, uint32_t first, uint32_t i,
			 const struct view_rec *r)
{
	uint32_t *at = &b->longest[view_class(r->kind)];

	if (!*at || length(r) > length(view_store_rec(s, track, first + *at - 1)))
		*at = i - first + 1;
}

int view_store_append(struct view_store *s, uint32_t track,
		      const struct view_rec *rec)
{
	struct view_track *t = &s->tracks[track];
	struct view_rec *r;
	uint32_t b;
	int err;

	if (t->n == UINT32_MAX)
		return -EFBIG;
	b = block_of(t->n);
	if (b == t->n_blocks) {
		err = add_block(s, t, rec->start > t->end ? rec->start : t->end);
		if (err)
			return err;
	}
	r = view_store_rec(s, track, t->n);
	*r = *rec;
	if (r->start < t->end) {
		r->start = t->end;
		r->flags |= VIEW_SINCE_BEFORE;
		if (r->end < r->start)
			r->end = r->start;
	}
	t->end = r->end;
	t->ns[view_class(r->kind)] += length(r);
	note_longest(s, track, &t->blocks[b], block_first(b), t->n, r);
	t->n++;
	s->n++;
	return 0;
}

void view_store_pop(struct view_store *s, uint32_t track)
{
	/* Its place is taken by the next one, also as its block's longest. */
	s->tracks[track].n--;
	s->n--;
}

/* ---- Finding ---- */

/* The last block that begins at or before the time; 0 if none does. */
static uint32_t find_block(const struct view_track *t, int64_t time)
{
	uint32_t low = 0, high = t->n_blocks, mid;

	while (high - low > 1) {
		mid = low + (high - low) / 2;
		if (t->blocks[mid].start <= time)
			low = mid;
		else
			high = mid;
	}
	return low;
}

uint32_t view_store_find(const struct view_store *s, uint32_t track,
			 int64_t time)
{
	const struct view_track *t = &s->tracks[track];
	uint32_t low, high, mid;

	if (!t->n || t->end <= time)
		return t->n;
	mid = find_block(t, time);
	low = block_first(mid);
	/* It may end within the block, and the next one begin later. */
	high = mid + 1 < t->n_blocks ? block_first(mid + 1) : t->n - 1;
	while (low < high) {
		mid = low + (high - low) / 2;
		if (view_store_rec(s, track, mid)->end > time)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

/* ---- Sums ---- */

static int64_t clip(const struct view_rec *r, int64_t from, int64_t to)
{
	int64_t start = r->start < from ? from : r->start;
	int64_t end = r->end > to ? to : r->end;

	return end > start ? end - start : 0;
}

static void sum_records(const struct view_store *s, uint32_t track, uint32_t i,
			uint32_t end, int64_t from, int64_t to,
			struct view_sum *sum, int64_t *best)
{
	for (; i < end; i++) {
		const struct view_rec *r = view_store_rec(s, track, i);
		enum view_class c = view_class(r->kind);
		int64_t ns = clip(r, from, to);

		sum->ns[c] += ns;
		if (!sum->longest[c] || ns > best[c]) {
			sum->longest[c] = i + 1;
			best[c] = ns;
		}
	}
}

static void sum_blocks(const struct view_store *s, uint32_t track, uint32_t b,
		       uint32_t end, struct view_sum *sum, int64_t *best)
{
	const struct view_block *blocks = s->tracks[track].blocks;

	for (size_t c = 0; c < VIEW_CLASSES; c++)
		sum->ns[c] += blocks[end].before[c] - blocks[b].before[c];
	for (; b < end; b++) {
		for (size_t c = 0; c < VIEW_CLASSES; c++) {
			uint32_t i = block_first(b) + blocks[b].longest[c] - 1;
			int64_t ns;

			if (!blocks[b].longest[c])
				continue;
			ns = length(view_store_rec(s, track, i));
			if (!sum->longest[c] || ns > best[c]) {
				sum->longest[c] = i + 1;
				best[c] = ns;
			}
		}
	}
}

/* The first record that begins at or behind the time. */
static uint32_t find_end(const struct view_store *s, uint32_t track,
			 int64_t time)
{
	uint32_t n = s->tracks[track].n, i;

	i = view_store_find(s, track, time);
	while (i < n && view_store_rec(s, track, i)->start < time)
		i++;
	return i;
}

void view_store_sum(const struct view_store *s, uint32_t track, int64_t from,
		    int64_t to, struct view_sum *sum)
{
	uint32_t i = view_store_find(s, track, from);
	uint32_t end = find_end(s, track, to), first, last;
	int64_t best[VIEW_CLASSES] = { 0 };

	memset(sum, 0, sizeof(*sum));
	if (i >= end)
		return;
	sum->n = end - i;
	/* Whole blocks, without that of a first or last record which is cut. */
	first = block_of(i) + 1;
	last = block_of(end - 1);
	if (first >= last) {
		sum_records(s, track, i, end, from, to, sum, best);
		return;
	}
	sum_records(s, track, i, block_first(first), from, to, sum, best);
	sum_blocks(s, track, first, last, sum, best);
	sum_records(s, track, block_first(last), end, from, to, sum, best);
}
