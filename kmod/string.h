/* SPDX-License-Identifier: GPL-2.0 */
/* The session's dictionary of strings. */
#ifndef GT_STRING_H
#define GT_STRING_H

#include <linux/types.h>
#include <uapi/linux/gotrace.h>

/* Ids given out by gt_string_init() in this order, small and always there. */
enum gt_string_fixed {
	GT_STR_NONE,		/* Go's id for "" */
	GT_STR_UNKNOWN,		/* "?": the file of frames without one, the fallback name */
	/* "gotrace": the key of our own log messages. By it readers know our traces. */
	GT_STR_GOTRACE,
	GT_STR_IRQ,		/* "irq": a waker that is no task */
};

/*
 * Which process a task is of: the string whose id is its name's cell from here on
 * is its tgid in decimal. No event uses it, and Go's readers do not mind.
 */
#define GT_STR_PROCESSES	(1U << 21)

#define GT_STRING_MAX	GOTRACE_STRING_MAX	/* bytes */
#define GT_NAME_MAX	512	/* bytes of names that we make: calls', functions', files' */

/* Session: process context. */
int gt_string_init(void);
void gt_string_destroy(void);
u32 gt_string_count(void);
const char *gt_string_get(u32 id, u32 *len);

/* Any context but NMI. */
u32 gt_string_find(const char *s, u32 len);
u32 gt_string_put(const char *s, u32 len);
u32 gt_string_cost(u32 len);

#endif /* GT_STRING_H */
