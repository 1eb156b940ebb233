// SPDX-License-Identifier: GPL-2.0
/*
 * The rules of a filter: copied in and checked before the session starts, asked
 * about each task while it lasts.
 */
#include <linux/bitmap.h>
#include <linux/bsearch.h>
#include <linux/cgroup.h>
#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/glob.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/uidgid.h>
#include "compat.h"
#include "filter.h"

struct gt_filter gt_filter __read_mostly;

/* Numbers, sorted. */
struct ids {
	u32 *id;
	u32 n;
};

struct gt_rules {
	u32 flags;
	u32 kinds;			/* GOTRACE_FILTERED_* */
	struct ids tids, tgids, uids;
	char (*comms)[GOTRACE_FILTER_COMM_SIZE];
	u32 nr_comms;
	struct cgroup *cgroups[GOTRACE_FILTER_CGROUPS_MAX];
	u32 nr_cgroups;
	struct cpumask cpus;
	DECLARE_BITMAP(calls[GT_ABIS], GOTRACE_FILTER_CALL_MAX);
};

static const struct gt_rules *rules;	/* of the session */

/* ---- Copying them in ---- */

/* NULL where there is none. */
static void *copy_list(const struct gotrace_list *l, u32 max, size_t size)
{
	if (l->reserved || l->len > max)
		return ERR_PTR(-EINVAL);
	return l->len ? memdup_user(u64_to_user_ptr(l->addr), l->len * size) : NULL;
}

static int compare(const void *a, const void *b)
{
	const u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

static int copy_ids(struct ids *ids, const struct gotrace_list *l)
{
	u32 *id = copy_list(l, GOTRACE_FILTER_IDS_MAX, sizeof(*id));

	if (IS_ERR(id))
		return PTR_ERR(id);
	sort(id, l->len, sizeof(*id), compare, NULL);
	ids->id = id;
	ids->n = l->len;
	return 0;
}

static bool ids_have(const struct ids *ids, u32 id)
{
	return ids->n && bsearch(&id, ids->id, ids->n, sizeof(id), compare);
}

/* As the caller's user namespace has them. */
static int copy_uids(struct ids *ids, const struct gotrace_list *l)
{
	int err = copy_ids(ids, l);
	u32 i;

	for (i = 0; !err && i < ids->n; i++) {
		kuid_t uid = make_kuid(current_user_ns(), ids->id[i]);

		if (!uid_valid(uid))
			err = -EINVAL;
		ids->id[i] = __kuid_val(uid);
	}
	if (ids->n)
		sort(ids->id, ids->n, sizeof(u32), compare, NULL);
	return err;
}

static int copy_comms(struct gt_rules *r, const struct gotrace_list *l)
{
	void *comms = copy_list(l, GOTRACE_FILTER_COMMS_MAX, sizeof(*r->comms));
	u32 i;

	if (IS_ERR(comms))
		return PTR_ERR(comms);
	r->comms = comms;
	r->nr_comms = l->len;
	for (i = 0; i < l->len; i++) {
		size_t n = strnlen(r->comms[i], sizeof(r->comms[i]));

		if (!n || n == sizeof(r->comms[i]))
			return -EINVAL;
	}
	return 0;
}

static int copy_cgroups(struct gt_rules *r, const struct gotrace_list *l)
{
	s32 *fds = copy_list(l, GOTRACE_FILTER_CGROUPS_MAX, sizeof(*fds));
	int err = 0;
	u32 i;

	if (IS_ERR_OR_NULL(fds))
		return PTR_ERR_OR_ZERO(fds);
	for (i = 0; !err && i < l->len; i++) {
		struct cgroup *cgrp = gt_cgroup_get(fds[i]);

		if (IS_ERR(cgrp))
			err = PTR_ERR(cgrp) == -EOPNOTSUPP ? -EOPNOTSUPP : -EBADF;
		else
			r->cgroups[r->nr_cgroups++] = cgrp;
	}
	kfree(fds);
	return err;
}

/* Bytes of a bit mask; CPUs that cannot be are left out. */
static int copy_cpus(struct gt_rules *r, const struct gotrace_list *l)
{
	u8 *mask = copy_list(l, GOTRACE_FILTER_CPUS_MAX, 1);
	u32 cpu;

	if (IS_ERR_OR_NULL(mask))
		return PTR_ERR_OR_ZERO(mask);
	for_each_possible_cpu(cpu)
		if (cpu / 8 < l->len && (mask[cpu / 8] & 1 << cpu % 8))
			cpumask_set_cpu(cpu, &r->cpus);
	kfree(mask);
	return cpumask_empty(&r->cpus) ? -EINVAL : 0;
}

static int copy_calls(struct gt_rules *r, const struct gotrace_list *l)
{
	u32 *calls = copy_list(l, GOTRACE_FILTER_CALLS_MAX, sizeof(*calls)), i;
	int err = 0;

	if (IS_ERR_OR_NULL(calls))
		return PTR_ERR_OR_ZERO(calls);
	for (i = 0; i < l->len; i++) {
		u32 nr = calls[i] & ~GOTRACE_FILTER_COMPAT;

		if (nr < GOTRACE_FILTER_CALL_MAX)
			__set_bit(nr, r->calls[calls[i] & GOTRACE_FILTER_COMPAT ? GT_ABI_32 :
									  GT_ABI_64]);
		else
			err = -EINVAL;
	}
	kfree(calls);
	return err;
}

/* Whether all ids are somebody's. */
static int find_ids(const struct ids *ids, bool of_groups)
{
	struct task_struct *g, *p;
	unsigned long *found;
	u32 *id;
	int err;

	if (!ids->n)
		return 0;
	found = bitmap_zalloc(ids->n, GFP_KERNEL);
	if (!found)
		return -ENOMEM;
	rcu_read_lock();
	for_each_process_thread(g, p) {
		u32 want = of_groups ? p->tgid : p->pid;

		id = bsearch(&want, ids->id, ids->n, sizeof(want), compare);
		/* One that is there twice is there once. */
		for (; id && id > ids->id && id[-1] == want; id--)
			;
		for (; id && id < ids->id + ids->n && *id == want; id++)
			__set_bit(id - ids->id, found);
	}
	rcu_read_unlock();
	err = bitmap_full(found, ids->n) ? 0 : -ESRCH;
	bitmap_free(found);
	return err;
}

static int copy_rules(struct gt_rules *r, const struct gotrace_filter *arg)
{
	int err = copy_ids(&r->tids, &arg->tids);

	err = err ?: copy_ids(&r->tgids, &arg->tgids);
	err = err ?: copy_uids(&r->uids, &arg->uids);
	err = err ?: copy_comms(r, &arg->comms);
	err = err ?: copy_cgroups(r, &arg->cgroups);
	err = err ?: copy_cpus(r, &arg->cpus);
	err = err ?: copy_calls(r, &arg->calls);
	err = err ?: find_ids(&r->tids, false);
	return err ?: find_ids(&r->tgids, true);
}

static u32 kinds_of(const struct gotrace_filter *arg)
{
	return (arg->tids.len ? GOTRACE_FILTERED_TIDS : 0) |
	       (arg->tgids.len ? GOTRACE_FILTERED_TGIDS : 0) |
	       (arg->uids.len ? GOTRACE_FILTERED_UIDS : 0) |
	       (arg->comms.len ? GOTRACE_FILTERED_COMMS : 0) |
	       (arg->cgroups.len ? GOTRACE_FILTERED_CGROUPS : 0) |
	       (arg->cpus.len ? GOTRACE_FILTERED_CPUS : 0) |
	       (arg->calls.len ? GOTRACE_FILTERED_CALLS : 0);
}

/**
 * gt_filter_create() - the rules that user space asks for
 * @arg: copied in, its lists not
 *
 * Return: rules, for gt_filter_use() or gt_filter_free(), or an error that
 * uapi/linux/gotrace.h names.
 */
struct gt_rules *gt_filter_create(const struct gotrace_filter *arg)
{
	struct gt_rules *r;
	int err;

	if (arg->flags & ~(GOTRACE_FILTER_FOLLOW | GOTRACE_FILTER_CALLS_EXCEPT))
		return ERR_PTR(-EINVAL);
	r = kzalloc(sizeof(*r), GFP_KERNEL);
	if (!r)
		return ERR_PTR(-ENOMEM);
	r->flags = arg->flags;
	r->kinds = kinds_of(arg);
	err = copy_rules(r, arg);
	if (!err)
		return r;
	gt_filter_free(r);
	return ERR_PTR(err);
}

void gt_filter_free(struct gt_rules *r)
{
	if (!r)
		return;
	while (r->nr_cgroups)
		gt_cgroup_put(r->cgroups[--r->nr_cgroups]);
	kfree(r->comms);
	kfree(r->uids.id);
	kfree(r->tgids.id);
	kfree(r->tids.id);
	kfree(r);
}

/* ---- The session's ---- */

#define FILTERED_TASKS	(GOTRACE_FILTERED_TIDS | GOTRACE_FILTERED_TGIDS | \
			 GOTRACE_FILTERED_UIDS | GOTRACE_FILTERED_COMMS | \
			 GOTRACE_FILTERED_CGROUPS)

/* Before the probes. Owns @r, which may be NULL, until gt_filter_destroy(). */
void gt_filter_use(struct gt_rules *r, bool lazy)
{
	rules = r;
	gt_filter = (struct gt_filter){ .lazy = lazy, .on = lazy };
	if (!r)
		return;
	gt_filter.tasks = r->kinds & FILTERED_TASKS;
	gt_filter.places = r->kinds & (GOTRACE_FILTERED_UIDS | GOTRACE_FILTERED_CGROUPS);
	gt_filter.follow = r->flags & GOTRACE_FILTER_FOLLOW;
	gt_filter.cpus = r->kinds & GOTRACE_FILTERED_CPUS;
	gt_filter.cpu_set = &r->cpus;
	gt_filter.calls = r->kinds & GOTRACE_FILTERED_CALLS;
	gt_filter.calls_except = r->flags & GOTRACE_FILTER_CALLS_EXCEPT;
	gt_filter.call_set[GT_ABI_64] = r->calls[GT_ABI_64];
	gt_filter.call_set[GT_ABI_32] = r->calls[GT_ABI_32];
	gt_filter.on |= gt_filter.tasks || gt_filter.calls;
}

/* No probe runs any more, and no sample is taken. */
void gt_filter_destroy(void)
{
	struct gt_rules *r = (struct gt_rules *)rules;

	rules = NULL;
	memset(&gt_filter, 0, sizeof(gt_filter));
	gt_filter_free(r);
}

/* GOTRACE_FILTERED_*; under the session's lock. */
u32 gt_filter_kinds(void)
{
	return rules ? rules->kinds : 0;
}

/* ---- About a task ---- */

/* Who is born later has the number of another, but see gt_filter_fork(). */
static bool is_picked(struct task_struct *p)
{
	if (!rules->tids.n && !rules->tgids.n)
		return true;
	return !READ_ONCE(gt_filter.walked) &&
	       (ids_have(&rules->tids, p->pid) || ids_have(&rules->tgids, p->tgid));
}

static bool is_named(const char *comm)
{
	u32 i;

	for (i = 0; i < rules->nr_comms; i++)
		if (glob_match(rules->comms[i], comm))
			return true;
	return !rules->nr_comms;
}

static bool is_in_groups(struct task_struct *p)
{
	bool found = false;
	u32 i;

	rcu_read_lock();
	for (i = 0; !found && i < rules->nr_cgroups; i++)
		found = gt_task_is_in_cgroup(p, rules->cgroups[i]);
	rcu_read_unlock();
	return found || !rules->nr_cgroups;
}

static bool is_placed(struct task_struct *p)
{
	if (rules->uids.n && !ids_have(&rules->uids, __kuid_val(task_cred_xxx(p, euid))))
		return false;
	return is_in_groups(p);
}

void gt_filter_place(struct gt_task *t, struct task_struct *p)
{
	if (gt_filter.places)
		WRITE_ONCE(t->misplaced, !is_placed(p));
}

void gt_filter_new(struct gt_task *t, struct task_struct *p)
{
	char comm[TASK_COMM_LEN];

	/* Racy against a rename, whose probe comes after us then, or before its name. */
	strscpy(comm, p->comm, sizeof(comm));
	t->unpicked = !is_picked(p);
	t->misnamed = !is_named(comm);
	gt_filter_place(t, p);
}

/* @p is the child of the running task, and has not run yet. */
void gt_filter_fork(struct gt_task *t, struct task_struct *p)
{
	struct gt_task *maker = gt_task_find(current);

	if (!maker)
		return;
	/* Threads of a process that was picked, not of one whose number is the same. */
	if (!maker->unpicked && p->tgid == current->tgid && ids_have(&rules->tgids, p->tgid))
		WRITE_ONCE(t->unpicked, false);
	if (gt_filter.follow && gt_filter_has(maker))
		WRITE_ONCE(t->followed, true);
}

void gt_filter_rename(struct gt_task *t, const char *comm)
{
	WRITE_ONCE(t->misnamed, !is_named(comm));
}

/* In an RCU read-side section. */
static bool has_followed_ancestor(struct task_struct *p)
{
	for (p = rcu_dereference(p->real_parent); p->pid; p = rcu_dereference(p->real_parent)) {
		struct gt_task *t = gt_task_find(p);

		if (t && gt_filter_has(t))
			return true;
	}
	return false;
}

static void follow_children(void)
{
	struct task_struct *g, *p;
	struct gt_task *t;

	rcu_read_lock();
	for_each_process_thread(g, p) {
		preempt_disable();
		t = gt_task_find(p);
		if (t && !gt_filter_has(t) && has_followed_ancestor(p))
			WRITE_ONCE(t->followed, true);
		preempt_enable();
	}
	rcu_read_unlock();
}

/*
 * All tasks there are have states, made by the walk or a probe; from now on, only
 * births are new. A child is listed before its fork is seen, so that either we or
 * the fork's probe find its maker.
 */
void gt_filter_walked(void)
{
	WRITE_ONCE(gt_filter.walked, true);
	if (gt_filter.follow && gt_filter.tasks)
		follow_children();
}
