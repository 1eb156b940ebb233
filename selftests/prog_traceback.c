// SPDX-License-Identifier: GPL-2.0
/*
 * traceback: tasks whose stacks are hard to take. traceback_test.sh builds it
 * with frame pointers and without tail calls.
 *
 *	traceback KIND
 *
 * It prints the tid of the task that is meant, and goes on until it is killed.
 *
 *	hog      computes
 *	kernel   computes in the kernel
 *	bpf      computes in a BPF program, of which the kernel's unwinder knows
 *	         nothing
 *	stop     was stopped by a signal
 *	traced   was stopped by a debugger
 *	zombie   is dead, and its parent does not ask
 *	absent   sleeps on a stack that is not in memory
 *	locked   sleeps while another thread keeps the address space locked, most
 *	         of the time
 *	churn    sleeps and is woken as fast as can be
 *	threads  two threads, of a process
 */
#define _GNU_SOURCE
#include <err.h>
#include <linux/bpf.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <fcntl.h>
#include <unistd.h>

#define noinline __attribute__((noinline, noclone))
#define after() asm volatile("" ::: "memory")

static void must(long ret, const char *what)
{
	if (ret < 0)
		err(1, "%s", what);
}

static void say(int tid)
{
	printf("%d\n", tid);
	fflush(stdout);
}

static void wait_forever(void)
{
	for (;;)
		pause();
}

/* A child that does not outlive us. */
static pid_t child(void)
{
	pid_t pid = fork();

	must(pid, "fork");
	if (!pid)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

/* libc has no frame pointers. */
static noinline long raw(long nr, long a, long b, long c)
{
	long ret;

	asm volatile("syscall" : "=a"(ret)
		     : "0"(nr), "D"(a), "S"(b), "d"(c),
		       "m"(*(char *)__builtin_frame_address(0))
		     : "rcx", "r11", "memory");
	return ret;
}

static volatile int go = 1;

static noinline void hog_inner(void)
{
	asm volatile("" :: "m"(*(char *)__builtin_frame_address(0)));
	while (go)
		after();
}

static noinline void hog_outer(void)
{
	hog_inner();
	after();
}

static void do_hog(void)
{
	say(getpid());
	hog_outer();
}

static noinline void read_zeroes(int fd, char *to, size_t n)
{
	while (go)
		raw(SYS_read, fd, (long)to, n);
	after();
}

static void do_kernel(void)
{
	const size_t n = 64 << 20;
	char *to = mmap(NULL, n, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	int fd = open("/dev/zero", O_RDONLY);

	must(fd, "/dev/zero");
	say(getpid());
	read_zeroes(fd, to, n);
}

/* As many instructions as it may have, again and again, without a return. */
static void do_bpf(void)
{
	static struct bpf_insn insns[4000];
	static char data[64];
	const int n = sizeof(insns) / sizeof(insns[0]);
	union bpf_attr attr = { 0 };
	int i, fd;

	for (i = 0; i < n - 1; i++)
		insns[i] = (struct bpf_insn){
			.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0,
			.imm = 1,
		};
	insns[n - 1] = (struct bpf_insn){ .code = BPF_JMP | BPF_EXIT };
	attr.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
	attr.insns = (uintptr_t)insns;
	attr.insn_cnt = n;
	attr.license = (uintptr_t)"GPL";
	fd = syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
	must(fd, "BPF_PROG_LOAD");
	say(getpid());
	while (go) {
		memset(&attr, 0, sizeof(attr));
		attr.test.prog_fd = fd;
		attr.test.data_in = (uintptr_t)data;
		attr.test.data_size_in = sizeof(data);
		attr.test.repeat = 100000;
		must(syscall(SYS_bpf, BPF_PROG_TEST_RUN, &attr, sizeof(attr)),
		     "BPF_PROG_TEST_RUN");
	}
}

static void do_stop(void)
{
	pid_t pid = child();

	if (!pid)
		wait_forever();
	usleep(200000);
	must(kill(pid, SIGSTOP), "kill");
	must(waitpid(pid, NULL, WUNTRACED), "waitpid");
	say(pid);
	wait_forever();
}

static void do_traced(void)
{
	pid_t pid = child();

	if (!pid) {
		must(ptrace(PTRACE_TRACEME, 0, NULL, NULL), "ptrace");
		raise(SIGUSR1);
		wait_forever();
	}
	must(waitpid(pid, NULL, 0), "waitpid");
	say(pid);
	wait_forever();
}

static void do_zombie(void)
{
	siginfo_t info;
	pid_t pid = child();

	if (!pid)
		_exit(0);
	must(waitid(P_PID, pid, &info, WEXITED | WNOWAIT), "waitid");
	say(pid);
	wait_forever();
}

/* Its frame is on a page of its own, far below who called. */
static noinline void sleep_low(void)
{
	raw(SYS_pause, 0, 0, 0);
	after();
}

static int sleeper_tid;

static noinline void *sleeper(void *arg)
{
	__atomic_store_n(&sleeper_tid, gettid(), __ATOMIC_RELEASE);
	for (;;)
		sleep_low();
	return arg;
}

static pthread_t start_sleeper(void *stack, size_t size)
{
	pthread_attr_t attr;
	pthread_t t;

	pthread_attr_init(&attr);
	if (stack)
		pthread_attr_setstack(&attr, stack, size);
	if (pthread_create(&t, &attr, sleeper, NULL))
		errx(1, "pthread_create");
	while (!__atomic_load_n(&sleeper_tid, __ATOMIC_ACQUIRE))
		usleep(1000);
	usleep(100000);
	return t;
}

static void do_absent(void)
{
	const size_t size = 256 << 10;
	char *stack = mmap(NULL, size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	start_sleeper(stack, size);
	/* It will never wake up, so it does not need it. */
	must(madvise(stack, size, MADV_DONTNEED), "madvise");
	say(sleeper_tid);
	wait_forever();
}

/* Page by page, for not even their tables can be moved as a whole. */
static void do_locked(void)
{
	const size_t n = 192 << 20, room = 2 * n + (8 << 20);
	char *p = mmap(NULL, n, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *to = mmap(NULL, room, PROT_NONE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int i = 0;

	madvise(p, n, MADV_NOHUGEPAGE);
	memset(p, 1, n);
	start_sleeper(NULL, 0);
	say(sleeper_tid);
	for (;;) {
		char *next = to + (i++ % 2 ? n + (4 << 20) + 4096 : 0);

		p = mremap(p, n, n, MREMAP_MAYMOVE | MREMAP_FIXED, next);
		if (p == MAP_FAILED)
			err(1, "mremap");
	}
}

static void do_churn(void)
{
	int a[2], b[2];
	char c = 0;

	must(pipe(a), "pipe");
	must(pipe(b), "pipe");
	if (!child())
		for (;;) {
			must(read(a[0], &c, 1), "read");
			must(write(b[1], &c, 1), "write");
		}
	say(getpid());
	for (;;) {
		must(write(a[1], &c, 1), "write");
		must(read(b[0], &c, 1), "read");
	}
}

static void do_threads(void)
{
	start_sleeper(NULL, 0);
	say(sleeper_tid);
	wait_forever();
}

static const struct {
	const char *name;
	void (*run)(void);
} kinds[] = {
	{ "hog", do_hog }, { "kernel", do_kernel }, { "bpf", do_bpf },
	{ "stop", do_stop }, { "traced", do_traced }, { "zombie", do_zombie },
	{ "absent", do_absent }, { "locked", do_locked }, { "churn", do_churn },
	{ "threads", do_threads },
};

int main(int argc, char **argv)
{
	unsigned int i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (argc == 2 && !strcmp(argv[1], kinds[i].name)) {
			kinds[i].run();
			return 0;
		}
	errx(2, "usage: traceback KIND");
}
