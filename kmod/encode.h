/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The bytes of one record of Go's execution trace, version 1.
 *
 * A record is one byte (low six bits the type, high two the number of
 * arguments after the time, three meaning "three or more, and a length byte
 * follows"), then base-128 varints. Pure: bytes in, bytes out, any context.
 * Callers reserve the room (GT_RECORD_MAX a record) before they encode.
 */
#ifndef GT_ENCODE_H
#define GT_ENCODE_H

#include <linux/string.h>
#include <linux/types.h>

/* Types, with the arguments that follow the time. */
enum gt_ev {
	EV_BATCH		= 1,	/* P, absolute ticks; no time */
	EV_FREQUENCY		= 2,	/* ticks per second; no time */
	EV_STACK		= 3,	/* id, n, n * (pc, fn, file, line); no time */
	EV_GOMAXPROCS		= 4,	/* procs, stack */
	EV_PROC_START		= 5,	/* thread */
	EV_PROC_STOP		= 6,
	EV_GC_START		= 7,	/* seq, stack */
	EV_GC_DONE		= 8,
	EV_STW_START		= 9,	/* kind */
	EV_STW_DONE		= 10,
	EV_GC_SWEEP_START	= 11,	/* stack */
	EV_GC_SWEEP_DONE	= 12,	/* bytes swept, bytes reclaimed */
	EV_GO_CREATE		= 13,	/* g, new stack, stack */
	EV_GO_START		= 14,	/* g, seq */
	EV_GO_END		= 15,
	EV_GO_STOP		= 16,	/* stack */
	EV_GO_SCHED		= 17,	/* stack */
	EV_GO_PREEMPT		= 18,	/* stack */
	EV_GO_SLEEP		= 19,	/* stack */
	EV_GO_BLOCK		= 20,	/* stack */
	EV_GO_UNBLOCK		= 21,	/* g, seq, stack */
	EV_GO_BLOCK_SEND	= 22,	/* stack; so all to NET */
	EV_GO_BLOCK_RECV	= 23,
	EV_GO_BLOCK_SELECT	= 24,
	EV_GO_BLOCK_SYNC	= 25,
	EV_GO_BLOCK_COND	= 26,
	EV_GO_BLOCK_NET		= 27,
	EV_GO_SYS_CALL		= 28,	/* stack */
	EV_GO_SYS_EXIT		= 29,	/* g, seq, ticks or 0 */
	EV_GO_SYS_BLOCK		= 30,
	EV_GO_WAITING		= 31,	/* g */
	EV_GO_IN_SYSCALL	= 32,	/* g */
	EV_HEAP_ALLOC		= 33,	/* bytes */
	EV_HEAP_GOAL		= 34,	/* bytes */
	EV_STRING		= 37,	/* id, length, bytes; no time */
	EV_GO_START_LOCAL	= 38,	/* g */
	EV_GO_UNBLOCK_LOCAL	= 39,	/* g, stack */
	EV_GO_START_LABEL	= 41,	/* g, seq, label's string */
	EV_GO_BLOCK_GC		= 42,	/* stack */
	EV_GC_MARK_ASSIST_START	= 43,	/* stack */
	EV_GC_MARK_ASSIST_DONE	= 44,
	EV_USER_TASK_CREATE	= 45,	/* task, parent, name's string, stack */
	EV_USER_TASK_END	= 46,	/* task, stack */
	EV_USER_REGION		= 47,	/* task, mode, name's string, stack */
	EV_USER_LOG		= 48,	/* task, key's string, stack; length, bytes */
	EV_CPU_SAMPLE		= 49,	/* absolute ticks, P, g, stack; its time says nothing */
};

/* Ten bytes a varint; type, length and five arguments. UserLog's text and
 * EvStack's frames are sized by who writes them.
 */
#define GT_VARINT_MAX	10
#define GT_RECORD_MAX	(2 + 5 * GT_VARINT_MAX)

#define GT_HEADER_SIZE	16

static __always_inline u8 *gt_put_varint(u8 *p, u64 v)
{
	while (v >= 0x80) {
		*p++ = v | 0x80;
		v >>= 7;
	}
	*p++ = v;
	return p;
}

static __always_inline u8 *gt_put_ev0(u8 *p, enum gt_ev ev, u64 dt)
{
	*p++ = ev;
	return gt_put_varint(p, dt);
}

static __always_inline u8 *gt_put_ev1(u8 *p, enum gt_ev ev, u64 dt, u64 a)
{
	*p++ = ev | 1 << 6;
	p = gt_put_varint(p, dt);
	return gt_put_varint(p, a);
}

static __always_inline u8 *gt_put_ev2(u8 *p, enum gt_ev ev, u64 dt, u64 a, u64 b)
{
	*p++ = ev | 2 << 6;
	p = gt_put_varint(p, dt);
	p = gt_put_varint(p, a);
	return gt_put_varint(p, b);
}

static __always_inline u8 *gt_put_ev3(u8 *p, enum gt_ev ev, u64 dt, u64 a, u64 b, u64 c)
{
	u8 *len = p + 1;

	*p = ev | 3 << 6;
	p = gt_put_varint(p + 2, dt);
	p = gt_put_varint(p, a);
	p = gt_put_varint(p, b);
	p = gt_put_varint(p, c);
	*len = p - len - 1;
	return p;
}

static __always_inline u8 *gt_put_ev4(u8 *p, enum gt_ev ev, u64 dt, u64 a, u64 b, u64 c, u64 d)
{
	u8 *len = p + 1;

	p = gt_put_ev3(p, ev, dt, a, b, c);
	p = gt_put_varint(p, d);
	*len = p - len - 1;
	return p;
}

static inline u8 *gt_put_batch(u8 *p, u32 proc, u64 ticks)
{
	*p++ = EV_BATCH | 1 << 6;
	p = gt_put_varint(p, proc);
	return gt_put_varint(p, ticks);
}

static inline u8 *gt_put_frequency(u8 *p, u64 hz)
{
	*p++ = EV_FREQUENCY;
	return gt_put_varint(p, hz);
}

/* 1 <= len; the caller reserved GT_RECORD_MAX + len. */
static inline u8 *gt_put_string(u8 *p, u32 id, const char *s, u32 len)
{
	*p++ = EV_STRING;
	p = gt_put_varint(p, id);
	p = gt_put_varint(p, len);
	memcpy(p, s, len);
	return p + len;
}

/* The text stands outside the length byte. */
static inline u8 *gt_put_user_log(u8 *p, u64 dt, u64 task, u32 key, u32 stack,
				  const char *s, u32 len)
{
	p = gt_put_ev3(p, EV_USER_LOG, dt, task, key, stack);
	p = gt_put_varint(p, len);
	memcpy(p, s, len);
	return p + len;
}

/* Go's newest reader takes no stack record of more argument bytes. */
#define GT_STACK_BYTES_MAX	2048
#define GT_STACK_FRAMES_MAX	128

struct gt_put_frame {
	u64 pc;		/* stands for one fn, file and line in the whole trace */
	u32 fn, file;	/* string ids */
	u32 line;
};

/*
 * Returns NULL, with nothing to keep of what was written, when the record
 * would be longer than Go reads. The caller reserved GT_RECORD_MAX +
 * GT_STACK_BYTES_MAX + 4 * GT_VARINT_MAX.
 */
static inline u8 *gt_put_stack(u8 *p, u32 id, const struct gt_put_frame *frames, u32 n)
{
	u8 *len = p + 1, *start = p + 3;	/* two bytes hold any length up to 2,048 */
	u32 i;

	*p = EV_STACK | 3 << 6;
	p = gt_put_varint(start, id);
	p = gt_put_varint(p, n);
	for (i = 0; i < n; i++) {
		p = gt_put_varint(p, frames[i].pc);
		p = gt_put_varint(p, frames[i].fn);
		p = gt_put_varint(p, frames[i].file);
		p = gt_put_varint(p, frames[i].line);
		if (p - start > GT_STACK_BYTES_MAX)
			return NULL;
	}
	len[0] = (p - start) | 0x80;
	len[1] = (p - start) >> 7;
	return p;
}

#endif /* GT_ENCODE_H */
