/* SPDX-License-Identifier: GPL-2.0 */
#ifndef GT_BUILDID_H
#define GT_BUILDID_H

#include <linux/types.h>

struct file;

#define GT_BUILDID_MAX	20	/* bytes */

/* Process context, may sleep. */
bool gt_buildid_read(struct file *file, char hex[GT_BUILDID_MAX * 2 + 1]);

#endif /* GT_BUILDID_H */
