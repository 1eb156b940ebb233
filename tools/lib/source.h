/* SPDX-License-Identifier: LGPL-2.1 OR MIT */
/*
 * A trace's bytes by their offset: of a file, of memory, or of a pipe, which is
 * copied into a file without a name first.
 */
#ifndef GT_SOURCE_H
#define GT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "error.h"

struct gt_source {
	/* Read-only for callers. */
	int fd;			/* -1: all there is lies in @mem */
	off_t base;		/* where the trace begins in @fd */
	const uint8_t *mem;
	uint64_t len;		/* bytes of the trace */

	bool owns_fd;
};

/*
 * gt_source_init_fd() - from fd's present position on, which is where it is
 *                       again afterwards. The fd stays the caller's
 * gt_source_init_mem() - what lies in memory
 *
 * What cannot be read twice goes to $TMPDIR, or /var/tmp, and @fd is that file.
 * Return: 0, or -1 with an error. gt_source_exit() is to be called in any case.
 */
int gt_source_init_fd(struct gt_source *s, int fd, struct gt_error *e);
void gt_source_init_mem(struct gt_source *s, const void *data, size_t len);
void gt_source_exit(struct gt_source *s);

/* All of n bytes. Return: 0, or -1 with an error. */
int gt_source_read(const struct gt_source *s, uint64_t off, void *to, size_t n,
		   struct gt_error *e);

#endif
