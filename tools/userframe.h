/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How the module writes a frame of a program: the function "BASE+0xOFFSET", BASE
 * being the last part of the path, or its beginning, and the file "PATH", or
 * "PATH [build-id HEX]".
 */
#ifndef USERFRAME_H
#define USERFRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/names.h"

struct userframe_file {
	struct gt_string path;
	bool has_id;
	struct gt_string id;	/* in hex */
};

/* Any file is one; see userframe_parse(). */
struct userframe_file userframe_file(struct gt_string file);

/* Is it such a frame? Then the offset in the file. */
bool userframe_parse(struct gt_string fn, struct userframe_file file,
		     uint64_t *offset);

#endif
