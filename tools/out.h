/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Standard output for millions of short lines: printf() would be most of the
 * time that a dump takes.
 */
#ifndef OUT_H
#define OUT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

void out_char(char c);
void out_text(const char *s);
void out_bytes(const void *data, size_t len);
void out_u64(uint64_t v);
void out_i64(int64_t v);

/*
 * A value in a line of fields: whatever would end the field, or is no letter
 * to look at, becomes \xNN. Also the backslash, the characters in also, and a
 * # in front.
 */
void out_field(const void *data, size_t len, const char *also);

/* A JSON string with its quotes. What is not UTF-8 becomes U+FFFD. */
void out_json(const void *data, size_t len);

/* Return: 0 or -errno of the first write that failed, this one or earlier. */
int out_flush(void);

/*
 * From now on it goes there, and errors of before are forgotten; NULL: back to
 * standard output. For answers that are tables of the commands, but no output.
 */
void out_to(FILE *file);

#endif
