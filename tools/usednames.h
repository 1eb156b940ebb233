/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The strings and stacks that a part of a trace uses, to be written with it.
 *
 * What is used and not defined (the trace was cut) gets a name: "lost.17" is
 * string 17, or the task whose stack was 17.
 */
#ifndef USEDNAMES_H
#define USEDNAMES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/map.h"
#include "lib/names.h"

struct usednames {
	/* Read-only for callers. */
	uint64_t bytes;		/* about: of their records */
	uint64_t lost_strings, lost_stacks;	/* once they are written */
	bool no_memory;		/* once, and then for good */

	/* Its own. */
	const struct gt_names *names;
	struct gt_map strings, stacks;	/* id -> defined, or to be made up */
	uint64_t lost_stack;	/* the id of a place that is not known */
};

/* names stay the caller's, and are complete. */
void usednames_init(struct usednames *un, const struct gt_names *names);
void usednames_exit(struct usednames *un);

void usednames_string(struct usednames *un, uint64_t id);
/*
 * Return: the id to write. Where a G begins, there has to be a stack; those of
 * events that are not defined are all one place.
 */
uint64_t usednames_new_stack(struct usednames *un, uint64_t id);
uint64_t usednames_event_stack(struct usednames *un, uint64_t id);

void usednames_put(struct usednames *un, FILE *to);

#endif
