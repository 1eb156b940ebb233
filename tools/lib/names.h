/* SPDX-License-Identifier: LGPL-2.1 OR MIT */
/*
 * The strings and stacks of a trace, by their ids, and which ids it uses
 * without ever saying what they are.
 *
 * A trace may define both after their use. Memory is bounded by what the trace
 * defines, and by the number of different ids that it uses.
 */
#ifndef GT_NAMES_H
#define GT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "map.h"
#include "record.h"

struct gt_string {
	const char *text;	/* not terminated */
	size_t len;
};

static inline struct gt_string gt_string_of(const char *text)
{
	return (struct gt_string){ text, strlen(text) };
}

struct gt_frame {
	uint64_t pc;
	uint64_t fn;		/* string ids */
	uint64_t file;
	uint64_t line;
};

/* A growing array of bytes. */
struct gt_arena {
	uint8_t *data;
	size_t used, size;
};

/* All zero is empty. */
struct gt_names {
	struct gt_map strings;	/* id -> offset in text, plus 1 */
	struct gt_map stacks;	/* id -> offset in frames, plus 1 */
	struct gt_arena text;	/* 4 bytes of length, the text */
	struct gt_arena frames;	/* 8 bytes of count, struct gt_frame each */

	/* id -> offset of the record that used it first, plus 1; else 0 */
	struct gt_map want_strings;
	struct gt_map want_stacks;
};

enum gt_names_result {
	GT_NAMES_OK,
	GT_NAMES_DUPLICATE,	/* a String's id is taken */
	GT_NAMES_NO_MEMORY,
};

void gt_names_exit(struct gt_names *names);

/* Take in a String or a Stack record. A Stack may come again: the last wins. */
enum gt_names_result gt_names_add_string(struct gt_names *names,
					 const struct gt_record *rec);
enum gt_names_result gt_names_add_stack(struct gt_names *names,
					const struct gt_record *rec,
					unsigned int version, uint64_t off);

/* Note that the record at off needs that string or stack. Id 0 is none. */
enum gt_names_result gt_names_want_string(struct gt_names *names, uint64_t id,
					  uint64_t off);
enum gt_names_result gt_names_want_stack(struct gt_names *names, uint64_t id,
					 uint64_t off);

/* False when it is not (yet) defined. String 0 is the empty one. */
bool gt_names_string(const struct gt_names *names, uint64_t id,
		     struct gt_string *out);

/* The number of frames, leaf first; 0 when it is not (yet) defined. */
size_t gt_names_stack(const struct gt_names *names, uint64_t id);
/* One of them, i less than that number. */
struct gt_frame gt_names_frame(const struct gt_names *names, uint64_t id,
			       size_t i);

/**
 * struct gt_missing - something that was wanted and never defined
 * @what: "string" or "stack"
 * @id:   its id
 * @off:  offset of the first record that wanted it
 */
struct gt_missing {
	const char *what;
	bool is_string;
	uint64_t id;
	uint64_t off;
};

/* At the end of a trace: the first such, in order of offset, if there is any. */
bool gt_names_missing(const struct gt_names *names, struct gt_missing *out);

#endif
