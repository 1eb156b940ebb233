/* SPDX-License-Identifier: GPL-2.0 */
/* System calls: their names, and which one the running task is in. */
#ifndef GT_CALL_H
#define GT_CALL_H

#include <linux/types.h>

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
};

/* The call that the running task is in. */
struct gt_call {
	u32 name;		/* string id; 0 when it is in none */
	enum gt_call_kind kind;
};

/* Session: process context. */
int gt_call_init(void);
void gt_call_destroy(void);

/* The running task itself: any context but NMI. */
struct gt_call gt_call_by_number(long nr);
struct gt_call gt_call_get(void);

#endif /* GT_CALL_H */
