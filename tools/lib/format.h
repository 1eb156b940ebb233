/* SPDX-License-Identifier: LGPL-2.1 OR MIT */
/*
 * The events of Go's execution-trace format v1 (Go 1.5 to 1.21): their
 * numbers, names and arguments, and in which version each has what.
 *
 * Facts only; nothing here reads a byte of a trace.
 */
#ifndef GT_FORMAT_H
#define GT_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

/* A version is major * 1000 + minor, so 1.21 is 1021. */
#define GT_V1_5		1005
#define GT_V1_7		1007
#define GT_V1_8		1008
#define GT_V1_9		1009
#define GT_V1_10	1010
#define GT_V1_11	1011
#define GT_V1_19	1019
#define GT_V1_21	1021

#define GT_HEADER_SIZE	16

/* In a trace of the kernel's, and in no other, this string is "gotrace". */
#define GT_STRING_GOTRACE 2

/* Longest text in a String record or a UserLog's message, in bytes. */
#define GT_TEXT_MAX	1000000
/* Most frames of a Stack record. */
#define GT_FRAMES_MAX	1000
/* Most argument bytes of a record that has a length (Go from 1.22 on). */
#define GT_LENGTH_MAX	2048

enum gt_event_type {
	GT_EV_NONE		= 0,
	GT_EV_BATCH		= 1,
	GT_EV_FREQUENCY		= 2,
	GT_EV_STACK		= 3,
	GT_EV_GOMAXPROCS	= 4,
	GT_EV_PROC_START	= 5,
	GT_EV_PROC_STOP		= 6,
	GT_EV_GC_START		= 7,
	GT_EV_GC_DONE		= 8,
	GT_EV_STW_START		= 9,
	GT_EV_STW_DONE		= 10,
	GT_EV_GC_SWEEP_START	= 11,
	GT_EV_GC_SWEEP_DONE	= 12,
	GT_EV_GO_CREATE		= 13,
	GT_EV_GO_START		= 14,
	GT_EV_GO_END		= 15,
	GT_EV_GO_STOP		= 16,
	GT_EV_GO_SCHED		= 17,
	GT_EV_GO_PREEMPT	= 18,
	GT_EV_GO_SLEEP		= 19,
	GT_EV_GO_BLOCK		= 20,
	GT_EV_GO_UNBLOCK	= 21,
	GT_EV_GO_BLOCK_SEND	= 22,
	GT_EV_GO_BLOCK_RECV	= 23,
	GT_EV_GO_BLOCK_SELECT	= 24,
	GT_EV_GO_BLOCK_SYNC	= 25,
	GT_EV_GO_BLOCK_COND	= 26,
	GT_EV_GO_BLOCK_NET	= 27,
	GT_EV_GO_SYSCALL	= 28,
	GT_EV_GO_SYSEXIT	= 29,
	GT_EV_GO_SYSBLOCK	= 30,
	GT_EV_GO_WAITING	= 31,
	GT_EV_GO_IN_SYSCALL	= 32,
	GT_EV_HEAP_ALLOC	= 33,
	GT_EV_HEAP_GOAL		= 34,
	GT_EV_TIMER_GOROUTINE	= 35,
	GT_EV_FUTILE_WAKEUP	= 36,
	GT_EV_STRING		= 37,
	GT_EV_GO_START_LOCAL	= 38,
	GT_EV_GO_UNBLOCK_LOCAL	= 39,
	GT_EV_GO_SYSEXIT_LOCAL	= 40,
	GT_EV_GO_START_LABEL	= 41,
	GT_EV_GO_BLOCK_GC	= 42,
	GT_EV_MARK_ASSIST_START	= 43,
	GT_EV_MARK_ASSIST_DONE	= 44,
	GT_EV_USER_TASK_CREATE	= 45,
	GT_EV_USER_TASK_END	= 46,
	GT_EV_USER_REGION	= 47,
	GT_EV_USER_LOG		= 48,
	GT_EV_CPU_SAMPLE	= 49,
	GT_EV_COUNT		= 50,
};

enum gt_arg_kind {
	GT_ARG_NUMBER,
	GT_ARG_P,	/* a P, all ones meaning none */
	GT_ARG_STRING,	/* the id of a string */
	GT_ARG_STACK,	/* the id of a stack */
};

struct gt_arg_desc {
	const char *name;
	enum gt_arg_kind kind;
};

#define GT_EVENT_ARGS_MAX 3

/**
 * struct gt_event_desc - one type of event
 * @name:     as Go 1.21 calls it
 * @since:    first version that has it
 * @timed:    its first argument on the wire is the time since the last event
 * @stack:    its last argument on the wire is a stack id, not in @args
 * @nargs:    arguments in @args today
 * @grew:     the version since which it has @nargs, 0 if it always had
 * @nargs_old: how many of @args it had before @grew
 * @args:     the arguments between the time and the stack
 */
struct gt_event_desc {
	const char *name;
	uint16_t since;
	bool timed;
	bool stack;
	uint8_t nargs;
	uint16_t grew;
	uint8_t nargs_old;
	struct gt_arg_desc args[GT_EVENT_ARGS_MAX];
};

/* The event of that number, NULL when there is none. */
const struct gt_event_desc *gt_event_desc(unsigned int type);

/* How many of desc->args the event has in this version. */
unsigned int gt_event_nargs(const struct gt_event_desc *desc,
			    unsigned int version);

/*
 * How many arguments the record has on the wire, time, sequence and stack
 * included. Not for String, Stack (which tells itself).
 */
unsigned int gt_event_wire_args(const struct gt_event_desc *desc,
				unsigned int version);

/*
 * The version in a trace's first 16 bytes; 0 when they are not the header of
 * a Go execution trace. Any version: see gt_version_known().
 */
unsigned int gt_header_version(const uint8_t header[GT_HEADER_SIZE]);

/* Is it a version that Go programs write in format v1? */
bool gt_version_known(unsigned int version);

#endif
