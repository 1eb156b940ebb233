/* SPDX-License-Identifier: GPL-2.0 */
/*
 * New strings and frames for a trace that has some: each text and each place in
 * the source but once, and in the end ids and pcs for them that are not taken.
 */
#ifndef NEWNAMES_H
#define NEWNAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/map.h"
#include "lib/names.h"

struct newnames_string {
	char *text;
	size_t len;
	uint64_t id;
};

/* All zero is empty. */
struct newnames {
	struct gt_map taken_ids, taken_pcs;

	struct gt_map by_text;		/* hash -> index + 1 */
	struct newnames_string *strings;
	size_t n_strings, size_strings;

	/* Until they are numbered, .fn and .file are indices of strings. */
	struct gt_map by_frame;
	struct gt_frame *frames;
	size_t n_frames, size_frames;

	bool no_memory;			/* once, and then for good */
};

void newnames_exit(struct newnames *nn);

/* The index of the frame of that place. Texts that are too long are cut. */
size_t newnames_frame(struct newnames *nn, const char *fn, const char *file,
		      unsigned int line);

/* Then: ids and pcs that are taken, and numbers for all. */
void newnames_take_id(struct newnames *nn, uint64_t id);
void newnames_take_pc(struct newnames *nn, uint64_t pc);
void newnames_number(struct newnames *nn);

#endif
