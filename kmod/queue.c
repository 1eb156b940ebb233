// SPDX-License-Identifier: GPL-2.0
/*
 * A buffer goes from the stack of empty ones (the one used last first: it may
 * still be in the cache) to a CPU, to the queue of full ones in the order that
 * they filled, to the reader and back. Each step is once in 64 KiB of trace,
 * so two plain locks do. Buffers are allocated outside probes, by a worker
 * that keeps some empty ones ahead of the CPUs up to the session's limit.
 */
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/gfp.h>
#include <linux/minmax.h>
#include <linux/spinlock.h>
#include <linux/vmalloc.h>
#include "queue.h"

static struct {
	raw_spinlock_t lock;	/* innermost; any context but NMI */
	struct list_head empty;
	struct list_head full;
	u32 nr_empty, nr_full;
	u32 total;		/* allocated */
	u32 limit;		/* of that; may become less than it */
	u64 bytes;		/* of trace, handed over so far */
	bool overwrite;		/* full ones are held; the oldest is as good as an empty one */
	struct list_head place;	/* in full: where a snapshot is */
	bool held;		/* there is one */
	u64 cut;		/* ticks: of the last event of CPUs that was overwritten */
	u32 ahead;		/* empty ones that the worker keeps there */
} q = {
	.lock = __RAW_SPIN_LOCK_UNLOCKED(q.lock),
	.empty = LIST_HEAD_INIT(q.empty),
	.full = LIST_HEAD_INIT(q.full),
	.place = LIST_HEAD_INIT(q.place),
};

/* NULL at the limit too. Process context; a worker may do the same meanwhile. */
static struct gt_buf *alloc_buf(void)
{
	struct gt_buf *buf = NULL;
	bool may;

	raw_spin_lock_irq(&q.lock);
	may = q.total < q.limit;
	if (may)
		q.total++;
	raw_spin_unlock_irq(&q.lock);
	/*
	 * Only what was written is ever read, so it need not be zeroed. When there is
	 * none, events are lost and counted, or START says so.
	 */
	if (may)
		buf = __vmalloc(GOTRACE_BUF_SIZE, GFP_KERNEL | __GFP_NOWARN);
	if (buf) {
		buf->len = 0;
		buf->read = 0;
	} else if (may) {
		raw_spin_lock_irq(&q.lock);
		q.total--;
		raw_spin_unlock_irq(&q.lock);
	}
	return buf;
}

/* Whether so many are empty, or can be made so. Process context. */
bool gt_queue_reserve(u32 n)
{
	while (READ_ONCE(q.nr_empty) < n) {
		struct gt_buf *buf = alloc_buf();

		if (!buf)
			return false;
		gt_queue_push_empty(buf);
	}
	return true;
}

/*
 * How many empty ones there should be: a CPU fills some before the worker gets
 * to run where all CPUs are busy.
 */
u32 gt_queue_ahead(void)
{
	return 4 * num_online_cpus() + 4;
}

/**
 * gt_queue_init() - the buffers that a session starts with
 * @limit: how many it may have
 * @min:   how many it needs to start
 * @overwrite: whether full ones are used again before they were read
 *
 * Return: 0 or -ENOMEM.
 */
int gt_queue_init(u32 limit, u32 min, bool overwrite)
{
	q.overwrite = overwrite;
	q.cut = 0;
	q.limit = limit;
	q.bytes = 0;
	q.ahead = gt_queue_ahead();
	if (gt_queue_reserve(min))
		return 0;
	gt_queue_destroy();
	return -ENOMEM;
}

/* No probe and no reader uses a buffer any more. */
void gt_queue_destroy(void)
{
	struct gt_buf *buf, *tmp;

	list_splice_init(&q.full, &q.empty);
	list_for_each_entry_safe(buf, tmp, &q.empty, list) {
		list_del(&buf->list);
		vfree(buf);
	}
	q.nr_empty = q.nr_full = q.total = 0;
	q.limit = 0;	/* a late kick finds nothing to do */
}

/* Worker. */
void gt_queue_refill(void)
{
	while (gt_queue_is_low()) {
		struct gt_buf *buf = alloc_buf();

		if (!buf)
			return;		/* the next low-water mark tries again */
		gt_queue_push_empty(buf);
	}
}

static struct gt_buf *pop(struct list_head *head, u32 *nr)
{
	struct gt_buf *buf;
	unsigned long flags;

	raw_spin_lock_irqsave(&q.lock, flags);
	buf = list_first_entry_or_null(head, struct gt_buf, list);
	if (buf) {
		list_del(&buf->list);
		WRITE_ONCE(*nr, *nr - 1);
	}
	raw_spin_unlock_irqrestore(&q.lock, flags);
	return buf;
}

/* Behind the place of a snapshot, or from the first; NULL when there is none. */
static struct gt_buf *oldest_locked(struct list_head *pos)
{
	pos = pos->next;
	if (pos == &q.place)
		pos = pos->next;
	return pos == &q.full ? NULL : list_entry(pos, struct gt_buf, list);
}

static struct gt_buf *take_full_locked(struct list_head *after)
{
	struct gt_buf *buf = oldest_locked(after);

	if (buf) {
		list_del(&buf->list);
		WRITE_ONCE(q.nr_full, q.nr_full - 1);
	}
	return buf;
}

static struct gt_buf *overwrite(void)
{
	struct gt_buf *buf;
	unsigned long flags;

	raw_spin_lock_irqsave(&q.lock, flags);
	buf = take_full_locked(&q.full);
	if (buf && buf->state.kind == GOTRACE_SNAP_OF_CPU)
		WRITE_ONCE(q.cut, max(q.cut, buf->state.end));
	raw_spin_unlock_irqrestore(&q.lock, flags);
	return buf;
}

/* Until when, in ticks, events of CPUs were overwritten. */
u64 gt_queue_cut(void)
{
	return READ_ONCE(q.cut);
}

/*
 * Until when, in ticks, nobody can find events of CPUs any more; 0 while a snapshot
 * may have found them already.
 */
u64 gt_queue_forgotten(void)
{
	return READ_ONCE(q.held) ? 0 : READ_ONCE(q.cut);
}

/*
 * A snapshot goes through the full ones, first to last, one snapshot at a time.
 * The one it has taken is nobody else's until it gives it back, to where it was.
 */
void gt_queue_first_held(void)
{
	raw_spin_lock_irq(&q.lock);
	list_move(&q.place, &q.full);
	WRITE_ONCE(q.held, true);
	raw_spin_unlock_irq(&q.lock);
}

/* NULL behind the last. */
struct gt_buf *gt_queue_take_held(void)
{
	struct gt_buf *buf;

	raw_spin_lock_irq(&q.lock);
	buf = take_full_locked(&q.place);
	raw_spin_unlock_irq(&q.lock);
	return buf;
}

void gt_queue_end_held(void)
{
	raw_spin_lock_irq(&q.lock);
	list_del_init(&q.place);
	WRITE_ONCE(q.held, false);
	raw_spin_unlock_irq(&q.lock);
}

void gt_queue_give_held(struct gt_buf *buf)
{
	raw_spin_lock_irq(&q.lock);
	list_add_tail(&buf->list, &q.place);
	WRITE_ONCE(q.nr_full, q.nr_full + 1);
	raw_spin_unlock_irq(&q.lock);
}

struct gt_buf *gt_queue_pop_empty(void)
{
	struct gt_buf *buf = pop(&q.empty, &q.nr_empty);

	if (!buf && q.overwrite)
		buf = overwrite();
	if (buf) {
		buf->len = 0;
		buf->read = 0;
	}
	return buf;
}

/* As gt_queue_pop_empty(), but allocates one where the limit allows it. */
struct gt_buf *gt_queue_get_empty(void)
{
	return gt_queue_pop_empty() ?: alloc_buf();
}

struct gt_buf *gt_queue_pop_full(void)
{
	return pop(&q.full, &q.nr_full);
}

void gt_queue_push_full(struct gt_buf *buf)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&q.lock, flags);
	list_add_tail(&buf->list, &q.full);
	WRITE_ONCE(q.nr_full, q.nr_full + 1);
	WRITE_ONCE(q.bytes, q.bytes + buf->len);
	raw_spin_unlock_irqrestore(&q.lock, flags);
}

void gt_queue_push_empty(struct gt_buf *buf)
{
	bool keep;

	raw_spin_lock_irq(&q.lock);
	keep = q.total <= q.limit;
	if (keep) {
		list_add(&buf->list, &q.empty);
		WRITE_ONCE(q.nr_empty, q.nr_empty + 1);
	} else {
		WRITE_ONCE(q.total, q.total - 1);
	}
	raw_spin_unlock_irq(&q.lock);
	if (!keep)
		vfree(buf);
}

/* Another limit. What is too much goes as far as it is empty, the rest as it gets so. */
void gt_queue_resize(u32 limit)
{
	struct gt_buf *buf;
	bool fits;

	raw_spin_lock_irq(&q.lock);
	WRITE_ONCE(q.limit, limit);
	raw_spin_unlock_irq(&q.lock);
	do {
		fits = READ_ONCE(q.total) <= limit;
		buf = fits ? NULL : gt_queue_pop_empty();
		if (buf)
			gt_queue_push_empty(buf);
	} while (buf);
	gt_queue_refill();
}

u64 gt_queue_bytes(void)
{
	return READ_ONCE(q.bytes);
}

bool gt_queue_has_empty(void)
{
	return READ_ONCE(q.nr_empty) || (q.overwrite && READ_ONCE(q.nr_full));
}

bool gt_queue_has_full(void)
{
	return READ_ONCE(q.nr_full);
}

bool gt_queue_is_low(void)
{
	return READ_ONCE(q.nr_empty) < q.ahead && READ_ONCE(q.total) < READ_ONCE(q.limit);
}

void gt_queue_count(struct gt_queue_count *n)
{
	n->limit = READ_ONCE(q.limit);
	n->total = READ_ONCE(q.total);
	n->empty = READ_ONCE(q.nr_empty);
	n->full = READ_ONCE(q.nr_full);
}
