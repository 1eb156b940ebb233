/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Comma-separated values, as RFC 4180 has them, but with lines that end as all
 * others here. What is not UTF-8, and a zero, become U+FFFD: strict readers refuse
 * both.
 */
#ifndef CSV_H
#define CSV_H

#include <stdint.h>

#include "lib/names.h"

/* A text is always in quotes: whatever is in it, it is one field. */
void csv_text(struct gt_string s);

/* The functions of a stack, the innermost first, between them a ';'. */
void csv_stack(const struct gt_names *names, uint64_t stk);

#endif
