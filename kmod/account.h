/* SPDX-License-Identifier: GPL-2.0 */
/* What each user's annotations take of the session. */
#ifndef GT_ACCOUNT_H
#define GT_ACCOUNT_H

#include <linux/fs.h>
#include <linux/types.h>

struct gt_account;

/* Session: process context. */
void gt_account_init(u64 buffer_bytes, u64 table_bytes);
void gt_account_destroy(void);

/* Annotations: process context, may sleep. */
struct gt_account *gt_account_get(struct file *file);

/* Any context. */
int gt_account_charge(struct gt_account *a, u64 bytes);
void gt_account_refund(struct gt_account *a, u64 bytes);
int gt_account_charge_message(struct gt_account *a, u64 bytes);

#endif /* GT_ACCOUNT_H */
