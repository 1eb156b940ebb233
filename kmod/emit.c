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
#include "annotate.h"
#include "cpu.h"
#include "doing.h"
#include "emit.h"
#include "global.h"
#include "stack.h"
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

/**
 * gt_emit_create() - the reader hears of a task
 * @c:     this CPU
 * @t:     the task; nothing happens when the reader knows it
 * @now:   time of this probe
 * @stack: its maker's; 0 when it is found later
 */
void gt_emit_create(struct gt_cpu *c, struct gt_task *t, u64 now, u32 stack)
{
	u64 w = atomic64_read_acquire(&t->word);

	while (gt_status(w) == GT_NONE) {
		now = settle(c, t, now);
		/* It may truly sleep, and have been noted so. */
		if (!atomic64_try_cmpxchg(&t->word, (s64 *)&w,
					  gt_word(w, GT_RUNNABLE, c->cpu, 1) |
					  (w & (GT_ASLEEP | GT_SEEN))))
			continue;
		gt_ev3(c, now, EV_GO_CREATE, t->goid, gt_name_stack(t->name), stack);
		c->created++;
		return;
	}
}

/* From GT_WAITING as @w says to GT_RUNNABLE; false when @w is out of date. */
static __always_inline bool wake_waiting(struct gt_cpu *c, struct gt_task *t, u64 *w, u64 now,
					 u32 stack)
{
	if (unlikely(!c->thread)) {
		gt_emit_proc_start(c, now);
		now = c->last;
	}
	now = settle(c, t, now);
	if (!atomic64_try_cmpxchg(&t->word, (s64 *)w,
				  gt_word(0, GT_RUNNABLE, c->cpu, gt_seq(*w) + 1)))
		return false;
	if (gt_word_cpu(*w) == c->cpu)
		gt_ev2(c, now, EV_GO_UNBLOCK_LOCAL, t->goid, stack);
	else
		gt_ev3(c, now, EV_GO_UNBLOCK, t->goid, gt_seq(*w), stack);
	return true;
}

/* The same from GT_SYSCALL, which gives the thread back: none, if it slept before us. */
static noinline bool wake_in_call(struct gt_cpu *c, struct gt_task *t, u64 *w, u64 now)
{
	u32 thread = t->thread;

	now = settle(c, t, now);
	if (!atomic64_try_cmpxchg(&t->word, (s64 *)w,
				  gt_word(0, GT_RUNNABLE, c->cpu, gt_seq(*w) + 1)))
		return false;
	gt_ev3(c, now, EV_GO_SYS_EXIT, t->goid, gt_seq(*w), 0);
	if (thread)
		gt_thread_put_from_call(thread, now);
	return true;
}

/* Steps that must come before a start; at what time the start may be. */
static noinline u64 prepare_start(struct gt_cpu *c, struct gt_task *t, u64 now)
{
	u64 w = atomic64_read_acquire(&t->word);
	bool done = false;

	gt_emit_proc_start(c, now);
	now = max(now, c->last);
	gt_emit_create(c, t, now, 0);
	while (!done && gt_status(w) == GT_WAITING)
		done = wake_waiting(c, t, &w, max(now, c->last), 0);
	while (!done && gt_status(w) == GT_SYSCALL)
		done = wake_in_call(c, t, &w, max(now, c->last));
	return max(now, c->last);
}

static noinline void start_renamed(struct gt_cpu *c, struct gt_task *t, u64 now, u64 seq)
{
	t->renamed = false;
	gt_ev3(c, now, EV_GO_START_LABEL, t->goid, seq, t->comm);
}

static noinline void after_start(struct gt_cpu *c, struct gt_task *t, u64 now)
{
	if (t->flags & GT_TASK_STALE)
		gt_emit_region_ends(c, now);
	if (t->flags & GT_TASK_ASSIST_STALE)
		gt_emit_assist_done(c, t, now);
	if (t->flags & GT_TASK_STOPPER)
		gt_stw_enter_stopper(c, now);
	if (t->flags & GT_TASK_SUSPENDS)
		gt_stw_start(c, now);
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
 * Return: false when it is believed running elsewhere; that CPU closes it.
 */
bool gt_emit_start(struct gt_cpu *c, struct gt_task *t, u64 now)
{
	u64 w = atomic64_read_acquire(&t->word);

	if (unlikely(gt_status(w) != GT_RUNNABLE || !c->thread)) {
		now = prepare_start(c, t, now);
		w = atomic64_read_acquire(&t->word);
	}
	do {
		if (unlikely(gt_status(w) != GT_RUNNABLE))
			return false;
		/* Not raised: the next step is this CPU's, and later by c->last. */
		now = gt_cpu_time_after(c, now, atomic64_read(&t->last));
	} while (!atomic64_try_cmpxchg(&t->word, (s64 *)&w,
				       gt_word(w, GT_RUNNING, c->cpu, gt_seq(w) + 1)));
	c->g = t;
	if (unlikely(t->renamed))
		start_renamed(c, t, now, gt_seq(w));
	else if (gt_word_cpu(w) == c->cpu)
		gt_ev1(c, now, EV_GO_START_LOCAL, t->goid);
	else
		gt_ev2(c, now, EV_GO_START, t->goid, gt_seq(w));
	if (unlikely(t->flags & GT_TASK_AT_START))
		after_start(c, t, now);
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
	default:
		return GT_WAITING;
	}
}

/* The swap of gt_emit_stop(): true when a wake-up came before the sleep. */
static __always_inline bool stop_running(struct gt_cpu *c, struct gt_task *t, u64 *w, u64 *now,
					 enum gt_status status, u32 *waker)
{
	bool woken;
	u64 new;

	do {
		*now = settle(c, t, *now);
		woken = unlikely(*w & GT_PENDING) && gt_is_asleep(status);
		if (woken) {
			*waker = READ_ONCE(t->waker_stack);
			new = gt_word(0, GT_RUNNABLE, c->cpu, gt_seq(*w) + 1);
		} else {
			new = gt_word(*w, status, c->cpu, gt_seq(*w));
		}
	} while (!atomic64_try_cmpxchg(&t->word, (s64 *)w, new));
	c->g = NULL;
	return woken;
}

/*
 * A sleep that the call itself explains to Go: one unit at one tick, or Go
 * takes the call for one that does not block. The task keeps this P's thread,
 * the P goes on with another; false when there are too many such tasks.
 */
static noinline bool stop_in_call(struct gt_cpu *c, u32 stack, u64 now)
{
	struct gt_task *t = c->g;
	u64 w = atomic64_read_acquire(&t->word), after;
	u32 own = c->thread, waker = 0, thread = gt_thread_get_for_call(&after);
	bool woken;

	if (!thread)
		return false;
	t->thread = own;
	now = gt_cpu_time_after(c, now, after);
	woken = stop_running(c, t, &w, &now, GT_SYSCALL, &waker);
	gt_ev1(c, now, EV_GO_SYS_CALL, stack);
	gt_ev0(c, now, EV_GO_SYS_BLOCK);
	gt_ev0(c, now, EV_PROC_STOP);
	gt_ev1(c, now, EV_PROC_START, thread);
	c->thread = thread;
	if (woken) {
		gt_ev3(c, now, EV_GO_SYS_EXIT, t->goid, gt_seq(w), 0);
		gt_thread_put_from_call(own, now);
	}
	return true;
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
	u64 w = atomic64_read_acquire(&t->word);
	u32 waker = 0;
	bool woken;

	if (unlikely(c->stw)) {
		gt_stw_leave(c, now);
		now = max(now, c->last);
	}
	if (stop.ev == EV_GO_SYS_BLOCK) {
		if (stop_in_call(c, stop.stack, now))
			return;
		stop.ev = EV_GO_BLOCK;
	}
	woken = stop_running(c, t, &w, &now, status_after(stop.ev), &waker);
	if (stop.ev == EV_GO_END)
		gt_ev0(c, now, EV_GO_END);
	else
		gt_ev1(c, now, stop.ev, stop.stack);
	if (woken)
		gt_ev2(c, now, EV_GO_UNBLOCK_LOCAL, t->goid, waker);
}

/* A wake-up of a task not believed asleep; false when @w is out of date. */
static noinline bool note_wake(struct gt_cpu *c, struct gt_task *t, u64 *w)
{
	if (gt_status(*w) == GT_RUNNING && !(*w & GT_PENDING)) {
		WRITE_ONCE(t->waker_stack, gt_doing_stack(c));
		return atomic64_try_cmpxchg(&t->word, (s64 *)w, *w | GT_PENDING);
	}
	if (*w & GT_ASLEEP)
		return atomic64_try_cmpxchg(&t->word, (s64 *)w, (*w & ~(GT_ASLEEP | GT_IN_CALL)) | GT_SEEN);
	return true;
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
	u64 w = atomic64_read_acquire(&t->word);

	for (;;) {
		if (likely(gt_status(w) == GT_WAITING)) {
			if (!may_write || wake_waiting(c, t, &w, gt_cpu_time(c), gt_doing_stack(c)))
				return;
		} else if (gt_status(w) == GT_SYSCALL) {
			if (!may_write || wake_in_call(c, t, &w, gt_cpu_time(c)))
				return;
		} else if (note_wake(c, t, &w)) {
			return;
		}
	}
}

/*
 * A task believed runnable, or unknown, that has gone to sleep unseen: started
 * and blocked at one tick, on a P that runs nothing at that moment.
 */
void gt_emit_sleeper(struct gt_cpu *c, struct gt_task *t)
{
	struct gt_task *g = c->g;
	u64 w, now = gt_cpu_time(c), seq;

	if (g)
		gt_emit_stop(c, (struct gt_stop){ EV_GO_SCHED, gt_doing_stack(c) }, now);
	gt_emit_proc_start(c, now);
	gt_emit_create(c, t, max(now, c->last), 0);
	w = atomic64_read_acquire(&t->word);
	do {
		if (!(w & GT_ASLEEP) || gt_status(w) != GT_RUNNABLE)
			goto out;
		seq = gt_seq(w);
		now = settle(c, t, max(now, c->last));
	} while (!atomic64_try_cmpxchg(&t->word, (s64 *)&w,
				       gt_word(0, GT_WAITING, c->cpu, seq + 1)));
	gt_ev2(c, now, EV_GO_START, t->goid, seq);
	gt_ev1(c, now, EV_GO_BLOCK, gt_stack_put2(0, t->comm)->id);
out:
	if (g)
		gt_emit_start(c, g, max(now, c->last));
}

noinline void gt_emit_region_ends(struct gt_cpu *c, u64 now)
{
	struct gt_task *t = c->g;
	struct gt_regions *r = t->regions;

	if (t->region)
		gt_emit_region_end(c, t, now);
	for (; r && r->shown > r->open; r->shown--)
		gt_ev4(c, now, EV_USER_REGION, r->region[r->shown - 1].task, 1,
		       r->region[r->shown - 1].name, 0);
	t->flags &= ~GT_TASK_STALE;
}

/* As far as a reader can tell, it is asleep: its next start wakes it. */
void gt_emit_leave(struct gt_cpu *c, u64 now)
{
	struct gt_task *t = c->g;

	gt_emit_region_ends(c, now);
	if (t->flags & GT_TASK_ASSIST)
		gt_emit_assist_done(c, t, now);
	gt_emit_stop(c, (struct gt_stop){ EV_GO_BLOCK, gt_stack_put2(0, t->comm)->id }, now);
}

void gt_emit_assist_start(struct gt_cpu *c, struct gt_task *t)
{
	u64 now = gt_cpu_time(c);

	/* Go wants no two of one G; the inner one of two ends both. */
	if (t->flags & GT_TASK_ASSIST)
		gt_emit_assist_done(c, t, now);
	gt_ev1(c, now, EV_GC_MARK_ASSIST_START, gt_doing_stack(c));
	t->flags |= GT_TASK_ASSIST;
}

void gt_note(struct gt_task *t, bool asleep)
{
	u64 w = atomic64_read(&t->word), new;

	do {
		new = (w & ~(GT_ASLEEP | GT_PENDING | GT_IN_CALL)) | GT_SEEN | (asleep ? GT_ASLEEP : 0);
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
