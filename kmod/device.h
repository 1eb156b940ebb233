/* SPDX-License-Identifier: GPL-2.0 */
#ifndef GT_DEVICE_H
#define GT_DEVICE_H

int gt_device_init(void);
void gt_device_exit(void);

#endif /* GT_DEVICE_H */
