// SPDX-License-Identifier: GPL-2.0
/*
 * The initial state: every task there is, created in the trace, and waiting if
 * it sleeps. Probes are live meanwhile, but only note the truth.
 */
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/smp.h>
#include "clock.h"
#include "compat.h"
#include "cpu.h"
#include "emit.h"
#include "filter.h"
#include "queue.h"
#include "stack.h"
#include "string.h"
#include "task.h"
#include "walk.h"

/* A walk that finds more tasks than it made room for is done again. */
#define WALKS_MAX	8

/* As GoSysBlock has it (block.c), as far as one can see from outside. */
static bool looks_in_call(struct task_struct *p)
{
	return (gt_task_state(p) & (TASK_UNINTERRUPTIBLE | TASK_NOLOAD)) == TASK_UNINTERRUPTIBLE &&
	       !gt_task_has_no_calls(p) && gt_arch_task_is_in_call(p);
}

static u64 look_at(struct task_struct *p)
{
	if (!gt_task_looks_asleep(p))
		return 0;
	return gt_options.in_syscall && looks_in_call(p) ? GT_ASLEEP | GT_IN_CALL : GT_ASLEEP;
}

/* Keep a state for a task; false without memory. In an RCU read-side section. */
static bool find_task(struct task_struct *p)
{
	struct gt_task *t;
	unsigned long flags;
	u64 w;

	if (gt_task_state(p) & TASK_DEAD)
		return true;
	local_irq_save(flags);
	t = gt_task_create(p);
	smp_mb();	/* linked, before it is asked; its last switch locks in between */
	if (t && (gt_task_state(p) & TASK_DEAD)) {
		/* Its last switch may have been before, with no state to release. */
		gt_note_dead(t);
		gt_task_release(t);
	} else if (t) {
		/* A probe that has seen it knows better. */
		w = atomic64_read(&t->word);
		if (!(w & GT_SEEN))
			atomic64_cmpxchg(&t->word, w, w | look_at(p));
	}
	local_irq_restore(flags);
	return t;
}

static u32 count_tasks(void)
{
	struct task_struct *g, *p;
	u32 n = 0;

	rcu_read_lock();
	for_each_process_thread(g, p)
		n++;
	rcu_read_unlock();
	return n;
}

/* The least that a GoCreate and a GoWaiting take. */
#define INITIAL_BYTES	11

/* -ENOSPC when the tasks there are now cannot fit; 0 promises nothing. */
int gt_walk_check(u32 buffers, u64 table_bytes)
{
	u64 n = count_tasks();

	if (n * sizeof(struct gt_task) > table_bytes ||
	    n * INITIAL_BYTES > (u64)(buffers - num_online_cpus()) * GT_BUF_DATA)
		return -ENOSPC;
	return 0;
}

/* Keep a state for every task there is. 0, -ENOSPC or -ENOMEM. */
int gt_walk_find_tasks(void)
{
	struct task_struct *g, *p;
	u32 walk, missed = 0;
	int err;

	for (walk = 0; walk < WALKS_MAX; walk++) {
		err = gt_task_reserve(count_tasks());
		if (err)
			return err;
		missed = 0;
		rcu_read_lock();
		for_each_process_thread(g, p)
			missed += !find_task(p);
		rcu_read_unlock();
		if (!missed)
			break;
	}
	if (missed)
		return -ENOSPC;
	gt_filter_walked();
	return 0;
}

/* Process context; only the session writes here. */
static int initial_room(struct gt_cpu *c)
{
	struct gt_buf *buf;

	if (c->pos < c->end)
		return 0;
	buf = gt_queue_get_empty();
	if (!buf)
		return -ENOSPC;
	gt_cpu_next_buffer(c, buf);
	return 0;
}

/* The next task that nobody created yet; false when there is none. */
static bool initial_task(struct gt_cpu *c, u32 *tid)
{
	enum gt_status status;
	struct gt_task *t;
	u64 w, now;

	rcu_read_lock();	/* keeps the state from being another task's */
	t = gt_task_next(tid);
	if (!t)
		goto out;
	if (!gt_filter_has(t))
		goto out;
	w = atomic64_read_acquire(&t->word);
	do {
		if (gt_status(w) != GT_NONE)
			goto out;
		status = !(w & GT_ASLEEP) ? GT_RUNNABLE :
			 w & GT_IN_CALL ? GT_SYSCALL : GT_WAITING;
		now = gt_cpu_time(c);
		gt_time_raise(&t->last, now);
	} while (!atomic64_try_cmpxchg(&t->word, (s64 *)&w,
				       gt_word(w, status, c->cpu,
					       status == GT_RUNNABLE ? 1 : 2)));
	gt_ev3(c, now, EV_GO_CREATE, t->goid, gt_name_stack(t->name), 0);
	c->created++;
	if (status != GT_RUNNABLE)
		gt_ev1(c, now, status == GT_WAITING ? EV_GO_WAITING : EV_GO_IN_SYSCALL, t->goid);
out:
	rcu_read_unlock();
	return t;
}

/* What a file that was cut short needs to be read, and what we fall back on. */
static void initial_records(struct gt_cpu *c)
{
	const char *s;
	u32 len;

	c->pos = gt_put_frequency(c->pos, gt_clock_frequency());
	s = gt_string_get(GT_STR_UNKNOWN, &len);
	c->pos = gt_put_string(c->pos, GT_STR_UNKNOWN, s, len);
	c->pos = gt_name_dump(c->pos, GT_NAME_UNKNOWN);
}

/**
 * gt_walk_write() - write the initial state
 * @c:     its writer, nobody else's
 * @start: ticks when the session started
 *
 * Return: 0, or -ENOSPC when it does not fit the session's buffers beside one
 * for each CPU. No CPU may write before @c->last.
 */
int gt_walk_write(struct gt_cpu *c, u64 start)
{
	u32 tid = 0, i;
	bool more;
	int err;

	gt_cpu_reset(c, 0);
	c->kind = GOTRACE_SNAP_INITIAL;
	c->last = start;
	err = initial_room(c);
	if (err)
		return err;
	initial_records(c);
	do {
		err = initial_room(c);
		if (err)
			return err;
		more = initial_task(c, &tid);
	} while (more);
	for (i = 0; i < 2; i++)
		gt_ev2(c, gt_cpu_time(c), EV_GOMAXPROCS, gt_cpu_procs(-1), 0);
	gt_cpu_flush(c);
	/* Every CPU has a buffer to begin with. */
	return gt_queue_reserve(num_online_cpus()) ? 0 : -ENOSPC;
}

/* On a CPU that is traced, interrupts off. */
static void heal(void *sleeper)
{
	struct gt_cpu *c = this_cpu_ptr(&gt_cpus);

	if (gt_cpu_begin(c))
		gt_emit_sleeper(c, sleeper);
}

/* Those that went to sleep while nobody wrote. */
void gt_walk_heal_sleepers(void)
{
	struct gt_task *t;
	u32 tid = 0;

	rcu_read_lock();
	for (t = gt_task_next(&tid); t; t = gt_task_next(&tid)) {
		u64 w = atomic64_read(&t->word);

		if (!(w & GT_ASLEEP) || gt_status(w) > GT_RUNNABLE || !gt_filter_has(t))
			continue;
		if (gt_filter.cpus) {
			smp_call_function_any(gt_filter.cpu_set, heal, t, 1);
		} else {
			local_irq_disable();
			heal(t);
			local_irq_enable();
		}
	}
	rcu_read_unlock();
}
