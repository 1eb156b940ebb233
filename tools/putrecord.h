/* SPDX-License-Identifier: GPL-2.0 */
/* Writing records in the format. */
#ifndef PUTRECORD_H
#define PUTRECORD_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/event.h"
#include "lib/names.h"

/* Type, length, and at most time, three arguments and a stack; a text's length. */
#define PUT_RECORD_MAX (1 + 1 + 5 * 10 + 10)

/* Bytes that it takes. */
size_t put_number_size(uint64_t v);
size_t put_frames_size(const struct gt_frame *f, size_t n);

void put_header(FILE *to, unsigned int version);
void put_string(FILE *to, uint64_t id, const char *text, size_t len);
/* All of it must fit GT_LENGTH_MAX. */
void put_stack(FILE *to, uint64_t id, const struct gt_frame *f, size_t n);

/*
 * put_record() - n arguments, from 1 to 5
 * put_event() - an event so many ticks behind the one before it, with its text
 *
 * Return: bytes used, up to PUT_RECORD_MAX and the text. From Go 1.7 on.
 */
size_t put_record(uint8_t *to, unsigned int type, const uint64_t *args,
		  size_t n);
size_t put_event(uint8_t *to, const struct gt_event *ev, unsigned int version,
		 uint64_t ticks);

#endif
