/* SPDX-License-Identifier: LGPL-2.1 OR MIT */
/*
 * The records of a trace, one after the other, from a file, a pipe or memory.
 *
 * Knows where it is (offsets) and what the header said, and turns faults into
 * words. Memory: one buffer, a little over the longest record.
 */
#ifndef GT_READER_H
#define GT_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "record.h"

struct gt_reader {
	/* Read-only for callers. */
	unsigned int version;
	uint64_t rec_off;	/* offset of the record returned last */
	bool ended;		/* gt_reader_next() returned 0 */
	struct gt_error error;	/* after a return of -1 */

	/* The reader's own. */
	int fd;			/* -1: all there is lies in @buf */
	bool owns_buf;
	bool at_eof;
	bool seen_batch;
	uint8_t *buf;
	size_t size, head, len;	/* bytes at buf[head], len of them */
	uint64_t off;		/* offset of buf[head] in the trace */
};

/*
 * gt_reader_init_fd() - read a trace from fd, from its present position on
 * gt_reader_init_mem() - read a trace that lies in memory
 *
 * Both take the header. Return: 0, or -1 with r->error set. After either,
 * gt_reader_exit() is to be called. The fd stays the caller's.
 */
int gt_reader_init_fd(struct gt_reader *r, int fd);
int gt_reader_init_mem(struct gt_reader *r, const void *data, size_t len);
void gt_reader_exit(struct gt_reader *r);

/**
 * gt_reader_next() - the next record
 * @r:   reader
 * @rec: out; its text is valid until the next call
 *
 * Return: 1, 0 at the end of the trace, -1 with r->error set. Nothing can be
 * read after an error.
 */
int gt_reader_next(struct gt_reader *r, struct gt_record *rec);

/*
 * Start again with the first record. An fd must have been set back to its
 * place, which the caller noted when nothing had been read: lseek()'s answer
 * less r->len.
 */
void gt_reader_restart(struct gt_reader *r);

/* For those who find fault with the record returned last. Returns -1. */
int gt_reader_fail(struct gt_reader *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
