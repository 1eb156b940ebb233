// SPDX-License-Identifier: GPL-2.0
/*
 * spin: two processes that want one CPU.
 *
 *	spin yield CPU TIMES	each calls sched_yield TIMES times
 *	spin hog CPU MS		each computes for MS milliseconds, calling nothing
 *	spin move MS		five of them, moved from CPU to CPU and up and down
 *				in priority all the while
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

static void yield(long times)
{
	/* Both must be there, or there is nobody to yield to. */
	__atomic_add_fetch(go, 1, __ATOMIC_ACQ_REL);
	while (__atomic_load_n(go, __ATOMIC_ACQUIRE) < 2)
		sched_yield();
	while (times--)
		sched_yield();
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

static void move(long ms)
{
	int cpus = sysconf(_SC_NPROCESSORS_ONLN), turn;
	struct sched_param first = { .sched_priority = 10 };
	long end = now_ms() + ms;
	pid_t pids[MOVED];
	int i;

	for (i = 0; i < MOVED; i++)
		pids[i] = start(hog, -1, ms);
	/* the mover is not kept waiting by those it makes real-time */
	if (sched_setscheduler(0, SCHED_FIFO, &first))
		err(1, "sched_setscheduler");
	for (turn = 0; now_ms() < end; turn++) {
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
