/* SPDX-License-Identifier: GPL-2.0 */
/* System calls: their names, and which one the running task is in. */
#ifndef GT_CALL_H
#define GT_CALL_H

#include <linux/nospec.h>
#include <linux/types.h>
#include "arch.h"
#include "compat.h"

/* What a sleep inside a call most likely is (block.c). */
enum gt_call_kind {
	GT_CALL_OTHER,
	GT_CALL_SLEEP,		/* nanosleep */
	GT_CALL_SELECT,		/* poll, select, epoll_wait, io_uring_enter */
	GT_CALL_SYNC,		/* futex, semop, flock */
	GT_CALL_COND,		/* wait4, sigwait, pause */
	GT_CALL_RECV,		/* a message queue's read side */
	GT_CALL_SEND,
	GT_CALL_FD_RECV,	/* by what the first argument's file is */
	GT_CALL_FD_SEND,
	GT_CALL_CLONE,		/* waits only for a vfork's child */
	GT_CALL_FCNTL,		/* waits only for a lock */
	GT_CALL_SOCKETCALL,	/* i386's multiplexer of the socket calls */
	GT_CALL_IPC,		/* i386's multiplexer of System V's */
	GT_CALL_YIELD,		/* sched_yield */
	GT_CALL_MAP,		/* changes the mappings of the address space */
};

#define GT_CALL_NAME_MAX	64	/* bytes of "syscall.NAME" */

/* The call that the running task is in. */
struct gt_call {
	u32 name;		/* string id; 0 when it is in none */
	enum gt_call_kind kind;
};

/* Session: process context. */
int gt_call_init(void);
void gt_call_destroy(void);

/* Has no user registers, or none that mean anything. */
static inline bool gt_task_has_no_calls(const struct task_struct *p)
{
	return p->flags & (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER);
}

/* Without a session; any context. */
struct gt_call gt_call_describe(struct task_struct *p, int nr);
u32 gt_call_print(char *to, size_t size, int nr, bool compat);

/* The running task itself: any context but NMI. */
struct gt_call gt_call_unknown(long nr);
struct gt_call gt_call_get(void);

enum { GT_ABI_64, GT_ABI_32, GT_ABIS };

/* By number; there while probes are. */
struct gt_call_table {
	struct gt_call *calls;
	u32 n;
};

extern struct gt_call_table gt_call_tables[GT_ABIS];

/**
 * gt_call_by_number() - a call by its number
 * @nr: the number, of the ABI that the running task calls by
 *
 * Return: the call, named "syscall.NAME", or "syscall.NUMBER".
 * Context: The task itself, in the call; any context but NMI.
 */
static __always_inline struct gt_call gt_call_by_number(long nr)
{
	const struct gt_call_table *t = &gt_call_tables[gt_arch_is_compat(current) ? GT_ABI_32 : GT_ABI_64];
	const struct gt_call *call;

	if (unlikely((unsigned long)nr >= t->n))
		return gt_call_unknown(nr);
	call = &t->calls[array_index_nospec(nr, t->n)];
	return likely(call->name) ? *call : gt_call_unknown(nr);
}

#endif /* GT_CALL_H */
