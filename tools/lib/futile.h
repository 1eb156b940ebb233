/* SPDX-License-Identifier: LGPL-2.1 OR MIT */
/*
 * Wake-ups for nothing: a goroutine that was woken, found that another one had
 * been faster, said so with a FutileWakeup, and blocked again. Go's reader takes
 * all of it out: from the GoUnblock to the blocking event.
 *
 * Memory: 24 bytes for each event of those, and what each G did since it was
 * woken. Go programs wrote such events up to 1.13.
 */
#ifndef GT_FUTILE_H
#define GT_FUTILE_H

#include "error.h"
#include "map.h"

struct gt_order;

/*
 * Read o to its end and put the offsets of those events into found.
 * Return: 0, or -1 with an error.
 */
int gt_futile_find(struct gt_order *o, struct gt_map *found,
		   struct gt_error *e);

#endif
