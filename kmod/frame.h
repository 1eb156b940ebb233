/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Frames: what 64 bits of a stack stand for, and how they are written.
 *
 *   below 2^32        a string's id: a system call, a task's name
 *   bit 61 set        a user address, until it is known what it is
 *   bit 62 set        user code: a file (usermap.h) and an offset in it
 *   bit 63 set        a kernel address
 */
#ifndef GT_FRAME_H
#define GT_FRAME_H

#include <linux/kallsyms.h>
#include <linux/types.h>
#include "encode.h"
#include "string.h"

#define GT_FRAME_ADDRESS	(1ULL << 61)
#define GT_FRAME_USER		(1ULL << 62)
#define GT_FRAME_KERNEL		(1ULL << 63)
#define GT_FRAME_OFFSET_BITS	40
#define GT_FRAME_OFFSET_MASK	((1ULL << GT_FRAME_OFFSET_BITS) - 1)

static inline u64 gt_frame_user(u32 file, u64 offset)
{
	return GT_FRAME_USER | (u64)file << GT_FRAME_OFFSET_BITS |
	       (offset & GT_FRAME_OFFSET_MASK);
}

/* Without source: pc and function are the same number. */
static inline struct gt_put_frame gt_frame_of_string(u32 id)
{
	return (struct gt_put_frame){ .pc = id, .fn = id, .file = GT_STR_UNKNOWN, .line = 1 };
}

/* A place in the kernel. */
struct gt_symbol {
	const char *module;		/* "vmlinux" for the kernel itself */
	unsigned long offset;		/* in the function */
	char name[KSYM_SYMBOL_LEN];	/* of the function */
};

/* With and without a session; any context. */
bool gt_frame_symbol(struct gt_symbol *sym, unsigned long addr);

/* Session: process context. */
int gt_frame_init(void);
void gt_frame_destroy(void);

/* Reader: process context, after STOP. */
u32 gt_frame_resolve(struct gt_put_frame *out, const u64 *frames, u32 n);

#endif /* GT_FRAME_H */
