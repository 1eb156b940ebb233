// SPDX-License-Identifier: LGPL-2.1 OR MIT
/* A trace; see trace.h. */
#include "trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int begin(struct gt_trace *t, int err)
{
	t->decoder = (struct gt_decoder){ .version = t->reader.version };
	t->events = 0;
	return err;
}

int gt_trace_init_fd(struct gt_trace *t, int fd)
{
	memset(t, 0, sizeof(*t));
	return begin(t, gt_reader_init_fd(&t->reader, fd));
}

int gt_trace_init_mem(struct gt_trace *t, const void *data, size_t len)
{
	memset(t, 0, sizeof(*t));
	return begin(t, gt_reader_init_mem(&t->reader, data, len));
}

void gt_trace_exit(struct gt_trace *t)
{
	gt_reader_exit(&t->reader);
	gt_names_exit(&t->names);
	gt_decoder_exit(&t->decoder);
}

const char *gt_trace_error(const struct gt_trace *t)
{
	return t->reader.error.text;
}

/*
 * The same arithmetic as Go's, in floating point, so that the same trace shows
 * the same times; but a difference too large for 64 bits must not be undefined.
 */
int64_t gt_trace_time(const struct gt_trace *t, int64_t ticks)
{
	int64_t diff = (int64_t)((uint64_t)ticks - (uint64_t)t->first_ticks);
	double ns = (double)diff * (1e9 / (double)t->hz);

	if (ns >= 0x1p63)
		return INT64_MAX;
	if (ns < -0x1p63)
		return INT64_MIN;
	return (int64_t)ns;
}

static int check_names(struct gt_trace *t, enum gt_names_result ret)
{
	switch (ret) {
	case GT_NAMES_DUPLICATE:
		return gt_reader_fail(&t->reader, "String %" PRIu64 " is there twice",
				      t->rec.args[0]);
	case GT_NAMES_NO_MEMORY:
		return gt_reader_fail(&t->reader, "no memory for the trace's strings and stacks");
	default:
		return 0;
	}
}

/*
 * Strings, stacks and the clock. A Frequency changes in mid-trace from a first
 * estimate to the measured one; times that are shown as they come stay with the
 * first, else they would jump.
 */
static int learn_record(struct gt_trace *t)
{
	const struct gt_record *rec = &t->rec;

	switch (rec->type) {
	case GT_EV_STRING:
		return check_names(t, gt_names_add_string(&t->names, rec));
	case GT_EV_STACK:
		return check_names(t, gt_names_add_stack(&t->names, rec,
							 t->reader.version,
							 t->reader.rec_off));
	case GT_EV_FREQUENCY:
		if (!t->hz || t->learning)
			t->hz = rec->args[0];
		return 0;
	default:
		return 0;
	}
}

/*
 * Go's viewers die of a new goroutine without its stack, and of an event that
 * names a string which is not there; any other stack may be missing. In Go 1.5
 * the new stack is a PC.
 */
static int want_names(struct gt_trace *t, const struct gt_event *ev)
{
	enum gt_names_result ret = GT_NAMES_OK;

	for (unsigned int i = 0; i < ev->nargs && ret == GT_NAMES_OK; i++) {
		if (ev->desc->args[i].kind == GT_ARG_STRING)
			ret = gt_names_want_string(&t->names, ev->args[i],
						   ev->off);
		else if (ev->desc->args[i].kind == GT_ARG_STACK &&
			 t->reader.version >= GT_V1_7)
			ret = gt_names_want_stack(&t->names, ev->args[i],
						  ev->off);
	}
	return check_names(t, ret);
}

static int learn_event(struct gt_trace *t, const struct gt_event *ev)
{
	if (!t->has_first || (t->learning && ev->ticks < t->first_ticks))
		t->first_ticks = ev->ticks;
	t->has_first = true;
	return want_names(t, ev);
}

/* What the whole trace must have. */
static enum gt_trace_next at_end(struct gt_trace *t)
{
	struct gt_reader *r = &t->reader;
	struct gt_missing missing;

	r->rec_off = r->off;
	if (!t->events) {
		gt_reader_fail(r, "the trace ends without an event");
		r->error.minds = GT_MIND_OLD;
		return GT_TRACE_ERROR;
	}
	if (!t->hz) {
		gt_reader_fail(r, "the trace ends without a Frequency");
		return GT_TRACE_ERROR;
	}
	if (gt_names_missing(&t->names, &missing)) {
		r->rec_off = missing.off;
		gt_reader_fail(r, "%s %" PRIu64 " is used here, but the trace does not say what it is",
			       missing.what, missing.id);
		/* To the older, a string is empty then. */
		if (missing.is_string)
			r->error.minds = GT_MIND_NEW;
		return GT_TRACE_ERROR;
	}
	return GT_TRACE_END;
}

/* What the index refused, the records alone may not show (a string twice). */
static bool is_broken_here(struct gt_trace *t)
{
	if (!t->broken.text[0] || t->reader.rec_off < t->broken.off)
		return false;
	t->reader.error = t->broken;
	return true;
}

enum gt_trace_next gt_trace_next(struct gt_trace *t, struct gt_event *ev)
{
	int ret = gt_reader_next(&t->reader, &t->rec);

	if (ret < 0)
		return GT_TRACE_ERROR;
	if (ret == 0)
		return at_end(t);
	if (is_broken_here(t))
		return GT_TRACE_ERROR;

	switch (gt_decode(&t->decoder, &t->rec, t->reader.rec_off, ev)) {
	case GT_DECODE_NO_MEMORY:
		gt_reader_fail(&t->reader, "no memory for the trace's Ps");
		return GT_TRACE_ERROR;
	case GT_DECODE_OTHER:
		if (!t->indexed && learn_record(t))
			return GT_TRACE_ERROR;
		return GT_TRACE_RECORD;
	default:
		t->events++;
		if (!t->indexed && learn_event(t, ev))
			return GT_TRACE_ERROR;
		return GT_TRACE_EVENT;
	}
}

/* Back to the start, keeping what was learnt. */
static int rewind_to(struct gt_trace *t, off_t start)
{
	int fd = t->reader.fd;

	if (fd >= 0 && lseek(fd, start, SEEK_SET) < 0)
		return gt_reader_fail(&t->reader, "cannot go back to the beginning: %s",
				      strerror(errno));
	gt_reader_restart(&t->reader);
	return 0;
}

void gt_trace_learn(struct gt_trace *t)
{
	t->learning = true;
}

int gt_trace_index(struct gt_trace *t)
{
	struct gt_reader *r = &t->reader;
	enum gt_trace_next next;
	struct gt_event ev;
	off_t start = 0;

	/* The header, and what came with it, has been read already. */
	if (r->fd >= 0) {
		start = lseek(r->fd, 0, SEEK_CUR);
		if (start < 0)
			return 0;
		start -= r->len;
	}
	gt_trace_learn(t);
	do
		next = gt_trace_next(t, &ev);
	while (next > GT_TRACE_END);
	t->learning = false;
	t->indexed = true;

	/* The end's own errors come again at the end. */
	if (next == GT_TRACE_ERROR && !r->ended)
		t->broken = r->error;
	gt_decoder_exit(&t->decoder);
	begin(t, 0);
	return rewind_to(t, start) ? -1 : 1;
}
