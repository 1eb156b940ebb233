/* SPDX-License-Identifier: GPL-2.0 */
/* All about one record, or who led to it, as JSON with out.h. */
#ifndef VIEW_SLICE_H
#define VIEW_SLICE_H

#include "view/trace.h"

/* Record i, which there is, of the track. A CPU's is told as its task's. */
void view_slice(const struct view *v, uint32_t track, uint32_t i);

/* Who woke the G that is at index g - 1, before the time, who had woken that, … */
void view_chain(const struct view *v, uint32_t g, int64_t time, size_t max);

/* Wake-ups in the window; only their number if there are more than max. */
void view_wakes(const struct view *v, int64_t from, int64_t to, size_t max);

const char *view_kind_word(unsigned int kind);

#endif
