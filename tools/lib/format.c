// SPDX-License-Identifier: LGPL-2.1 OR MIT
/* The table of events; see format.h. */
#include "format.h"

#include <stddef.h>
#include <string.h>

#define NUM(n)	{ n, GT_ARG_NUMBER }
#define PROC(n)	{ n, GT_ARG_P }
#define STR(n)	{ n, GT_ARG_STRING }
#define STK(n)	{ n, GT_ARG_STACK }

#define UNTIMED(n, v, ...) \
	{ .name = n, .since = v, __VA_ARGS__ }
#define TIMED(n, v, ...) \
	{ .name = n, .since = v, .timed = true, __VA_ARGS__ }
#define STACKED(n, v, ...) \
	{ .name = n, .since = v, .timed = true, .stack = true, __VA_ARGS__ }
#define ARGS1(a)	.nargs = 1, .args = { a }
#define ARGS2(a, b)	.nargs = 2, .args = { a, b }
#define ARGS3(a, b, c)	.nargs = 3, .args = { a, b, c }
/* Before version v the event had only the first n of its arguments. */
#define GREW(v, n)	.grew = v, .nargs_old = n

static const struct gt_event_desc events[GT_EV_COUNT] = {
	[GT_EV_BATCH] = UNTIMED("Batch", GT_V1_5,
				ARGS2(PROC("p"), NUM("ticks"))),
	[GT_EV_FREQUENCY] = UNTIMED("Frequency", GT_V1_5, ARGS1(NUM("hz"))),
	[GT_EV_STACK] = UNTIMED("Stack", GT_V1_5,
				ARGS2(NUM("id"), NUM("frames"))),
	[GT_EV_GOMAXPROCS] = STACKED("Gomaxprocs", GT_V1_5,
				     ARGS1(NUM("procs"))),
	[GT_EV_PROC_START] = TIMED("ProcStart", GT_V1_5,
				   ARGS1(NUM("thread"))),
	[GT_EV_PROC_STOP] = TIMED("ProcStop", GT_V1_5),
	[GT_EV_GC_START] = STACKED("GCStart", GT_V1_5, ARGS1(NUM("seq")),
				   GREW(GT_V1_7, 0)),
	[GT_EV_GC_DONE] = TIMED("GCDone", GT_V1_5),
	[GT_EV_STW_START] = TIMED("STWStart", GT_V1_5, ARGS1(NUM("kind")),
				  GREW(GT_V1_10, 0)),
	[GT_EV_STW_DONE] = TIMED("STWDone", GT_V1_5),
	[GT_EV_GC_SWEEP_START] = STACKED("GCSweepStart", GT_V1_5),
	[GT_EV_GC_SWEEP_DONE] = TIMED("GCSweepDone", GT_V1_5,
				      ARGS2(NUM("swept"), NUM("reclaimed")),
				      GREW(GT_V1_9, 0)),
	[GT_EV_GO_CREATE] = STACKED("GoCreate", GT_V1_5,
				    ARGS2(NUM("newg"), STK("newstk"))),
	[GT_EV_GO_START] = TIMED("GoStart", GT_V1_5,
				 ARGS2(NUM("g"), NUM("seq")),
				 GREW(GT_V1_7, 1)),
	[GT_EV_GO_END] = TIMED("GoEnd", GT_V1_5),
	[GT_EV_GO_STOP] = STACKED("GoStop", GT_V1_5),
	[GT_EV_GO_SCHED] = STACKED("GoSched", GT_V1_5),
	[GT_EV_GO_PREEMPT] = STACKED("GoPreempt", GT_V1_5),
	[GT_EV_GO_SLEEP] = STACKED("GoSleep", GT_V1_5),
	[GT_EV_GO_BLOCK] = STACKED("GoBlock", GT_V1_5),
	[GT_EV_GO_UNBLOCK] = STACKED("GoUnblock", GT_V1_5,
				     ARGS2(NUM("g"), NUM("seq")),
				     GREW(GT_V1_7, 1)),
	[GT_EV_GO_BLOCK_SEND] = STACKED("GoBlockSend", GT_V1_5),
	[GT_EV_GO_BLOCK_RECV] = STACKED("GoBlockRecv", GT_V1_5),
	[GT_EV_GO_BLOCK_SELECT] = STACKED("GoBlockSelect", GT_V1_5),
	[GT_EV_GO_BLOCK_SYNC] = STACKED("GoBlockSync", GT_V1_5),
	[GT_EV_GO_BLOCK_COND] = STACKED("GoBlockCond", GT_V1_5),
	[GT_EV_GO_BLOCK_NET] = STACKED("GoBlockNet", GT_V1_5),
	[GT_EV_GO_SYSCALL] = STACKED("GoSysCall", GT_V1_5),
	[GT_EV_GO_SYSEXIT] = TIMED("GoSysExit", GT_V1_5,
				   ARGS3(NUM("g"), NUM("seq"), NUM("ts"))),
	[GT_EV_GO_SYSBLOCK] = TIMED("GoSysBlock", GT_V1_5),
	[GT_EV_GO_WAITING] = TIMED("GoWaiting", GT_V1_5, ARGS1(NUM("g"))),
	[GT_EV_GO_IN_SYSCALL] = TIMED("GoInSyscall", GT_V1_5,
				      ARGS1(NUM("g"))),
	[GT_EV_HEAP_ALLOC] = TIMED("HeapAlloc", GT_V1_5, ARGS1(NUM("bytes"))),
	[GT_EV_HEAP_GOAL] = TIMED("HeapGoal", GT_V1_5, ARGS1(NUM("bytes"))),
	[GT_EV_TIMER_GOROUTINE] = UNTIMED("TimerGoroutine", GT_V1_5,
					  ARGS1(NUM("g"))),
	[GT_EV_FUTILE_WAKEUP] = TIMED("FutileWakeup", GT_V1_5),
	[GT_EV_STRING] = UNTIMED("String", GT_V1_7, ARGS1(NUM("id"))),
	[GT_EV_GO_START_LOCAL] = TIMED("GoStartLocal", GT_V1_7,
				       ARGS1(NUM("g"))),
	[GT_EV_GO_UNBLOCK_LOCAL] = STACKED("GoUnblockLocal", GT_V1_7,
					   ARGS1(NUM("g"))),
	[GT_EV_GO_SYSEXIT_LOCAL] = TIMED("GoSysExitLocal", GT_V1_7,
					 ARGS2(NUM("g"), NUM("ts"))),
	[GT_EV_GO_START_LABEL] = TIMED("GoStartLabel", GT_V1_8,
				       ARGS3(NUM("g"), NUM("seq"),
					     STR("label"))),
	[GT_EV_GO_BLOCK_GC] = STACKED("GoBlockGC", GT_V1_8),
	[GT_EV_MARK_ASSIST_START] = STACKED("GCMarkAssistStart", GT_V1_9),
	[GT_EV_MARK_ASSIST_DONE] = TIMED("GCMarkAssistDone", GT_V1_9),
	[GT_EV_USER_TASK_CREATE] = STACKED("UserTaskCreate", GT_V1_11,
					   ARGS3(NUM("task"), NUM("parent"),
						 STR("name"))),
	[GT_EV_USER_TASK_END] = STACKED("UserTaskEnd", GT_V1_11,
					ARGS1(NUM("task"))),
	[GT_EV_USER_REGION] = STACKED("UserRegion", GT_V1_11,
				      ARGS3(NUM("task"), NUM("mode"),
					    STR("name"))),
	[GT_EV_USER_LOG] = STACKED("UserLog", GT_V1_11,
				   ARGS2(NUM("task"), STR("key"))),
	[GT_EV_CPU_SAMPLE] = STACKED("CPUSample", GT_V1_19,
				     ARGS3(NUM("ts"), PROC("p"), NUM("g"))),
};

const struct gt_event_desc *gt_event_desc(unsigned int type)
{
	if (type >= GT_EV_COUNT || !events[type].name)
		return NULL;
	return &events[type];
}

unsigned int gt_event_nargs(const struct gt_event_desc *desc,
			    unsigned int version)
{
	return version < desc->grew ? desc->nargs_old : desc->nargs;
}

/*
 * Go 1.5 wrote one argument more into every record: the sequence number before
 * the time, in a Batch between P and time, and an unused one at the end of
 * Frequency and TimerGoroutine.
 */
unsigned int gt_event_wire_args(const struct gt_event_desc *desc,
				unsigned int version)
{
	return gt_event_nargs(desc, version) + desc->timed + desc->stack +
	       (version < GT_V1_7);
}

static bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

unsigned int gt_header_version(const uint8_t header[GT_HEADER_SIZE])
{
	static const char tail[] = " trace\0\0\0\0\0";
	unsigned int minor = 0;
	size_t at = 5;

	if (memcmp(header, "go ", 3) || header[3] < '1' || header[3] > '9' ||
	    header[4] != '.' || header[5] < '1' || header[5] > '9')
		return 0;
	/* At most three digits, which leaves a zero at the end. */
	while (at < 8 && is_digit(header[at]))
		minor = minor * 10 + (header[at++] - '0');
	if (memcmp(header + at, tail, GT_HEADER_SIZE - at))
		return 0;
	return (header[3] - '0') * 1000u + minor;
}

bool gt_version_known(unsigned int version)
{
	static const uint16_t known[] = {
		GT_V1_5, GT_V1_7, GT_V1_8, GT_V1_9,
		GT_V1_10, GT_V1_11, GT_V1_19, GT_V1_21,
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i] == version)
			return true;
	return false;
}
