// SPDX-License-Identifier: GPL-2.0
/*
 * What follows the last event: the losses of CPUs that were still dark, the
 * measured frequency, the strings, the stacks, the tasks' names and processes. Made a
 * buffer at a time as it is read, so that it needs no memory of its own.
 */
#include <linux/cpumask.h>
#include <linux/math64.h>
#include "cpu.h"
#include "encode.h"
#include "footer.h"
#include "stack.h"
#include "string.h"

/* Strings come last: naming the frames of stacks makes new ones. */
enum { LOSSES, FREQUENCY, STACKS, NAMES, PROCESSES, STRINGS, DONE };

static struct {
	struct gt_moment start, end;
	u32 part;
	u32 next;	/* in the part */
} footer;

void gt_footer_init(const struct gt_moment *start, const struct gt_moment *end)
{
	footer.start = *start;
	footer.end = *end;
	footer.part = LOSSES;
	footer.next = 0;
}

/* Ticks per second as they were, to the nanosecond where the session was long enough. */
u64 gt_footer_frequency(void)
{
	u64 ns = footer.end.mono - footer.start.mono;
	u64 ticks = footer.end.ticks - footer.start.ticks;

	/* Below a second, reading two clocks is less exact than the calibration. */
	if (gt_clock_kind != GOTRACE_CLOCK_TSC || ns < NSEC_PER_SEC)
		return gt_clock_frequency();
	return mul_u64_u64_div_u64(ticks, NSEC_PER_SEC, ns) ?: 1;
}

static u8 *put_loss(u8 *p, u32 cpu)
{
	struct gt_cpu *c = per_cpu_ptr(&gt_cpus, cpu);

	if (!cpu_possible(cpu) || !c->lost_now)
		return p;
	p = gt_put_batch(p, cpu, c->last);
	return gt_cpu_put_loss(c, p, max(c->last, footer.end.ticks));
}

static u8 *put_string(u8 *p, u32 id)
{
	const char *s;
	u32 len;

	if (id > gt_string_count())
		return NULL;
	/* The first batch defined it already, and no string may be twice. */
	if (id == GT_STR_UNKNOWN)
		return p;
	s = gt_string_get(id, &len);
	return gt_put_string(p, id, s, len);
}

/* One record, or NULL at the end of the part. */
static u8 *put_next(u8 *p)
{
	u32 n = footer.next++;

	switch (footer.part) {
	case LOSSES:
		return n < nr_cpu_ids ? put_loss(p, n) : NULL;
	case FREQUENCY:
		return n ? NULL : gt_put_frequency(p, gt_footer_frequency());
	case STACKS:
		return n < gt_stack_count() ? gt_stack_dump(p, n + 1) : NULL;
	case NAMES:
		return n < gt_name_count() ? gt_name_dump(p, n) : NULL;
	case PROCESSES:
		return n < gt_name_count() ? gt_name_dump_process(p, n) : NULL;
	default:
		return put_string(p, n + 1);
	}
}

#define RECORD_MAX	(2 * GT_RECORD_MAX + max_t(u32, GT_STRING_MAX, \
						   GT_STACK_BYTES_MAX + 4 * GT_VARINT_MAX))

/**
 * gt_footer_fill() - the next buffer of it
 * @buf: an empty buffer
 *
 * Return: false, and nothing in the buffer, when there is no more.
 */
bool gt_footer_fill(struct gt_buf *buf)
{
	u8 *p = buf->data, *end = buf->data + GT_BUF_DATA - RECORD_MAX, *next;

	buf->len = 0;
	buf->read = 0;
	if (footer.part == DONE)
		return false;
	/* Go reads no record before a batch; this one has no events. */
	p = gt_put_batch(p, 0, max(per_cpu(gt_cpus, 0).last, footer.end.ticks));
	while (p < end && footer.part != DONE) {
		next = put_next(p);
		if (next) {
			p = next;
		} else {
			footer.part++;
			footer.next = 0;
		}
	}
	buf->len = p - buf->data;
	return true;
}
