// SPDX-License-Identifier: GPL-2.0
/*
 * sleepers: threads asleep in system calls, which stay so.
 *
 *	sleepers COUNT
 *
 * COUNT threads, one after the other in each kind of sleep below. When all are
 * asleep their tids are printed, one a line, then an empty line. It ends when
 * its standard input does.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static int pipes[2], unix_listener, inet_listener, epoll, word;
static int *tids;

static void in_pipe(void)
{
	char c;

	(void)!read(pipes[0], &c, 1);
}

static void in_futex(void)
{
	syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0);
}

static void in_poll(void)
{
	struct pollfd p = { .fd = pipes[0], .events = POLLIN };

	poll(&p, 1, -1);
}

static void in_epoll(void)
{
	struct epoll_event e;

	epoll_wait(epoll, &e, 1, -1);
}

static void in_nanosleep(void)
{
	sleep(100000);
}

static void in_unix_accept(void)
{
	accept(unix_listener, NULL, NULL);
}

static void in_inet_accept(void)
{
	accept(inet_listener, NULL, NULL);
}

static void in_pause(void)
{
	pause();
}

static void (*const kinds[])(void) = {
	in_pipe, in_futex, in_poll, in_epoll, in_nanosleep, in_unix_accept,
	in_inet_accept, in_pause,
};

static void *sleeper(void *arg)
{
	long i = (long)arg;

	__atomic_store_n(&tids[i], gettid(), __ATOMIC_RELEASE);
	for (;;)
		kinds[i % (sizeof(kinds) / sizeof(kinds[0]))]();
	return NULL;
}

static int listener(int family, const void *addr, socklen_t len)
{
	int s = socket(family, SOCK_STREAM, 0);

	if (s < 0 || bind(s, addr, len) || listen(s, 1))
		err(1, "listener");
	return s;
}

/* Asleep in a call: its number is the first word. */
static int asleep(int tid)
{
	char path[64], c = 'r';
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", tid);
	f = fopen(path, "r");
	if (f) {
		c = getc(f);
		fclose(f);
	}
	return c >= '0' && c <= '9';
}

int main(int argc, char **argv)
{
	struct sockaddr_in inet = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	sa_family_t unix_addr = AF_UNIX;	/* a name is given by the kernel */
	struct epoll_event e = { .events = EPOLLIN };
	long i, count = argc == 2 ? atol(argv[1]) : 0;
	pthread_attr_t attr;
	pthread_t t;
	char c;

	if (count < 1)
		errx(2, "usage: sleepers COUNT");
	tids = calloc(count, sizeof(*tids));
	if (!tids || pipe(pipes))
		err(1, "pipe");
	unix_listener = listener(AF_UNIX, &unix_addr, sizeof(unix_addr));
	inet_listener = listener(AF_INET, &inet, sizeof(inet));
	epoll = epoll_create1(0);
	if (epoll_ctl(epoll, EPOLL_CTL_ADD, pipes[0], &e))
		err(1, "epoll");
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	for (i = 0; i < count; i++) {
		errno = pthread_create(&t, &attr, sleeper, (void *)i);
		if (errno)
			err(1, "thread %ld", i);
	}
	for (i = 0; i < count; i++) {
		int tid;

		while (!(tid = __atomic_load_n(&tids[i], __ATOMIC_ACQUIRE)) ||
		       !asleep(tid))
			usleep(1000);
		printf("%d\n", tid);
	}
	printf("\n");
	fflush(stdout);
	while (read(0, &c, 1) > 0)
		;
	return 0;
}
