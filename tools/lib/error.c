// SPDX-License-Identifier: LGPL-2.1 OR MIT
/* Errors; see error.h. */
#include "error.h"

#include <inttypes.h>
#include <stdio.h>

int gt_error_vset(struct gt_error *e, uint64_t off, const char *fmt,
		  va_list ap)
{
	int n = snprintf(e->text, sizeof(e->text), "offset %" PRIu64 ": ",
			 off);

	vsnprintf(e->text + n, sizeof(e->text) - n, fmt, ap);
	e->off = off;
	e->minds = GT_MIND_ALL;
	return -1;
}

int gt_error_set(struct gt_error *e, uint64_t off, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	gt_error_vset(e, off, fmt, ap);
	va_end(ap);
	return -1;
}
