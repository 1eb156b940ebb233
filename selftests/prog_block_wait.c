// SPDX-License-Identifier: GPL-2.0
/*
 * The kinds of sleep in which a task waits for others: for one of many files,
 * for a lock, for a child, for a signal, for its debugger.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "prog_block.h"

/* Waiting for one of many */

static void do_poll(void)
{
	struct pollfd p = { .fd = fd[0], .events = POLLIN };

	must(syscall(SYS_poll, &p, 1, -1), "poll");
	read_one();
}

static void do_ppoll(void)
{
	struct pollfd p = { .fd = fd[0], .events = POLLIN };

	must(syscall(SYS_ppoll, &p, 1, NULL, NULL, 8), "ppoll");
	read_one();
}

static void do_select(void)
{
	fd_set set;

	FD_ZERO(&set);
	FD_SET(fd[0], &set);
	must(syscall(SYS_select, fd[0] + 1, &set, NULL, NULL, NULL), "select");
	read_one();
}

static void do_pselect(void)
{
	fd_set set;

	FD_ZERO(&set);
	FD_SET(fd[0], &set);
	must(syscall(SYS_pselect6, fd[0] + 1, &set, NULL, NULL, NULL, NULL),
	     "pselect6");
	read_one();
}

static void prepare_epoll(void)
{
	struct epoll_event e = { .events = EPOLLIN };

	prepare_pipe();
	other[0] = epoll_create1(0);
	must(epoll_ctl(other[0], EPOLL_CTL_ADD, fd[0], &e), "epoll_ctl");
}

static void do_epoll(void)
{
	struct epoll_event e;

	must(syscall(SYS_epoll_wait, other[0], &e, 1, -1), "epoll_wait");
	read_one();
}

static void do_epoll_pwait(void)
{
	struct epoll_event e;

	must(syscall(SYS_epoll_pwait, other[0], &e, 1, -1, NULL, 8),
	     "epoll_pwait");
	read_one();
}

/* A ring whose one entry, sent once, is a timeout; and the wait for it. */
static struct { struct io_uring_params p; char *sq, *cq; struct io_uring_sqe *sqe; } ring;

static void prepare_uring(void)
{
	other[0] = syscall(SYS_io_uring_setup, 4, &ring.p);
	must(other[0], "io_uring_setup");
	ring.sq = mmap(NULL, ring.p.sq_off.array + 4 * ring.p.sq_entries,
		       PROT_READ | PROT_WRITE, MAP_SHARED, other[0],
		       IORING_OFF_SQ_RING);
	ring.cq = mmap(NULL, ring.p.cq_off.cqes +
		       ring.p.cq_entries * sizeof(struct io_uring_cqe),
		       PROT_READ | PROT_WRITE, MAP_SHARED, other[0],
		       IORING_OFF_CQ_RING);
	ring.sqe = mmap(NULL, 4 * sizeof(*ring.sqe), PROT_READ | PROT_WRITE,
			MAP_SHARED, other[0], IORING_OFF_SQES);
	if (ring.sq == MAP_FAILED || ring.cq == MAP_FAILED ||
	    ring.sqe == MAP_FAILED)
		err(1, "mmap the ring");
}

static void do_uring(void)
{
	static struct { long long s, ns; } wait = { 0, 3000000 };
	unsigned int *tail = (void *)(ring.sq + ring.p.sq_off.tail);
	unsigned int *array = (void *)(ring.sq + ring.p.sq_off.array);
	unsigned int *head = (void *)(ring.cq + ring.p.cq_off.head);

	memset(ring.sqe, 0, sizeof(*ring.sqe));
	ring.sqe->opcode = IORING_OP_TIMEOUT;
	ring.sqe->addr = (uintptr_t)&wait;
	ring.sqe->len = 1;
	array[*tail & (ring.p.sq_entries - 1)] = 0;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	must(syscall(SYS_io_uring_enter, other[0], 1, 1,
		     IORING_ENTER_GETEVENTS, NULL, 0), "io_uring_enter");
	__atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
}

/* Locks */

static int *word;	/* 1: the child may go */
static int lock;	/* a file */

static void prepare_futex(void)
{
	word = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (word == MAP_FAILED)
		err(1, "mmap");
}

static void do_futex(void)
{
	while (!__atomic_load_n(word, __ATOMIC_ACQUIRE))
		syscall(SYS_futex, word, FUTEX_WAIT, 0, NULL, NULL, 0);
	__atomic_store_n(word, 0, __ATOMIC_RELEASE);
}

static void wake_futex(pid_t child)
{
	__atomic_store_n(word, 1, __ATOMIC_RELEASE);
	must(syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0), "futex");
}

static int sem;

static void prepare_sem(void)
{
	sem = semget(IPC_PRIVATE, 1, 0600);
	must(sem, "semget");
}

static void finish_sem(void)
{
	must(semctl(sem, 0, IPC_RMID), "semctl");
}

static void do_semop(void)
{
	struct sembuf b = { 0, -1, 0 };

	must(syscall(SYS_semop, sem, &b, 1), "semop");
}

static void wake_semop(pid_t child)
{
	struct sembuf b = { 0, 1, 0 };

	must(semop(sem, &b, 1), "semop");
}

/*
 * The parent holds the lock whenever the child asks for it: once the child has
 * had it, it waits for a word from the parent, who has it back.
 */
static void make_lock_file(void)
{
	char name[] = "/tmp/block.XXXXXX";

	prepare_pipe();
	must(pipe(other), "pipe");
	lock = mkstemp(name);
	must(lock, name);
	must(unlink(name), name);
}

static void child_has_it(void)
{
	must(write(other[1], "x", 1), "write");
}

static void parent_lets_go(int (*set)(int type), int held, int open)
{
	char c;

	must(set(open), "unlock");
	must(read(other[0], &c, 1), "read");
	must(set(held), "lock");
	must(write(fd[1], "x", 1), "write");
}

static int set_flock(int type)
{
	return flock(lock, type);
}

static void prepare_flock(void)
{
	make_lock_file();
	must(set_flock(LOCK_EX), "flock");
}

static void do_flock(void)
{
	char name[32];
	int own;

	snprintf(name, sizeof(name), "/proc/self/fd/%d", lock);
	own = open(name, O_RDWR);
	must(own, name);
	must(flock(own, LOCK_EX), "flock");
	child_has_it();
	close(own);
	read_one();
}

static void wake_flock(pid_t child)
{
	parent_lets_go(set_flock, LOCK_EX, LOCK_UN);
}

static int set_fcntl(int type)
{
	struct flock l = { .l_type = type };

	return fcntl(lock, F_SETLKW, &l);
}

static void prepare_fcntl(void)
{
	make_lock_file();
	must(set_fcntl(F_WRLCK), "fcntl");
}

static void do_fcntl(void)
{
	must(set_fcntl(F_WRLCK), "fcntl");
	child_has_it();
	must(set_fcntl(F_UNLCK), "fcntl");
	read_one();
}

static void wake_fcntl(pid_t child)
{
	parent_lets_go(set_fcntl, F_WRLCK, F_UNLCK);
}

/* Children, signals, stops */

static pid_t short_child(void)
{
	pid_t pid = fork();

	must(pid, "fork");
	if (!pid) {
		ms(30);		/* the parent waits before that on a slow machine, too */
		_exit(0);
	}
	return pid;
}

static void do_wait4(void)
{
	must(syscall(SYS_wait4, short_child(), NULL, 0, NULL), "wait4");
}

static void do_waitid(void)
{
	siginfo_t info;

	must(syscall(SYS_waitid, P_PID, short_child(), &info, WEXITED, NULL),
	     "waitid");
}

/*
 * glibc's vfork, because the child must not return through a caller of ours.
 * It is the parent that sleeps, for as long as the child does.
 */
static void do_vfork(void)
{
	pid_t pid = vfork();

	if (!pid) {
		ms(3);
		_exit(0);
	}
	must(pid, "vfork");
	must(waitpid(pid, NULL, 0), "waitpid");
}

static void on_signal(int sig)
{
}

static void prepare_signal(void)
{
	struct sigaction sa = { .sa_handler = on_signal };

	sigaction(SIGUSR1, &sa, NULL);
}

static void prepare_blocked_signal(void)
{
	sigset_t set;

	prepare_signal();
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

static void do_pause(void)
{
	syscall(SYS_pause);
}

static void do_sigsuspend(void)
{
	unsigned long none = 0;

	syscall(SYS_rt_sigsuspend, &none, sizeof(none));
}

static void do_sigtimedwait(void)
{
	unsigned long set = 1UL << (SIGUSR1 - 1);

	must(syscall(SYS_rt_sigtimedwait, &set, NULL, NULL, sizeof(set)),
	     "rt_sigtimedwait");
}

static void wake_signal(pid_t child)
{
	must(kill(child, SIGUSR1), "kill");
}

static void do_stop(void)
{
	raise(SIGSTOP);
}

static void wake_stopped(pid_t child)
{
	int status;

	must(waitpid(child, &status, WUNTRACED), "waitpid");
	must(kill(child, SIGCONT), "kill");
}

static void do_trace_stop(void)
{
	static int asked;

	if (!asked++)
		must(ptrace(PTRACE_TRACEME, 0, NULL, NULL), "ptrace");
	raise(SIGUSR1);
}

static void wake_traced(pid_t child)
{
	int status;

	must(waitpid(child, &status, 0), "waitpid");
	if (WIFSTOPPED(status))
		must(ptrace(PTRACE_CONT, child, NULL, NULL), "ptrace");
}

const struct kind wait_kinds[] = {
	{ "poll", "GoBlockSelect", "poll", prepare_pipe, do_poll, wake_reader },
	{ "ppoll", "GoBlockSelect", "ppoll", prepare_pipe, do_ppoll, wake_reader },
	{ "select", "GoBlockSelect", "select", prepare_pipe, do_select,
	  wake_reader },
	{ "pselect", "GoBlockSelect", "pselect6", prepare_pipe, do_pselect,
	  wake_reader },
	{ "epoll_wait", "GoBlockSelect", "epoll_wait", prepare_epoll, do_epoll,
	  wake_reader },
	{ "epoll_pwait", "GoBlockSelect", "epoll_pwait", prepare_epoll,
	  do_epoll_pwait, wake_reader },
	{ "io_uring", "GoBlockSelect", "io_uring_enter", prepare_uring, do_uring,
	  NULL },
	{ "futex", "GoBlockSync", "futex", prepare_futex, do_futex, wake_futex },
	{ "semop", "GoBlockSync", "semop", prepare_sem, do_semop, wake_semop,
	  finish_sem },
	{ "flock", "GoBlockSync", "flock", prepare_flock, do_flock, wake_flock },
	{ "fcntl", "GoBlockSync", "fcntl", prepare_fcntl, do_fcntl, wake_fcntl },
	{ "wait4", "GoBlockCond", "wait4", nothing, do_wait4, NULL },
	{ "waitid", "GoBlockCond", "waitid", nothing, do_waitid, NULL },
	{ "vfork", "GoBlockCond", "vfork", nothing, do_vfork, NULL },
	{ "pause", "GoBlockCond", "pause", prepare_signal, do_pause, wake_signal },
	{ "sigsuspend", "GoBlockCond", "rt_sigsuspend", prepare_blocked_signal,
	  do_sigsuspend, wake_signal },
	{ "sigtimedwait", "GoBlockCond", "rt_sigtimedwait",
	  prepare_blocked_signal, do_sigtimedwait, wake_signal },
	{ "stop", "GoBlockCond", "-", nothing, do_stop, wake_stopped },
	{ "trace_stop", "GoBlockCond", "-", prepare_signal, do_trace_stop,
	  wake_traced },
	{ NULL },
};
