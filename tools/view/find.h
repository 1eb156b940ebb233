/* SPDX-License-Identifier: GPL-2.0 */
/* Looking for words in what happened: calls, regions, messages, functions of stacks. */
#ifndef VIEW_FIND_H
#define VIEW_FIND_H

#include "view/trace.h"

struct view_hit {
	uint32_t track;		/* plus 1; 0: it is a mark, number index */
	uint32_t index;
	int64_t time;
};

/*
 * The first thing that begins behind the time, or the last one before it, and has the
 * text in its name or its stack. Return: 1; 0: there is none; -1 without memory.
 */
int view_find(const struct view *v, const char *text, int64_t time, bool back,
	      struct view_hit *hit);

#endif
