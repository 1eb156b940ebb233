/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One CPU's writer: its buffer, its time, and what it runs. A CPU is a P.
 *
 * Every write happens on the CPU itself with interrupts off, so task, softirq
 * and irq context never interleave; NMI never writes.
 */
#ifndef GT_CPU_H
#define GT_CPU_H

#include <linux/cache.h>
#include <linux/percpu.h>
#include <linux/types.h>
#include <uapi/linux/gotrace.h>
#include "clock.h"
#include "encode.h"
#include "queue.h"
#include "task.h"

enum gt_cpu_mode {
	GT_CPU_OFF,	/* only notes the truth: before start, after stop, offline */
	GT_CPU_LIVE,	/* writes */
	GT_CPU_DARK,	/* as OFF, counts what it loses, comes back with a buffer */
};

struct gt_cpu {
	u8 *pos;		/* where the next event goes */
	u8 *end;		/* GT_PROBE_MAX and the closing steps still fit behind */
	u64 last;		/* ticks of the last event; only grows */
	struct gt_task *g;	/* believed running on this P */
	struct gt_task *cur;	/* really running on this CPU, kept in every mode */
	u64 events;
	u32 mode;
	u32 cpu;
	u32 thread;		/* of this P; 0 while it is stopped */
	u32 stw;		/* GT_STW_*: its G and the stopped world (global.h) */

	/* Rarely touched. */
	struct gt_buf *buf;
	u64 buffers;		/* begun */
	u32 kind;		/* of these: GOTRACE_SNAP_OF_CPU, INITIAL, SAMPLES */
	u64 created;		/* tasks */
	u64 bytes;		/* of buffers handed over */
	u64 lost[GOTRACE_LOST_CAUSES];
	u64 lost_now;		/* since it went dark */
	u64 dark_since;		/* ticks */
	u64 dark;
	u64 adjusted;
	u64 adjusted_max;
	u64 irqoff;
} ____cacheline_aligned;

DECLARE_PER_CPU(struct gt_cpu, gt_cpus);

/* Options of the session that writers look at; fixed while probes are there. */
struct gt_options {
	u32 syscalls;		/* GOTRACE_SYSCALLS_* */
	u32 stacks;		/* GOTRACE_STACKS_* */
	u32 depth;		/* frames of a stack, all kinds together */
	bool samples;		/* CPUSample */
	bool idle;		/* GOTRACE_START_IDLE */
	bool raw;		/* GOTRACE_START_RAW */
	bool in_syscall;	/* GOTRACE_START_IN_SYSCALL */
	bool memory;		/* GOTRACE_START_MEMORY */
	bool overwrite;		/* GOTRACE_START_OVERWRITE */
};

extern struct gt_options gt_options;

/* The end of a region: type, length, time, task, mode, a string's id, no stack. */
#define GT_REGION_END_MAX	(2 + 2 * GT_VARINT_MAX + 1 + 3 + 1)

/*
 * The most one probe writes: a switch that brings both tasks to the truth,
 * each with all its steps and the ends of all its regions.
 */
#define GT_PROBE_MAX	(20 * GT_RECORD_MAX + 2 * (1 + GOTRACE_REGIONS_MAX) * GT_REGION_END_MAX)

/* The closing steps: GCDone, STWDone, GoSched, ProcStop. */
#define GT_CLOSE_MAX	(4 * GT_RECORD_MAX)

/*
 * Go's processors: no P has this number or a greater one. The number of CPUs
 * online, but @going, unless one is missing in between.
 */
u32 gt_cpu_procs(int going);

/* Session: process context. */
void gt_cpu_reset(struct gt_cpu *c, u32 cpu);
u8 *gt_cpu_put_loss(struct gt_cpu *c, u8 *p, u64 ticks);

/* Session: on the CPU itself, interrupts off. */
void gt_cpu_open(struct gt_cpu *c, u64 ticks);
void gt_cpu_close(struct gt_cpu *c);
u64 gt_cpu_hand_over(struct gt_cpu *c);

/* Whoever owns the writer: a CPU itself, or the session before CPUs write. */
void gt_cpu_next_buffer(struct gt_cpu *c, struct gt_buf *buf);
void gt_cpu_flush(struct gt_cpu *c);

/* Probes: interrupts off. */
bool gt_cpu_make_room(struct gt_cpu *c);
void gt_cpu_adjusted(struct gt_cpu *c, u64 by);

/**
 * gt_cpu_begin() - may this CPU write, and is there room for one probe?
 * @c: this CPU
 *
 * May come back from the dark, which writes what it runs now. Comes before the
 * state of any task is read: a step that is swapped in and cannot be written
 * would be lost for good.
 *
 * Context: Probe, interrupts off.
 */
static __always_inline bool gt_cpu_begin(struct gt_cpu *c)
{
	if (likely(c->pos < c->end))
		return true;
	return gt_cpu_make_room(c);
}

/* The same, with room for @text bytes of text beside, at most GT_STRING_MAX. */
static __always_inline bool gt_cpu_begin_text(struct gt_cpu *c, u32 text)
{
	if (likely(c->pos && c->pos + text < c->end))
		return true;
	return gt_cpu_make_room(c);
}

/*
 * The time of what this CPU writes next, in ticks. Causal, not trusted: it is
 * moved behind @after, the last step of each task or object that it concerns,
 * so that an effect stands after its cause where CPUs' clocks disagree. Grows
 * from probe to probe. Interrupts off.
 */
static __always_inline u64 gt_cpu_time(struct gt_cpu *c)
{
	u64 t = gt_clock_now();

	return likely(t > c->last) ? t : c->last + 1;
}

static __always_inline u64 gt_cpu_time_after(struct gt_cpu *c, u64 t, u64 after)
{
	if (likely(t >= after))
		return t;
	gt_cpu_adjusted(c, after - t);
	return after;
}

/* A stored time only ever grows. Any context. */
static __always_inline void gt_time_raise(atomic64_t *last, u64 t)
{
	s64 old = atomic64_read(last);

	while (old < (s64)t && !atomic64_try_cmpxchg(last, &old, t))
		;
}

/* One event at ticks @t, c->last or later. gt_cpu_begin() came before. */
#define gt_emit(c, t, put, ...)						\
do {									\
	(c)->pos = put((c)->pos, __VA_ARGS__);				\
	(c)->last = (t);						\
	(c)->events++;							\
} while (0)

static __always_inline void gt_ev0(struct gt_cpu *c, u64 t, enum gt_ev ev)
{
	gt_emit(c, t, gt_put_ev0, ev, t - c->last);
}

static __always_inline void gt_ev1(struct gt_cpu *c, u64 t, enum gt_ev ev, u64 a)
{
	gt_emit(c, t, gt_put_ev1, ev, t - c->last, a);
}

static __always_inline void gt_ev2(struct gt_cpu *c, u64 t, enum gt_ev ev, u64 a, u64 b)
{
	gt_emit(c, t, gt_put_ev2, ev, t - c->last, a, b);
}

static __always_inline void gt_ev3(struct gt_cpu *c, u64 t, enum gt_ev ev, u64 a, u64 b, u64 d)
{
	gt_emit(c, t, gt_put_ev3, ev, t - c->last, a, b, d);
}

static __always_inline void gt_ev4(struct gt_cpu *c, u64 t, enum gt_ev ev, u64 a, u64 b, u64 d,
				   u64 e)
{
	gt_emit(c, t, gt_put_ev4, ev, t - c->last, a, b, d, e);
}

#endif /* GT_CPU_H */
