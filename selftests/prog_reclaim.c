// SPDX-License-Identifier: GPL-2.0
/*
 * reclaim: uses up memory that the kernel can take back, and does.
 *
 *	reclaim MEGABYTES TASKS ROUNDS
 *
 * TASKS processes of equal shares fill MEGABYTES, and tell the kernel as they go
 * that it may have it all back (MADV_FREE): what is reclaimed needs no disk. Ends
 * when each has done so ROUNDS times, never if that is 0. They die when it does.
 */
#define _GNU_SOURCE
#include <err.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define PIECE	(1 << 18)

static void work(size_t size, int rounds)
{
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t page = sysconf(_SC_PAGESIZE), at, i;

	if (p == MAP_FAILED)
		err(1, "mmap");
	madvise(p, size, MADV_NOHUGEPAGE);
	do {
		for (at = 0; at < size; at += PIECE) {
			for (i = at; i < at + PIECE; i += page)
				p[i] = 1;
			if (madvise(p + at, PIECE, MADV_FREE))
				err(1, "madvise");
		}
	} while (--rounds);
}

int main(int argc, char **argv)
{
	int tasks, rounds, i, status, failed = 0;
	size_t size;

	if (argc != 4)
		errx(2, "usage: reclaim MEGABYTES TASKS ROUNDS");
	tasks = atoi(argv[2]);
	rounds = atoi(argv[3]);
	if (tasks < 1 || rounds < 0 || atoi(argv[1]) < tasks)
		errx(2, "a task needs a megabyte");
	size = (size_t)atoi(argv[1]) / tasks << 20;
	for (i = 0; i < tasks; i++) {
		pid_t pid = fork();

		if (pid < 0)
			err(1, "fork");
		if (!pid) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			work(size, rounds);
			return 0;
		}
	}
	while (wait(&status) > 0)
		failed |= status;
	return !!failed;
}
