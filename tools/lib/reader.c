// SPDX-License-Identifier: LGPL-2.1 OR MIT
/* Files to records; see reader.h. */
#include "reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The longest record, and as much again as one read should bring. */
#define BUF_SIZE (GT_RECORD_BYTES_MAX + 256 * 1024)

int gt_reader_fail(struct gt_reader *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	gt_error_vset(&r->error, r->rec_off, fmt, ap);
	va_end(ap);
	return -1;
}

/*
 * Bring more bytes behind those we hold. One read(2) only, so that what comes
 * through a pipe is shown when it comes.
 */
static int fill(struct gt_reader *r)
{
	ssize_t n;

	if (r->fd < 0 || r->at_eof) {
		r->at_eof = true;
		return 0;
	}
	if (r->head) {
		memmove(r->buf, r->buf + r->head, r->len);
		r->head = 0;
	}
	do
		n = read(r->fd, r->buf + r->len, r->size - r->len);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return gt_error_set(&r->error, r->off + r->len, "cannot read: %s",
			       strerror(errno));
	if (n == 0)
		r->at_eof = true;
	r->len += n;
	return 0;
}

static void consume(struct gt_reader *r, size_t n)
{
	r->head += n;
	r->len -= n;
	r->off += n;
}

static int take_header(struct gt_reader *r)
{
	unsigned int version;

	while (r->len < GT_HEADER_SIZE && !r->at_eof)
		if (fill(r))
			return -1;
	if (r->len == 0)
		return gt_error_set(&r->error, 0, "the file is empty");
	if (r->len < GT_HEADER_SIZE)
		return gt_error_set(&r->error, 0, "the file ends inside its header");

	version = gt_header_version(r->buf + r->head);
	if (!version)
		return gt_error_set(&r->error, 0, "not a Go execution trace (no header \"go 1.N trace\")");
	if (version > GT_V1_21)
		return gt_error_set(&r->error, 0, "a trace in the format of Go %u.%u; only those of Go 1.5 to 1.21 can be read here",
			       version / 1000, version % 1000);
	if (!gt_version_known(version))
		return gt_error_set(&r->error, 0, "no Go has written traces with the version %u.%u",
			       version / 1000, version % 1000);
	r->version = version;
	consume(r, GT_HEADER_SIZE);
	return 0;
}

int gt_reader_init_fd(struct gt_reader *r, int fd)
{
	memset(r, 0, sizeof(*r));
	r->fd = fd;
	r->buf = malloc(BUF_SIZE);
	if (!r->buf)
		return gt_error_set(&r->error, 0, "no memory for a buffer");
	r->owns_buf = true;
	r->size = BUF_SIZE;
	return take_header(r);
}

int gt_reader_init_mem(struct gt_reader *r, const void *data, size_t len)
{
	memset(r, 0, sizeof(*r));
	r->fd = -1;
	/* Never written to: with no fd, fill() does nothing. */
	r->buf = (uint8_t *)data;
	r->size = len;
	r->len = len;
	return take_header(r);
}

void gt_reader_exit(struct gt_reader *r)
{
	if (r->owns_buf)
		free(r->buf);
	r->buf = NULL;
	r->len = 0;
}

void gt_reader_restart(struct gt_reader *r)
{
	bool in_memory = r->fd < 0;

	r->head = in_memory ? GT_HEADER_SIZE : 0;
	r->len = in_memory ? r->size - r->head : 0;
	r->off = GT_HEADER_SIZE;
	r->at_eof = false;
	r->ended = false;
	r->seen_batch = false;
}

/* The fault was found; the older Go's do not mind. */
static int only_new(struct gt_reader *r)
{
	r->error.minds = GT_MIND_NEW;
	return -1;
}

static int fail_record(struct gt_reader *r, const struct gt_record *rec)
{
	const struct gt_event_desc *desc = gt_event_desc(rec->type);
	const char *name = desc ? desc->name : "?";

	switch (rec->fault) {
	case GT_RECORD_BAD_TYPE:
		return gt_reader_fail(r, "unknown event type %" PRIu64,
				      rec->value);
	case GT_RECORD_TOO_NEW:
		return gt_reader_fail(r, "%s in a trace of version %u.%u, but it came with %u.%u",
				      name, r->version / 1000,
				      r->version % 1000, desc->since / 1000,
				      desc->since % 1000);
	case GT_RECORD_BAD_NUMBER:
		gt_reader_fail(r, "%s has a number of more than 64 bits", name);
		return only_new(r);
	case GT_RECORD_TOO_LONG:
		gt_reader_fail(r, "%s is %" PRIu64 " bytes long, at most %" PRIu64 " are allowed",
			       name, rec->value, rec->limit);
		return only_new(r);
	case GT_RECORD_CUT_NUMBER:
		return gt_reader_fail(r, "%s has a length of %" PRIu64 " bytes, which ends inside a number",
				      name, rec->value);
	case GT_RECORD_MANY_ARGS:
		return gt_reader_fail(r, "%s has more than %" PRIu64 " arguments",
				      name, rec->limit);
	case GT_RECORD_LENGTH_FORM:
		gt_reader_fail(r, "%s must not have a length", name);
		return only_new(r);
	case GT_RECORD_BAD_COUNT:
		return gt_reader_fail(r, "%s has %" PRIu64 " argument%s, %" PRIu64 " expected",
				      name, rec->value,
				      rec->value == 1 ? "" : "s", rec->limit);
	case GT_RECORD_BAD_FRAMES:
		return gt_reader_fail(r, "%s has %" PRIu64 " frames, at most %" PRIu64 " are allowed",
				      name, rec->value, rec->limit);
	case GT_RECORD_BAD_TEXT:
		return gt_reader_fail(r, "%s has a text of %" PRIu64 " bytes, allowed are %s%" PRIu64,
				      name, rec->value,
				      rec->type == GT_EV_STRING ? "1 to " : "up to ",
				      rec->limit);
	case GT_RECORD_STRING_ZERO:
		return gt_reader_fail(r, "%s with the id 0", name);
	case GT_RECORD_OK:
		break;
	}
	return gt_reader_fail(r, "%s is broken", name);
}

static int check_batch(struct gt_reader *r, const struct gt_record *rec)
{
	uint64_t p = rec->args[0];

	r->seen_batch = true;
	if (p <= INT32_MAX || p == UINT64_MAX)
		return 0;
	gt_reader_fail(r, "Batch of P %" PRIu64 ", the largest allowed is %d",
		       p, INT32_MAX);
	return only_new(r);
}

/*
 * What Go's readers refuse of a record by itself, though its bytes are well
 * formed. A String before the first Batch is only lost by one of them.
 */
static int check_record(struct gt_reader *r, const struct gt_record *rec)
{
	if (rec->type == GT_EV_BATCH)
		return check_batch(r, rec);
	if (!r->seen_batch && rec->type != GT_EV_STRING) {
		gt_reader_fail(r, "%s before the first Batch",
			       rec->desc->name);
		return only_new(r);
	}
	if (rec->type == GT_EV_FREQUENCY &&
	    (rec->args[0] == 0 || rec->args[0] > INT64_MAX))
		return gt_reader_fail(r, "Frequency of %" PRIu64 " ticks a second",
				      rec->args[0]);
	return 0;
}

static int fail_truncated(struct gt_reader *r, const struct gt_record *rec)
{
	const struct gt_event_desc *desc = gt_event_desc(rec->type);

	return gt_reader_fail(r, "the file ends inside this %s, at offset %" PRIu64,
			      desc ? desc->name : "record", r->off + r->len);
}

int gt_reader_next(struct gt_reader *r, struct gt_record *rec)
{
	ptrdiff_t n;

	for (;;) {
		if (r->len) {
			r->rec_off = r->off;
			n = gt_record_parse(r->buf + r->head, r->len,
					    r->version, rec);
			if (n)
				break;
		}
		if (r->at_eof && r->len)
			return fail_truncated(r, rec);
		if (r->at_eof) {
			r->ended = true;
			return 0;
		}
		if (fill(r))
			return -1;
	}
	if (n < 0)
		return fail_record(r, rec);
	if (check_record(r, rec))
		return -1;
	consume(r, n);
	return 1;
}
