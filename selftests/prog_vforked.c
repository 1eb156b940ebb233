// SPDX-License-Identifier: GPL-2.0
/*
 * vforked MS: be a parent whose child by vfork sleeps for MS milliseconds: a
 * sleep in a system call that no signal but a deadly one ends.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct timespec ts;
	long ms;
	pid_t pid;

	if (argc != 2)
		errx(2, "usage: vforked MS");
	ms = atol(argv[1]);
	ts.tv_sec = ms / 1000;
	ts.tv_nsec = ms % 1000 * 1000000;
	pid = vfork();
	if (pid < 0)
		err(1, "vfork");
	if (!pid) {
		nanosleep(&ts, NULL);
		_exit(0);
	}
	return waitpid(pid, NULL, 0) == pid ? 0 : 1;
}
