// SPDX-License-Identifier: GPL-2.0
/*
 * Every task's stack at this moment: the tasks there are, one after the other
 * (unwind.c), as records in the caller's buffer. Nothing of it needs a session;
 * while one is tracing, it tells who made a task and where.
 *
 * A name is written once, before the first task that uses it.
 */
#include <linux/bsearch.h>
#include <linux/errno.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>
#include "arch.h"
#include "call.h"
#include "compat.h"
#include "frame.h"
#include "session.h"
#include "stack.h"
#include "string.h"
#include "task.h"
#include "traceback.h"
#include "unwind.h"
#include "usermap.h"

#define DEFAULT_DEPTH	64
#define HASH_BITS	10

/* What a name, or a place in the kernel, was found by. */
struct name {
	struct name *next;
	u64 key;
	u32 id;
	u64 offset;		/* of a place */
	struct file *file;	/* held, so that @key is nobody else's, or NULL */
};

struct traceback {
	const struct gotrace_traceback *a;
	bool debug;

	/* The tasks, held. */
	struct task_struct **tasks;
	u32 n_tasks;

	/* The reply. */
	u8 __user *to;
	u64 len;		/* bytes of it so far, there or not */
	struct name *hash[1 << HASH_BITS];
	u32 names;

	struct gt_unwind u;
	struct gotrace_tb_task task;
	/* The task's, then its maker's. */
	struct gotrace_tb_frame frames[2 * (GOTRACE_DEPTH_MAX + 1)];
	u32 n_frames;
	struct gt_symbol symbol;
	char text[GT_NAME_MAX];
	char path[PATH_MAX];
};

/* ---- Which tasks ---- */

static int compare_pids(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

static bool has_pid(const u32 *pids, u32 n, u32 pid)
{
	return bsearch(&pid, pids, n, sizeof(pid), compare_pids);
}

static bool is_wanted(const struct traceback *t, struct task_struct *p, const u32 *pids)
{
	if (pids)
		return has_pid(pids, t->a->pids_len, p->pid) ||
		       has_pid(pids, t->a->pids_len, p->tgid);
	return (t->a->flags & GOTRACE_TRACEBACK_KTHREADS) || !(p->flags & PF_KTHREAD);
}

static void put_tasks(struct traceback *t)
{
	u32 i;

	for (i = 0; i < t->n_tasks; i++)
		put_task_struct(t->tasks[i]);
	t->n_tasks = 0;
	kvfree(t->tasks);
	t->tasks = NULL;
}

/* How many are wanted; up to @max of them are held. */
static u32 hold_tasks(struct traceback *t, const u32 *pids, u32 max)
{
	struct task_struct *g, *p;
	u32 n = 0;

	rcu_read_lock();
	for_each_process_thread(g, p) {
		if (!is_wanted(t, p, pids) || n++ >= max)
			continue;
		get_task_struct(p);
		t->tasks[t->n_tasks++] = p;
	}
	rcu_read_unlock();
	return n;
}

/* All of them in one walk, or the next is made with more room. 0 or -errno. */
static int find_tasks(struct traceback *t, const u32 *pids)
{
	u32 n = 0, max = 0;

	while ((n = hold_tasks(t, pids, max)) > max) {
		put_tasks(t);
		if (signal_pending(current))
			return -EINTR;
		max = n + n / 8 + 16;
		t->tasks = kvmalloc_array(max, sizeof(*t->tasks), GFP_KERNEL);
		if (!t->tasks)
			return -ENOMEM;
	}
	return 0;
}

/* The pids asked for, in order; NULL for all. To be freed in any case. 0 or -errno. */
static int get_pids(const struct gotrace_traceback *a, u32 **pids)
{
	*pids = NULL;
	if (!a->pids_addr)
		return 0;
	/* An empty array asks for nobody. */
	*pids = kvmalloc_array(a->pids_len + 1, sizeof(**pids), GFP_KERNEL);
	if (!*pids)
		return -ENOMEM;
	if (copy_from_user(*pids, u64_to_user_ptr(a->pids_addr), a->pids_len * sizeof(**pids)))
		return -EFAULT;
	sort(*pids, a->pids_len, sizeof(**pids), compare_pids, NULL);
	return 0;
}

/* ---- The reply ---- */

/* Counted when it does not fit. 0 or -EFAULT. */
static int put(struct traceback *t, const void *data, size_t n)
{
	u64 at = t->len;

	t->len += n;
	if (t->len > t->a->buf_len)
		return 0;
	return copy_to_user(t->to + at, data, n) ? -EFAULT : 0;
}

static struct name **find_name(struct traceback *t, u64 key)
{
	struct name **at = &t->hash[hash_64(key, HASH_BITS)];

	while (*at && (*at)->key != key)
		at = &(*at)->next;
	return at;
}

static struct name *add_name(struct name **at, u64 key)
{
	struct name *n = kzalloc(sizeof(*n), GFP_KERNEL);

	if (!n)
		return NULL;
	n->key = key;
	*at = n;
	return n;
}

/* Give @n an id for @text. 0 or -errno. */
static int put_name(struct traceback *t, struct name *n, const char *text, u32 len)
{
	static const u8 zeroes[8];
	u32 pad = -len & 7;
	struct gotrace_tb_name rec = {
		.type = GOTRACE_TB_NAME,
		.size = sizeof(rec) + len + pad,
		.id = ++t->names,
		.len = len,
	};

	n->id = rec.id;
	return put(t, &rec, sizeof(rec)) ?: put(t, text, len) ?: put(t, zeroes, pad);
}

static void free_names(struct traceback *t)
{
	struct name *n, *next;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(t->hash); i++) {
		for (n = t->hash[i]; n; n = next) {
			next = n->next;
			if (n->file)
				fput(n->file);
			kfree(n);
		}
	}
}

/*
 * What names are found by: a return address, an inode's, both with the highest
 * bit set; what follows has not.
 */
static u64 key_of_function(unsigned long start)
{
	return start & ~(1ULL << 63);	/* still far above these: */
}

static u64 key_of_string(u32 id)
{
	return id;
}

static u64 key_of_call(int nr, bool compat)
{
	return (compat ? 2ULL : 1ULL) << 32 | (u32)nr;
}

/* ---- Frames: 0 or -errno ---- */

static struct gotrace_tb_frame *add_frame(struct traceback *t, u32 kind)
{
	struct gotrace_tb_frame *f = &t->frames[t->n_frames++];

	*f = (struct gotrace_tb_frame){ .kind = kind };
	return f;
}

/* Functions have many return addresses. */
static int name_function(struct traceback *t, struct name *place, unsigned long start)
{
	struct name **at = find_name(t, key_of_function(start)), *n = *at;
	int err = 0;

	if (!n) {
		u32 len;

		n = add_name(at, key_of_function(start));
		if (!n)
			return -ENOMEM;
		len = scnprintf(t->text, sizeof(t->text), "%s", t->symbol.name);
		if (strcmp(t->symbol.module, "vmlinux"))
			len += scnprintf(t->text + len, sizeof(t->text) - len, " [%s]",
					 t->symbol.module);
		err = put_name(t, n, t->text, len);
	}
	place->id = n->id;
	return err;
}

static int add_kernel(struct traceback *t, unsigned long addr)
{
	struct name **at = find_name(t, addr), *place = *at;
	struct gotrace_tb_frame *f;
	int err = 0;

	if (!place) {
		place = add_name(at, addr);
		if (!place)
			return -ENOMEM;
		if (gt_frame_symbol(&t->symbol, addr)) {
			place->offset = t->symbol.offset;
			err = name_function(t, place, addr - place->offset);
		}
	}
	f = add_frame(t, GOTRACE_FRAME_KERNEL);
	f->name = place->id;
	f->offset = place->offset;
	f->address = t->debug ? addr : 0;
	return err;
}

static int add_call(struct traceback *t, int nr, bool compat)
{
	struct name **at = find_name(t, key_of_call(nr, compat)), *n = *at;
	int err = 0;

	if (!n) {
		n = add_name(at, key_of_call(nr, compat));
		if (!n)
			return -ENOMEM;
		err = put_name(t, n, t->text, gt_call_print(t->text, sizeof(t->text), nr, compat));
	}
	add_frame(t, GOTRACE_FRAME_CALL)->name = n->id;
	return err;
}

static int add_user(struct traceback *t, const struct gt_user_place *place)
{
	u64 key = place->file ? (uintptr_t)file_inode(place->file) : key_of_string(0);
	struct name **at = find_name(t, key), *n = *at;
	struct gotrace_tb_frame *f;
	int err = 0;

	if (!n) {
		n = add_name(at, key);
		if (!n)
			return -ENOMEM;
		n->file = place->file ? get_file(place->file) : NULL;
		err = put_name(t, n, t->text, gt_usermap_print(t->text, n->file, t->path));
	}
	f = add_frame(t, GOTRACE_FRAME_USER);
	f->name = n->id;
	f->offset = place->offset;
	f->address = t->debug ? place->pc : 0;
	return err;
}

static int add_frames(struct traceback *t)
{
	const struct gt_unwind *u = &t->u;
	u32 i;
	int err = 0;

	for (i = 0; i < u->n_kernel && !err; i++)
		err = add_kernel(t, u->kernel[i]);
	if (u->call != -1 && !err)
		err = add_call(t, u->call, u->compat);
	for (i = 0; i < u->n_user && !err; i++)
		err = add_user(t, &u->user[i]);
	return err;
}

/* ---- Who made it: of the session that is tracing ---- */

static int name_string(struct traceback *t, u32 string, u32 *id)
{
	struct name **at, *n;
	const char *s;
	u32 len;
	int err = 0;

	*id = 0;
	if (!string)
		return 0;
	at = find_name(t, key_of_string(string));
	n = *at;
	if (!n) {
		n = add_name(at, key_of_string(string));
		if (!n)
			return -ENOMEM;
		s = gt_string_get(string, &len);
		err = put_name(t, n, s, len);
	}
	*id = n->id;
	return err;
}

static int add_maker_frame(struct traceback *t, u64 frame)
{
	u32 kind = frame & GT_FRAME_USER ? GOTRACE_FRAME_USER : GOTRACE_FRAME_CALL, id;
	struct gotrace_tb_frame *f;
	u64 string = frame;
	int err;

	if (kind == GOTRACE_FRAME_USER)
		string = gt_usermap_file((frame & ~GT_FRAME_USER) >> GT_FRAME_OFFSET_BITS)->string;
	err = name_string(t, string, &id);
	f = add_frame(t, kind);
	f->name = id;
	if (kind == GOTRACE_FRAME_USER)
		f->offset = frame & GT_FRAME_OFFSET_MASK;
	return err;
}

/* From the call on; how the kernel made it is no news. */
static int add_maker_frames(struct traceback *t, const struct gt_stack *stack)
{
	u32 i;
	int err;

	gt_usermap_resolve_files();
	err = name_string(t, stack->frames[stack->n - 1], &t->task.created_name);
	for (i = 0; i + 1 < stack->n && !err; i++)
		if (!(stack->frames[i] & GT_FRAME_KERNEL))
			err = add_maker_frame(t, stack->frames[i]);
	return err;
}

static int add_maker(struct traceback *t, struct task_struct *p)
{
	const struct gt_stack *stack;
	struct gt_task *state;
	u32 maker, id = 0;
	int err = 0;

	if (!gt_session_get_tracing())
		return 0;
	preempt_disable();
	state = gt_task_find(p);
	/* (B) pairs with (A) in probe_sched.c: its stack is there too */
	maker = state ? smp_load_acquire(&state->maker) : 0;
	if (maker)
		id = READ_ONCE(state->maker_stack);
	preempt_enable();
	if (!maker)
		goto out;
	t->task.created_tid = maker;
	t->task.flags |= GOTRACE_TB_CREATED;
	stack = gt_stack_get(id);
	if (stack)
		err = add_maker_frames(t, stack);
out:
	gt_session_put();
	return err;
}

/* ---- Tasks ---- */

/* What began then as CLOCK_BOOTTIME has it, as CLOCK_REALTIME had it. */
static u64 realtime_of(u64 boottime)
{
	return ktime_get_real_ns() - (ktime_get_boottime_ns() - boottime);
}

static void fill_task(struct traceback *t, struct task_struct *p)
{
	const struct gt_unwind *u = &t->u;

	t->task = (struct gotrace_tb_task){
		.type = GOTRACE_TB_TASK,
		.head = sizeof(t->task),
		.tid = p->pid,
		.pid = p->tgid,
		.state = u->state,
		.reason = u->reason,
		.cpu = u->cpu,
		.asleep = u->asleep,
		.kernel_end = u->kernel_end,
		.user_end = u->user_end,
		.kernel_words = u->kernel_words.n,
		.user_words = u->user_words.n,
	};
	if (p->flags & PF_KTHREAD)
		t->task.flags |= GOTRACE_TB_KTHREAD;
	if (u->pinned != GT_NOT_PINNED) {
		t->task.flags |= GOTRACE_TB_PINNED;
		t->task.pinned = u->pinned;
	}
	/* Only the task is held: what it points to may go when it is gone. */
	rcu_read_lock();
	if (pid_alive(p))
		t->task.started = realtime_of(p->group_leader->start_boottime);
	rcu_read_unlock();
	/* Racy against a rename: the name may be half old, half new. */
	strscpy(t->task.comm, p->comm, sizeof(t->task.comm));
	if (t->debug) {
		t->task.kernel_at = u->kernel_words.at;
		t->task.kernel_bad = u->kernel_words.bad;
		t->task.user_at = u->user_words.at;
		t->task.user_bad = u->user_words.bad;
	}
}

static int put_task(struct traceback *t)
{
	const struct gt_unwind *u = &t->u;
	size_t frames = t->n_frames * sizeof(*t->frames);
	size_t kernel = u->kernel_words.n * sizeof(u64), user = u->user_words.n * sizeof(u64);

	t->task.size = sizeof(t->task) + frames + kernel + user;
	return put(t, &t->task, sizeof(t->task)) ?: put(t, t->frames, frames) ?:
	       put(t, u->kernel_words.word, kernel) ?: put(t, u->user_words.word, user);
}

/* The names that a task uses are written while its frames are found. */
static int traceback_task(struct traceback *t, struct task_struct *p)
{
	int err;

	gt_unwind_take(&t->u, p);
	fill_task(t, p);
	t->n_frames = 0;
	err = add_frames(t);
	t->task.n_frames = t->n_frames;
	if (!err)
		err = add_maker(t, p);
	t->task.n_created = t->n_frames - t->task.n_frames;
	if (!err)
		err = put_task(t);
	gt_unwind_put(&t->u);
	return err;
}

static int traceback_tasks(struct traceback *t)
{
	u32 i;
	int err = 0;

	for (i = 0; i < t->n_tasks && !err; i++) {
		err = traceback_task(t, t->tasks[i]);
		if (signal_pending(current) && !err)
			err = -EINTR;
		cond_resched();
	}
	return err;
}

/**
 * gt_traceback() - every task's stack, as GOTRACE_IOC_TRACEBACK has it
 * @a: what is wanted, and where it goes; the outputs are set
 *
 * Return: 0 or -errno; after -ENOSPC the outputs are set too.
 * Context: Process context, may sleep.
 */
int gt_traceback(struct gotrace_traceback *a)
{
	struct traceback *t = kvzalloc(sizeof(*t), GFP_KERNEL);
	u32 *pids = NULL;
	int err;

	if (!t)
		return -ENOMEM;
	t->a = a;
	t->to = u64_to_user_ptr(a->buf_addr);
	t->debug = a->flags & GOTRACE_TRACEBACK_DEBUG;
	t->u.depth = a->depth ?: DEFAULT_DEPTH;
	t->u.debug = t->debug;
	err = get_pids(a, &pids);
	if (err)
		goto out;
	err = find_tasks(t, pids);
	if (!err)
		err = traceback_tasks(t);
	if (!err && t->len > a->buf_len)
		err = -ENOSPC;
	a->buf_len = t->len;
	a->tasks = t->n_tasks;
out:
	kvfree(pids);
	put_tasks(t);
	free_names(t);
	kvfree(t);
	return err;
}
