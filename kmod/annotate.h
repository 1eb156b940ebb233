/* SPDX-License-Identifier: GPL-2.0 */
/* Annotations: tasks, regions and log messages of user space's own. */
#ifndef GT_ANNOTATE_H
#define GT_ANNOTATE_H

#include <linux/fs.h>
#include <linux/types.h>
#include <uapi/linux/gotrace.h>

struct gt_account;

/*
 * The regions of one task that a reader of the trace believes open, outermost
 * first. The task itself, on its CPU with interrupts off.
 */
struct gt_regions {
	u32 shown;		/* believed open */
	u32 open;		/* the first of them, which truly are */
	struct {
		u64 id;
		u64 task;
		u32 name;	/* string id */
	} region[GOTRACE_REGIONS_MAX];
	union {
		struct gt_account *account;	/* who pays for this block */
		struct gt_regions *free;	/* next of those that nobody uses */
	};
};

/* Session: process context, may sleep. */
void gt_annotate_destroy(void);
void gt_annotate_begin(void);
void gt_annotate_end(void);

/* Any context. */
bool gt_annotate_is_on(void);

/* Device: process context, may sleep. */
long gt_annotate_ioctl(struct file *file, unsigned int cmd, void __user *arg);

/* Probes: interrupts off. */
void gt_annotate_release(struct gt_regions *r);

#endif /* GT_ANNOTATE_H */
