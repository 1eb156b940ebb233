// SPDX-License-Identifier: GPL-2.0
/*
 * bench: what tracing adds to two small loops.
 *
 *	bench WORKLOAD TRACER
 *
 *	WORKLOAD  getppid    100,000 calls of the cheapest system call there is
 *	          ping-pong  two processes on one CPU, one byte over two pipes,
 *	                     20,000 round trips
 *	TRACER    untraced, gotrace-calls, gotrace-regions, ftrace; with stacks of
 *	          the kernel and of the program: gotrace-stacks, ftrace-stacks
 *
 * Prints one line of NAME=NUMBER pairs on stdout:
 *
 *	ops     calls, or round trips
 *	own_ns  CPU time of the loop's own tasks
 *	all_ns  time that passed, so with whatever else ran
 *	events  kernel events as ftrace counts them (only with ftrace)
 *	bytes   of trace, made between the same two points
 *	lost    events lost
 *
 * Meant for a guest with one CPU under QEMU's -icount shift=0, where 1 ns is
 * one instruction, so that the numbers repeat whatever the host does. Nobody
 * reads the trace while the loop runs: neither tracer pays for a reader, and
 * both must have room for all of it.
 *
 * The clocks are read inside the traced window and the tracers' counters just
 * outside of it; a few dozen events of the 200,000 or more are not the loop's.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/gotrace.h>

#define TRACEFS		"/sys/kernel/tracing/"

/* The events that gotrace has probes on. */
static const char * const ftrace_events[] = {
	"sched/sched_switch",
	"sched/sched_waking",
	"sched/sched_wakeup",
	"sched/sched_wakeup_new",
	"sched/sched_process_fork",
	"sched/sched_process_exec",
	"sched/sched_process_exit",
	"raw_syscalls/sys_enter",
	"raw_syscalls/sys_exit",
};

/* What a tracer has counted so far. */
struct counts {
	uint64_t events;
	uint64_t bytes;
	uint64_t lost;
};

struct tracer {
	const char *name;
	void (*start)(const struct tracer *tr);
	struct counts (*count)(void);
	void (*stop)(void);
	int stacks;
	uint32_t syscalls;	/* GOTRACE_SYSCALLS_* */
};

struct times {
	uint64_t own;
	uint64_t all;
};

struct workload {
	const char *name;
	unsigned int ops;
	struct times (*run)(unsigned int ops);
};

static uint64_t now(clockid_t clock)
{
	struct timespec ts;

	if (clock_gettime(clock, &ts))
		err(1, "clock_gettime");
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

/* --- no tracer --- */

static void none_start(const struct tracer *tr)
{
	(void)tr;
}

static struct counts none_count(void)
{
	return (struct counts){ 0 };
}

static void none_stop(void)
{
}

/* --- ftrace --- */

static void tracefs_write(const char *file, const char *text)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), TRACEFS "%s", file);
	fd = open(path, O_WRONLY | O_TRUNC);
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		err(1, "%s", path);
	close(fd);
}

static void ftrace_start(const struct tracer *tr)
{
	char path[128];
	size_t i;

	tracefs_write("tracing_on", "0");
	/* 279,000 events of 50 bytes are 14 MB; with stacks, 220 bytes, 61 MB. */
	tracefs_write("buffer_size_kb", tr->stacks ? "98304" : "32768");
	tracefs_write("trace", "");
	tracefs_write("options/stacktrace", tr->stacks ? "1" : "0");
	tracefs_write("options/userstacktrace", tr->stacks ? "1" : "0");
	for (i = 0; i < sizeof(ftrace_events) / sizeof(*ftrace_events); i++) {
		snprintf(path, sizeof(path), "events/%s/enable",
			 ftrace_events[i]);
		tracefs_write(path, "1");
	}
	tracefs_write("tracing_on", "1");
}

/* The file is "name: number" lines; "bytes" leaves out the page headers. */
static struct counts ftrace_count(void)
{
	struct counts c = { 0 };
	char line[128], name[64];
	unsigned long long n;
	FILE *f;

	f = fopen(TRACEFS "per_cpu/cpu0/stats", "r");
	if (!f)
		err(1, TRACEFS "per_cpu/cpu0/stats");
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%63[^:]: %llu", name, &n) != 2)
			continue;
		if (!strcmp(name, "entries"))
			c.events += n;
		else if (!strcmp(name, "bytes"))
			c.bytes = n;
		else if (!strcmp(name, "overrun") ||
			 !strcmp(name, "commit overrun") ||
			 !strcmp(name, "dropped events"))
			c.lost += n;
	}
	fclose(f);
	return c;
}

static void ftrace_stop(void)
{
	tracefs_write("tracing_on", "0");
	tracefs_write("events/enable", "0");
	tracefs_write("options/stacktrace", "0");
	tracefs_write("options/userstacktrace", "0");
	tracefs_write("trace", "");
	tracefs_write("buffer_size_kb", "1");
}

/* --- gotrace --- */

static int gotrace_fd = -1;

static void gotrace_start(const struct tracer *tr)
{
	struct gotrace_start s = {
		.size = sizeof(s),
		.flags = GOTRACE_START_DISCARD,
		.buffer_bytes = 32 << 20,
		.syscalls = tr->syscalls,
	};

	if (tr->stacks)
		s.stacks = GOTRACE_STACKS_KERNEL | GOTRACE_STACKS_USER;

	gotrace_fd = open(GOTRACE_DEVICE, O_RDWR | O_CLOEXEC);
	if (gotrace_fd < 0)
		err(1, GOTRACE_DEVICE);
	if (ioctl(gotrace_fd, GOTRACE_IOC_START, &s))
		err(1, "GOTRACE_IOC_START");
}

static struct counts gotrace_count(void)
{
	struct gotrace_status s = { .size = sizeof(s) };
	struct counts c = { 0 };
	int i;

	if (ioctl(gotrace_fd, GOTRACE_IOC_STATUS, &s))
		err(1, "GOTRACE_IOC_STATUS");
	c.bytes = s.bytes_produced;
	for (i = 0; i < GOTRACE_LOST_CAUSES; i++)
		c.lost += s.lost[i];
	return c;
}

/* Reads the session to its end, so that the next START finds none. */
static void gotrace_stop(void)
{
	static char buf[1 << 16];

	if (ioctl(gotrace_fd, GOTRACE_IOC_STOP, 0))
		err(1, "GOTRACE_IOC_STOP");
	while (read(gotrace_fd, buf, sizeof(buf)) > 0)
		;
	close(gotrace_fd);
}

/* --- the loops --- */

static struct times run_getppid(unsigned int ops)
{
	struct times t;
	unsigned int i;

	t.all = now(CLOCK_MONOTONIC);
	t.own = now(CLOCK_PROCESS_CPUTIME_ID);
	for (i = 0; i < ops; i++)
		syscall(SYS_getppid);
	t.own = now(CLOCK_PROCESS_CPUTIME_ID) - t.own;
	t.all = now(CLOCK_MONOTONIC) - t.all;
	return t;
}

static void must_read(int fd)
{
	char c;

	if (read(fd, &c, 1) != 1)
		err(1, "read");
}

static void must_write(int fd)
{
	if (write(fd, "x", 1) != 1)
		err(1, "write");
}

/* One side; each measures itself, from its first byte to its last. */
static uint64_t pong(int in, int out, unsigned int ops, int serve)
{
	uint64_t own = now(CLOCK_PROCESS_CPUTIME_ID);
	unsigned int i;

	for (i = 0; i < ops; i++) {
		if (serve)
			must_write(out);
		must_read(in);
		if (!serve)
			must_write(out);
	}
	return now(CLOCK_PROCESS_CPUTIME_ID) - own;
}

static struct times run_ping_pong(unsigned int ops)
{
	uint64_t *childs;
	struct times t;
	int ab[2], ba[2], status;
	pid_t pid;

	childs = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (childs == MAP_FAILED || pipe(ab) || pipe(ba))
		err(1, "mmap, pipe");
	pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (!pid) {
		must_write(ba[1]);
		*childs = pong(ab[0], ba[1], ops, 0);
		_exit(0);
	}
	/* The first byte says that the child is up, outside of the window. */
	must_read(ba[0]);
	t.all = now(CLOCK_MONOTONIC);
	t.own = pong(ba[0], ab[1], ops, 1);
	t.all = now(CLOCK_MONOTONIC) - t.all;
	if (waitpid(pid, &status, 0) != pid || status)
		errx(1, "the other side failed: status %#x", status);
	t.own += *childs;
	munmap(childs, 4096);
	close(ab[0]);
	close(ab[1]);
	close(ba[0]);
	close(ba[1]);
	return t;
}

static const struct workload workloads[] = {
	{ "getppid", 100000, run_getppid },
	{ "ping-pong", 20000, run_ping_pong },
};

#define NONE	none_start, none_count, none_stop
#define FTRACE	ftrace_start, ftrace_count, ftrace_stop
#define GOTRACE	gotrace_start, gotrace_count, gotrace_stop

static const struct tracer tracers[] = {
	{ "untraced", NONE },
	{ "ftrace", FTRACE },
	{ "ftrace-stacks", FTRACE, .stacks = 1 },
	{ "gotrace-calls", GOTRACE, .syscalls = GOTRACE_SYSCALLS_CALLS },
	{ "gotrace-regions", GOTRACE, .syscalls = GOTRACE_SYSCALLS_REGIONS },
	{ "gotrace-stacks", GOTRACE, .syscalls = GOTRACE_SYSCALLS_REGIONS,
	  .stacks = 1 },
};

static void bench(const struct workload *w, const struct tracer *tr)
{
	struct counts before, after;
	struct times t;
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		err(1, "sched_setaffinity");

	/* Once without measuring: page faults, caches of slabs. */
	w->run(w->ops / 100);

	tr->start(tr);
	before = tr->count();
	t = w->run(w->ops);
	after = tr->count();
	tr->stop();

	printf("workload=%s tracer=%s ops=%u own_ns=%llu all_ns=%llu events=%llu bytes=%llu lost=%llu\n",
	       w->name, tr->name, w->ops, (unsigned long long)t.own,
	       (unsigned long long)t.all,
	       (unsigned long long)(after.events - before.events),
	       (unsigned long long)(after.bytes - before.bytes),
	       (unsigned long long)(after.lost - before.lost));
}

int main(int argc, char **argv)
{
	size_t w, t;

	if (argc != 3)
		goto usage;
	for (w = 0; w < sizeof(workloads) / sizeof(*workloads); w++)
		if (!strcmp(argv[1], workloads[w].name))
			break;
	for (t = 0; t < sizeof(tracers) / sizeof(*tracers); t++)
		if (!strcmp(argv[2], tracers[t].name))
			break;
	if (w == sizeof(workloads) / sizeof(*workloads) ||
	    t == sizeof(tracers) / sizeof(*tracers))
		goto usage;
	bench(&workloads[w], &tracers[t]);
	return 0;

usage:
	fprintf(stderr, "usage: bench WORKLOAD TRACER\nworkloads:");
	for (w = 0; w < sizeof(workloads) / sizeof(*workloads); w++)
		fprintf(stderr, " %s", workloads[w].name);
	fprintf(stderr, "\ntracers:");
	for (t = 0; t < sizeof(tracers) / sizeof(*tracers); t++)
		fprintf(stderr, " %s", tracers[t].name);
	fprintf(stderr, "\n");
	return 2;
}
