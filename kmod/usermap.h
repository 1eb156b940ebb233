/* SPDX-License-Identifier: GPL-2.0 */
/*
 * User addresses: which file, and where in it, while the address space lives.
 */
#ifndef GT_USERMAP_H
#define GT_USERMAP_H

#include <linux/types.h>
#include "string.h"

struct file;
struct mm_struct;
struct pt_regs;

#define GT_USERMAP_BASE_MAX	48

struct gt_user_file {
	u32 string;			/* "PATH [build-id HEX]"; 0 until it is known */
	char base[GT_USERMAP_BASE_MAX];	/* the path's last part */
};

/* Session: process context, may sleep. */
int gt_usermap_init(void);
void gt_usermap_destroy(void);
bool gt_usermap_is_due(void);
void gt_usermap_resolve_files(void);

/* Without a session. */
u32 gt_usermap_print(char s[GT_NAME_MAX], struct file *file, char *buf);

/* Reader: after STOP. */
const struct gt_user_file *gt_usermap_file(u32 id);

/* Probes. */
u32 gt_usermap_walk(struct pt_regs *regs, u64 *frames, u32 max);
void gt_usermap_forget(struct mm_struct *mm);

/* What has to be asked of an address space later. */
struct gt_user_todo {
	struct mm_struct *mm;	/* held, or NULL for nothing */
	u32 seq;		/* of its mappings, when its addresses were seen */
};

/* Samples. */
u32 gt_usermap_walk_nofault(struct pt_regs *regs, bool exact, u64 *frames, u32 max,
			    struct gt_user_todo *todo);
u32 gt_usermap_resolve(struct gt_user_todo *todo, u64 *frames, u32 n);
void gt_usermap_forgo(struct gt_user_todo *todo);

#endif /* GT_USERMAP_H */
