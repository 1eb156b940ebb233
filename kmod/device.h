/* SPDX-License-Identifier: GPL-2.0 */
#ifndef GT_DEVICE_H
#define GT_DEVICE_H

#include <linux/types.h>

int gt_device_init(void);
void gt_device_exit(void);

/* ioctls, wherever they are. */
int gt_copy_in(void *dst, size_t known, size_t min, void __user *arg);

#endif /* GT_DEVICE_H */
