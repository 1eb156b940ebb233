/* SPDX-License-Identifier: GPL-2.0 */
/* Every task's stack at this moment. */
#ifndef GT_TRACEBACK_H
#define GT_TRACEBACK_H

#include <uapi/linux/gotrace.h>

/* Process context, may sleep; the arguments were checked. */
int gt_traceback(struct gotrace_traceback *a);

#endif /* GT_TRACEBACK_H */
