/* SPDX-License-Identifier: GPL-2.0 */
#ifndef GT_FOOTER_H
#define GT_FOOTER_H

#include "clock.h"
#include "queue.h"

/* What follows the last event. Reader: process context, after STOP, read lock held. */
void gt_footer_init(const struct gt_moment *start, const struct gt_moment *end);
bool gt_footer_fill(struct gt_buf *buf);

/* Ticks per second as measured; after STOP. */
u64 gt_footer_frequency(void);

#endif /* GT_FOOTER_H */
