/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The records of a trace in memory, for tests that look into what they just
 * read. Only the frame of each record is checked (type, number of arguments,
 * lengths): whether the events tell a possible story is for Go's own parsers,
 * on the host.
 */
#ifndef SELFTESTS_TRACE_H
#define SELFTESTS_TRACE_H

#include <errno.h>
#include <stdint.h>
#include <string.h>

enum gt_type {
	GT_BATCH = 1, GT_FREQUENCY = 2, GT_STACK = 3, GT_GOMAXPROCS = 4,
	GT_PROC_START = 5, GT_PROC_STOP = 6, GT_GO_CREATE = 13, GT_GO_START = 14,
	GT_GO_END = 15, GT_GO_STOP = 16, GT_GO_WAITING = 31, GT_STRING = 37,
	GT_USER_REGION = 47, GT_USER_LOG = 48, GT_TYPES = 50,
};

/* Strings from here on say of which process a task is; no event uses them. */
#define GT_STRING_PROCESSES	(1U << 21)

#define GT_HEADER_SIZE	16
#define GT_ARGS		24	/* kept of a record: a stack's of five frames */

struct gt_record {
	unsigned int	type;
	unsigned int	nargs;
	uint64_t	args[GT_ARGS];	/* the first ones, time delta included */
	uint64_t	p;		/* of the latest Batch */
	const char	*text;		/* of String and UserLog */
	uint64_t	text_len;
};

struct gt_walk {
	const unsigned char *pos, *end;
	uint64_t	p;
};

/* Arguments of each type with the time delta; 0: any number; -1: no such type. */
static const signed char gt_nargs[GT_TYPES] = {
	-1, 2, 1, 0, 3, 2, 1, 3, 1, 2, 1, 2, 3, 4, 3, 1, 2, 2, 2, 2, 2, 4, 2, 2,
	2, 2, 2, 2, 2, 4, 1, 2, 2, 2, 2, 1, 1, 1, 2, 3, 3, 4, 2, 2, 1, 5, 3, 5,
	4, 5,
};

/* @trace's records from the first; -EBADMSG without a header. */
static inline int gt_walk_init(struct gt_walk *w, const void *trace, size_t len)
{
	memset(w, 0, sizeof(*w));
	if (len < GT_HEADER_SIZE || memcmp(trace, "go 1.21 trace\0\0\0", 16))
		return -EBADMSG;
	w->pos = (const unsigned char *)trace + GT_HEADER_SIZE;
	w->end = (const unsigned char *)trace + len;
	return 0;
}

static inline int gt_walk_varint(struct gt_walk *w, uint64_t *v)
{
	unsigned int shift;

	for (*v = 0, shift = 0; shift < 70 && w->pos < w->end; shift += 7) {
		unsigned char c = *w->pos++;

		*v |= (uint64_t)(c & 0x7f) << (shift < 63 ? shift : 63);
		if (!(c & 0x80))
			return 0;
	}
	return -EBADMSG;
}

static inline int gt_walk_text(struct gt_walk *w, struct gt_record *r)
{
	if (gt_walk_varint(w, &r->text_len) ||
	    r->text_len > (uint64_t)(w->end - w->pos))
		return -EBADMSG;
	r->text = (const char *)w->pos;
	w->pos += r->text_len;
	return 0;
}

/* 1 and the next record, 0 at the end, -EBADMSG where the bytes make no sense. */
static inline int gt_walk_next(struct gt_walk *w, struct gt_record *r)
{
	const unsigned char *stop = NULL;
	unsigned int narg;
	uint64_t v, len;

	if (w->pos == w->end)
		return 0;
	memset(r, 0, sizeof(*r));
	r->type = *w->pos & 0x3f;
	narg = *w->pos++ >> 6;
	if (r->type >= GT_TYPES || gt_nargs[r->type] < 0)
		return -EBADMSG;
	if (r->type == GT_STRING) {
		r->nargs = 1;
		return gt_walk_varint(w, &r->args[0]) || gt_walk_text(w, r) ?
			-EBADMSG : 1;
	}
	if (narg == 3) {
		if (gt_walk_varint(w, &len) || len > (uint64_t)(w->end - w->pos))
			return -EBADMSG;
		stop = w->pos + len;
	}
	while (stop ? w->pos < stop : r->nargs <= narg) {
		if (gt_walk_varint(w, &v))
			return -EBADMSG;
		if (r->nargs < GT_ARGS)
			r->args[r->nargs] = v;
		r->nargs++;
	}
	if (stop && w->pos != stop)
		return -EBADMSG;
	if (gt_nargs[r->type] && r->nargs != (unsigned int)gt_nargs[r->type])
		return -EBADMSG;
	if (r->type == GT_BATCH)
		w->p = r->args[0];
	r->p = w->p;
	if (r->type == GT_USER_LOG && gt_walk_text(w, r))
		return -EBADMSG;
	return 1;
}

/* How often each type occurs; -EBADMSG if the bytes are not whole records. */
static inline int gt_count(const void *trace, size_t len,
			   unsigned long count[GT_TYPES])
{
	struct gt_record r;
	struct gt_walk w;
	int ret = gt_walk_init(&w, trace, len);

	memset(count, 0, GT_TYPES * sizeof(count[0]));
	if (ret)
		return ret;
	while ((ret = gt_walk_next(&w, &r)) > 0)
		count[r.type]++;
	return ret;
}

/* 0 if @trace is whole: records to the last byte, and the closing steps. */
static inline int gt_check_whole(const void *trace, size_t len)
{
	unsigned long count[GT_TYPES];
	int ret = gt_count(trace, len, count);

	if (ret)
		return ret;
	if (!count[GT_BATCH] || !count[GT_GO_CREATE] ||
	    count[GT_GOMAXPROCS] < 2 || count[GT_FREQUENCY] < 2 ||
	    count[GT_PROC_START] != count[GT_PROC_STOP])
		return -ENODATA;
	return 0;
}

#endif /* SELFTESTS_TRACE_H */
