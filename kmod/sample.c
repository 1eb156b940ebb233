// SPDX-License-Identifier: GPL-2.0
/*
 * CPU samples. Each CPU has a perf event of the kernel's own, whose handler may
 * be an NMI: it takes no lock, writes no trace, looks up nothing that may be
 * half changed. It notes addresses in a log of its CPU,
 *
 *	handler --log (one writer, one reader)--> worker --> a trace buffer
 *
 * from which a worker makes stacks and CPUSample events. These carry their own
 * time and P and may stand anywhere in the file, so the worker's buffers are
 * batches of whatever P.
 *
 * What a sample says of its G must be true for Go's readers, too: the G exists
 * by then, and nothing falls into the unit of steps that is a blocking call
 * (stop_in_call()). Both hold for a time after the last event of the P that the
 * G runs on, and before the next. Where that cannot be told the sample has no G.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/hardirq.h>
#include <linux/irq_work.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/sched/mm.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>
#include "arch.h"
#include "call.h"
#include "clock.h"
#include "cpu.h"
#include "doing.h"
#include "filter.h"
#include "sample.h"
#include "stack.h"
#include "string.h"
#include "usermap.h"

/* A power of two. At the highest rate, the worker has 25 ms to come. */
#define LOG_SLOTS	256

struct sample {
	u64 ticks;
	u64 goid;			/* 0 for none */
	const struct gt_stack *base;	/* under the kernel's frames; NULL: @comm is */
	struct gt_user_todo todo;	/* of the user frames */
	u32 comm;			/* string id of the task's name */
	u16 kernel, user;		/* frames of each kind */
	u64 frames[];			/* gt_options.depth of them */
};

struct log {
	struct perf_event *event;	/* session; hotplug lock */
	u8 *slots;			/* there from the CPU's first event to the session's end */
	u32 head;			/* handler: samples taken */
	u32 tail;			/* worker: of those, moved */
};

static DEFINE_PER_CPU(struct log, logs);

static struct {
	struct perf_event_attr attr;
	struct gt_cpu writer;		/* not a CPU; the worker's */
} sampler;

static size_t slot_size(void)
{
	return sizeof(struct sample) + gt_options.depth * sizeof(u64);
}

static struct sample *slot(const struct log *log, u32 n)
{
	return (struct sample *)(log->slots + (n & (LOG_SLOTS - 1)) * slot_size());
}

/* ---- The handler: any context, NMI included, on the CPU itself ---- */

static void work_func(struct work_struct *work);
static DECLARE_WORK(work, work_func);

static void kick_func(struct irq_work *unused)
{
	queue_work(system_unbound_wq, &work);
}

static DEFINE_IRQ_WORK(kick, kick_func);

/* Nothing was interrupted but the idle loop. */
static bool is_idle(void)
{
	return is_idle_task(current) && !in_serving_softirq() && !(in_nmi() && hardirq_count());
}

/* In the middle of a switch it is not known who runs, so nobody is shown. */
static bool is_left_out(const struct gt_task *t)
{
	return gt_filter.tasks && !(t && t->owner == current && gt_filter_has(t));
}

/*
 * Writers turn interrupts off and have a function of this module on the stack,
 * so an NMI that finds neither has interrupted none. One that cannot see the
 * whole stack had better believe it has.
 */
static bool may_be_writer(const struct sample *s, struct gt_arch_walk walk)
{
	u32 i;

	if (walk.more || walk.bad)
		return true;
	for (i = 0; i < walk.n; i++)
		if (within_module(s->frames[i], THIS_MODULE))
			return true;
	return false;
}

/* The user stack, unless it is the one that the task's call began with. */
static void take_user(struct sample *s, struct pt_regs *regs, u32 max)
{
	bool exact;

	if (!user_mode(regs)) {
		regs = task_pt_regs(current);
		if (!user_mode(regs))
			return;
	}
	/* Of a call, they say where it returns to. */
	exact = !gt_arch_is_in_call(regs);
	s->user = gt_usermap_walk_nofault(regs, exact, s->frames + s->kernel, max, &s->todo);
}

static void take(struct sample *s, struct gt_cpu *c, struct pt_regs *regs, u64 ticks)
{
	/* NMI, where an interrupt would not have come. */
	const bool hidden = in_nmi() && !user_mode(regs) && regs_irqs_disabled(regs);
	struct gt_task *t = c->cur;
	bool writer = false;
	u32 room = gt_options.depth;

	/* In the middle of a switch @cur is the next task, or still the last. */
	if (t && t->owner != current)
		t = NULL;
	s->ticks = ticks;
	s->base = NULL;
	s->todo.mm = NULL;
	s->comm = t ? READ_ONCE(t->comm) : current->pid ? GT_STR_UNKNOWN : GT_STR_IRQ;
	s->kernel = s->user = 0;

	if (!user_mode(regs) && ((gt_options.stacks & GOTRACE_STACKS_KERNEL) || hidden)) {
		struct gt_arch_walk walk = gt_arch_kernel_walk(current, regs, false, s->frames,
							       room - 1);

		writer = hidden && may_be_writer(s, walk);
		if (gt_options.stacks & GOTRACE_STACKS_KERNEL)
			s->kernel = walk.n;
	}
	s->goid = t && c->g == t && !writer && ticks > c->last ? t->goid : 0;
	if (writer)
		return;
	if (t && !user_mode(regs) && gt_doing_is_known(t)) {
		s->base = t->doing.stack;
		s->kernel = min_t(u32, s->kernel, room - min(room, s->base->n));
	} else if ((gt_options.stacks & GOTRACE_STACKS_USER) && !hidden && current->mm &&
		   !gt_task_has_no_calls(current)) {
		take_user(s, regs, room - 1 - s->kernel);
	}
}

static void overflow(struct perf_event *event, struct perf_sample_data *data,
		     struct pt_regs *regs)
{
	struct gt_cpu *c = this_cpu_ptr(&gt_cpus);
	struct log *log = this_cpu_ptr(&logs);
	/* Before now, so that it is before whatever the P's next event is. */
	u64 ticks = gt_clock_now() - 1;
	u32 head = log->head, used;
	struct sample *s;

	if (READ_ONCE(c->mode) == GT_CPU_OFF || is_idle() || is_left_out(c->cur))
		return;
	/* (B) the slot is not read any more; pairs with (A). */
	used = head - smp_load_acquire(&log->tail);
	if (used >= LOG_SLOTS) {
		/* This cause is nobody else's. */
		c->lost[GOTRACE_LOST_SAMPLE]++;
		irq_work_queue(&kick);
		return;
	}
	s = slot(log, head);
	take(s, c, regs, ticks);
	smp_store_release(&log->head, head + 1);	/* (C) is written; pairs with (D) */
	if (s->todo.mm || used >= LOG_SLOTS / 2)
		irq_work_queue(&kick);
}

/* ---- The worker; then, when it is gone, who stops the session ---- */

static bool has_room(struct gt_cpu *c, u64 ticks)
{
	struct gt_buf *buf;

	if (c->pos < c->end)
		return true;
	buf = gt_queue_get_empty();
	if (!buf)
		return false;
	c->last = ticks;
	gt_cpu_next_buffer(c, buf);
	return true;
}

/* From what was noted to a stack of the table. */
static u32 make_stack(struct sample *s)
{
	u32 n = s->kernel;

	if (s->todo.mm)
		s->user = gt_usermap_resolve(&s->todo, s->frames + n, s->user);
	if (s->base) {
		memcpy(s->frames + n, s->base->frames, s->base->n * sizeof(u64));
		n += s->base->n;
	} else {
		n += s->user;
		s->frames[n++] = s->comm;
	}
	return gt_stack_put(s->frames, n)->id;
}

/* Context: process; nobody else moves samples. False without a buffer. */
static bool move_log(u32 cpu)
{
	struct log *log = per_cpu_ptr(&logs, cpu);
	struct gt_cpu *c = &sampler.writer;
	u32 head = smp_load_acquire(&log->head), tail = log->tail;	/* (D) */

	for (; tail != head; tail++) {
		struct sample *s = slot(log, tail);

		if (!has_room(c, s->ticks))
			return false;
		gt_ev4(c, c->last, EV_CPU_SAMPLE, s->ticks, cpu, s->goid, make_stack(s));
		smp_store_release(&log->tail, tail + 1);	/* (A) was read */
	}
	return true;
}

static void work_func(struct work_struct *work)
{
	u32 cpu;

	for_each_possible_cpu(cpu)
		if (!move_log(cpu))
			return;		/* what stays may be moved later */
}

static void stop_worker(void)
{
	irq_work_sync(&kick);
	cancel_work_sync(&work);
}

/* What is left in the logs is lost, each with what it holds. */
static void drop_rest(void)
{
	u32 cpu;

	for_each_possible_cpu(cpu) {
		struct log *log = per_cpu_ptr(&logs, cpu);

		for (; log->tail != log->head; log->tail++) {
			gt_usermap_forgo(&slot(log, log->tail)->todo);
			per_cpu(gt_cpus, cpu).lost[GOTRACE_LOST_SAMPLE]++;
		}
	}
}

/* Write what there is. No handler runs any more, but probes do: see usermap.c. */
void gt_sample_finish(void)
{
	stop_worker();
	work_func(NULL);
	drop_rest();
	gt_cpu_flush(&sampler.writer);
}

/* ---- Start and stop ---- */

static int create(struct perf_event_attr *attr, u32 cpu, struct perf_event **event)
{
	struct perf_event *e = perf_event_create_kernel_counter(attr, cpu, NULL, overflow, NULL);

	/* Which of its many ways to say no it takes depends on the processor. */
	if (IS_ERR(e))
		return PTR_ERR(e) == -ENOMEM ? -ENOMEM : -EOPNOTSUPP;
	*event = e;
	return 0;
}

static struct perf_event_attr attr_of(const struct gotrace_start *arg)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.freq = 1,
		.sample_freq = arg->sample_hz,
	};

	if (arg->sample_event == GOTRACE_SAMPLE_CYCLES) {
		attr.type = PERF_TYPE_HARDWARE;
		attr.config = PERF_COUNT_HW_CPU_CYCLES;
	} else {
		attr.type = PERF_TYPE_SOFTWARE;
		attr.config = PERF_COUNT_SW_CPU_CLOCK;
	}
	return attr;
}

/* Whether it is hopeless to start: -EOPNOTSUPP, or -ENOMEM. */
int gt_sample_check(const struct gotrace_start *arg)
{
	struct perf_event_attr attr = attr_of(arg);
	struct perf_event *event;
	int err;

	if (!attr.sample_freq)
		return 0;
	attr.disabled = 1;
	cpus_read_lock();
	err = create(&attr, cpumask_first(cpu_online_mask), &event);
	if (!err)
		perf_event_release_kernel(event);
	cpus_read_unlock();
	return err;
}

void gt_sample_init(const struct gotrace_start *arg)
{
	sampler.attr = attr_of(arg);
	gt_cpu_reset(&sampler.writer, 0);
	sampler.writer.kind = GOTRACE_SNAP_SAMPLES;
}

/* No handler runs any more. */
void gt_sample_destroy(void)
{
	u32 cpu;

	stop_worker();
	drop_rest();
	gt_cpu_flush(&sampler.writer);
	for_each_possible_cpu(cpu) {
		struct log *log = per_cpu_ptr(&logs, cpu);

		vfree(log->slots);
		memset(log, 0, sizeof(*log));
	}
	gt_cpu_reset(&sampler.writer, 0);
}

/* 0, -ENOMEM or -EOPNOTSUPP. Hotplug lock held; also from the CPU's hotplug thread. */
int gt_sample_start_cpu(u32 cpu)
{
	struct log *log = per_cpu_ptr(&logs, cpu);

	if (!sampler.attr.sample_freq || !gt_filter_has_cpu(cpu))
		return 0;
	if (!log->slots)
		log->slots = vzalloc_node(LOG_SLOTS * slot_size(), cpu_to_node(cpu));
	return log->slots ? create(&sampler.attr, cpu, &log->event) : -ENOMEM;
}

/* When it returns, the handler does not run there any more. */
void gt_sample_stop_cpu(u32 cpu)
{
	struct log *log = per_cpu_ptr(&logs, cpu);

	if (log->event)
		perf_event_release_kernel(log->event);
	log->event = NULL;
}

int gt_sample_start(void)
{
	u32 cpu;
	int err = 0;

	for_each_online_cpu(cpu)
		err = err ?: gt_sample_start_cpu(cpu);
	return err;
}

void gt_sample_stop(void)
{
	u32 cpu;

	for_each_possible_cpu(cpu)
		gt_sample_stop_cpu(cpu);
}

/* Its events and bytes are part of the trace. */
const struct gt_cpu *gt_sample_writer(void)
{
	return &sampler.writer;
}
