// SPDX-License-Identifier: GPL-2.0
/*
 * Annotations: tasks, regions and log messages of user space's own.
 *
 * An ioctl is a system call of the task that it speaks of, so it writes as a
 * probe does: on the task's CPU, interrupts off, when the CPU writes and the
 * task is its G. What a reader believes open of a task's regions is kept with
 * the task (struct gt_regions): a start that was not written is not kept, so its
 * end finds nothing; an end that was not written leaves the region believed open
 * and truly closed, which the task's next start heals (emit.c).
 *
 * Whatever may sleep or fault comes before. An ioctl uses what the session owns
 * inside a section of SRCU, and only while notes.allowed; STOP waits for those
 * inside, so user memory is touched outside, where a fault may take for ever.
 *
 * Tasks are in slab memory, strings and regions in the arena; who made them pays
 * for all (account.c).
 */
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/srcu.h>
#include <linux/uaccess.h>
#include <linux/xarray.h>
#include "account.h"
#include "annotate.h"
#include "arena.h"
#include "cpu.h"
#include "device.h"
#include "doing.h"
#include "emit.h"
#include "filter.h"
#include "string.h"
#include "task.h"

/* A task of user space: open, and its start is in the trace. */
struct user_task {
	atomic64_t last;	/* ticks of its last event; only grows */
	struct gt_account *account;
	struct rcu_head rcu;
};

/* With its share of the index's nodes. */
#define USER_TASK_COST	(sizeof(struct user_task) + 32)

static struct {
	bool allowed;			/* a session traces */
	atomic64_t ids;			/* the last one given out */
	struct xarray tasks;		/* by id */
	raw_spinlock_t lock;		/* innermost; any context but NMI */
	struct gt_regions *free;	/* that nobody uses; the arena's */
} notes = {
	.tasks = XARRAY_INIT(notes.tasks, XA_FLAGS_ACCOUNT),
	.lock = __RAW_SPIN_LOCK_UNLOCKED(notes.lock),
};

DEFINE_STATIC_SRCU(inside);

/* Whether annotations are recorded. Any context; may be out of date at once. */
bool gt_annotate_is_on(void)
{
	return READ_ONCE(notes.allowed);
}

/* ---- The session ---- */

/*
 * No probe runs any more, and nobody is inside. The arena and the accounts go
 * after us.
 */
void gt_annotate_destroy(void)
{
	struct user_task *u;
	unsigned long id;

	xa_for_each(&notes.tasks, id, u)
		kfree(u);
	xa_destroy(&notes.tasks);
	notes.free = NULL;
}

void gt_annotate_begin(void)
{
	WRITE_ONCE(notes.allowed, true);
}

/* When it returns nobody is inside. */
void gt_annotate_end(void)
{
	WRITE_ONCE(notes.allowed, false);
	synchronize_srcu(&inside);
}

/* ---- Ids and strings ---- */

/* Inside. The id of a string, or an error. */
static int string_put(struct gt_account *a, const char *s, u32 len)
{
	u32 id = gt_string_find(s, len), cost = gt_string_cost(len);
	int err;

	if (id)
		return id;
	err = gt_account_charge(a, cost);
	if (err)
		return err;
	/* The blocks that are there are for those who cannot wait. */
	err = gt_arena_refill(0);
	if (!err) {
		id = gt_string_put(s, len);
		if (id != GT_STR_UNKNOWN)
			return id;
		err = -ENOSPC;
	}
	gt_account_refund(a, cost);
	return err;
}

static u64 new_id(void)
{
	return atomic64_inc_return(&notes.ids);
}

static bool was_given(u64 id)
{
	return id <= atomic64_read(&notes.ids);
}

static bool length_is_valid(u32 len, u32 min)
{
	return len >= min && len <= GOTRACE_STRING_MAX;
}

static char *string_get(u64 addr, u32 len)
{
	return memdup_user(u64_to_user_ptr(addr), len);
}

/* ---- Writing. Inside; interrupts off ---- */

/*
 * The running task, when this CPU writes for it, and has room for @text bytes
 * of text beside what a probe writes.
 */
static struct gt_task *writer(struct gt_cpu *c, u32 text)
{
	if (c->cur && !gt_filter_has(c->cur))
		return NULL;
	if (!gt_cpu_begin_text(c, text))
		return NULL;
	if (!gt_emit_g(c))
		c->lost[GOTRACE_LOST_TASK]++;
	return c->g;
}

/* The running task, whoever writes. */
static struct gt_task *self(struct gt_cpu *c)
{
	return c->cur ?: gt_task_find(current);
}

/*
 * Where the running task annotates itself: its user stack without the ioctl and
 * the C library's function for it, as far as there is more.
 */
static u32 stack_here(struct gt_task *t)
{
	const struct gt_stack *s = gt_doing(t)->stack;
	u32 skip = s->n > 3 ? 2 : s->n > 1;

	return skip ? gt_stack_put(s->frames + skip, s->n - skip)->id : s->id;
}

/* Behind the last event of a task, which has no other order in the trace. */
static u64 time_in(struct gt_cpu *c, struct user_task *u, u64 now)
{
	if (!u)
		return now;
	now = gt_cpu_time_after(c, now, atomic64_read(&u->last) + 1);
	gt_time_raise(&u->last, now);
	return now;
}

/* The same by the task's id; 0, and one that is not open, are no task. */
static u64 time_in_id(struct gt_cpu *c, u64 task, u64 now)
{
	return time_in(c, task ? xa_load(&notes.tasks, task) : NULL, now);
}

/* What is not a region. */
struct note {
	enum gt_ev ev;
	u32 string;		/* id of a task's name, or of a message's category */
	u64 task, parent;
	const char *text;	/* of a message */
	u32 len;
};

/* @u: the task, where the index does not have it any more. False when it is lost. */
static bool write_note(const struct note *n, struct user_task *u)
{
	struct gt_cpu *c;
	struct gt_task *t;
	unsigned long flags;
	u32 stack;
	u64 now;

	local_irq_save(flags);
	c = this_cpu_ptr(&gt_cpus);
	t = writer(c, n->len);
	if (!t)
		goto out;
	now = time_in_id(c, n->parent, gt_cpu_time(c));
	now = u ? time_in(c, u, now) : time_in_id(c, n->task, now);
	gt_emit_region_ends(c, now);
	stack = stack_here(t);
	if (n->ev == EV_USER_TASK_CREATE)
		gt_ev4(c, now, n->ev, n->task, n->parent, n->string, stack);
	else if (n->ev == EV_USER_TASK_END)
		gt_ev2(c, now, n->ev, n->task, stack);
	else
		gt_emit(c, now, gt_put_user_log, now - c->last, n->task, n->string, stack,
			n->text, n->len);
out:
	local_irq_restore(flags);
	return t;
}

static struct gt_regions *regions_pop(void)
{
	struct gt_regions *r;

	raw_spin_lock(&notes.lock);
	r = notes.free;
	if (r)
		notes.free = r->free;
	raw_spin_unlock(&notes.lock);
	if (!r)
		return gt_arena_alloc(sizeof(*r));
	memset(r, 0, sizeof(*r));
	return r;
}

/* A block for the running task; 0 or an error. */
static int regions_get(struct gt_task *t, struct gt_account *a)
{
	struct gt_regions *r;
	int err;

	if (t->regions)
		return 0;
	err = gt_account_charge(a, sizeof(*r));
	if (err)
		return err;
	r = regions_pop();
	if (!r) {
		gt_account_refund(a, sizeof(*r));
		return -ENOSPC;
	}
	r->account = a;
	t->regions = r;
	return 0;
}

/* Its task is off its CPU for good. Any context but NMI; tasks.lock may be held. */
void gt_annotate_release(struct gt_regions *r)
{
	gt_account_refund(r->account, sizeof(*r));
	raw_spin_lock(&notes.lock);
	r->free = notes.free;
	notes.free = r;
	raw_spin_unlock(&notes.lock);
}

static int write_region_begin(struct gt_account *a, u64 id, u64 task, u32 name)
{
	struct gt_regions *r;
	struct gt_cpu *c;
	struct gt_task *t;
	unsigned long flags;
	int err = 0;
	u64 now;

	local_irq_save(flags);
	c = this_cpu_ptr(&gt_cpus);
	t = writer(c, 0);
	if (!t)
		goto out;
	err = regions_get(t, a);
	if (err)
		goto out;
	r = t->regions;
	now = time_in_id(c, task, gt_cpu_time(c));
	gt_emit_region_ends(c, now);
	if (r->shown == GOTRACE_REGIONS_MAX) {
		err = -E2BIG;
		goto out;
	}
	r->region[r->shown].id = id;
	r->region[r->shown].task = task;
	r->region[r->shown].name = name;
	r->open = ++r->shown;
	gt_ev4(c, now, EV_USER_REGION, task, 0, name, stack_here(t));
out:
	local_irq_restore(flags);
	return err;
}

/* The place of an open region among its task's; -1 when it is none of them. */
static int region_find(const struct gt_regions *r, u64 id)
{
	u32 i;

	for (i = 0; r && i < r->open; i++)
		if (r->region[i].id == id)
			return i;
	return -1;
}

static int write_region_end(u64 id)
{
	struct gt_cpu *c;
	struct gt_task *t;
	unsigned long flags;
	bool may_write;
	int i;

	local_irq_save(flags);
	c = this_cpu_ptr(&gt_cpus);
	may_write = writer(c, 0);
	t = self(c);
	i = t ? region_find(t->regions, id) : -1;
	if (i < 0)
		goto out;
	t->regions->open = i;
	if (may_write)
		gt_emit_region_ends(c, time_in_id(c, t->regions->region[i].task, gt_cpu_time(c)));
	else
		t->flags |= GT_TASK_STALE;
out:
	local_irq_restore(flags);
	return 0;
}

/* ---- What each ioctl does. Inside; interrupts on ---- */

static void task_free(struct user_task *u)
{
	gt_account_refund(u->account, USER_TASK_COST);
	kfree_rcu(u, rcu);
}

/* Its name is known. Only a task whose start was written is kept. */
static int task_create(struct gt_account *a, u64 id, u64 parent, u32 name)
{
	struct note n = {
		.ev = EV_USER_TASK_CREATE, .task = id, .parent = parent, .string = name,
	};
	struct user_task *u;
	int err = gt_account_charge(a, USER_TASK_COST);

	if (err)
		return err;
	u = kzalloc(sizeof(*u), GFP_KERNEL_ACCOUNT);
	if (u)
		u->account = a;
	err = u ? xa_insert(&notes.tasks, id, u, GFP_KERNEL) : -ENOMEM;
	if (err) {
		kfree(u);
		gt_account_refund(a, USER_TASK_COST);
		return err;
	}
	/* Its id is known to user space by now, and it may be ended already. */
	if (!write_note(&n, NULL)) {
		u = xa_erase(&notes.tasks, id);
		if (u)
			task_free(u);
	}
	return 0;
}

static int task_end(struct file *file, u64 id)
{
	struct note n = { .ev = EV_USER_TASK_END, .task = id };
	struct gt_account *a = gt_account_get(file);
	struct user_task *u;
	bool is_others;

	if (IS_ERR(a))
		return PTR_ERR(a);
	rcu_read_lock();
	u = xa_load(&notes.tasks, id);
	is_others = u && u->account != a;
	rcu_read_unlock();
	if (is_others)
		return -EPERM;
	/* One of those who end it at once finds it. */
	u = xa_erase(&notes.tasks, id);
	if (u) {
		write_note(&n, u);
		task_free(u);
	}
	return 0;
}

/* Or a region begins. */
static int begin(struct file *file, bool is_task, const struct gotrace_begin *k, const char *name)
{
	struct gt_account *a = gt_account_get(file);
	int string;

	if (IS_ERR(a))
		return PTR_ERR(a);
	string = string_put(a, name, k->name_len);
	if (string < 0)
		return string;
	return is_task ? task_create(a, k->id, k->task, string) :
			 write_region_begin(a, k->id, k->task, string);
}

/* @category is of no length where there is none. */
static int log_message(struct file *file, const struct gotrace_log *k, const char *category,
		       const char *message)
{
	struct note n = {
		.ev = EV_USER_LOG, .task = k->task, .text = message, .len = k->message_len,
	};
	struct gt_account *a = gt_account_get(file);
	int key = GT_STR_NONE, err;

	if (IS_ERR(a))
		return PTR_ERR(a);
	if (k->category_len)
		key = string_put(a, category, k->category_len);
	if (key < 0)
		return key;
	err = gt_account_charge_message(a, GT_RECORD_MAX + k->message_len);
	n.string = key;
	if (!err)
		write_note(&n, NULL);
	return err;
}

/* ---- ioctls. Process context; user memory is touched here only ---- */

static int ioctl_begin(struct file *file, bool is_task, struct gotrace_begin __user *arg)
{
	struct gotrace_begin k;
	int err, idx;
	char *name;

	BUILD_BUG_ON(sizeof(k) != GOTRACE_BEGIN_SIZE_VER0);
	err = gt_copy_in(&k, sizeof(k), GOTRACE_BEGIN_SIZE_VER0, arg);
	if (err)
		return err;
	if (!length_is_valid(k.name_len, 1) || !was_given(k.task))
		return -EINVAL;
	k.id = is_task || gt_annotate_is_on() ? new_id() : 0;
	if (put_user(k.id, &arg->id))
		return -EFAULT;
	if (!gt_annotate_is_on())
		return 0;
	name = string_get(k.name, k.name_len);
	if (IS_ERR(name))
		return PTR_ERR(name);
	idx = srcu_read_lock(&inside);
	if (gt_annotate_is_on())
		err = begin(file, is_task, &k, name);
	srcu_read_unlock(&inside, idx);
	kfree(name);
	return err;
}

static int ioctl_end(struct file *file, bool is_task, struct gotrace_end __user *arg)
{
	struct gotrace_end k;
	int err, idx;

	BUILD_BUG_ON(sizeof(k) != GOTRACE_END_SIZE_VER0);
	err = gt_copy_in(&k, sizeof(k), GOTRACE_END_SIZE_VER0, arg);
	if (err)
		return err;
	if (k.reserved || !k.id || !was_given(k.id))
		return -EINVAL;
	idx = srcu_read_lock(&inside);
	if (gt_annotate_is_on())
		err = is_task ? task_end(file, k.id) : write_region_end(k.id);
	srcu_read_unlock(&inside, idx);
	return err;
}

static int ioctl_log(struct file *file, struct gotrace_log __user *arg)
{
	char *category = NULL, *message;
	struct gotrace_log k;
	int err, idx;

	BUILD_BUG_ON(sizeof(k) != GOTRACE_LOG_SIZE_VER0);
	err = gt_copy_in(&k, sizeof(k), GOTRACE_LOG_SIZE_VER0, arg);
	if (err)
		return err;
	if (!length_is_valid(k.category_len, 0) || !length_is_valid(k.message_len, 1) ||
	    k.reserved || !was_given(k.task))
		return -EINVAL;
	if (!gt_annotate_is_on())
		return 0;
	message = string_get(k.message, k.message_len);
	if (IS_ERR(message))
		return PTR_ERR(message);
	if (k.category_len)
		category = string_get(k.category, k.category_len);
	if (IS_ERR(category)) {
		kfree(message);
		return PTR_ERR(category);
	}
	idx = srcu_read_lock(&inside);
	if (gt_annotate_is_on())
		err = log_message(file, &k, category, message);
	srcu_read_unlock(&inside, idx);
	kfree(category);
	kfree(message);
	return err;
}

/**
 * gt_annotate_ioctl() - the annotations' part of the device
 * @file: an open file
 * @cmd:  GOTRACE_IOC_TASK_CREATE to GOTRACE_IOC_LOG
 * @arg:  its struct
 *
 * Return: 0 or what uapi/linux/gotrace.h says.
 * Context: Process context. May sleep.
 */
long gt_annotate_ioctl(struct file *file, unsigned int cmd, void __user *arg)
{
	if (!(file->f_mode & FMODE_WRITE))
		return -EBADF;
	switch (cmd) {
	case GOTRACE_IOC_TASK_CREATE:
		return ioctl_begin(file, true, arg);
	case GOTRACE_IOC_TASK_END:
		return ioctl_end(file, true, arg);
	case GOTRACE_IOC_REGION_BEGIN:
		return ioctl_begin(file, false, arg);
	case GOTRACE_IOC_REGION_END:
		return ioctl_end(file, false, arg);
	case GOTRACE_IOC_LOG:
		return ioctl_log(file, arg);
	default:
		return -ENOTTY;
	}
}
