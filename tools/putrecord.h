/* SPDX-License-Identifier: GPL-2.0 */
/* Writing strings and stacks in the format. */
#ifndef PUTRECORD_H
#define PUTRECORD_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/names.h"

/* Bytes that it takes. */
size_t put_number_size(uint64_t v);
size_t put_frames_size(const struct gt_frame *f, size_t n);

void put_string(FILE *to, uint64_t id, const char *text, size_t len);
/* All of it must fit GT_LENGTH_MAX. */
void put_stack(FILE *to, uint64_t id, const struct gt_frame *f, size_t n);

#endif
