/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Every difference between kernel versions; the rest of the module is written
 * for the newest. Newest first, each with the version and the reason.
 */
#ifndef GT_COMPAT_H
#define GT_COMPAT_H

#include <linux/cgroup.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/version.h>

/* 7.0: direct reclaim tells the memory cgroup. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 0, 0)
#define GT_RECLAIM_BEGIN_ARGS	gfp_t gfp, int order, struct mem_cgroup *memcg
#define GT_RECLAIM_END_ARGS	unsigned long reclaimed, struct mem_cgroup *memcg
#else
#define GT_RECLAIM_BEGIN_ARGS	int order, gfp_t gfp
#define GT_RECLAIM_END_ARGS	unsigned long reclaimed
#endif

/* 6.17: all kernels are SMP; before, on_cpu may not be there. */
#if defined(CONFIG_SMP) || LINUX_VERSION_CODE >= KERNEL_VERSION(6, 17, 0)
/* Not any more: what it did there is seen. Pairs with finish_task(). */
#define gt_task_is_on_cpu(p)	(!!smp_load_acquire(&(p)->on_cpu))
#else
#define gt_task_is_on_cpu(p)	((p) == current)
#endif

/* 6.12: delayed dequeue leaves a sleeper on the run queue. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
static inline bool gt_task_is_queued(struct task_struct *p)
{
	return READ_ONCE(p->on_rq) && !READ_ONCE(p->se.sched_delayed);
}
#else
static inline bool gt_task_is_queued(struct task_struct *p)
{
	return READ_ONCE(p->on_rq);
}
#endif

/* 6.16: sched_process_exit tells whether the whole group dies. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
#define GT_SCHED_PROCESS_EXIT_ARGS	struct task_struct *p, bool group_dead
#else
#define GT_SCHED_PROCESS_EXIT_ARGS	struct task_struct *p
#endif

/* 6.5: bin2hex() has a header of its own. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 5, 0)
#include <linux/hex.h>
#endif

/* 6.5: get_user_pages_remote() gives no vmas any more. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 5, 0)
#define gt_get_user_page(mm, addr, page) \
	get_user_pages_remote(mm, addr, 1, FOLL_NOFAULT, page, NULL)
#else
#define gt_get_user_page(mm, addr, page) \
	get_user_pages_remote(mm, addr, 1, FOLL_NOFAULT, page, NULL, NULL)
#endif

/* 6.5: generic_file_splice_read() became copy_splice_read(). */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 5, 0)
#define gt_splice_read	copy_splice_read
#else
#define gt_splice_read	generic_file_splice_read
#endif

/* 5.18: prev's state comes as an argument; before, it is read from prev. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 18, 0)
#define GT_SCHED_SWITCH_ARGS	bool preempt, struct task_struct *prev, \
				struct task_struct *next, unsigned int prev_state
#define GT_PREV_STATE		prev_state
#else
#define GT_SCHED_SWITCH_ARGS	bool preempt, struct task_struct *prev, \
				struct task_struct *next
#define GT_PREV_STATE		gt_task_state(prev)
#endif

/* 5.14: task_struct::state became __state. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 14, 0)
#define gt_task_state(p)	READ_ONCE((p)->__state)
#else
#define gt_task_state(p)	((unsigned int)READ_ONCE((p)->state))
#endif

/* 5.11: short mappings of a page need not turn preemption off. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 11, 0)
#define kmap_local_page(page)	kmap_atomic(page)
#define kunmap_local(addr)	kunmap_atomic(addr)
#endif

/*
 * 5.16: pages of another can be looked at without bringing them in. Before, holes are
 * left alone, and what is swapped out is at least not waited for.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 16, 0)
#define FOLL_NOFAULT		(FOLL_DUMP | FOLL_NOWAIT)
#endif

/* 5.15: a sleep on an RT lock has a state of its own. */
#ifndef TASK_RTLOCK_WAIT
#define TASK_RTLOCK_WAIT	0
#endif

/* 5.12: workers that user space started, without PF_KTHREAD. */
#ifndef PF_IO_WORKER
#define PF_IO_WORKER		0
#endif
#ifndef PF_USER_WORKER
#define PF_USER_WORKER		0
#endif

/* A kernel may have no control groups. */
#ifdef CONFIG_CGROUPS
#define gt_cgroup_get(fd)		cgroup_get_from_fd(fd)
#define gt_cgroup_put(cgrp)		cgroup_put(cgrp)
#define gt_task_is_in_cgroup(p, cgrp)	task_under_cgroup_hierarchy(p, cgrp)
#else
#define gt_cgroup_get(fd)		((void)(fd), ERR_PTR(-EOPNOTSUPP))
#define gt_cgroup_put(cgrp)		((void)(cgrp))
#define gt_task_is_in_cgroup(p, cgrp)	((void)(p), (void)(cgrp), false)
#endif

#endif /* GT_COMPAT_H */
