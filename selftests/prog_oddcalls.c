// SPDX-License-Identifier: GPL-2.0
/*
 * oddcalls: system calls by numbers that are none, and by 32-bit numbers.
 *
 *	oddcalls TIMES
 *
 * Prints one line for each: PID TIMES NAME, the name that the trace must show.
 * A child of its own makes each kind of call.
 */
#define _GNU_SOURCE
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static long call_64(long nr)
{
	long ret;

	__asm__ volatile("syscall" : "=a" (ret)
			 : "a" (nr), "D" (0L), "S" (0L), "d" (0L)
			 : "rcx", "r11", "memory");
	return ret;
}

static long call_32(long nr)
{
	int ret;

	__asm__ volatile("int $0x80" : "=a" (ret)
			 : "a" ((int)nr), "b" (0), "c" (0), "d" (0)
			 : "r8", "r9", "r10", "r11", "memory");
	return ret;
}

static const struct {
	long (*call)(long nr);
	long nr;
	const char *name;
} calls[] = {
	{ call_64, SYS_getppid, "getppid" },
	{ call_64, 999, "999" },
	{ call_64, 100000, "100000" },
	{ call_64, 2147483647, "2147483647" },
	{ call_64, -1, "-1" },
	{ call_64, -38, "-38" },
	{ call_64, 0x40000000L + SYS_getppid, "1073741934" },	/* x32, not built in */
	{ call_32, 64, "getppid" },	/* 64 is semget for the others */
	{ call_32, 20, "getpid" },	/* writev */
	{ call_32, 199, "getuid32" },	/* fremovexattr */
	{ call_32, 222, "222" },	/* a hole in the table */
	{ call_32, 5000, "5000" },
	{ call_32, -1, "-1" },
};

int main(int argc, char **argv)
{
	int times = argc == 2 ? atoi(argv[1]) : 0, i, status;
	unsigned int c;

	if (times < 1)
		errx(2, "usage: oddcalls TIMES");
	for (c = 0; c < sizeof(calls) / sizeof(calls[0]); c++) {
		pid_t pid;

		fflush(stdout);
		pid = fork();
		if (pid < 0)
			err(1, "fork");
		if (!pid) {
			for (i = 0; i < times; i++)
				calls[c].call(calls[c].nr);
			_exit(0);
		}
		if (waitpid(pid, &status, 0) < 0 || status)
			errx(1, "%s: status %#x", calls[c].name, status);
		printf("%d %d syscall.%s\n", pid, times, calls[c].name);
	}
	return 0;
}
