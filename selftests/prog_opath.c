// SPDX-License-Identifier: GPL-2.0
/*
 * opath: a thread sleeps in write(2) on a pipe whose number has become that of
 * a socket's name in a folder, opened by O_PATH. Prints the thread's tid.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#define SIZE	(1 << 20)

static int ends[2];

static void *writer(void *unused)
{
	static char data[SIZE];

	(void)unused;
	printf("%ld\n", (long)syscall(SYS_gettid));
	fflush(stdout);
	if (write(ends[1], data, SIZE) != SIZE)
		warn("write");
	return NULL;
}

/* A name that is a socket's, as a path only. */
static int named_socket(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int s = socket(AF_UNIX, SOCK_STREAM, 0), fd;

	snprintf(a.sun_path, sizeof(a.sun_path), "/tmp/opath.%d", getpid());
	if (s < 0 || bind(s, (struct sockaddr *)&a, sizeof(a)))
		err(1, "%s", a.sun_path);
	fd = open(a.sun_path, O_PATH);
	if (fd < 0)
		err(1, "%s", a.sun_path);
	unlink(a.sun_path);
	return fd;
}

int main(void)
{
	static char buf[8192];
	pthread_t thread;
	long left = SIZE, n;

	if (pipe(ends) || pthread_create(&thread, NULL, writer, NULL))
		err(1, "pipe and thread");
	usleep(100000);		/* it sleeps in its write */
	if (dup2(named_socket(), ends[1]) < 0)
		err(1, "dup2");
	for (; left; left -= n) {
		n = read(ends[0], buf, sizeof(buf));
		if (n <= 0)
			err(1, "read");
		usleep(1000);
	}
	pthread_join(thread, NULL);
	return 0;
}
