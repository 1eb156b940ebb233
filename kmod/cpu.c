// SPDX-License-Identifier: GPL-2.0
/*
 * One CPU's writer: how it opens and closes, changes buffers, goes dark when
 * there is no empty one, and comes back.
 *
 * A buffer always has room behind @end for one probe and the closing steps, so
 * a CPU can leave the trace legally whenever the next buffer is missing. While
 * it may not write, @pos and @end are NULL: gt_cpu_begin() then asks here.
 */
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include "cpu.h"
#include "emit.h"
#include "filter.h"
#include "global.h"
#include "kick.h"
#include "stack.h"
#include "string.h"
#include "thread.h"

DEFINE_PER_CPU(struct gt_cpu, gt_cpus);

struct gt_options gt_options __read_mostly;

#define LOSS_TEXT_MAX	96

u32 gt_cpu_procs(int going)
{
	u32 procs = 0;
	int cpu;

	for_each_online_cpu(cpu)
		if (cpu != going)
			procs = cpu + 1;
	return procs;
}

void gt_cpu_reset(struct gt_cpu *c, u32 cpu)
{
	memset(c, 0, sizeof(*c));
	c->cpu = cpu;
}

void gt_cpu_adjusted(struct gt_cpu *c, u64 by)
{
	c->adjusted++;
	c->adjusted_max = max(c->adjusted_max, by);
}

/* Hand the buffer over, and be without one. */
void gt_cpu_flush(struct gt_cpu *c)
{
	if (!c->buf)
		return;
	c->buf->len = c->pos - c->buf->data;
	c->buf->state.end = c->last;
	c->bytes += c->buf->len;
	gt_queue_push_full(c->buf);
	c->buf = NULL;
	c->pos = c->end = NULL;
	gt_kick();
}

/* Go on in an empty buffer. */
void gt_cpu_next_buffer(struct gt_cpu *c, struct gt_buf *buf)
{
	gt_cpu_flush(c);
	buf->state = (struct gt_buf_state) {
		.ticks = c->last,
		.goid = c->g ? c->g->goid : 0,
		.seq = c->g ? gt_seq(atomic64_read(&c->g->word)) : 0,
		.number = c->buffers++,
		.cpu = c->cpu,
		.kind = c->kind,
		.thread = c->thread,
	};
	c->buf = buf;
	c->pos = gt_put_batch(buf->data, c->cpu, c->last);
	c->end = buf->data + GT_BUF_DATA - GT_PROBE_MAX - GT_CLOSE_MAX;
}

/* What this CPU lost until @ticks, as a log message without a G; forgets it. */
u8 *gt_cpu_put_loss(struct gt_cpu *c, u8 *p, u64 ticks)
{
	char s[LOSS_TEXT_MAX];
	u64 ns = mul_u64_u64_div_u64(ticks - c->dark_since, NSEC_PER_SEC, gt_clock_frequency());
	u32 len = scnprintf(s, sizeof(s), "lost %llu events on cpu %u in %llu ns",
			    c->lost_now, c->cpu, ns);

	p = gt_put_user_log(p, ticks - c->last, 0, GT_STR_GOTRACE, 0, s, len);
	c->last = ticks;
	c->events++;
	c->lost_now = 0;
	return p;
}

/* The steps after which a reader expects nothing more of this P. */
static void put_closing(struct gt_cpu *c)
{
	u64 now = gt_cpu_time(c);

	if (c->buf)
		gt_gc_close(c, now);
	if (c->g)
		gt_emit_stop(c, (struct gt_stop){ EV_GO_SCHED, 0 }, max(now, c->last));
	gt_emit_proc_stop(c, now);
	gt_cpu_flush(c);
}

/* Also before the first buffer, when there is nothing to close. */
static void go_dark(struct gt_cpu *c)
{
	put_closing(c);
	c->mode = GT_CPU_DARK;
	/* One that went offline dark, and comes back so, is in the same gap. */
	if (!c->lost_now)
		c->dark_since = c->last;
}

/* This P starts, with what the CPU runs now. */
static void put_opening(struct gt_cpu *c)
{
	u64 now = gt_cpu_time(c);

	c->mode = GT_CPU_LIVE;
	if (c->lost_now)
		c->pos = gt_cpu_put_loss(c, c->pos, now);
	gt_emit_proc_start(c, now);
	if (c->cur && gt_filter_starts(c->cur))
		gt_emit_start(c, c->cur, max(now, c->last));
	gt_gc_settle(c, max(now, c->last));
}

/**
 * gt_cpu_make_room() - gt_cpu_begin() when there is no room
 * @c: this CPU
 *
 * Return: false when nothing can be written; what is lost is counted.
 * Context: Interrupts off; run-queue and pi locks may be held.
 */
bool gt_cpu_make_room(struct gt_cpu *c)
{
	struct gt_buf *buf;

	if (c->mode == GT_CPU_OFF)
		return false;
	buf = gt_queue_has_empty() ? gt_queue_pop_empty() : NULL;
	if (gt_queue_is_low())
		gt_kick();
	if (!buf) {
		if (c->mode == GT_CPU_LIVE)
			go_dark(c);
		c->lost[GOTRACE_LOST_BUFFER]++;
		if (!c->lost_now++)
			c->dark++;	/* as many as messages about it */
		return false;
	}
	gt_cpu_next_buffer(c, buf);
	if (c->mode == GT_CPU_DARK)
		put_opening(c);
	return true;
}

static void note_irqoff(struct gt_cpu *c, u64 since)
{
	u64 now = gt_clock_now();

	if (now > since)
		c->irqoff = max(c->irqoff, now - since);
}

/* This CPU is traced from now on, after @ticks, if it is to be. On it, interrupts off. */
void gt_cpu_open(struct gt_cpu *c, u64 ticks)
{
	u64 since = gt_clock_now();
	struct gt_buf *buf;

	if (c->mode != GT_CPU_OFF || !gt_filter_has_cpu(c->cpu))
		return;
	gt_global_add_cpu(1);
	c->last = max(c->last, ticks);
	c->cur = current->pid ? gt_task_create(current) : NULL;
	buf = gt_queue_pop_empty();
	if (buf) {
		gt_cpu_next_buffer(c, buf);
		put_opening(c);
	} else {
		go_dark(c);
	}
	note_irqoff(c, since);
}

/*
 * All that this CPU has written is for others to see. On it, interrupts off.
 * Return: ticks; what it writes from now on is later.
 */
u64 gt_cpu_hand_over(struct gt_cpu *c)
{
	struct gt_buf *buf = c->buf ? gt_queue_pop_empty() : NULL;

	c->last = max(c->last, gt_clock_now());
	if (buf)
		gt_cpu_next_buffer(c, buf);
	return c->last;
}

/* This CPU is not traced any more. On it, interrupts off. */
void gt_cpu_close(struct gt_cpu *c)
{
	u64 since = gt_clock_now();

	if (c->mode == GT_CPU_OFF)
		return;
	if (c->mode == GT_CPU_LIVE)
		put_closing(c);
	c->mode = GT_CPU_OFF;
	gt_global_add_cpu(-1);
	note_irqoff(c, since);
}
