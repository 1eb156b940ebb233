// SPDX-License-Identifier: GPL-2.0
/*
 * race: time-outs of a few microseconds, and wakes that race with them.
 *
 *	race ROUNDS
 *
 * Four threads sleep for 0 to 30 us, ROUNDS times each: in nanosleep, in a
 * futex wait, in poll on a pipe, in sigtimedwait; the main thread wakes
 * the last three at about the same moment. So tasks are woken that are about
 * to sleep, asleep, or just woken by their timer.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int rounds, word, pipes[2], running;

static struct timespec short_time(int i)
{
	return (struct timespec){ 0, i % 31 * 1000 };
}

static void sleep_nanosleep(int i)
{
	struct timespec ts = short_time(i);

	nanosleep(&ts, NULL);
}

static void sleep_futex(int i)
{
	struct timespec ts = short_time(i);

	syscall(SYS_futex, &word, FUTEX_WAIT, 0, &ts, NULL, 0);
}

static void sleep_poll(int i)
{
	struct timespec ts = short_time(i);
	struct pollfd p = { .fd = pipes[0], .events = POLLIN };
	char c;

	if (ppoll(&p, 1, &ts, NULL) == 1 && read(pipes[0], &c, 1) != 1)
		err(1, "read");
}

static void sleep_signal(int i)
{
	struct timespec ts = short_time(i);
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigtimedwait(&set, NULL, &ts);
}

static void (*const sleeps[])(int) = {
	sleep_nanosleep, sleep_futex, sleep_poll, sleep_signal,
};

static void *sleeper(void *arg)
{
	int i;

	for (i = 0; i < rounds; i++)
		sleeps[(long)arg](i);
	__atomic_sub_fetch(&running, 1, __ATOMIC_ACQ_REL);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[4];
	sigset_t set;
	long i;

	rounds = argc == 2 ? atoi(argv[1]) : 0;
	if (rounds < 1)
		errx(2, "usage: race ROUNDS");
	if (pipe2(pipes, O_NONBLOCK))
		err(1, "pipe");
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	running = 4;
	for (i = 0; i < 4; i++) {
		errno = pthread_create(&t[i], NULL, sleeper, (void *)i);
		if (errno)
			err(1, "thread");
	}
	for (i = 0; __atomic_load_n(&running, __ATOMIC_ACQUIRE); i++) {
		struct timespec ts = short_time(i * 7);

		syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0);
		if (write(pipes[1], "x", 1) < 0 && errno != EAGAIN)
			err(1, "write");
		pthread_kill(t[3], SIGUSR1);
		nanosleep(&ts, NULL);
	}
	for (i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	return 0;
}
