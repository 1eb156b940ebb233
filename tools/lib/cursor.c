// SPDX-License-Identifier: LGPL-2.1 OR MIT
/* One P's events; see cursor.h. */
#include "cursor.h"

#include <stdlib.h>
#include <string.h>

#define WINDOW (64 * 1024)

static void init(struct gt_cursor *c, const struct gt_source *source,
		 const struct gt_index *index, unsigned int version)
{
	memset(c, 0, sizeof(*c));
	c->source = source;
	c->index = index;
	c->decoder.version = version;
}

void gt_cursor_init_p(struct gt_cursor *c, const struct gt_source *source,
		      const struct gt_index *index, unsigned int version,
		      const struct gt_index_p *p)
{
	init(c, source, index, version);
	c->decoder.p = p->p;
	c->next = p->first;
}

void gt_cursor_init_run(struct gt_cursor *c, const struct gt_source *source,
			const struct gt_index *index, unsigned int version,
			const struct gt_run *run)
{
	init(c, source, index, version);
	c->samples = true;
	c->off = run->start;
	c->end = run->end;
}

void gt_cursor_exit(struct gt_cursor *c)
{
	gt_decoder_exit(&c->decoder);
	free(c->buf);
	c->buf = NULL;
}

/* A window that begins at off; more of it than now, if it begins there now. */
static int fill(struct gt_cursor *c, struct gt_error *e)
{
	uint64_t rest = c->end - c->off;
	size_t want = c->left >= WINDOW ? 2 * c->left : WINDOW;

	if (c->source->fd < 0) {
		c->at = c->source->mem + c->off;
		c->left = rest;
		return 0;
	}
	if (want > rest)
		want = rest;
	/* Text is long only now and then. */
	if (want > c->size || (c->size > WINDOW && want <= WINDOW)) {
		free(c->buf);
		c->size = want;
		c->buf = malloc(want);
		if (!c->buf) {
			c->size = 0;
			return gt_error_set(e, c->off, "no memory to read it");
		}
	}
	if (gt_source_read(c->source, c->off, c->buf, want, e))
		return -1;
	c->at = c->buf;
	c->left = want;
	return 0;
}

/*
 * The next record. All were good when the index was made, so one that is not,
 * or goes on behind the end, is another file's.
 */
static int next_record(struct gt_cursor *c, struct gt_record *rec,
		       struct gt_error *e)
{
	ptrdiff_t n = 0;

	for (;;) {
		if (c->left)
			n = gt_record_parse(c->at, c->left,
					    c->decoder.version, rec);
		if (n > 0)
			break;
		if (n < 0 || c->left == c->end - c->off)
			return gt_error_set(e, c->off, "the file changed while it was read");
		if (fill(c, e))
			return -1;
	}
	c->at += n;
	c->left -= n;
	c->off += n;
	return 0;
}

static bool next_segment(struct gt_cursor *c)
{
	const struct gt_segment *s;

	if (!c->next)
		return false;
	s = &c->index->segments[c->next - 1];
	c->next = s->next;
	c->off = s->start;
	c->end = s->end;
	c->left = 0;
	return true;
}

int gt_cursor_next(struct gt_cursor *c, struct gt_record *rec,
		   struct gt_event *ev, struct gt_error *e)
{
	uint64_t off;

	for (;;) {
		if (c->off == c->end && !next_segment(c))
			return 0;
		off = c->off;
		if (next_record(c, rec, e))
			return -1;
		switch (gt_decode(&c->decoder, rec, off, ev)) {
		case GT_DECODE_NO_MEMORY:
			return gt_error_set(e, off, "no memory for the trace's Ps");
		case GT_DECODE_OTHER:
			break;
		case GT_DECODE_EVENT:
			if ((ev->type == GT_EV_CPU_SAMPLE) == c->samples)
				return 1;
			break;
		}
	}
}
