/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The functions and lines of a program or library, by offsets in its file.
 *
 * The only user of elfutils here. Debug files are found by build id, in
 * /usr/lib/debug and, only when $DEBUGINFOD_URLS is set, by debuginfod.
 */
#ifndef SYMBOLS_H
#define SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

/* More inlined functions in one place are not worth a stack's room. */
#define SYMBOLS_FRAMES_MAX 16

struct symbols_frame {
	const char *fn;		/* valid until the next look-up */
	const char *file;	/* of the source; NULL when not known */
	unsigned int line;	/* 0 when not known */
};

struct symbols;

/**
 * symbols_open() - a file's symbols, if it is the file that is meant
 * @path:     where it was
 * @build_id: in hex, as it was; NULL for a file that had none
 * @unchanged_since: ns of the epoch: a file without a build id must not have
 *            changed later; 0 when that is not known: no such file is taken
 *
 * Return: NULL when there is no such file, or it is another one.
 */
struct symbols *symbols_open(const char *path, const char *build_id,
			     int64_t unchanged_since);
void symbols_close(struct symbols *s);

/* Does a call end at that offset in the file? What cannot be told is true. */
bool symbols_is_return(const struct symbols *s, uint64_t offset);

/*
 * What is at the instruction that ends at that offset, the innermost first.
 * Return: the number of frames, 0 when it has no name.
 */
unsigned int symbols_find(struct symbols *s, uint64_t offset,
			  struct symbols_frame frames[SYMBOLS_FRAMES_MAX]);

#endif
