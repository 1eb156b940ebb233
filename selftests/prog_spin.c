// SPDX-License-Identifier: GPL-2.0
/*
 * spin: two processes that want one CPU.
 *
 *	spin yield CPU TIMES	each calls sched_yield until it was switched out
 *				TIMES times, by itself or not
 *	spin hog CPU MS		each computes for MS milliseconds, calling nothing
 *	spin move TIMES		five of them, moved from CPU to CPU and up and down
 *				in priority TIMES times
 *
 * Prints the pids of those who spun.
 */
#define _GNU_SOURCE
#include <err.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOVED	5

static int *go;

static long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static void tie_to(pid_t pid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(pid, sizeof(set), &set))
		err(1, "CPU %d", cpu);
}

static long switched_out(void)
{
	struct rusage u;

	if (getrusage(RUSAGE_SELF, &u))
		err(1, "getrusage");
	return u.ru_nivcsw;
}

/*
 * A yield switches only when the scheduler finds the other worth it, which on a
 * busy machine it may not for long: so they are counted, not the calls.
 */
static void yield(long times)
{
	long end;

	/* Both must be there, or there is nobody to yield to. */
	__atomic_add_fetch(go, 1, __ATOMIC_ACQ_REL);
	while (__atomic_load_n(go, __ATOMIC_ACQUIRE) < 2)
		sched_yield();
	end = switched_out() + times;
	while (switched_out() < end && __atomic_load_n(go, __ATOMIC_ACQUIRE) == 2)
		sched_yield();
	/* The other has nobody left to yield to. */
	__atomic_add_fetch(go, 1, __ATOMIC_ACQ_REL);
}

/* Until all moves are done. */
static void be_moved(long unused)
{
	(void)unused;
	while (!__atomic_load_n(go, __ATOMIC_ACQUIRE))
		;
}

static void hog(long ms)
{
	long end = now_ms() + ms;

	while (now_ms() < end)
		;
}

static pid_t start(void (*spin)(long), int cpu, long arg)
{
	pid_t pid = fork();

	if (pid < 0)
		err(1, "fork");
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (cpu >= 0)
			tie_to(0, cpu);
		spin(arg);
		_exit(0);
	}
	printf("%d\n", pid);
	fflush(stdout);
	return pid;
}

/* Every policy that root may set, and back. */
static void repolicy(pid_t pid, int turn)
{
	static const int policies[] = {
		SCHED_OTHER, SCHED_BATCH, SCHED_RR, SCHED_IDLE, SCHED_FIFO,
	};
	int policy = policies[turn % 5];
	struct sched_param p = {
		.sched_priority = policy == SCHED_RR || policy == SCHED_FIFO,
	};

	if (sched_setscheduler(pid, policy, &p))
		err(1, "sched_setscheduler");
}

static void move(long times)
{
	int cpus = sysconf(_SC_NPROCESSORS_ONLN), turn;
	struct sched_param first = { .sched_priority = 10 };
	pid_t pids[MOVED];
	int i;

	for (i = 0; i < MOVED; i++)
		pids[i] = start(be_moved, -1, 0);
	/* the mover is not kept waiting by those it makes real-time */
	if (sched_setscheduler(0, SCHED_FIFO, &first))
		err(1, "sched_setscheduler");
	for (turn = 0; turn < times; turn++) {
		pid_t pid = pids[turn % MOVED];

		tie_to(pid, turn / 3 % cpus);
		if (setpriority(PRIO_PROCESS, pid, turn * 7 % 40 - 20))
			err(1, "setpriority");
		if (turn % 4 == 3)
			repolicy(pid, turn / 4);
		usleep(300);
	}
	for (i = 0; i < MOVED; i++)
		repolicy(pids[i], 0);
	__atomic_store_n(go, 1, __ATOMIC_RELEASE);
}

int main(int argc, char **argv)
{
	int i, status;

	go = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (go == MAP_FAILED)
		err(1, "mmap");
	if (argc == 3 && !strcmp(argv[1], "move")) {
		move(atol(argv[2]));
	} else if (argc == 4 && !strcmp(argv[1], "yield")) {
		for (i = 0; i < 2; i++)
			start(yield, atoi(argv[2]), atol(argv[3]));
	} else if (argc == 4 && !strcmp(argv[1], "hog")) {
		for (i = 0; i < 2; i++)
			start(hog, atoi(argv[2]), atol(argv[3]));
	} else {
		errx(2, "usage: spin yield CPU TIMES | hog CPU MS | move MS");
	}
	while (wait(&status) > 0)
		if (status)
			errx(1, "status %#x", status);
	return 0;
}
