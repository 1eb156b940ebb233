// SPDX-License-Identifier: GPL-2.0
/*
 * takeover: exec by a thread that is not the first: it becomes the first, and
 * takes its tid, while the first and all others die.
 *
 *	takeover [ROUNDS]
 *
 * ROUNDS (1) times, one exec after the other. For each it prints the tid of the
 * first thread and that of the one that takes over; after it, the new program
 * calls getpriority five times.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#define OTHERS	3

static char *self, left[16];

static void *idle(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static void *spin(void *arg)
{
	for (;;)
		__asm__ volatile("" ::: "memory");
	return arg;
}

static void *take_over(void *arg)
{
	printf("%d %d\n", getpid(), gettid());
	fflush(stdout);
	execl(self, self, left, "after", NULL);
	err(1, "exec");
}

static void mark(void)
{
	int i;

	for (i = 0; i < 5; i++)
		getpriority(PRIO_PROCESS, 0);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1, i;
	pthread_t t;

	self = "/proc/self/exe";
	if (argc > 2)
		mark();
	if (!rounds)
		return 0;
	snprintf(left, sizeof(left), "%d", rounds - 1);
	for (i = 0; i < OTHERS; i++) {
		errno = pthread_create(&t, NULL, i ? idle : spin, NULL);
		if (errno)
			err(1, "thread");
	}
	errno = pthread_create(&t, NULL, take_over, NULL);
	if (errno)
		err(1, "thread");
	/* the first thread is asleep when it dies in one round, awake in the next */
	(rounds & 1 ? idle : spin)(NULL);
}
