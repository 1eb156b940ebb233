/* SPDX-License-Identifier: GPL-2.0 */
/* The stack of one task, whatever it does, at one moment. */
#ifndef GT_UNWIND_H
#define GT_UNWIND_H

#include <linux/limits.h>
#include <linux/sched.h>
#include <linux/types.h>
#include <uapi/linux/gotrace.h>

struct file;
struct mm_struct;

/* The memory around a frame that cannot be followed. */
struct gt_words {
	u64 bad;		/* address of the frame, 0 for none */
	u64 at;			/* of the first word */
	u32 n;
	u64 word[GOTRACE_TB_WORDS];
};

#define GT_NOT_PINNED	U32_MAX

struct gt_user_place {
	u64 pc;
	u64 offset;
	struct file *file;	/* held; NULL for code without one */
};

struct gt_unwind {
	/* In. */
	u32 depth;		/* 1 to GOTRACE_DEPTH_MAX */
	bool debug;		/* words are wanted */

	/* Out. */
	u32 state;		/* GOTRACE_TASK_* */
	u32 reason;		/* GOTRACE_WAIT_* */
	u32 cpu;
	u32 pinned;		/* the one CPU where it may run, or GT_NOT_PINNED */
	u64 asleep;		/* ns, 0 for unknown */
	int call;		/* number, -1 for none */
	bool compat;		/* of the 32-bit ABI */
	u32 n_kernel, n_user;
	u32 kernel_end, user_end;	/* GOTRACE_END_* */
	u64 kernel[GOTRACE_DEPTH_MAX];	/* leaf first */
	struct gt_user_place user[GOTRACE_DEPTH_MAX];
	struct gt_words kernel_words, user_words;

	/* Its own. */
	struct mm_struct *busy;	/* an identity: was locked by someone else */
	u64 user_fp;		/* where the walk of the user's stack ended */
};

/* Process context, may sleep. */
void gt_unwind_take(struct gt_unwind *u, struct task_struct *p);
void gt_unwind_put(struct gt_unwind *u);

#endif /* GT_UNWIND_H */
