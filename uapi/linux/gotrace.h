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
 * addresses: EFAULT. All ioctls need the rights that opening for reading needs,
 * when they are called, but ENABLED, which takes any open file, and annotations
 * (TASK_CREATE to LOG), which take one that is open for writing, else EBADF.
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
/*
 * Memory reclaim as Go's garbage collection, and the stopped world: HeapAlloc,
 * HeapGoal, GC, sweeps, mark assists, STW.
 */
#define GOTRACE_START_MEMORY	(1U << 4)
/*
 * No switches and wake-ups: a task is running from its first other event after
 * it got a CPU until it leaves it, with GoSched, or GoEnd. Births stay.
 */
#define GOTRACE_START_NO_SCHED	(1U << 5)
/*
 * Flight recorder: when the buffers are full, the oldest go. Nothing is lost, and
 * nothing can be read (EBUSY) but by GOTRACE_IOC_SNAPSHOT.
 */
#define GOTRACE_START_OVERWRITE	(1U << 7)
#define GOTRACE_START_NO_ANNOTATIONS (1U << 6)	/* as if nothing were traced, for programs that annotate */

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

/* gotrace_start.sample_event: what CPU samples count */
#define GOTRACE_SAMPLE_CPU_CLOCK	0	/* time, by a timer of the kernel's */
#define GOTRACE_SAMPLE_CYCLES		1	/* cycles, by the processor: also where interrupts are off */

#define GOTRACE_SAMPLE_HZ_MAX	10000

/* gotrace_start.format: the version in the header */
#define GOTRACE_FORMAT_1_21	0	/* "go 1.21 trace" */
#define GOTRACE_FORMAT_1_19	1	/* "go 1.19 trace", for viewers before Go 1.21 */

/* gotrace_filter.flags */
#define GOTRACE_FILTER_FOLLOW	(1U << 0)	/* what they make, too */
#define GOTRACE_FILTER_CALLS_EXCEPT (1U << 1)	/* @calls are those left out */

#define GOTRACE_FILTER_IDS_MAX	4096	/* entries of @tids, @tgids, @uids */
#define GOTRACE_FILTER_COMMS_MAX 64
#define GOTRACE_FILTER_COMM_SIZE 64	/* bytes of a pattern, with its zero */
#define GOTRACE_FILTER_CGROUPS_MAX 64
#define GOTRACE_FILTER_CPUS_MAX	1024	/* bytes of the mask */
#define GOTRACE_FILTER_CALLS_MAX 2048
#define GOTRACE_FILTER_CALL_MAX	4096	/* numbers of calls are less than this */
#define GOTRACE_FILTER_COMPAT	(1U << 31)	/* in @calls: of the 32-bit ABI */

/**
 * struct gotrace_list - an array in user memory
 * @addr:     in: its address
 * @len:      in: entries in it; 0 when there is none
 * @reserved: in: 0
 */
struct gotrace_list {
	__u64 addr;
	__u32 len;
	__u32 reserved;
};

/**
 * struct gotrace_filter - what a session is about; the rest is left out of it
 * @size:    in: sizeof(struct gotrace_filter)
 * @flags:   in: GOTRACE_FILTER_*
 * @tids:    in: __u32 each, ids of threads
 * @tgids:   in: __u32 each, ids of processes; all threads, those to come, too
 * @comms:   in: patterns of GOTRACE_FILTER_COMM_SIZE bytes each, not empty, with a
 *           zero at their end, for the name of a task: '*', '?', '[a-z]', '[!a-z]',
 *           and '\' before one of these that means itself
 * @cgroups: in: __s32 each, open files of version 2 control groups' directories;
 *           the groups below them, too
 * @uids:    in: __u32 each, effective users, as the caller's user namespace has them
 * @cpus:    in: bytes of a bit mask, the first CPU is the lowest bit of the first
 * @calls:   in: __u32 each, numbers of system calls, of the 32-bit ABI with
 *           GOTRACE_FILTER_COMPAT; those that do not exist are fine
 *
 * A task is traced when each list that is not empty of @tids with @tgids, @comms,
 * @cgroups, @uids has it. A list that is empty leaves nothing out.
 *
 * @tids and @tgids mean the tasks that have these ids (in the initial pid
 * namespace) at START; whoever is given one later is another. Names are looked at
 * whenever they change; groups and users at fork(2), execve(2), and each time that
 * the task gets a CPU.
 *
 * With GOTRACE_FILTER_FOLLOW, children and threads that a traced task makes are
 * traced, too, whatever their names, groups and users will be; so are those that it
 * has at START, and theirs.
 *
 * A task that is left out is in the trace as if it did not exist: the CPU that runs
 * it shows nothing, but its wake-ups of others, which say by their stack who it was.
 * One that is traced no more is shown asleep, until it is again. Of a CPU that is
 * left out, nothing is shown; who is woken from there is, when it runs elsewhere. A
 * system call that is left out is still named as what a task sleeps in. Memory in
 * use, and its reclaim by kswapd, belong to nobody and stay; the stopped world is
 * only shown where no CPUs, and not the kernel's own tasks, are left out.
 *
 * Errors of START: EINVAL (a list is too long, an entry is not as said above, no
 * possible CPU is in @cpus), ESRCH (of @tids and @tgids one is nobody's), EBADF
 * (@cgroups), EOPNOTSUPP (a kernel without control groups).
 */
struct gotrace_filter {
	__u32 size;
	__u32 flags;
	struct gotrace_list tids;
	struct gotrace_list tgids;
	struct gotrace_list comms;
	struct gotrace_list cgroups;
	struct gotrace_list uids;
	struct gotrace_list cpus;
	struct gotrace_list calls;
};
#define GOTRACE_FILTER_SIZE_VER0	120

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
 * @sample_hz:    in: CPU samples a second of each CPU that is not idle, 0 for
 *                none, to GOTRACE_SAMPLE_HZ_MAX. They take a log of 256 samples
 *                with @depth frames each a CPU, beside the limits above. The
 *                kernel takes fewer beyond its sysctl perf_event_max_sample_rate.
 * @sample_event: in: GOTRACE_SAMPLE_*
 * @filter:       in: address of a struct gotrace_filter, or 0
 * @max_bytes:    in: the session stops itself when it has made that many bytes of
 *                trace, 0 for no limit. Looked at whenever a buffer is full; what
 *                CPUs write meanwhile, names and stacks come on top.
 * @max_ns:       in: it does so when that much time has passed, in ns, 0 for no
 *                limit; not before, and a tick or so later. To 2^62.
 *
 * Errors: those of the filter, EBUSY (a session is tracing, or the last one's data is unread and
 * GOTRACE_START_DISCARD is not set), ENOSPC (the initial state, about a dozen
 * bytes a task, does not fit the limits), ENOMEM, ENODEV (clock), EOPNOTSUPP
 * (this machine cannot count @sample_event), EINTR, EPERM (GOTRACE_START_RAW
 * without CAP_SYSLOG; read(2) of such a session gives it too).
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
	__u32 sample_hz;
	__u32 sample_event;
	__u64 filter;
	__u64 max_bytes;
	__u64 max_ns;
};
#define GOTRACE_START_SIZE_VER0		48

/* gotrace_stop.flags */
#define GOTRACE_STOP_NOWAIT	(1U << 0)	/* do not wait for the reader */
#define GOTRACE_STOP_DISCARD	(1U << 1)	/* and drop what is not read */

/**
 * struct gotrace_stop - stop the session
 * @size:  in: sizeof(struct gotrace_stop)
 * @flags: in: GOTRACE_STOP_*
 *
 * Success when nothing is being traced. Waits while another file has the
 * device open for reading, until that reader has got everything or has closed;
 * returns at once when there is no reader, when called on the reader's own
 * file, or with GOTRACE_STOP_NOWAIT, or DISCARD, which drops what nobody has read,
 * also of a session that has stopped. EINTR ends the wait only: tracing has
 * stopped. The ioctl's argument may be 0, which is all fields 0.
 */
struct gotrace_stop {
	__u32 size;
	__u32 flags;
};
#define GOTRACE_STOP_SIZE_VER0		8

/**
 * struct gotrace_resize - change the limit of the memory for trace buffers
 * @size:         in: sizeof(struct gotrace_resize)
 * @flags:        in: 0
 * @buffer_bytes: in: as in struct gotrace_start, but not 0
 *
 * While a session is tracing, without disturbing it. Less memory is given back as
 * it is read; nothing is dropped. Errors: ENODATA (nothing is traced), EINTR.
 */
struct gotrace_resize {
	__u32 size;
	__u32 flags;
	__u64 buffer_bytes;
};
#define GOTRACE_RESIZE_SIZE_VER0	16

/* gotrace_status.state */
#define GOTRACE_STATE_NONE	0	/* no session */
#define GOTRACE_STATE_STARTING	1	/* the initial state is being written */
#define GOTRACE_STATE_TRACING	2
#define GOTRACE_STATE_DRAINING	3	/* stopped, data left to read */

/**
 * struct gotrace_snapshot - what a flight recorder holds
 * @size:     in: sizeof(struct gotrace_snapshot)
 * @flags:    in: 0
 * @buf_addr: in: address of the buffer for the reply
 * @buf_len:  in: its bytes; out: bytes of the reply, or, with ENOSPC, bytes that
 *            it would have had
 *
 * Of a session with GOTRACE_START_OVERWRITE, tracing or stopped, which goes on.
 * The reply is a row of records, each a multiple of 8 bytes, that begin with a
 * struct gotrace_snap. "gotrace snapshot" makes a trace of it: of all events
 * after the cut, and after the newest of each CPU's batches in front of which one is
 * missing, to the least @ticks of a GOTRACE_SNAP_CPU.
 *
 * Errors: ENODATA (no such session), ENOSPC (the buffer is too small; the next
 * reply may be longer than @buf_len says), EINTR, ENOMEM, EPERM (a session of
 * GOTRACE_START_RAW, without CAP_SYSLOG).
 */
struct gotrace_snapshot {
	__u32 size;
	__u32 flags;
	__u64 buf_addr;
	__u64 buf_len;
};
#define GOTRACE_SNAPSHOT_SIZE_VER0	24

/* gotrace_snap.type */
#define GOTRACE_SNAP_SESSION	1
#define GOTRACE_SNAP_TASK	2	/* was there before the end, in that state */
#define GOTRACE_SNAP_BATCH	3	/* in the order in which they filled */
#define GOTRACE_SNAP_CPU	4	/* all that it wrote until @ticks is there */
#define GOTRACE_SNAP_NAMES	5	/* records of strings, stacks, frequency */
#define GOTRACE_SNAP_CUT	6	/* events of CPUs until @ticks may be missing */

/* gotrace_snap.kind of a batch */
#define GOTRACE_SNAP_OF_CPU	0
#define GOTRACE_SNAP_INITIAL	1	/* of the state at the start */
#define GOTRACE_SNAP_SAMPLES	2	/* CPUSample, in no order */

/* gotrace_snap.state of a task, as a reader of the trace believes */
#define GOTRACE_SNAP_RUNNABLE	1
#define GOTRACE_SNAP_RUNNING	2
#define GOTRACE_SNAP_WAITING	3
#define GOTRACE_SNAP_SYSCALL	4

/**
 * struct gotrace_snap - a record; @bytes of data follow, and zeroes
 * @type:   GOTRACE_SNAP_*
 * @len:    bytes of all of it
 * @bytes:  of data: a batch, or names
 * @cpu:    P of a batch or CPU
 * @kind:   GOTRACE_SNAP_OF_CPU and so on
 * @state:  of a task
 * @thread: of the P when the batch began, 0 when it was stopped
 * @stack:  of a task's GoCreate; of a session: of a task without a name
 * @number: of a batch among its CPU's, from 0
 * @ticks:  of a batch: where it begins; of a CPU, a cut; of a session: when all
 *          CPUs had begun
 * @goid:   of a task; of the G that ran when the batch began, 0 for none
 */
struct gotrace_snap {
	__u32 type;
	__u32 len;
	__u32 bytes;
	__u32 cpu;
	__u32 kind;
	__u32 state;
	__u32 thread;
	__u32 stack;
	__u64 number;
	__u64 ticks;
	__u64 goid;
};

/* gotrace_status.stopped */
#define GOTRACE_STOPPED_NOT	0
#define GOTRACE_STOPPED_ASKED	1	/* by STOP */
#define GOTRACE_STOPPED_TIME	2	/* by gotrace_start.max_ns */
#define GOTRACE_STOPPED_BYTES	3	/* by gotrace_start.max_bytes */

/* gotrace_status.filtered: the lists of struct gotrace_filter that were not empty */
#define GOTRACE_FILTERED_TIDS	(1U << 0)
#define GOTRACE_FILTERED_TGIDS	(1U << 1)
#define GOTRACE_FILTERED_COMMS	(1U << 2)
#define GOTRACE_FILTERED_CGROUPS (1U << 3)
#define GOTRACE_FILTERED_UIDS	(1U << 4)
#define GOTRACE_FILTERED_CPUS	(1U << 5)
#define GOTRACE_FILTERED_CALLS	(1U << 6)

/* Why events were lost: index of the lost[] arrays. */
#define GOTRACE_LOST_BUFFER	0	/* no empty buffer: the CPU was dark */
#define GOTRACE_LOST_TASK	1	/* no memory for the task's state */
#define GOTRACE_LOST_STACK	2	/* a stack or a name left out, the event is there */
#define GOTRACE_LOST_SAMPLE	3	/* a CPU sample: its CPU's log was full, or no buffer was left at STOP */
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
 * @samples:    CPU samples written, which @events counts too; not those still
 *              in a log, or lost
 * @sample_hz:  the session's gotrace_start.sample_hz
 * @sample_event: the session's gotrace_start.sample_event
 * @stopped:    GOTRACE_STOPPED_*: who stopped it
 * @filtered:   GOTRACE_FILTERED_*: what it is filtered by
 * @max_bytes:  the session's gotrace_start.max_bytes
 * @max_ns:     the session's gotrace_start.max_ns
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
	__u64 samples;
	__u32 sample_hz;
	__u32 sample_event;
	__u32 stopped;
	__u32 filtered;
	__u64 max_bytes;
	__u64 max_ns;
};
#define GOTRACE_STATUS_SIZE_VER0	256
#define GOTRACE_CPU_STATUS_SIZE_VER0	120

/*
 * Annotations: programs put tasks, regions and log messages of their own into
 * the trace, as Go's programs do. A program does not depend on being traced:
 * while nothing is, these ioctls look at the struct's numbers only, record
 * nothing, and succeed. It is the same when the event is lost (STATUS counts it).
 *
 * Ids are given out by the kernel, from 1, and never again as long as the module
 * is loaded; an id that was never given out is refused with EINVAL. One from
 * before the session, or of what has ended already, is fine: such a task may
 * still be named by others, and its second end, or that of such a region, is
 * just not recorded.
 *
 * A string is an address and its length in bytes, any bytes, no zero at the end.
 *
 * What annotations may take of a session is limited, for each user (the real
 * uid of who opened the file) and for all together: memory for strings, open
 * tasks and threads' regions, to a part of gotrace_start.table_bytes; messages'
 * bytes in a second, to the same part of gotrace_start.buffer_bytes. Beyond it,
 * EDQUOT. ENOSPC when the session has no memory left; ENOMEM. After an error
 * nothing is recorded.
 */
#define GOTRACE_STRING_MAX	4096	/* bytes of a string */
#define GOTRACE_REGIONS_MAX	32	/* regions that a thread has open at a time */
#define GOTRACE_ANNOTATE_USER	16	/* one user's part: a sixteenth; of memory, at most 4 MiB */
#define GOTRACE_ANNOTATE_ALL	4	/* all users': a quarter; of memory, at most 16 MiB */

/**
 * struct gotrace_begin - a task or a region begins
 * @size:     in: sizeof(struct gotrace_begin)
 * @name_len: in: bytes of @name, 1 to GOTRACE_STRING_MAX
 * @name:     in: address of its type, by which viewers group
 * @task:     in: the task of which it is a part, or 0
 * @id:       out: its id, to be used only if all went well; 0 for a region while
 *            nothing is traced
 *
 * GOTRACE_IOC_TASK_CREATE: a task, something to be done by any threads.
 *
 * GOTRACE_IOC_REGION_BEGIN: a region of the calling thread. They nest. They stay
 * over execve(2), are not inherited by fork(2), and end with the thread. E2BIG:
 * GOTRACE_REGIONS_MAX are open.
 */
struct gotrace_begin {
	__u32 size;
	__u32 name_len;
	__u64 name;
	__u64 task;
	__u64 id;
};
#define GOTRACE_BEGIN_SIZE_VER0		32

/**
 * struct gotrace_end - a task or a region ends
 * @size:     in: sizeof(struct gotrace_end)
 * @reserved: in: 0
 * @id:       in: its id
 *
 * GOTRACE_IOC_TASK_END: any thread of any process may do it; EPERM for a task of
 * another user.
 *
 * GOTRACE_IOC_REGION_END: regions that the thread began inside and did not end,
 * end with it. One of another thread is not open here: nothing is recorded.
 */
struct gotrace_end {
	__u32 size;
	__u32 reserved;
	__u64 id;
};
#define GOTRACE_END_SIZE_VER0		16

/**
 * struct gotrace_log - a message, at this moment
 * @size:         in: sizeof(struct gotrace_log)
 * @category_len: in: bytes of @category, 0 to GOTRACE_STRING_MAX
 * @category:     in: address of what kind of message it is; there should be few
 * @message:      in: address of the text
 * @message_len:  in: bytes of @message, 1 to GOTRACE_STRING_MAX
 * @reserved:     in: 0
 * @task:         in: the task that it belongs to, or 0
 */
struct gotrace_log {
	__u32 size;
	__u32 category_len;
	__u64 category;
	__u64 message;
	__u32 message_len;
	__u32 reserved;
	__u64 task;
};
#define GOTRACE_LOG_SIZE_VER0	40

/* gotrace_traceback.flags */
#define GOTRACE_TRACEBACK_KTHREADS (1U << 0)	/* kernel threads too */
/*
 * With addresses, and with the memory around frames that cannot be followed:
 * CAP_SYSLOG and CAP_SYS_PTRACE.
 */
#define GOTRACE_TRACEBACK_DEBUG	(1U << 1)

#define GOTRACE_TRACEBACK_PIDS_MAX	4096

/**
 * struct gotrace_traceback - every task's stack at this moment
 * @size:      in: sizeof(struct gotrace_traceback)
 * @flags:     in: GOTRACE_TRACEBACK_*
 * @buf_addr:  in: address of the buffer for the reply
 * @buf_len:   in: its bytes; out: bytes of the reply, or, with ENOSPC, bytes
 *             that it would have had
 * @pids_addr: in: address of an array of __u32, or 0 for all tasks
 * @pids_len:  in: entries in it, at most GOTRACE_TRACEBACK_PIDS_MAX. Wanted
 *             are these tasks, and those of these processes, by their ids in
 *             the initial pid namespace, kernel threads or not. An id that is
 *             nobody's is no error.
 * @depth:     in: frames of a stack at most, the kernel's and the program's
 *             together, 1 to GOTRACE_DEPTH_MAX; 0 takes 64
 * @tasks:     out: tasks in the reply
 * @reserved:  in: 0
 *
 * Needs no session, and disturbs none. Nothing is stopped: each task's stack is
 * of one moment of its own, a sleeper's while it sleeps, a running task's by an
 * interrupt of its CPU.
 *
 * The reply is a row of records, each a multiple of 8 bytes: of the type
 * GOTRACE_TB_NAME, struct gotrace_tb_name, or GOTRACE_TB_TASK, struct
 * gotrace_tb_task. A name stands before all that use it. Other types, of newer
 * kernels, are to be skipped.
 *
 * Errors: ENOSPC (the buffer is too small; what is in it is of no use; as tasks
 * come and go, the next reply may be longer than @buf_len says), EPERM
 * (GOTRACE_TRACEBACK_DEBUG without its capabilities), EINTR, ENOMEM.
 */
struct gotrace_traceback {
	__u32 size;
	__u32 flags;
	__u64 buf_addr;
	__u64 buf_len;
	__u64 pids_addr;
	__u32 pids_len;
	__u32 depth;
	__u32 tasks;
	__u32 reserved;
};
#define GOTRACE_TRACEBACK_SIZE_VER0	48

/* The type of a record. */
#define GOTRACE_TB_NAME	1
#define GOTRACE_TB_TASK	2

/**
 * struct gotrace_tb_name - a name; its @len bytes follow, and zeroes
 * @type: GOTRACE_TB_NAME
 * @size: bytes of the record
 * @id:   what it is called by in this reply, from 1
 * @len:  bytes of the name
 */
struct gotrace_tb_name {
	__u32 type;
	__u32 size;
	__u32 id;
	__u32 len;
};

/* gotrace_tb_frame.kind */
#define GOTRACE_FRAME_KERNEL	0	/* "FUNCTION" or "FUNCTION [MODULE]" */
#define GOTRACE_FRAME_CALL	1	/* "syscall.NAME", between the kernel and who called */
#define GOTRACE_FRAME_USER	2	/* "PATH", "PATH [build-id HEX]", or "[anon]" */

/**
 * struct gotrace_tb_frame - a frame
 * @name:    what it is in, as its kind has it; 0 when that is not known
 * @kind:    GOTRACE_FRAME_*
 * @offset:  in the function, in the file, or in the mapping of code without
 *           a file; behind the instruction that it is about
 * @address: the same as an address, with GOTRACE_TRACEBACK_DEBUG, else 0
 */
struct gotrace_tb_frame {
	__u32 name;
	__u32 kind;
	__u64 offset;
	__u64 address;
};

/* gotrace_tb_task.state */
#define GOTRACE_TASK_RUNNING	0	/* on @cpu */
#define GOTRACE_TASK_RUNNABLE	1
#define GOTRACE_TASK_ASLEEP	2	/* for @reason */
#define GOTRACE_TASK_STOPPED	3	/* by a signal */
#define GOTRACE_TASK_TRACED	4	/* by a debugger */
#define GOTRACE_TASK_DEAD	5	/* its parent did not ask yet; it has no stack */

/* gotrace_tb_task.reason: for what it sleeps, as the events of a trace tell it */
#define GOTRACE_WAIT_NONE	0	/* no sleeper, or no reason is known */
#define GOTRACE_WAIT_SLEEP	1	/* GoSleep: time */
#define GOTRACE_WAIT_NET	2	/* GoBlockNet */
#define GOTRACE_WAIT_SELECT	3	/* GoBlockSelect: poll, select, epoll */
#define GOTRACE_WAIT_SYNC	4	/* GoBlockSync: a lock, a futex */
#define GOTRACE_WAIT_COND	5	/* GoBlockCond: a child, a signal */
#define GOTRACE_WAIT_RECV	6	/* GoBlockRecv: pipe, tty, unix socket, queue */
#define GOTRACE_WAIT_SEND	7	/* GoBlockSend */
#define GOTRACE_WAIT_RECLAIM	8	/* GoBlockGC: memory */
#define GOTRACE_WAIT_DISK	9	/* GoSysBlock: a disk, a page */

/* gotrace_tb_task.kernel_end, user_end: why a stack has no more frames */
#define GOTRACE_END_ROOT	0	/* it has no more, or there is none */
#define GOTRACE_END_DEPTH	1	/* it has more than were asked for */
#define GOTRACE_END_BAD		2	/* kernel: the unwinder is not sure; user: no frame pointer */
#define GOTRACE_END_NO_CODE	3	/* a return address that is none */
#define GOTRACE_END_ABSENT	4	/* the stack is not in memory */
#define GOTRACE_END_BUSY	5	/* the address space is locked by someone else */
#define GOTRACE_END_CHANGED	6	/* the task came and went too fast to be caught */

/* gotrace_tb_task.flags */
#define GOTRACE_TB_KTHREAD	(1U << 0)
#define GOTRACE_TB_PINNED	(1U << 1)	/* may run on one CPU only, @pinned */
#define GOTRACE_TB_CREATED	(1U << 2)	/* its birth was traced, in this session */

#define GOTRACE_TB_WORDS	64

/**
 * struct gotrace_tb_task - a task
 * @type:     GOTRACE_TB_TASK
 * @size:     bytes of the record
 * @head:     bytes of this struct; behind it stand the frames of the task's
 *            stack, leaf first, then those of its maker at its birth, then the
 *            words around the bad frame of the kernel's stack, then those of
 *            the program's
 * @flags:    GOTRACE_TB_*
 * @tid:      its id, in the initial pid namespace as all here
 * @pid:      of its process
 * @state:    GOTRACE_TASK_*
 * @reason:   GOTRACE_WAIT_*
 * @cpu:      where it runs, or ran last
 * @pinned:   the one CPU where it may run
 * @asleep:   ns since it went to sleep, as the scheduler knows, a little more
 *            rather than less; 0 for unknown
 * @started:  CLOCK_REALTIME when its process began, ns
 * @comm:     its name
 * @kernel_end: GOTRACE_END_*
 * @user_end: GOTRACE_END_*
 * @n_frames: frames of its stack
 * @n_created: frames of its maker
 * @created_tid: its maker, if GOTRACE_TB_CREATED
 * @created_name: its maker's name then; 0 when that is not known
 * @kernel_words: with GOTRACE_TRACEBACK_DEBUG: words of 8 bytes, at most
 *            GOTRACE_TB_WORDS
 * @user_words: the same
 * @kernel_at: address of the first of them
 * @kernel_bad: address of the bad frame
 * @user_at:  the same two of the program's stack
 * @user_bad: see @user_at
 */
struct gotrace_tb_task {
	__u32 type;
	__u32 size;
	__u32 head;
	__u32 flags;
	__u32 tid;
	__u32 pid;
	__u32 state;
	__u32 reason;
	__u32 cpu;
	__u32 pinned;
	__u64 asleep;
	__u64 started;
	char  comm[16];
	__u32 kernel_end;
	__u32 user_end;
	__u32 n_frames;
	__u32 n_created;
	__u32 created_tid;
	__u32 created_name;
	__u32 kernel_words;
	__u32 user_words;
	__u64 kernel_at;
	__u64 kernel_bad;
	__u64 user_at;
	__u64 user_bad;
};

/* The structs grow, so the numbers do not hold their sizes. */
#define GOTRACE_IOC_MAGIC	0xE7
#define GOTRACE_IOC_START	_IO(GOTRACE_IOC_MAGIC, 1)	/* struct gotrace_start */
#define GOTRACE_IOC_STOP	_IO(GOTRACE_IOC_MAGIC, 2)	/* struct gotrace_stop or 0 */
#define GOTRACE_IOC_STATUS	_IO(GOTRACE_IOC_MAGIC, 3)	/* struct gotrace_status */
#define GOTRACE_IOC_ENABLED	_IO(GOTRACE_IOC_MAGIC, 4)	/* 0; returns 1 while tracing, else 0 */
#define GOTRACE_IOC_TASK_CREATE	_IO(GOTRACE_IOC_MAGIC, 5)	/* struct gotrace_begin */
#define GOTRACE_IOC_TASK_END	_IO(GOTRACE_IOC_MAGIC, 6)	/* struct gotrace_end */
#define GOTRACE_IOC_REGION_BEGIN _IO(GOTRACE_IOC_MAGIC, 7)	/* struct gotrace_begin */
#define GOTRACE_IOC_REGION_END	_IO(GOTRACE_IOC_MAGIC, 8)	/* struct gotrace_end */
#define GOTRACE_IOC_LOG		_IO(GOTRACE_IOC_MAGIC, 9)	/* struct gotrace_log */
#define GOTRACE_IOC_TRACEBACK	_IO(GOTRACE_IOC_MAGIC, 10)	/* struct gotrace_traceback */
#define GOTRACE_IOC_RESIZE	_IO(GOTRACE_IOC_MAGIC, 11)	/* struct gotrace_resize */
#define GOTRACE_IOC_SNAPSHOT	_IO(GOTRACE_IOC_MAGIC, 12)	/* struct gotrace_snapshot */

#endif /* _UAPI_LINUX_GOTRACE_H */
