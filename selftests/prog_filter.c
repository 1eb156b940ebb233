// SPDX-License-Identifier: GPL-2.0
/*
 * filter: tasks of which each is another's business.
 *
 *	filter GROUP USER
 *
 * Prints a line each, NAME ID, then works until it is killed, as they all are then:
 *
 *	main      calls getppid
 *	thread    of main; calls getpgrp
 *	child     of main, a process named flt-child; calls getsid
 *	grand     of child, in the cgroup GROUP; calls gettid
 *	user      of main, with the effective uid USER; calls getuid
 *	renamed   of main: named flt-in, calls getgid three times; named flt-out, calls
 *	          getegid three times; and so on
 */
#include "device.h"
#include <err.h>
#include <pthread.h>

static void work(int nr)
{
	for (;;) {
		syscall(nr);
		gt_sleep_ms(1);
	}
}

static void *thread(void *unused)
{
	printf("thread %d\n", gettid());
	fflush(stdout);
	work(SYS_getpgrp);
	return NULL;
}

static void become(const char *name)
{
	if (prctl(PR_SET_NAME, name))
		err(1, "PR_SET_NAME");
}

static void rename_again_and_again(void)
{
	int i;

	for (;;) {
		become("flt-in");
		for (i = 0; i < 3; i++)
			syscall(SYS_getgid);
		become("flt-out");
		for (i = 0; i < 3; i++)
			syscall(SYS_getegid);
		gt_sleep_ms(1);
	}
}

static bool begin(const char *name)
{
	/* In the order of the list above. */
	if (gt_fork())
		return false;
	printf("%s %d\n", name, getpid());
	fflush(stdout);
	return true;
}

static void join_group(const char *group)
{
	char path[300];
	FILE *f;

	snprintf(path, sizeof(path), "%s/cgroup.procs", group);
	f = fopen(path, "w");
	if (!f || fprintf(f, "0\n") < 0 || fclose(f))
		err(1, "%s", path);
}

int main(int argc, char **argv)
{
	pthread_t t;

	if (argc != 3)
		errx(2, "usage: filter GROUP USER");
	printf("main %d\n", getpid());
	fflush(stdout);
	if (pthread_create(&t, NULL, thread, NULL))
		errx(1, "no thread");
	if (begin("child")) {
		become("flt-child");
		if (begin("grand")) {
			join_group(argv[1]);
			become("flt-grand");
			work(SYS_gettid);
		}
		work(SYS_getsid);
	}
	if (begin("user")) {
		if (syscall(SYS_setresuid, -1, atoi(argv[2]), -1))
			err(1, "setresuid");
		work(SYS_getuid);
	}
	if (begin("renamed"))
		rename_again_and_again();
	work(SYS_getppid);
	return 0;
}
