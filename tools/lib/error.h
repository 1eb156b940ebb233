/* SPDX-License-Identifier: LGPL-2.1 OR MIT */
/* What is wrong with a trace, and where. */
#ifndef GT_ERROR_H
#define GT_ERROR_H

#include <stdarg.h>
#include <stdint.h>

/* Which of Go's readers mind, when it is not all of them. */
enum gt_minds {
	GT_MIND_ALL,
	GT_MIND_OLD,		/* Go 1.21 and before */
	GT_MIND_NEW,		/* Go 1.22 and later, the older perhaps too */
};

struct gt_error {
	uint64_t off;		/* of the record that it is about */
	enum gt_minds minds;
	char text[200];		/* "offset 123: …"; empty: no error */
};

/* Always -1, for callers to return. */
int gt_error_set(struct gt_error *e, uint64_t off, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int gt_error_vset(struct gt_error *e, uint64_t off, const char *fmt,
		  va_list ap);

#endif
