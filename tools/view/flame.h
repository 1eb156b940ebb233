/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VIEW_FLAME_H
#define VIEW_FLAME_H

#include "export.h"
#include "view/trace.h"

/* Which stacks, and of whom. */
struct view_flame {
	enum export_profile what;	/* CPU, OFFCPU or SCHED */
	int64_t from, to;
	uint32_t g;		/* gt_g.index plus 1; 0: all */
	bool named;		/* all of that one's name */
};

/*
 * Stacks, with for how long and how often, as JSON with out.h. What is counted is
 * what gotrace export -f folded counts. False without memory.
 */
bool view_flame(const struct view *v, const struct view_flame *f);

#endif
