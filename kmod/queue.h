/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Trace buffers: the stack of empty ones and the queue of full ones.
 */
#ifndef GT_QUEUE_H
#define GT_QUEUE_H

#include <linux/list.h>
#include <linux/types.h>
#include <uapi/linux/gotrace.h>

/*
 * What the reader of the trace believes at a buffer's start. It stays in the
 * kernel: a snapshot of the newest buffers (whose oldest GoCreate are gone)
 * needs it to find a consistent cut.
 */
struct gt_buf_state {
	u64 ticks;		/* of the batch; @end: of its last event */
	u64 end;
	u64 goid;		/* running on this P, 0 for none */
	u64 seq;		/* its next sequence number */
	u64 number;		/* among its writer's */
	u32 cpu;
	u32 kind;		/* GOTRACE_SNAP_OF_CPU, INITIAL, SAMPLES */
	u32 thread;		/* this P's, 0 when it is stopped */
};

struct gt_buf {
	struct list_head list;
	u32 len;		/* bytes of trace */
	u32 read;		/* of those, delivered */
	struct gt_buf_state state;
	u8 data[];
};

#define GT_BUF_DATA	(GOTRACE_BUF_SIZE - sizeof(struct gt_buf))

struct gt_queue_count {
	u32 limit, total, empty, full;
};

/* Session: process context, may sleep. */
u32 gt_queue_ahead(void);
int gt_queue_init(u32 limit, u32 min, bool overwrite);
void gt_queue_destroy(void);
bool gt_queue_reserve(u32 n);
void gt_queue_refill(void);
void gt_queue_resize(u32 limit);
struct gt_buf *gt_queue_get_empty(void);
void gt_queue_first_held(void);
struct gt_buf *gt_queue_take_held(void);
void gt_queue_give_held(struct gt_buf *buf);
void gt_queue_end_held(void);

/* Any context but NMI. */
struct gt_buf *gt_queue_pop_empty(void);
void gt_queue_push_full(struct gt_buf *buf);
bool gt_queue_has_empty(void);
bool gt_queue_has_full(void);
bool gt_queue_is_low(void);
u64 gt_queue_bytes(void);
u64 gt_queue_cut(void);
u64 gt_queue_forgotten(void);
void gt_queue_count(struct gt_queue_count *n);

/* Reader: process context, holds the read lock. */
struct gt_buf *gt_queue_pop_full(void);
void gt_queue_push_empty(struct gt_buf *buf);

#endif /* GT_QUEUE_H */
