// SPDX-License-Identifier: GPL-2.0
/*
 * What a flight recorder holds: its buffers with what was believed at the head of
 * each, the tasks, and all names. The cut, and the trace, are made by user space.
 *
 * Buffers are copied one by one while CPUs write and take the oldest; which are
 * missing is to be seen by their numbers.
 */
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include "cpu.h"
#include "encode.h"
#include "queue.h"
#include "snapshot.h"
#include "stack.h"
#include "string.h"
#include "task.h"

static DEFINE_PER_CPU(u64, handed);	/* ticks; 0 for a CPU that does not write */

static struct {
	struct gotrace_snapshot *a;
	u64 room, len;		/* bytes of the reply: at most, so far */
} snap;

/* ---- The reply ---- */

/* What does not fit is only counted. */
static int put_bytes(const void *from, u32 n)
{
	u64 at = snap.len;

	snap.len += n;
	if (snap.len > snap.room)
		return 0;
	return copy_to_user(u64_to_user_ptr(snap.a->buf_addr + at), from, n) ? -EFAULT : 0;
}

static int put(struct gotrace_snap *s, const void *data, u32 bytes)
{
	static const u8 zeroes[8];
	u32 pad = -bytes & 7;
	int err;

	s->bytes = bytes;
	s->len = sizeof(*s) + bytes + pad;
	err = put_bytes(s, sizeof(*s));
	err = err ?: put_bytes(data, bytes);
	return err ?: put_bytes(zeroes, pad);
}

/* ---- Tasks ---- */

static u32 state_of(enum gt_status status)
{
	switch (status) {
	case GT_RUNNABLE:
		return GOTRACE_SNAP_RUNNABLE;
	case GT_RUNNING:
		return GOTRACE_SNAP_RUNNING;
	case GT_WAITING:
		return GOTRACE_SNAP_WAITING;
	case GT_SYSCALL:
		return GOTRACE_SNAP_SYSCALL;
	default:
		return 0;
	}
}

/* The next that is in the trace; false behind the last. */
static bool take_task(u32 *tid, struct gotrace_snap *s)
{
	struct gt_task *t;

	*s = (struct gotrace_snap){ .type = GOTRACE_SNAP_TASK };
	rcu_read_lock();	/* keeps the state from being another task's */
	t = gt_task_next(tid);
	if (t) {
		s->goid = t->goid;
		s->stack = gt_name_stack(t->name);
		s->state = state_of(gt_status(atomic64_read(&t->word)));
	}
	rcu_read_unlock();
	return t;
}

static int put_tasks(void)
{
	struct gotrace_snap s;
	u32 tid = 0;
	int err = 0;

	while (!err && take_task(&tid, &s))
		if (s.state)
			err = put(&s, NULL, 0);
	return err;
}

int gt_snapshot_begin(struct gotrace_snapshot *a, u64 opened)
{
	struct gotrace_snap s = {
		.type = GOTRACE_SNAP_SESSION, .ticks = opened,
		.stack = gt_name_stack(GT_NAME_UNKNOWN),
	};
	u32 cpu;
	int err;

	gt_queue_first_held();
	snap.a = a;
	snap.room = a->buf_len;
	snap.len = 0;
	for_each_possible_cpu(cpu)
		per_cpu(handed, cpu) = 0;
	err = put(&s, NULL, 0);
	err = err ?: put_tasks();
	if (err)
		gt_queue_end_held();
	return err;
}

void gt_snapshot_note_cpu(u32 cpu, u64 ticks)
{
	per_cpu(handed, cpu) = ticks;
}

/* ---- Buffers and names ---- */

static int put_buf(struct gt_buf *buf)
{
	struct gotrace_snap s = {
		.type = GOTRACE_SNAP_BATCH,
		.cpu = buf->state.cpu,
		.kind = buf->state.kind,
		.thread = buf->state.thread,
		.number = buf->state.number,
		.ticks = buf->state.ticks,
		.goid = buf->state.goid,
	};

	return put(&s, buf->data, buf->len);
}

/* Those that fill meanwhile, too, but not for ever. */
static int put_bufs(void)
{
	struct gotrace_snap cut = { .type = GOTRACE_SNAP_CUT };
	struct gt_queue_count n;
	struct gt_buf *buf;
	int err = 0;
	u32 left;

	gt_queue_count(&n);
	cut.ticks = gt_queue_cut();
	for (left = n.full; (buf = gt_queue_take_held()); left--) {
		if (!err && left)
			err = put_buf(buf);
		gt_queue_give_held(buf);
		if (!left || signal_pending(current))
			break;
	}
	err = err ?: put(&cut, NULL, 0);
	return err ?: signal_pending(current) ? -EINTR : 0;
}

static int put_cpus(void)
{
	struct gotrace_snap s = { .type = GOTRACE_SNAP_CPU };
	u32 cpu;
	int err = 0;

	for_each_possible_cpu(cpu) {
		s.cpu = cpu;
		s.ticks = per_cpu(handed, cpu);
		if (s.ticks && !err)
			err = put(&s, NULL, 0);
	}
	return err;
}

/* The n-th record of all; NULL behind the last. */
static u8 *put_name(u8 *p, u32 n, u32 stacks, u32 names, u64 hz)
{
	const char *s;
	u32 len;

	if (!n)
		return gt_put_frequency(gt_put_batch(p, 0, 0), hz);
	n--;
	if (n < stacks)
		return gt_stack_dump(p, n + 1);
	n -= stacks;
	if (n < names)
		return gt_name_dump(p, n);
	n -= names;
	if (n < names)
		return gt_name_dump_process(p, n);
	n -= names;
	if (n >= gt_string_count())
		return NULL;
	s = gt_string_get(n + 1, &len);
	return gt_put_string(p, n + 1, s, len);
}

#define RECORD_MAX	(2 * GT_RECORD_MAX + max_t(u32, GT_STRING_MAX, \
						   GT_STACK_BYTES_MAX + 4 * GT_VARINT_MAX))

static int put_names(u64 hz)
{
	struct gotrace_snap s = { .type = GOTRACE_SNAP_NAMES };
	const u32 stacks = gt_stack_count(), names = gt_name_count();
	u8 *chunk = vmalloc(GOTRACE_BUF_SIZE), *p, *next = chunk;
	u32 n = 0;
	int err = 0;

	if (!chunk)
		return -ENOMEM;
	while (next && !err) {
		for (p = chunk; p < chunk + GOTRACE_BUF_SIZE - RECORD_MAX; p = next) {
			next = put_name(p, n++, stacks, names, hz);
			if (!next)
				break;
		}
		err = put(&s, chunk, p - chunk);
		cond_resched();
	}
	vfree(chunk);
	return err;
}

int gt_snapshot_write(u64 hz)
{
	int err = put_bufs();

	err = err ?: put_cpus();
	err = err ?: put_names(hz);
	gt_queue_end_held();
	snap.a->buf_len = snap.len;
	if (!err && snap.len > snap.room)
		err = -ENOSPC;
	return err;
}
