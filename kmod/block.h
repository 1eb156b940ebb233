/* SPDX-License-Identifier: GPL-2.0 */
#ifndef GT_BLOCK_H
#define GT_BLOCK_H

#include <linux/sched.h>
#include "call.h"
#include "encode.h"

/* Why a task sleeps. */
enum gt_ev gt_block_reason(struct task_struct *p, unsigned int state, struct gt_call call);

#endif /* GT_BLOCK_H */
