/* SPDX-License-Identifier: GPL-2.0 */
/* Names are bytes; other programs want UTF-8. */
#ifndef UTF8_H
#define UTF8_H

#include <stddef.h>
#include <stdint.h>

/*
 * How many of the bytes are one well-formed character, 0 if none. Not
 * well-formed are also longer forms than needed, surrogates, and what lies
 * beyond U+10FFFF: strict readers refuse all of these.
 */
size_t utf8_len(const uint8_t *p, size_t len);

/*
 * A C string of it, to be freed: what is not UTF-8 becomes U+FFFD, and so does
 * a zero. NULL without memory.
 */
char *utf8_dup(const void *data, size_t len);

#endif
