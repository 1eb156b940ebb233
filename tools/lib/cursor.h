/* SPDX-License-Identifier: LGPL-2.1 OR MIT */
/*
 * The events of one P, or the samples of one run, in the order of the file.
 *
 * Memory: a window of 64 KiB, or less if there is less to read.
 */
#ifndef GT_CURSOR_H
#define GT_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "event.h"
#include "index.h"
#include "source.h"

struct gt_cursor {
	const struct gt_source *source;
	const struct gt_index *index;
	struct gt_decoder decoder;

	bool samples;		/* those, else everything else */
	size_t next;		/* segment, plus 1 */
	uint64_t off, end;	/* of what is read now */

	const uint8_t *at;	/* the byte at off; left of them are here */
	size_t left;
	uint8_t *buf;
	size_t size;
};

void gt_cursor_init_p(struct gt_cursor *c, const struct gt_source *source,
		      const struct gt_index *index, unsigned int version,
		      const struct gt_index_p *p);
void gt_cursor_init_run(struct gt_cursor *c, const struct gt_source *source,
			const struct gt_index *index, unsigned int version,
			const struct gt_run *run);
void gt_cursor_exit(struct gt_cursor *c);

/**
 * gt_cursor_next() - the next event
 * @c:   cursor
 * @rec: room for a record
 * @ev:  out; its text is valid until the next call
 * @e:   out
 *
 * Return: 1, 0 behind the last one, -1 with an error.
 */
int gt_cursor_next(struct gt_cursor *c, struct gt_record *rec,
		   struct gt_event *ev, struct gt_error *e);

#endif
