/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * gotrace: the contract between /dev/gotrace and user space.
 *
 * Reading /dev/gotrace gives one session after another in the execution-trace
 * format of Go 1.21 ("v1"): a 16-byte header, batches of events, and after
 * STOP the strings, the stacks and the exact frequency; then read(2) returns 0
 * (end of file) until the next session starts.
 *
 * open(2)   O_WRONLY: for ioctls; needs the file's permission only.
 *           O_RDONLY or O_RDWR: EBUSY while another file has the device open
 *           for reading; EACCES without CAP_PERFMON (or CAP_SYS_ADMIN) in the
 *           initial user namespace; EPERM under confidentiality lockdown.
 * read(2)   Blocks until there is data; any size. EAGAIN with O_NONBLOCK and
 *           nothing to read, EINTR, EFAULT (nothing is lost: the next read
 *           goes on at the byte after the last one delivered), EBADF.
 *           The position belongs to the session, not to the file. A file that
 *           has not read before waits for a session; one that got its end of
 *           file gets it again until the next session starts. So does one whose
 *           session is discarded while it reads it, before it goes on to the next.
 * poll(2)   POLLIN: data, or an end of file, can be read without blocking.
 * lseek(2)  ESPIPE. splice(2) and sendfile(2) work.
 *
 * Every ioctl takes the address of its struct (or 0 where said so). Structs
 * only ever grow: the caller puts sizeof(struct) into @size; a kernel that
 * knows a shorter struct refuses non-zero bytes it does not know with E2BIG,
 * one that knows a longer struct takes the missing tail as zero. A @size less
 * than the first published struct, an unknown flag, a value out of range, and
 * a reserved field that is not zero: EINVAL. An unknown command: ENOTTY. Bad
 * addresses: EFAULT. All ioctls need the rights that open needs, when they are
 * called.
 */
#ifndef _UAPI_LINUX_GOTRACE_H
#define _UAPI_LINUX_GOTRACE_H

#include <linux/types.h>
#include <linux/ioctl.h>

#define GOTRACE_DEVICE		"/dev/gotrace"

/* Bytes of one trace buffer, the unit in which memory is taken. */
#define GOTRACE_BUF_SIZE	65536

/* gotrace_start.flags */
#define GOTRACE_START_DISCARD	(1U << 0)	/* drop a stopped session's unread data */
#define GOTRACE_START_IDLE	(1U << 1)	/* ProcStop/ProcStart around idle periods */
#define GOTRACE_START_RAW	(1U << 2)	/* kernel frames' pcs are addresses: CAP_SYSLOG to start and to read */
/*
 * Who sleeps uninterruptibly in a system call at the start is written as Go's
 * tracer does it, GoInSyscall instead of GoWaiting. The thread page of Go's
 * newest viewer does not stand that.
 */
#define GOTRACE_START_IN_SYSCALL (1U << 3)

/* gotrace_start.syscalls */
#define GOTRACE_SYSCALLS_OFF		0	/* no system-call events */
#define GOTRACE_SYSCALLS_CALLS		1	/* a GoSysCall at every entry */
#define GOTRACE_SYSCALLS_REGIONS	2	/* every call a UserRegion, with its end */

/* gotrace_start.clock and gotrace_status.clock */
#define GOTRACE_CLOCK_AUTO	0	/* TSC where the kernel trusts it, else MONO */
#define GOTRACE_CLOCK_TSC	1	/* TSC / 64; ENODEV where there is none */
#define GOTRACE_CLOCK_MONO	2	/* CLOCK_MONOTONIC, fast accessor, ns / 16 */
#define GOTRACE_CLOCK_BOOT	3	/* CLOCK_BOOTTIME, fast accessor, ns / 16 */

/* gotrace_start.stacks: what a stack holds beside the call and the task's name */
#define GOTRACE_STACKS_KERNEL	(1U << 0)	/* where in the kernel: sleeps, switches, wake-ups, births */
#define GOTRACE_STACKS_USER	(1U << 1)	/* who called: by frame pointers, at each system call */

#define GOTRACE_DEPTH_MAX	126

/* gotrace_start.format: the version in the header */
#define GOTRACE_FORMAT_1_21	0	/* "go 1.21 trace" */
#define GOTRACE_FORMAT_1_19	1	/* "go 1.19 trace", for viewers before Go 1.21 */

/**
 * struct gotrace_start - start a session
 * @size:         in: sizeof(struct gotrace_start)
 * @flags:        in: GOTRACE_START_*
 * @buffer_bytes: in: limit of the memory for trace buffers, in bytes; rounded
 *                down to whole buffers; 0 takes 64 MiB. Fewer than
 *                (possible CPUs + 2) buffers, or more than 1 TiB: EINVAL.
 * @table_bytes:  in: limit of the memory for task states, stacks and strings,
 *                in bytes; 0 takes 64 MiB. Less than 1 MiB, or more than
 *                1 TiB: EINVAL.
 * @syscalls:     in: GOTRACE_SYSCALLS_*
 * @clock:        in: GOTRACE_CLOCK_*
 * @format:       in: GOTRACE_FORMAT_*
 * @stacks:       in: GOTRACE_STACKS_*
 * @depth:        in: frames of a stack at most, all kinds together, 4 to
 *                GOTRACE_DEPTH_MAX; 0 takes 64
 * @reserved:     in: 0
 *
 * Errors: EBUSY (a session is tracing, or the last one's data is unread and
 * GOTRACE_START_DISCARD is not set), ENOSPC (the initial state, about a dozen
 * bytes a task, does not fit the limits), ENOMEM, ENODEV (clock), EINTR, EPERM
 * (GOTRACE_START_RAW without CAP_SYSLOG; read(2) of such a session gives it too).
 * After an error nothing has changed; but when memory or room run out only
 * halfway, GOTRACE_START_DISCARD has dropped the old data.
 */
struct gotrace_start {
	__u32 size;
	__u32 flags;
	__u64 buffer_bytes;
	__u64 table_bytes;
	__u32 syscalls;
	__u32 clock;
	__u32 format;
	__u32 stacks;
	__u32 depth;
	__u32 reserved;
};
#define GOTRACE_START_SIZE_VER0		48

/* gotrace_stop.flags */
#define GOTRACE_STOP_NOWAIT	(1U << 0)	/* do not wait for the reader */

/**
 * struct gotrace_stop - stop the session
 * @size:  in: sizeof(struct gotrace_stop)
 * @flags: in: GOTRACE_STOP_*
 *
 * Success when nothing is being traced. Waits while another file has the
 * device open for reading, until that reader has got everything or has closed;
 * returns at once when there is no reader, when called on the reader's own
 * file, or with GOTRACE_STOP_NOWAIT. EINTR ends the wait only: tracing has
 * stopped. The ioctl's argument may be 0, which is all fields 0.
 */
struct gotrace_stop {
	__u32 size;
	__u32 flags;
};
#define GOTRACE_STOP_SIZE_VER0		8

/* gotrace_status.state */
#define GOTRACE_STATE_NONE	0	/* no session */
#define GOTRACE_STATE_STARTING	1	/* the initial state is being written */
#define GOTRACE_STATE_TRACING	2
#define GOTRACE_STATE_DRAINING	3	/* stopped, data left to read */

/* Why events were lost: index of the lost[] arrays. */
#define GOTRACE_LOST_BUFFER	0	/* no empty buffer: the CPU was dark */
#define GOTRACE_LOST_TASK	1	/* no memory for the task's state */
#define GOTRACE_LOST_STACK	2	/* a stack or a name left out, the event is there */
#define GOTRACE_LOST_CAUSES	8	/* length of the arrays; the rest is 0 */

/**
 * struct gotrace_cpu_status - one CPU's part of gotrace_status
 * @cpu:      CPU number, the P of the trace
 * @flags:    bit 0: is traced now; bit 1: dark (lost events, waits for a buffer)
 * @events:   trace events written
 * @bytes:    bytes of trace written
 * @lost:     kernel events lost, by cause
 * @dark:     times that it went dark
 * @adjusted: events whose time was moved to stand after their cause
 * @adjusted_max: largest such move, in ticks of the session's clock
 * @irqoff_ticks: longest time with interrupts off for start or stop, in ticks
 */
struct gotrace_cpu_status {
	__u32 cpu;
	__u32 flags;
	__u64 events;
	__u64 bytes;
	__u64 lost[GOTRACE_LOST_CAUSES];
	__u64 dark;
	__u64 adjusted;
	__u64 adjusted_max;
	__u64 irqoff_ticks;
};

/**
 * struct gotrace_status - what the tracer does now
 * @size:       in: sizeof(struct gotrace_status); out: bytes filled in
 * @state:      GOTRACE_STATE_*
 * @cpus_addr:  in: address of an array of struct gotrace_cpu_status, or 0
 * @cpus_len:   in: entries in the array; out: entries there are (one for each
 *              possible CPU); at most the smaller number is written
 * @cpu_size:   in: sizeof(struct gotrace_cpu_status), EINVAL if less than the
 *              first published one; out: bytes filled in of each entry, the
 *              rest is zero
 * @session:    number of the session, from 1; 0 before the first
 * @flags:      the session's gotrace_start.flags
 * @clock:      clock in use, GOTRACE_CLOCK_TSC, MONO or BOOT
 * @syscalls:   GOTRACE_SYSCALLS_*
 * @reserved:   0
 * @frequency:  ticks per second: calibrated while tracing, measured after STOP
 * @start_ticks: clock when the session started, in ticks
 * @start_mono: CLOCK_MONOTONIC at the same moment, in ns
 * @start_real: CLOCK_REALTIME at the same moment, in ns
 * @end_ticks:  the same three when it was stopped; 0 until then
 * @end_mono:   see @end_ticks
 * @end_real:   see @end_ticks
 * @events:     trace events written: all CPUs', and the initial state's, which
 *              belong to no CPU
 * @bytes_produced: bytes of trace made so far, read or not
 * @bytes_read: bytes delivered to readers
 * @lost:       kernel events lost, by cause, all CPUs; a stack left out is
 *              counted here only
 * @buffers_limit:  trace buffers the session may have
 * @buffers_empty:  of those allocated: free for use
 * @buffers_full:   waiting for the reader
 * @buffers_inuse:  being written or being read
 * @table_bytes: memory taken for task states, stacks and strings, in bytes
 * @tasks:      tasks created in the trace
 * @stacks:     stacks held
 * @strings:    strings held
 *
 * All but @state and @session is 0 when there is no session.
 */
struct gotrace_status {
	__u32 size;
	__u32 state;
	__u64 cpus_addr;
	__u32 cpus_len;
	__u32 cpu_size;
	__u64 session;
	__u32 flags;
	__u32 clock;
	__u32 syscalls;
	__u32 reserved;
	__u64 frequency;
	__u64 start_ticks;
	__u64 start_mono;
	__u64 start_real;
	__u64 end_ticks;
	__u64 end_mono;
	__u64 end_real;
	__u64 events;
	__u64 bytes_produced;
	__u64 bytes_read;
	__u64 lost[GOTRACE_LOST_CAUSES];
	__u64 buffers_limit;
	__u64 buffers_empty;
	__u64 buffers_full;
	__u64 buffers_inuse;
	__u64 table_bytes;
	__u64 tasks;
	__u64 stacks;
	__u64 strings;
};
#define GOTRACE_STATUS_SIZE_VER0	256
#define GOTRACE_CPU_STATUS_SIZE_VER0	120

/* The structs grow, so the numbers do not hold their sizes. */
#define GOTRACE_IOC_MAGIC	0xE7
#define GOTRACE_IOC_START	_IO(GOTRACE_IOC_MAGIC, 1)	/* struct gotrace_start */
#define GOTRACE_IOC_STOP	_IO(GOTRACE_IOC_MAGIC, 2)	/* struct gotrace_stop or 0 */
#define GOTRACE_IOC_STATUS	_IO(GOTRACE_IOC_MAGIC, 3)	/* struct gotrace_status */

#endif /* _UAPI_LINUX_GOTRACE_H */
