// SPDX-License-Identifier: GPL-2.0
/*
 * The scheduler's events: who runs where, who wakes whom, who is born and dies.
 */
#include <linux/irqflags.h>
#include <linux/mm_types.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <trace/events/sched.h>
#include <trace/events/task.h>
#include "annotate.h"
#include "block.h"
#include "compat.h"
#include "cpu.h"
#include "doing.h"
#include "emit.h"
#include "filter.h"
#include "probe.h"
#include "task.h"
#include "usermap.h"

/* Runnable, but not running any more. */
static enum gt_ev runnable_reason(struct task_struct *p, bool preempt, struct gt_call call)
{
	if (!preempt && ((p->flags & PF_KTHREAD) || call.kind == GT_CALL_YIELD))
		return EV_GO_SCHED;
	return EV_GO_PREEMPT;
}

/* GoSysBlock is for who is told of calls. */
static enum gt_ev asleep_reason(struct task_struct *p, unsigned int state, struct gt_call call)
{
	enum gt_ev ev = gt_block_reason(p, state, call);

	if (ev == EV_GO_SYS_BLOCK && (gt_options.syscalls == GOTRACE_SYSCALLS_OFF ||
				      !gt_filter_has_call(gt_arch_call_nr(p))))
		return EV_GO_BLOCK;
	return ev;
}

static enum gt_ev stop_reason(struct gt_task *t, struct task_struct *p, bool preempt, bool asleep,
			      unsigned int state, struct gt_call call)
{
	if (unlikely(state & TASK_DEAD))
		return t->flags & GT_TASK_KILLED ? EV_GO_STOP : EV_GO_END;
	if (asleep)
		return asleep_reason(p, state, call);
	return runnable_reason(p, preempt, call);
}

static void end_all(struct gt_cpu *c, struct gt_task *t, u64 now)
{
	if (t->regions)
		t->regions->open = 0;
	gt_emit_region_ends(c, now);
	if (t->flags & GT_TASK_ASSIST)
		gt_emit_assist_done(c, t, now);
}

/* The task that leaves, on a CPU that writes. */
static void switch_out(struct gt_cpu *c, struct task_struct *p, bool preempt, bool asleep,
		       unsigned int state, u64 now)
{
	struct gt_task *t = c->g;
	const struct gt_doing *doing;
	struct gt_stop stop;

	if (!t) {
		if (p->pid)
			c->lost[GOTRACE_LOST_TASK]++;
		return;
	}
	doing = gt_doing(t);
	stop.ev = stop_reason(t, p, preempt, asleep, state, doing->call);
	stop.stack = gt_doing_here(doing->stack);
	if (unlikely(state & TASK_DEAD))
		end_all(c, t, now);
	gt_emit_stop(c, stop, now);
}

/* The task that comes, on a CPU that writes. */
static void switch_in(struct gt_cpu *c, struct gt_task *t, struct task_struct *p, u64 now)
{
	if (t)
		gt_emit_start(c, t, max(now, c->last));
	else if (p->pid)
		c->lost[GOTRACE_LOST_TASK]++;
	else if (gt_options.idle)
		gt_emit_proc_stop(c, now);
}

/* The state kept for the task that leaves: already known, but at first. */
static __always_inline struct gt_task *leaving(struct gt_cpu *c, struct task_struct *p)
{
	struct gt_task *t = c->cur;

	if (unlikely(!t || t->owner != p))
		t = p->pid ? gt_task_find(p) : NULL;
	if (t && unlikely(t->tid != p->pid))
		gt_task_move(t, p->pid);	/* exec by a thread */
	return t;
}

static __always_inline struct gt_task *arriving(struct task_struct *p)
{
	struct gt_task *t;

	if (!p->pid)
		return NULL;
	t = gt_task_find(p);
	return likely(t) ? t : gt_task_create(p);
}

/* It is the other task's turn, whoever writes. */
static __always_inline void note_switch(struct gt_cpu *c, struct gt_task *from, struct gt_task *to,
					unsigned int state)
{
	c->cur = to;
	if (unlikely(state & TASK_DEAD) && from) {
		gt_note_dead(from);
		gt_task_release(from);
	}
}

/*
 * What a switch-out means is not what it says: a task sleeps when it is not
 * preempted and not queued any more. Its state only tells the kind, for a
 * sleeper with a signal pending stays queued.
 *
 * Context: interrupts off, run-queue lock held.
 */
static void notrace gt_probe_sched_switch(void *data, GT_SCHED_SWITCH_ARGS)
{
	struct gt_cpu *c = this_cpu_ptr(&gt_cpus);
	const unsigned int state = GT_PREV_STATE;
	bool asleep = !preempt && !gt_task_is_queued(prev);
	struct gt_task *from = leaving(c, prev), *to = arriving(next);

	if (likely(gt_cpu_begin(c))) {
		u64 now = gt_cpu_time(c);

		switch_out(c, prev, preempt, asleep, state, now);
		switch_in(c, to, next, now);
	} else {
		if (from)
			gt_note(from, asleep);
		if (to)
			gt_note(to, false);
	}
	note_switch(c, from, to, state);
}

/* It was believed to be about to run when it was left out. */
static void retire(struct gt_cpu *c, struct gt_task *t, u64 now)
{
	if (gt_emit_start(c, t, now))
		gt_emit_leave(c, c->last);
}

/* With scheduling left out: it leaves, for whatever reason. */
static void switch_out_lazily(struct gt_cpu *c, struct task_struct *p, unsigned int state, u64 now)
{
	if (unlikely(state & TASK_DEAD))
		switch_out(c, p, false, false, state, now);
	else
		gt_emit_stop(c, (struct gt_stop){ EV_GO_SCHED, gt_doing(c->g)->stack->id }, now);
}

/*
 * The same where something is left out. A task without a state may be one that
 * is: it counts as one that is not, and so as lost.
 *
 * Context: as above.
 */
static void notrace gt_probe_sched_switch_filter(void *data, GT_SCHED_SWITCH_ARGS)
{
	struct gt_cpu *c = this_cpu_ptr(&gt_cpus);
	const unsigned int state = GT_PREV_STATE;
	bool asleep = !preempt && !gt_task_is_queued(prev);
	struct gt_task *from = leaving(c, prev), *to = arriving(next);
	bool was_in = from ? gt_filter_has(from) : prev->pid, is_in, retires;

	if (to)
		gt_filter_place(to, next);
	is_in = to ? gt_filter_has(to) : next->pid;
	retires = !is_in && to && gt_status(atomic64_read(&to->word)) == GT_RUNNABLE;
	if (!c->g && !retires && (gt_filter.lazy || !(was_in || is_in)))
		goto out;
	if (gt_cpu_begin(c)) {
		u64 now = gt_cpu_time(c);

		if (c->g && gt_filter.lazy)
			switch_out_lazily(c, prev, state, now);
		else if (c->g || !from)
			switch_out(c, prev, preempt, asleep, state, now);
		now = max(now, c->last);
		if (retires)
			retire(c, to, now);
		else if (is_in && !gt_filter.lazy)
			switch_in(c, to, next, now);
		else if (gt_options.idle && !is_in)
			gt_emit_proc_stop(c, now);
	} else {
		if (from)
			gt_note(from, asleep);
		if (to)
			gt_note(to, false);
	}
out:
	note_switch(c, from, to, state);
}

/*
 * A wake-up begins. Seen before the sleeper's own switch-out, or for a task
 * that never goes to sleep: gt_emit_wake() decides.
 *
 * Context: p's pi_lock held and interrupts off, or no lock, preemption off,
 * when a task wakes itself.
 */
static void notrace gt_probe_sched_waking(void *data, struct task_struct *p)
{
	struct gt_cpu *c;
	struct gt_task *t;
	unsigned long flags;
	bool may_write;

	local_irq_save(flags);
	c = this_cpu_ptr(&gt_cpus);
	may_write = gt_cpu_begin(c);
	t = gt_task_find(p);
	if (likely(t))
		gt_emit_wake(c, t, may_write);
	else if (may_write)
		c->lost[GOTRACE_LOST_TASK]++;
	local_irq_restore(flags);
}

/* Whose wake-ups are somebody's to see. */
static bool is_left_out(struct task_struct *p)
{
	struct gt_task *t = gt_task_find(p);

	return t && !gt_filter_has(t);
}

/* Context: as above, which keeps p's state from being reused. */
static void notrace gt_probe_sched_waking_filter(void *data, struct task_struct *p)
{
	if (!is_left_out(p))
		gt_probe_sched_waking(data, p);
}

/*
 * A wake-up is done: the task is queued, and cannot run before this returns,
 * unless it never slept. Most often all was said at its beginning.
 *
 * Context: interrupts off and p's run-queue lock held, or no lock, preemption
 * off, when a task wakes itself; both keep p's state from being reused.
 */
static void notrace gt_probe_sched_wakeup(void *data, struct task_struct *p)
{
	struct gt_task *t = gt_task_find(p);
	struct gt_cpu *c;
	unsigned long flags;

	if (!t || likely(gt_is_awake(atomic64_read(&t->word))))
		return;
	local_irq_save(flags);
	c = this_cpu_ptr(&gt_cpus);
	/* A wake-up that was missed is made good for. */
	gt_emit_wake(c, t, gt_cpu_begin(c));
	gt_note(t, false);
	local_irq_restore(flags);
}

static void notrace gt_probe_sched_wakeup_filter(void *data, struct task_struct *p)
{
	if (!is_left_out(p))
		gt_probe_sched_wakeup(data, p);
}

/*
 * Context: the parent, in its clone call; p has not run yet. A maker that is
 * traced by nobody leaves the child to its first switch.
 */
static void notrace gt_probe_sched_process_fork(void *data, struct task_struct *parent,
						struct task_struct *p)
{
	struct gt_cpu *c;
	struct gt_task *t;
	unsigned long flags;

	/* Its struct may have been another's. */
	if (p->mm != parent->mm)
		gt_usermap_forget(p->mm);
	local_irq_save(flags);
	c = this_cpu_ptr(&gt_cpus);
	t = gt_task_create(p);
	if (t && gt_filter.tasks) {
		gt_filter_fork(t, p);
		if (!gt_filter_has(t))
			goto out;
	}
	if (gt_cpu_begin(c)) {
		if (t) {
			u32 stack = gt_doing_stack(c);

			gt_emit_create(c, t, gt_cpu_time(c), stack);
			WRITE_ONCE(t->maker_stack, stack);
			/* (A) pairs with (B) in traceback.c */
			smp_store_release(&t->maker, parent->pid);
		} else {
			c->lost[GOTRACE_LOST_TASK]++;
		}
	}
out:
	local_irq_restore(flags);
}

/* The running task has changed: is it a G, and ought it to be? Interrupts off. */
static void filter_again(struct gt_cpu *c, struct gt_task *t)
{
	bool starts = gt_filter_starts(t);

	if (c->cur != t || starts == (c->g == t) || (gt_filter.lazy && gt_filter_has(t)))
		return;
	/* Which may come back from the dark, and start it. */
	if (!gt_cpu_begin(c))
		return;
	if (starts && !c->g)
		gt_emit_start(c, t, gt_cpu_time(c));
	else if (!starts && c->g == t)
		gt_emit_leave(c, gt_cpu_time(c));
}

/* Context: p is current, its new address space and its name are set. */
static void notrace gt_probe_sched_process_exec(void *data, struct task_struct *p, pid_t old_pid,
						struct linux_binprm *bprm)
{
	struct gt_task *t;
	unsigned long flags;

	gt_usermap_forget(p->mm);
	local_irq_save(flags);
	t = leaving(this_cpu_ptr(&gt_cpus), p);
	if (t) {
		gt_doing_forget(t);
		if (gt_filter.tasks) {
			gt_filter_place(t, p);
			filter_again(this_cpu_ptr(&gt_cpus), t);
		}
	}
	local_irq_restore(flags);
}

/*
 * Context: anybody with the right to, most often the task itself; p's
 * alloc_lock held, its old name still in place.
 */
static void notrace gt_probe_task_rename(void *data, struct task_struct *p, const char *comm)
{
	struct gt_task *t;
	unsigned long flags;
	u32 name = gt_task_name(p, comm);

	local_irq_save(flags);
	t = p == current ? leaving(this_cpu_ptr(&gt_cpus), p) : gt_task_find(p);
	if (!t && p == current && gt_filter.tasks)
		t = gt_task_create(p);	/* now, or it may get its old name's answer */
	if (t && gt_filter.tasks) {
		gt_filter_rename(t, comm);
		/* What was traced had the old name. */
		if (p == current && !gt_filter_has(t))
			filter_again(this_cpu_ptr(&gt_cpus), t);
	}
	if (t && t->comm != name) {
		WRITE_ONCE(t->comm, name);
		WRITE_ONCE(t->renamed, true);
		if (p == current)
			gt_doing_forget(t);
	}
	if (t && gt_filter.tasks && p == current)
		filter_again(this_cpu_ptr(&gt_cpus), t);
	local_irq_restore(flags);
}

/* Context: p is current, in do_exit(); its last switch is still to come. */
static void notrace gt_probe_sched_process_exit(void *data, GT_SCHED_PROCESS_EXIT_ARGS)
{
	struct gt_task *t;
	unsigned long flags;

	local_irq_save(flags);
	t = leaving(this_cpu_ptr(&gt_cpus), p);
	if (t && !(p->flags & PF_KTHREAD) && (p->exit_code & 0x7f))
		t->flags |= GT_TASK_KILLED;
	local_irq_restore(flags);
}

static bool all_is_wanted(void)
{
	return !gt_filter.on;
}

static bool filter_is_wanted(void)
{
	return gt_filter.on;
}

static bool wakes_are_filtered(void)
{
	return gt_filter.on && !gt_filter.lazy;
}

static void __maybe_unused check_types(void)
{
	check_trace_callback_type_sched_switch(gt_probe_sched_switch);
	check_trace_callback_type_sched_switch(gt_probe_sched_switch_filter);
	check_trace_callback_type_sched_waking(gt_probe_sched_waking);
	check_trace_callback_type_sched_waking(gt_probe_sched_waking_filter);
	check_trace_callback_type_sched_wakeup(gt_probe_sched_wakeup);
	check_trace_callback_type_sched_wakeup(gt_probe_sched_wakeup_filter);
	check_trace_callback_type_sched_process_fork(gt_probe_sched_process_fork);
	check_trace_callback_type_sched_process_exec(gt_probe_sched_process_exec);
	check_trace_callback_type_sched_process_exit(gt_probe_sched_process_exit);
	check_trace_callback_type_task_rename(gt_probe_task_rename);
}

/*
 * The last switch of a task is what releases its state, so sched_switch comes
 * first and goes last: a child whose birth is seen and whose death is not would
 * leave a state whose owner is gone.
 */
struct gt_probe gt_sched_probes[] = {
	{ "sched_switch", gt_probe_sched_switch, all_is_wanted },
	{ "sched_switch", gt_probe_sched_switch_filter, filter_is_wanted },
	{ "sched_process_fork", gt_probe_sched_process_fork },
	{ "sched_process_exec", gt_probe_sched_process_exec },
	{ "sched_process_exit", gt_probe_sched_process_exit },
	{ "task_rename", gt_probe_task_rename },
	{ "sched_waking", gt_probe_sched_waking, all_is_wanted },
	{ "sched_waking", gt_probe_sched_waking_filter, wakes_are_filtered },
	{ "sched_wakeup", gt_probe_sched_wakeup, all_is_wanted },
	{ "sched_wakeup", gt_probe_sched_wakeup_filter, wakes_are_filtered },
	{ }
};
