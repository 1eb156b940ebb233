// SPDX-License-Identifier: GPL-2.0
/*
 * herd: threads that are woken all at once and find nothing to do.
 *
 *	herd COUNT ROUNDS
 *
 * COUNT threads sleep on one futex. At least ROUNDS times, when all are asleep,
 * all are woken, and sleep again; then once more, to end. Prints their tids, one
 * a line.
 */
#include "device.h"
#include <err.h>
#include <linux/futex.h>
#include <pthread.h>

static int *tids, stop;

static void *member(void *arg)
{
	__atomic_store_n(&tids[(long)arg], gettid(), __ATOMIC_RELEASE);
	while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE))
		syscall(SYS_futex, &stop, FUTEX_WAIT, 0, NULL, NULL, 0);
	return NULL;
}

static void wait_asleep(long i)
{
	int tid;

	while (!(tid = __atomic_load_n(&tids[i], __ATOMIC_ACQUIRE)))
		usleep(1000);
	if (gt_wait_syscall(tid, SYS_futex))
		errx(1, "thread %ld does not sleep", i);
}

int main(int argc, char **argv)
{
	long i, round, count, rounds, woken;
	pthread_t *threads;

	if (argc != 3)
		errx(2, "usage: herd COUNT ROUNDS");
	count = atol(argv[1]);
	rounds = atol(argv[2]);
	tids = calloc(count, sizeof(*tids));
	threads = calloc(count, sizeof(*threads));
	if (!tids || !threads)
		err(1, "calloc");
	for (i = 0; i < count; i++) {
		errno = pthread_create(&threads[i], NULL, member, (void *)i);
		if (errno)
			err(1, "thread %ld", i);
	}
	for (round = 0; round <= rounds; round++) {
		for (i = 0; i < count; i++)
			wait_asleep(i);
		__atomic_store_n(&stop, round == rounds, __ATOMIC_RELEASE);
		woken = syscall(SYS_futex, &stop, FUTEX_WAKE, count, NULL, NULL, 0);
		if (woken < 0)
			err(1, "futex");
		/* One may have slept on its way into the queue, for a page. */
		if (woken < count && round < rounds)
			round--;
	}
	for (i = 0; i < count; i++) {
		pthread_join(threads[i], NULL);
		printf("%d\n", tids[i]);
	}
	return 0;
}
