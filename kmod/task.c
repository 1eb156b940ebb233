// SPDX-License-Identifier: GPL-2.0
/*
 * Finding the state of a task by its tid, and the life of that state.
 *
 * Two levels: a table of leaves, a leaf of 256 tids. A tid is freed before its
 * task's last switch and may be given to another by then, so the states of one
 * tid form a chain, newest first. An exec by a thread that is not the leader
 * swaps tids; the state moves at the first switch that finds it under the
 * wrong tid.
 *
 * States are created and unlinked under one lock, found without. They are
 * reused only after an RCU grace period, which every reader's interrupts-off
 * section holds up.
 */
#include <linux/errno.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/threads.h>
#include <linux/vmalloc.h>
#include "annotate.h"
#include "arena.h"
#include "compat.h"
#include "cpu.h"
#include "filter.h"
#include "kick.h"
#include "queue.h"
#include "stack.h"
#include "string.h"
#include "task.h"

#define NR_LEAVES	(PID_MAX_LIMIT >> GT_LEAF_BITS)

/* goid of a tid's later uses: tid + (use << 22), 22 bits being PID_MAX_LIMIT. */
#define GOID_SHIFT	22

/* So many dead states make it worth the worker's grace period. */
#define DEAD_MANY	128

struct gt_leaf **gt_task_leaves;

static struct {
	/*
	 * Any context but NMI, run-queue and pi locks may be held outside;
	 * the locks of stacks, strings and the arena nest inside.
	 */
	raw_spinlock_t lock;
	struct gt_task *free, *free_end;	/* by chain, those free longest first */
	struct gt_task *dead;		/* unlinked, may still be read; by chain */
	u32 nr_dead;
} tasks = { .lock = __RAW_SPIN_LOCK_UNLOCKED(tasks.lock) };

int gt_task_init(void)
{
	BUILD_BUG_ON(PID_MAX_LIMIT > 1 << GOID_SHIFT);
	BUILD_BUG_ON(offsetof(struct gt_task, doing) != 64);
	BUILD_BUG_ON(CONFIG_NR_CPUS - 1 > GT_CPU_MASK);
	gt_task_leaves = vzalloc(array_size(NR_LEAVES, sizeof(*gt_task_leaves)));
	return gt_task_leaves ? 0 : -ENOMEM;
}

/*
 * No probe runs any more. The states themselves are the arena's: the lists go
 * with it, for the next session's worker may come before gt_task_init().
 */
void gt_task_destroy(void)
{
	tasks.free = tasks.free_end = tasks.dead = NULL;
	tasks.nr_dead = 0;
	vfree(gt_task_leaves);
	gt_task_leaves = NULL;
}

/* Room for the states of so many tasks more. 0, -ENOSPC or -ENOMEM. */
int gt_task_reserve(u32 n)
{
	return gt_arena_refill((size_t)n * (sizeof(struct gt_task) + sizeof(u32)) +
			       (size_t)(n / 64 + 2) * sizeof(struct gt_leaf));
}

/* The string id of a task's name; kernel threads' in brackets, as ps has it. */
u32 gt_task_name(struct task_struct *p, const char *comm)
{
	char s[TASK_COMM_LEN + 2];
	ssize_t n;
	u32 len = 0;

	if (p->flags & PF_KTHREAD)
		s[len++] = '[';
	/* Racy against a rename: the name may be half old, half new. */
	n = strscpy(s + len, comm, TASK_COMM_LEN);
	len += n < 0 ? TASK_COMM_LEN - 1 : n;
	if (p->flags & PF_KTHREAD)
		s[len++] = ']';
	return gt_string_put(s, len);
}

static struct gt_task **head_of(u32 tid)
{
	return &gt_task_leaves[tid >> GT_LEAF_BITS]->tid[tid & (GT_LEAF_SIZE - 1)].task;
}

static bool leaf_get_locked(u32 tid)
{
	struct gt_leaf **leaf = &gt_task_leaves[tid >> GT_LEAF_BITS], *new;

	if (*leaf)
		return true;
	new = gt_arena_alloc(sizeof(*new));
	if (!new)
		return false;
	smp_store_release(leaf, new);	/* (A) publish; pairs with (B) */
	return true;
}

static void link_locked(struct gt_task *t, u32 tid)
{
	struct gt_task **head = head_of(tid);

	t->tid = tid;
	WRITE_ONCE(t->chain, *head);
	smp_store_release(head, t);	/* (A) publish; pairs with (B) in gt_task_find() */
}

static bool unlink_locked(struct gt_task *t)
{
	struct gt_task **pos = head_of(t->tid);

	for (; *pos; pos = &(*pos)->chain) {
		if (*pos == t) {
			WRITE_ONCE(*pos, t->chain);
			return true;
		}
	}
	return false;
}

/*
 * A name stays its task's as long as a reader may find the task. What is overwritten
 * nobody finds, so a flight recorder's names are used again, with the states that they
 * are of; and these are not used before.
 */
static struct gt_task *alloc_locked(void)
{
	struct gt_task *t = tasks.free;
	u32 name;

	if (!t || (gt_options.overwrite && atomic64_read(&t->last) > gt_queue_forgotten()))
		return gt_arena_alloc(sizeof(*t));
	tasks.free = t->chain;
	name = gt_options.overwrite ? t->name : GT_NAME_UNKNOWN;
	memset(t, 0, sizeof(*t));
	t->name = name;
	return t;
}

static void free_locked(struct gt_task *t)
{
	t->chain = NULL;
	if (tasks.free)
		tasks.free_end->chain = t;
	else
		tasks.free = t;
	tasks.free_end = t;
}

/* The kernel calls them "migration/CPU", after what they do most. */
static bool is_stopper(struct task_struct *p)
{
	return (p->flags & PF_KTHREAD) && str_has_prefix(p->comm, "migration/");
}

/**
 * gt_task_create() - the state kept for a task, a new one if there is none
 * @p: the task; its last switch is still to come
 *
 * Return: the state, of status GT_NONE when new; NULL without memory.
 * Context: Any context but NMI, interrupts off. Run-queue lock may be held.
 */
struct gt_task *gt_task_create(struct task_struct *p)
{
	u32 tid = READ_ONCE(p->pid);
	struct gt_task *t = NULL;
	u32 use;

	raw_spin_lock(&tasks.lock);
	if (!leaf_get_locked(tid))
		goto out;
	t = gt_task_find(p);
	if (t)
		goto out;
	t = alloc_locked();
	if (!t)
		goto out;
	t->owner = p;
	if (t->name == GT_NAME_UNKNOWN)
		t->name = gt_name_create(p->tgid);
	else
		gt_name_reuse(t->name, p->tgid);
	t->comm = gt_task_name(p, p->comm);
	t->doing.nr = GT_DOING_NOTHING;
	/* All of them tell of a stopped world, or none. */
	if (gt_options.memory && !gt_filter.cpus && is_stopper(p))
		t->flags = GT_TASK_STOPPER;
	if (gt_filter.tasks)
		gt_filter_new(t, p);
	use = gt_task_leaves[tid >> GT_LEAF_BITS]->tid[tid & (GT_LEAF_SIZE - 1)].used++;
	t->goid = tid + ((u64)use << GOID_SHIFT);
	link_locked(t, tid);
out:
	raw_spin_unlock(&tasks.lock);
	return t;
}

/* Its owner has another tid now: exec by a thread. Interrupts off. */
void gt_task_move(struct gt_task *t, u32 tid)
{
	struct gt_task *other;
	u32 from = t->tid;

	raw_spin_lock(&tasks.lock);
	if (leaf_get_locked(tid) && unlink_locked(t)) {
		/* Whoever had its tid has this one's now; what is linked lives. */
		for (other = *head_of(tid); other; other = other->chain)
			if (READ_ONCE(other->owner->pid) == from)
				break;
		link_locked(t, tid);
		if (other && unlink_locked(other))
			link_locked(other, from);
	}
	raw_spin_unlock(&tasks.lock);
}

/* In the trace: its first event takes number 0. */
static bool was_created(struct gt_task *t)
{
	return gt_seq(atomic64_read(&t->word));
}

/* Its owner is off its CPU for good. Interrupts off; done once or more. */
void gt_task_release(struct gt_task *t)
{
	raw_spin_lock(&tasks.lock);
	if (unlink_locked(t)) {
		if (was_created(t))
			gt_name_set(t->name, t->comm);
		if (t->regions)
			gt_annotate_release(t->regions);
		t->regions = NULL;
		/* A reader may still follow its chain; no reader takes this for its owner. */
		t->dead = tasks.dead;
		tasks.dead = t;
		WRITE_ONCE(tasks.nr_dead, tasks.nr_dead + 1);
	}
	raw_spin_unlock(&tasks.lock);
	if (gt_task_reclaim_is_due())
		gt_kick();
}

bool gt_task_reclaim_is_due(void)
{
	return READ_ONCE(tasks.nr_dead) >= DEAD_MANY;
}

/* Make the states of the dead free for others. Worker; sleeps. */
void gt_task_reclaim(void)
{
	struct gt_task *t, *next;

	raw_spin_lock_irq(&tasks.lock);
	t = tasks.dead;
	tasks.dead = NULL;
	WRITE_ONCE(tasks.nr_dead, 0);
	raw_spin_unlock_irq(&tasks.lock);
	if (!t)
		return;
	synchronize_rcu();
	for (; t; t = next) {
		next = t->dead;
		raw_spin_lock_irq(&tasks.lock);
		free_locked(t);
		raw_spin_unlock_irq(&tasks.lock);
	}
}

struct gt_task *gt_task_next(u32 *tid)
{
	struct gt_task *t;

	for (; *tid < PID_MAX_LIMIT; ++*tid) {
		/* (B) as in gt_task_find() */
		if (!smp_load_acquire(&gt_task_leaves[*tid >> GT_LEAF_BITS])) {
			*tid |= GT_LEAF_SIZE - 1;
			continue;
		}
		t = smp_load_acquire(head_of(*tid));	/* (B) */
		if (t) {
			++*tid;
			return t;
		}
	}
	return NULL;
}

/*
 * Write down the names of those alive. Process context, while the probes are
 * there: a state found under the lock has an owner whose last switch is still
 * to come, so it can be looked at.
 */
void gt_task_name_all(void)
{
	u32 tid;

	for (tid = 0; tid < PID_MAX_LIMIT; tid++) {
		struct gt_task *t;

		if (!gt_task_leaves[tid >> GT_LEAF_BITS]) {
			tid |= GT_LEAF_SIZE - 1;
			continue;
		}
		raw_spin_lock_irq(&tasks.lock);
		for (t = *head_of(tid); t; t = t->chain)
			if (was_created(t))
				gt_name_set(t->name, gt_task_name(t->owner, t->owner->comm));
		raw_spin_unlock_irq(&tasks.lock);
	}
}
