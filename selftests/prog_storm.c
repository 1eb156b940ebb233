// SPDX-License-Identifier: GPL-2.0
/*
 * storm: tasks that are born and die as fast as they can.
 *
 *	storm [-w WORKERS] [-t MS] KIND...
 *
 * Each of the WORKERS (3) goes through the KINDs again and again, for MS
 * milliseconds or, without -t, until it is killed:
 *
 *	fork    a child that exits at once
 *	exec    a child that executes this program, which exits
 *	vfork   the same, by vfork
 *	thread  a thread, joined
 *	crowd   a process whose threads all die together, by exit_group
 *	signal  a child that is killed by a signal while it runs or sleeps
 *	orphan  a child whose child outlives it
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char *self;

/* Where there is no pid left, somebody else's has to go first. */
static int again(void)
{
	if (errno != EAGAIN)
		err(1, "fork");
	usleep(1000);
	return 1;
}

static void reap(pid_t pid)
{
	if (pid > 0 && waitpid(pid, NULL, 0) < 0)
		err(1, "waitpid");
}

/* One that does not outlive its parent: some of them would never end. */
static pid_t child(void)
{
	pid_t parent = getpid(), pid;

	do
		pid = fork();
	while (pid < 0 && again());
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
	}
	return pid;
}

static void do_fork(void)
{
	pid_t pid = child();

	if (!pid)
		_exit(0);
	reap(pid);
}

static void do_exec(void)
{
	pid_t pid = child();

	if (!pid) {
		execl(self, self, "-x", NULL);
		_exit(1);
	}
	reap(pid);
}

static void do_vfork(void)
{
	pid_t pid = vfork();

	if (!pid) {
		execl(self, self, "-x", NULL);
		_exit(1);
	}
	if (pid < 0)
		again();
	reap(pid);
}

static void *empty(void *arg)
{
	return arg;
}

static void *forever(void *arg)
{
	for (;;)
		syscall(arg ? SYS_sched_yield : SYS_pause);
	return NULL;
}

static void do_thread(void)
{
	pthread_t t;

	if (!pthread_create(&t, NULL, empty, NULL))
		pthread_join(t, NULL);
}

static void do_crowd(void)
{
	pid_t pid = child();
	pthread_t t;
	long i;

	if (!pid) {
		for (i = 0; i < 4; i++)
			pthread_create(&t, NULL, forever, (void *)(i & 1));
		_exit(0);
	}
	reap(pid);
}

static void do_signal(void)
{
	static int turn;
	pid_t pid = child();

	if (!pid)
		forever((void *)(long)(turn & 1));
	if (turn++ & 2)
		usleep(200);
	kill(pid, turn & 4 ? SIGKILL : SIGTERM);
	reap(pid);
}

static void do_orphan(void)
{
	pid_t pid = child();

	if (!pid) {
		if (!fork())
			usleep(500);
		_exit(0);
	}
	reap(pid);
}

static const struct {
	const char *name;
	void (*run)(void);
} kinds[] = {
	{ "fork", do_fork }, { "exec", do_exec }, { "vfork", do_vfork },
	{ "thread", do_thread }, { "crowd", do_crowd }, { "signal", do_signal },
	{ "orphan", do_orphan },
};

static void run(const char *name)
{
	unsigned int i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!strcmp(kinds[i].name, name)) {
			kinds[i].run();
			return;
		}
	}
	errx(2, "no such kind: %s", name);
}

static long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static void work(char **names, long until)
{
	int i;

	for (i = 0; !until || now_ms() < until; i++) {
		if (!names[i])
			i = 0;
		run(names[i]);
	}
	_exit(0);
}

int main(int argc, char **argv)
{
	long until = 0;
	int opt, i, status, bad = 0, workers = 3;

	self = argv[0];
	while ((opt = getopt(argc, argv, "w:t:x")) != -1) {
		switch (opt) {
		case 'w':
			workers = atoi(optarg);
			break;
		case 't':
			until = now_ms() + atol(optarg);
			break;
		case 'x':
			_exit(0);
		default:
			return 2;
		}
	}
	if (optind == argc)
		errx(2, "which kind?");
	for (i = 0; i < workers; i++) {
		pid_t pid = fork();

		if (pid < 0)
			err(1, "fork");
		if (!pid) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			work(argv + optind, until);
		}
	}
	/* pid namespaces apart, a worker's orphans are not ours to wait for */
	for (i = 0; i < workers; i++) {
		if (wait(&status) < 0)
			err(1, "wait");
		bad |= status;
	}
	return bad != 0;
}
