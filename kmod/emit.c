// SPDX-License-Identifier: GPL-2.0
/*
 * The legal steps from what a reader believes of a task to the truth.
 *
 * Each function reads the task's word, settles the time, raises the task's
 * last time, and swaps the word; whoever wins the swap writes the events. The
 * room for them was reserved before (gt_cpu_begin()): a swap that is won
 * without room would be an event lost for good. What is read of the task to be
 * written is read before the swap, after which others may change it.
 */
#include <linux/atomic.h>
#include "cpu.h"
#include "doing.h"
#include "emit.h"
#include "stack.h"
#include "string.h"
#include "task.h"
#include "thread.h"

static __always_inline u64 settle(struct gt_cpu *c, struct gt_task *t, u64 now)
{
	s64 last = atomic64_read(&t->last);

	do {
		if (unlikely((s64)now <= last))
			return gt_cpu_time_after(c, now, last);
	} while (!atomic64_try_cmpxchg(&t->last, &last, now));
	return now;
}

void gt_emit_proc_start(struct gt_cpu *c, u64 now)
{
	u64 after;

	if (c->thread)
		return;
	c->thread = gt_thread_get(&after);
	now = gt_cpu_time_after(c, now, after);
	gt_ev1(c, now, EV_PROC_START, c->thread);
}

void gt_emit_proc_stop(struct gt_cpu *c, u64 now)
{
	if (!c->thread)
		return;
	now = max(now, c->last);
	gt_ev0(c, now, EV_PROC_STOP);
	gt_thread_put(c->thread, now);
	c->thread = 0;
}

static void put_create(struct gt_cpu *c, struct gt_task *t, u64 now, u32 stack)
{
	gt_ev3(c, now, EV_GO_CREATE, t->goid, gt_name_stack(t->name), stack);
	c->created++;
}

/* The task was just made; @stack is its maker's. It has no other events yet. */
void gt_emit_create(struct gt_cpu *c, struct gt_task *t, u64 now, u32 stack)
{
	u64 w = atomic64_read_acquire(&t->word);

	while (gt_status(w) == GT_NONE) {
		now = settle(c, t, now);
		if (atomic64_try_cmpxchg(&t->word, (s64 *)&w,
					 gt_word(w, GT_RUNNABLE, c->cpu, 1))) {
			put_create(c, t, now, stack);
			return;
		}
	}
}

static __always_inline void put_woken(struct gt_cpu *c, struct gt_task *t, u64 now, u64 w,
				      u32 stack, u32 thread)
{
	if (gt_status(w) == GT_SYSCALL) {
		gt_ev3(c, now, EV_GO_SYS_EXIT, t->goid, gt_seq(w), 0);
		gt_thread_put_from_call(thread, now);
	} else if (gt_word_cpu(w) == c->cpu) {
		gt_ev2(c, now, EV_GO_UNBLOCK_LOCAL, t->goid, stack);
	} else {
		gt_ev3(c, now, EV_GO_UNBLOCK, t->goid, gt_seq(w), stack);
	}
}

/**
 * gt_emit_start() - the task runs on this P now
 * @c:   this CPU; its P runs no G
 * @t:   the task
 * @now: time of this probe
 *
 * A task that the reader never heard of is created first, one believed asleep
 * is woken first.
 *
 * Return: false, nothing written, when it is believed running elsewhere; that
 * CPU closes it.
 */
bool gt_emit_start(struct gt_cpu *c, struct gt_task *t, u64 now)
{
	u64 w = atomic64_read_acquire(&t->word), seq;
	enum gt_status status;
	bool local;
	u32 thread;

	do {
		status = gt_status(w);
		if (status == GT_RUNNING || status == GT_DEAD)
			return false;
		seq = gt_seq(w) + (status != GT_RUNNABLE);
		thread = t->thread;
		now = settle(c, t, now);
	} while (!atomic64_try_cmpxchg(&t->word, (s64 *)&w,
				       gt_word(w, GT_RUNNING, c->cpu, seq + 1)));
	local = gt_word_cpu(w) == c->cpu;
	if (unlikely(status != GT_RUNNABLE)) {
		if (status == GT_NONE)
			put_create(c, t, now, 0);
		else
			put_woken(c, t, now, w, 0, thread);
		local = true;
	}
	if (unlikely(!c->thread))
		gt_emit_proc_start(c, now);
	now = max(now, c->last);
	if (unlikely(t->flags & GT_TASK_RENAMED)) {
		t->flags &= ~GT_TASK_RENAMED;
		gt_ev3(c, now, EV_GO_START_LABEL, t->goid, seq, t->comm);
	} else if (local) {
		gt_ev1(c, now, EV_GO_START_LOCAL, t->goid);
	} else {
		gt_ev2(c, now, EV_GO_START, t->goid, seq);
	}
	c->g = t;
	if (unlikely(t->flags & GT_TASK_STALE))
		gt_emit_region_end(c, now);
	return true;
}

static enum gt_status status_after(enum gt_ev ev)
{
	switch (ev) {
	case EV_GO_SCHED:
	case EV_GO_PREEMPT:
		return GT_RUNNABLE;
	case EV_GO_END:
	case EV_GO_STOP:
		return GT_DEAD;
	case EV_GO_SYS_BLOCK:
		return GT_SYSCALL;
	default:
		return GT_WAITING;
	}
}

/* One unit at one tick, or Go takes the call for one that does not block. */
static void put_sys_block(struct gt_cpu *c, u64 now, u32 stack, u32 thread)
{
	gt_ev1(c, now, EV_GO_SYS_CALL, stack);
	gt_ev0(c, now, EV_GO_SYS_BLOCK);
	gt_ev0(c, now, EV_PROC_STOP);
	gt_ev1(c, now, EV_PROC_START, thread);
	c->thread = thread;
}

static void put_stop(struct gt_cpu *c, u64 now, struct gt_stop stop, u32 thread)
{
	if (stop.ev == EV_GO_SYS_BLOCK)
		put_sys_block(c, now, stop.stack, thread);
	else if (stop.ev == EV_GO_END)
		gt_ev0(c, now, EV_GO_END);
	else
		gt_ev1(c, now, stop.ev, stop.stack);
}

/**
 * gt_emit_stop() - the G of this P does not run any more
 * @c:    this CPU; its P runs a G
 * @stop: how
 * @now:  time of this probe
 *
 * A wake-up that came before the sleep is written with it, as the waker's
 * CPU could not.
 */
void gt_emit_stop(struct gt_cpu *c, struct gt_stop stop, u64 now)
{
	struct gt_task *t = c->g;
	u64 w = atomic64_read_acquire(&t->word), new, after = 0;
	u32 own = c->thread, thread = 0, waker = 0;
	enum gt_status status;
	bool woken;

	if (stop.ev == EV_GO_SYS_BLOCK) {
		t->thread = own;
		thread = gt_thread_get_for_call(&after);
		if (thread)
			now = gt_cpu_time_after(c, now, after);
		else
			stop.ev = EV_GO_BLOCK;
	}
	status = status_after(stop.ev);
	do {
		now = settle(c, t, now);
		woken = (w & GT_PENDING) && gt_is_asleep(status);
		if (woken) {
			waker = READ_ONCE(t->waker_stack);
			new = gt_word(0, GT_RUNNABLE, c->cpu, gt_seq(w) + 1);
		} else {
			new = gt_word(w, status, c->cpu, gt_seq(w));
		}
	} while (!atomic64_try_cmpxchg(&t->word, (s64 *)&w, new));
	c->g = NULL;
	put_stop(c, now, stop, thread);
	if (woken)
		put_woken(c, t, now, gt_word(0, status, c->cpu, gt_seq(w)), waker, own);
}

/**
 * gt_emit_wake() - the task is being woken, or has been
 * @c: this CPU, the waker's
 * @t: the task
 * @may_write: gt_cpu_begin()'s answer; without, only the truth is noted
 *
 * While it is believed running it may be on its way to sleep, or never go:
 * the wake-up is noted, for the switch-out or sched_wakeup to decide.
 */
void gt_emit_wake(struct gt_cpu *c, struct gt_task *t, bool may_write)
{
	u64 w = atomic64_read_acquire(&t->word), new, now = 0;
	enum gt_status status;
	u32 stack, thread;

	for (;;) {
		status = gt_status(w);
		thread = t->thread;
		if (likely(gt_is_asleep(status))) {
			if (!may_write)
				return;
			stack = status == GT_WAITING ? gt_doing_stack(c) : 0;
			now = settle(c, t, gt_cpu_time(c));
			new = gt_word(0, GT_RUNNABLE, c->cpu, gt_seq(w) + 1);
		} else if (status == GT_RUNNING && !(w & GT_PENDING)) {
			WRITE_ONCE(t->waker_stack, gt_doing_stack(c));
			new = w | GT_PENDING;
		} else if (w & GT_ASLEEP) {
			new = (w & ~GT_ASLEEP) | GT_SEEN;
		} else {
			return;
		}
		if (atomic64_try_cmpxchg(&t->word, (s64 *)&w, new))
			break;
	}
	if (!gt_is_asleep(status))
		return;
	if (unlikely(!c->thread))
		gt_emit_proc_start(c, now);
	put_woken(c, t, max(now, c->last), w, stack, thread);
}

/*
 * A task believed runnable, or unknown, that has gone to sleep unseen: started
 * and blocked at one tick, on a P that runs nothing at that moment.
 */
void gt_emit_sleeper(struct gt_cpu *c, struct gt_task *t)
{
	struct gt_task *g = c->g;
	u64 w, now = gt_cpu_time(c), seq;
	enum gt_status status;

	if (g)
		gt_emit_stop(c, (struct gt_stop){ EV_GO_SCHED, gt_doing_stack(c) }, now);
	w = atomic64_read_acquire(&t->word);
	do {
		status = gt_status(w);
		if (!(w & GT_ASLEEP) || (status != GT_NONE && status != GT_RUNNABLE))
			goto out;
		seq = gt_seq(w) + (status == GT_NONE);
		now = settle(c, t, now);
	} while (!atomic64_try_cmpxchg(&t->word, (s64 *)&w,
				       gt_word(0, GT_WAITING, c->cpu, seq + 1)));
	if (status == GT_NONE)
		put_create(c, t, now, 0);
	gt_emit_proc_start(c, now);
	now = max(now, c->last);
	gt_ev2(c, now, EV_GO_START, t->goid, seq);
	gt_ev1(c, now, EV_GO_BLOCK, gt_stack_put2(0, t->comm));
out:
	if (g)
		gt_emit_start(c, g, max(now, c->last));
}

/* A system call was entered, and noted in c->doing; the P runs a G. */
void gt_emit_call(struct gt_cpu *c)
{
	gt_ev1(c, gt_cpu_time(c), EV_GO_SYS_CALL, c->doing.stack);
}

/* As an interval; Go wants each end to match the innermost start of its G. */
void gt_emit_region_start(struct gt_cpu *c)
{
	struct gt_task *t = c->g;
	u64 now = gt_cpu_time(c);

	if (unlikely(t->region))
		gt_emit_region_end(c, now);
	gt_ev4(c, now, EV_USER_REGION, 0, 0, c->doing.call.name, c->doing.stack);
	t->region = c->doing.call.name;
}

void gt_emit_region_end(struct gt_cpu *c, u64 now)
{
	struct gt_task *t = c->g;

	gt_ev4(c, now, EV_USER_REGION, 0, 1, t->region, 0);
	t->region = 0;
	t->flags &= ~GT_TASK_STALE;
}

void gt_note(struct gt_task *t, bool asleep)
{
	u64 w = atomic64_read(&t->word), new;

	do {
		new = (w & ~(GT_ASLEEP | GT_PENDING)) | GT_SEEN | (asleep ? GT_ASLEEP : 0);
		if (new == w)
			return;
	} while (!atomic64_try_cmpxchg(&t->word, (s64 *)&w, new));
}

void gt_note_dead(struct gt_task *t)
{
	u64 w = atomic64_read(&t->word);

	while (!atomic64_try_cmpxchg(&t->word, (s64 *)&w, gt_word(0, GT_DEAD, 0, gt_seq(w))))
		;
}
