/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a reader of the trace believes of each task so far.
 *
 * A task's state is one word, changed only by compare-and-swap, so that the
 * CPU that runs a task and the CPUs that wake it agree on who writes which
 * event. A probe emits only the legal steps from the believed state to the
 * true one (emit.c). A tid only finds a struct gt_task; the task it belongs to
 * is its owner.
 */
#ifndef GT_TASK_H
#define GT_TASK_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/llist.h>
#include <linux/sched.h>
#include <linux/limits.h>
#include <linux/types.h>
#include "call.h"
#include "compat.h"

/*
 * The word: status, flags, the P that wrote the task's last event, and the
 * sequence number that its next GoStart, GoUnblock or GoSysExit carries.
 */
enum gt_status {
	GT_NONE,		/* not created in this session */
	GT_RUNNABLE,
	GT_RUNNING,		/* on the word's P */
	GT_WAITING,
	GT_SYSCALL,		/* waiting, and GoSysBlock said so */
	GT_DEAD,
};

#define GT_STATUS_MASK	0x7ULL
/*
 * A wake-up was seen while the task was believed running; @waker_stack is
 * valid. The switch-out that puts it to sleep consumes it, sched_wakeup
 * clears it.
 */
#define GT_PENDING	(1ULL << 3)
/* The truth, noted by CPUs that do not write: it sleeps / somebody has looked. */
#define GT_ASLEEP	(1ULL << 4)
#define GT_SEEN		(1ULL << 5)
#define GT_IN_CALL	(1ULL << 6)	/* asleep, uninterruptibly, in a call */
#define GT_CPU_SHIFT	8
#define GT_CPU_MASK	0xffffULL
#define GT_SEQ_SHIFT	24

static inline enum gt_status gt_status(u64 w)
{
	return w & GT_STATUS_MASK;
}

static inline u32 gt_word_cpu(u64 w)
{
	return w >> GT_CPU_SHIFT & GT_CPU_MASK;
}

static inline u64 gt_seq(u64 w)
{
	return w >> GT_SEQ_SHIFT;
}

static inline bool gt_is_asleep(enum gt_status status)
{
	return status == GT_WAITING || status == GT_SYSCALL;
}

/* Nothing is left for the end of a wake-up to do. */
static inline bool gt_is_awake(u64 w)
{
	return !(w & (GT_PENDING | GT_ASLEEP)) && !gt_is_asleep(gt_status(w));
}

/* Keeps a pending wake of @old; what else was noted is now in the status. */
static inline u64 gt_word(u64 old, enum gt_status status, u32 cpu, u64 seq)
{
	return (old & GT_PENDING) | status | (u64)cpu << GT_CPU_SHIFT | seq << GT_SEQ_SHIFT;
}

/* What a task is doing, noted at the entry of its call (doing.h). */
struct gt_doing {
	int nr;			/* as gt_arch_call_nr() had it; GT_DOING_NOTHING when forgotten */
	struct gt_call call;
	const struct gt_stack *stack;	/* the call, the user stack, the task's name */
};

#define GT_DOING_NOTHING	INT_MIN

struct gt_task {
	atomic64_t word;
	atomic64_t last;		/* ticks of its last step; only grows */
	union {
		struct task_struct *owner;	/* an identity; dereferenced only while it lives */
		struct gt_task *dead;		/* next of those that wait for reuse */
	};
	struct gt_task *chain;		/* another task of the same tid, older */
	u64 goid;
	u32 tid;			/* under which it is found */
	u32 name;			/* name cell: GoCreate's new stack */

	/* The task itself, on its CPU with interrupts off. */
	u32 comm;			/* string id of its name so far */
	u32 region;			/* string id of its open call region, 0 for none */
	u16 thread;			/* thread id it keeps while GT_SYSCALL, 0 for none */
	u8 flags;			/* GT_TASK_* */
	bool renamed;			/* next GoStart carries the name; set by any task */

	u32 waker_stack;		/* of a pending wake; written before GT_PENDING is set */

	struct gt_doing doing;		/* the task itself, as above; so the next */
	struct gt_regions *regions;	/* its annotations; NULL before the first */

	/* Its maker, at its birth; read by gt_traceback(). */
	u32 maker;			/* tid; 0 when the birth was not seen */
	u32 maker_stack;

	/* Whether it is left out (filter.h). */
	bool unpicked, misnamed, misplaced, followed;
} ____cacheline_aligned;

#define GT_TASK_STALE	(1 << 0)	/* of its open regions some have truly ended, unseen */
#define GT_TASK_KILLED	(1 << 1)	/* dies by a signal */
#define GT_TASK_REMAPS	(1 << 2)	/* its last call changed its mappings */
#define GT_TASK_ASSIST	(1 << 3)	/* it reclaims memory, and the trace says so */
#define GT_TASK_ASSIST_STALE (1 << 4)	/* that has truly ended, unseen */
#define GT_TASK_STOPPER	(1 << 5)	/* it is a CPU's stopper (global.c) */
#define GT_TASK_SUSPENDS (1 << 6)	/* it has stopped the world */

/* What makes its start more than that. */
#define GT_TASK_AT_START \
	(GT_TASK_STALE | GT_TASK_ASSIST_STALE | GT_TASK_STOPPER | GT_TASK_SUSPENDS)

/* As far as one can see from outside. */
static inline bool gt_task_looks_asleep(struct task_struct *p)
{
	return gt_task_state(p) != TASK_RUNNING && !gt_task_is_queued(p);
}

/* Session: process context. */
int gt_task_init(void);
void gt_task_destroy(void);
int gt_task_reserve(u32 tasks);
void gt_task_reclaim(void);
bool gt_task_reclaim_is_due(void);
void gt_task_name_all(void);
u32 gt_task_name(struct task_struct *p, const char *comm);

/*
 * for (t = gt_task_next(&tid); t; t = gt_task_next(&tid)), tid from 0: the
 * tasks there are, in the order of tids; those of one tid's chain but the
 * newest are left out. Process context, in an RCU read-side section.
 */
struct gt_task *gt_task_next(u32 *tid);

/* Probes: interrupts off. */
struct gt_task *gt_task_create(struct task_struct *p);
void gt_task_move(struct gt_task *t, u32 tid);
void gt_task_release(struct gt_task *t);

#define GT_LEAF_BITS	8
#define GT_LEAF_SIZE	(1 << GT_LEAF_BITS)

struct gt_leaf {
	struct {
		struct gt_task *task;
		u32 used;		/* goids given out for this tid */
	} tid[GT_LEAF_SIZE];
};

extern struct gt_leaf **gt_task_leaves;	/* by tid >> GT_LEAF_BITS; there while probes are */

/**
 * gt_task_find() - the state kept for a task
 * @p: the task; alive, so that its state cannot be taken for another's
 *
 * Return: it, or NULL. Valid while preemption is off.
 * Context: Any context but NMI, preemption off.
 */
static __always_inline struct gt_task *gt_task_find(struct task_struct *p)
{
	u32 tid = READ_ONCE(p->pid);
	/* (B) see what gt_task_create() filled in; pairs with (A) there. */
	struct gt_leaf *leaf = smp_load_acquire(&gt_task_leaves[tid >> GT_LEAF_BITS]);
	struct gt_task *t;

	if (unlikely(!leaf))
		return NULL;
	/* (B) and of the state */
	t = smp_load_acquire(&leaf->tid[tid & (GT_LEAF_SIZE - 1)].task);
	while (t && unlikely(t->owner != p))
		t = READ_ONCE(t->chain);
	return t;
}

#endif /* GT_TASK_H */
