// SPDX-License-Identifier: GPL-2.0
/*
 * pair: two processes that wake each other, ROUNDS times.
 *
 *	pair pipe|futex|socket|signal CPU CPU ROUNDS
 *
 * One is tied to the first CPU, the other to the second. Prints both pids.
 */
#define _GNU_SOURCE
#include <err.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Side 0 begins; each waits for its own ball and throws the other's. */
static int to[2], from[2], *ball;
static pid_t pids[2];

static void wait_fd(int side)
{
	char c;

	if (read(from[side], &c, 1) != 1)
		err(1, "read");
}

static void wake_fd(int side)
{
	if (write(to[!side], "x", 1) != 1)
		err(1, "write");
}

static void wait_futex(int side)
{
	while (!__atomic_exchange_n(&ball[side], 0, __ATOMIC_ACQ_REL))
		syscall(SYS_futex, &ball[side], FUTEX_WAIT, 0, NULL, NULL, 0);
}

static void wake_futex(int side)
{
	__atomic_store_n(&ball[!side], 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, &ball[!side], FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void wait_signal(int side)
{
	sigset_t set;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	if (sigwait(&set, &sig))
		errx(1, "sigwait");
}

static void wake_signal(int side)
{
	if (kill(side ? pids[0] : pids[1], SIGUSR1))
		err(1, "kill");
}

static void run(int side, int cpu, int rounds, void (*wait)(int), void (*wake)(int))
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		err(1, "CPU %d", cpu);
	while (rounds--) {
		if (!side)
			wake(side);
		wait(side);
		if (side)
			wake(side);
	}
}

int main(int argc, char **argv)
{
	void (*wait)(int) = wait_fd, (*wake)(int) = wake_fd;
	int a[2], b[2], status;
	sigset_t set;

	if (argc != 5)
		errx(2, "usage: pair pipe|futex|socket|signal CPU CPU ROUNDS");
	if (!strcmp(argv[1], "socket")) {
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, a) ||
		    socketpair(AF_UNIX, SOCK_STREAM, 0, b))
			err(1, "socketpair");
	} else if (pipe(a) || pipe(b)) {
		err(1, "pipe");
	}
	from[0] = a[0], to[0] = a[1], from[1] = b[0], to[1] = b[1];
	ball = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (ball == MAP_FAILED)
		err(1, "mmap");
	if (!strcmp(argv[1], "futex"))
		wait = wait_futex, wake = wake_futex;
	if (!strcmp(argv[1], "signal"))
		wait = wait_signal, wake = wake_signal;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);

	pids[0] = getpid();
	pids[1] = fork();
	if (pids[1] < 0)
		err(1, "fork");
	if (!pids[1]) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		run(1, atoi(argv[3]), atoi(argv[4]), wait, wake);
		return 0;
	}
	run(0, atoi(argv[2]), atoi(argv[4]), wait, wake);
	if (waitpid(pids[1], &status, 0) < 0 || status)
		errx(1, "the other: status %#x", status);
	printf("%d %d\n", pids[0], pids[1]);
	return 0;
}
