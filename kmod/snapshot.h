/* SPDX-License-Identifier: GPL-2.0 */
/* What a flight recorder holds, for user space to make a trace of. */
#ifndef GT_SNAPSHOT_H
#define GT_SNAPSHOT_H

#include <linux/types.h>
#include <uapi/linux/gotrace.h>

/* Process context, under session.lock; in this order. */
int gt_snapshot_begin(struct gotrace_snapshot *a, u64 opened);
int gt_snapshot_write(u64 hz);

/* In between; of each CPU that writes. */
void gt_snapshot_note_cpu(u32 cpu, u64 ticks);

#endif /* GT_SNAPSHOT_H */
