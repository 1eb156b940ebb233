/* SPDX-License-Identifier: LGPL-2.1 OR MIT */
/*
 * One record of a trace: bytes in, numbers out.
 *
 * Pure: no file, no allocation, no state, and no knowledge of what an event
 * means. A record is a byte (low 6 bits the type, high 2 bits the number of
 * arguments), then base-128 numbers, before them their length in bytes when
 * there are more than the two bits can say. A String has text after its id; a
 * UserLog has text behind its arguments.
 */
#ifndef GT_RECORD_H
#define GT_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "format.h"

/* A Stack has an id, a count, and four numbers a frame. */
#define GT_RECORD_ARGS_MAX	(2 + 4 * GT_FRAMES_MAX)

/*
 * The longest record that gt_record_parse() accepts: the arguments of the
 * longest Stack, then a text, and the numbers that count them.
 */
#define GT_RECORD_BYTES_MAX \
	(1 + 10 + 10 * GT_RECORD_ARGS_MAX + 10 + GT_TEXT_MAX)

enum gt_record_fault {
	GT_RECORD_OK,
	GT_RECORD_BAD_TYPE,	/* no such event; value = type */
	GT_RECORD_TOO_NEW,	/* not in this version; value = type */
	GT_RECORD_BAD_NUMBER,	/* more than 64 bits */
	GT_RECORD_TOO_LONG,	/* value = length, limit = the most */
	GT_RECORD_CUT_NUMBER,	/* the length ends in a number; value = length */
	GT_RECORD_MANY_ARGS,	/* more than limit arguments */
	GT_RECORD_LENGTH_FORM,	/* a length where Go wants none */
	GT_RECORD_BAD_COUNT,	/* value arguments, limit expected */
	GT_RECORD_BAD_FRAMES,	/* value frames, limit = the most */
	GT_RECORD_BAD_TEXT,	/* value = length, limit = the most */
	GT_RECORD_STRING_ZERO,	/* a String with id 0 */
};

/**
 * struct gt_record - a record
 * @type:  GT_EV_*
 * @nargs: entries in @args
 * @desc:  the type's description, if there is one
 * @args:  as on the wire: the time difference first
 * @text:  String and UserLog: the text, inside the buffer parsed; not
 *         terminated
 * @text_len: bytes of it
 * @fault: why gt_record_parse() returned -1
 * @value: see there
 * @limit: see there
 */
struct gt_record {
	unsigned int type;
	unsigned int nargs;
	const struct gt_event_desc *desc;
	const uint8_t *text;
	size_t text_len;
	enum gt_record_fault fault;
	uint64_t value;
	uint64_t limit;
	uint64_t args[GT_RECORD_ARGS_MAX];
};

/**
 * gt_record_parse() - take one record off a buffer
 * @buf:     bytes
 * @len:     how many
 * @version: of the trace, one that gt_version_known()
 * @rec:     out
 *
 * Return: bytes used; 0 when the record goes on behind the buffer; -1 when it
 * is broken, with @rec->fault set (and @rec->type, when that is known).
 */
ptrdiff_t gt_record_parse(const uint8_t *buf, size_t len, unsigned int version,
			  struct gt_record *rec);

#endif
