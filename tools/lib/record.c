// SPDX-License-Identifier: LGPL-2.1 OR MIT
/* Bytes to records; see record.h. */
#include "record.h"

#include <stdbool.h>

/* A place in the bytes; every step checks against end. */
struct cursor {
	const uint8_t *at;
	const uint8_t *end;
};

enum step { STEP_OK, STEP_MORE, STEP_FAULT };

static enum step fault(struct gt_record *rec, enum gt_record_fault why,
		       uint64_t value, uint64_t limit)
{
	rec->fault = why;
	rec->value = value;
	rec->limit = limit;
	return STEP_FAULT;
}

/* Ten bytes hold 70 bits: of the tenth only the lowest may be set. */
static enum step take_long_number(struct cursor *c, struct gt_record *rec,
				  uint64_t *out)
{
	uint64_t v = 0;

	for (unsigned int i = 0; i < 10; i++) {
		uint8_t b;

		if (c->at == c->end)
			return STEP_MORE;
		b = *c->at++;
		if (i == 9 && b > 1)
			break;
		v |= (uint64_t)(b & 0x7f) << (7 * i);
		if (!(b & 0x80)) {
			*out = v;
			return STEP_OK;
		}
	}
	return fault(rec, GT_RECORD_BAD_NUMBER, 0, 0);
}

/* Most have one byte. */
static inline enum step take_number(struct cursor *c, struct gt_record *rec,
				    uint64_t *out)
{
	if (c->at < c->end && *c->at < 0x80) {
		*out = *c->at++;
		return STEP_OK;
	}
	return take_long_number(c, rec, out);
}

/* A length and as many bytes. */
static enum step take_text(struct cursor *c, struct gt_record *rec,
			   uint64_t least)
{
	uint64_t len;
	enum step step = take_number(c, rec, &len);

	if (step)
		return step;
	if (len < least || len > GT_TEXT_MAX)
		return fault(rec, GT_RECORD_BAD_TEXT, len, GT_TEXT_MAX);
	if (len > (size_t)(c->end - c->at))
		return STEP_MORE;
	rec->text = c->at;
	rec->text_len = len;
	c->at += len;
	return STEP_OK;
}

static enum step take_inline_args(struct cursor *c, struct gt_record *rec,
				  unsigned int n)
{
	for (; rec->nargs < n; rec->nargs++) {
		enum step step = take_number(c, rec, &rec->args[rec->nargs]);

		if (step)
			return step;
	}
	return STEP_OK;
}

/*
 * Older traces may have longer records: no newer Go reads them, so no limit
 * of the newer Go's is theirs. What is left is the longest stack.
 */
static uint64_t length_limit(unsigned int version)
{
	return version >= GT_V1_11 ? GT_LENGTH_MAX : 10 * GT_RECORD_ARGS_MAX;
}

/*
 * The length is judged before its bytes are there: a file must not make us
 * wait for what we refuse anyway.
 */
static enum step take_counted_args(struct cursor *c, struct gt_record *rec,
				   unsigned int version)
{
	uint64_t len, limit = length_limit(version);
	struct cursor args;
	enum step step = take_number(c, rec, &len);

	if (step)
		return step;
	if (len > limit)
		return fault(rec, GT_RECORD_TOO_LONG, len, limit);
	if (len > (size_t)(c->end - c->at))
		return STEP_MORE;
	args.at = c->at;
	args.end = c->at + len;
	while (args.at < args.end) {
		if (rec->nargs == GT_RECORD_ARGS_MAX)
			return fault(rec, GT_RECORD_MANY_ARGS, 0,
				     GT_RECORD_ARGS_MAX);
		step = take_number(&args, rec, &rec->args[rec->nargs]);
		if (step == STEP_MORE)
			return fault(rec, GT_RECORD_CUT_NUMBER, len, 0);
		if (step)
			return step;
		rec->nargs++;
	}
	c->at = args.end;
	return STEP_OK;
}

static enum step take_string(struct cursor *c, struct gt_record *rec)
{
	enum step step = take_inline_args(c, rec, 1);

	if (step)
		return step;
	if (rec->args[0] == 0)
		return fault(rec, GT_RECORD_STRING_ZERO, 0, 0);
	return take_text(c, rec, 1);
}

/* A frame was a PC in Go 1.5; since then function, file and line are there. */
static enum step check_stack(struct gt_record *rec, unsigned int version)
{
	uint64_t want = 2;

	if (rec->nargs >= 2) {
		if (rec->args[1] > GT_FRAMES_MAX)
			return fault(rec, GT_RECORD_BAD_FRAMES, rec->args[1],
				     GT_FRAMES_MAX);
		want += rec->args[1] * (version < GT_V1_7 ? 1 : 4);
	}
	if (rec->nargs != want)
		return fault(rec, GT_RECORD_BAD_COUNT, rec->nargs, want);
	return STEP_OK;
}

static enum step check_args(const struct gt_event_desc *desc,
			    struct gt_record *rec, unsigned int version)
{
	unsigned int want;

	if (rec->type == GT_EV_STACK)
		return check_stack(rec, version);
	want = gt_event_wire_args(desc, version);
	if (rec->nargs != want)
		return fault(rec, GT_RECORD_BAD_COUNT, rec->nargs, want);
	return STEP_OK;
}

static enum step take_args(struct cursor *c, struct gt_record *rec,
			   unsigned int version, unsigned int bits)
{
	/* Every record of Go 1.5 has one argument more. */
	unsigned int base = version < GT_V1_7 ? 2 : 1;

	if (bits < 3)
		return take_inline_args(c, rec, base + bits);
	if (rec->type == GT_EV_BATCH && version >= GT_V1_11)
		return fault(rec, GT_RECORD_LENGTH_FORM, 0, 0);
	return take_counted_args(c, rec, version);
}

static enum step take_record(struct cursor *c, unsigned int version,
			     struct gt_record *rec)
{
	const struct gt_event_desc *desc;
	unsigned int bits;
	enum step step;

	if (c->at == c->end)
		return STEP_MORE;
	rec->type = *c->at & 0x3f;
	bits = *c->at++ >> 6;
	desc = gt_event_desc(rec->type);
	if (!desc)
		return fault(rec, GT_RECORD_BAD_TYPE, rec->type, 0);
	rec->desc = desc;
	if (version < desc->since)
		return fault(rec, GT_RECORD_TOO_NEW, rec->type, 0);
	/* The bits mean nothing here; Go does not look at them either. */
	if (rec->type == GT_EV_STRING)
		return take_string(c, rec);

	step = take_args(c, rec, version, bits);
	if (!step)
		step = check_args(desc, rec, version);
	if (!step && rec->type == GT_EV_USER_LOG)
		step = take_text(c, rec, 0);
	return step;
}

ptrdiff_t gt_record_parse(const uint8_t *buf, size_t len, unsigned int version,
			  struct gt_record *rec)
{
	struct cursor c = { .at = buf, .end = buf + len };

	rec->type = GT_EV_NONE;
	rec->nargs = 0;
	rec->text = NULL;
	rec->text_len = 0;
	rec->fault = GT_RECORD_OK;

	switch (take_record(&c, version, rec)) {
	case STEP_OK:
		return c.at - buf;
	case STEP_MORE:
		return 0;
	default:
		return -1;
	}
}
