// SPDX-License-Identifier: GPL-2.0
/*
 * block: every kind of sleep, a few times each, in a process of its own.
 *
 *	block [KIND...]
 *
 * For each it prints one line, which is what the trace must then show:
 *
 *	KIND PID TIMES EVENT CALL
 *
 * process PID went to sleep TIMES times or more in the system call CALL ("-":
 * in none), each time with the event EVENT.
 *
 * The sleeper is a child; the parent waits until it sleeps, and wakes it.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "prog_block.h"

#define TIMES	4
#define SPARE	2	/* sleeps that may be missed, woken too early */

int fd[2], other[2];

void must(long ret, const char *what)
{
	if (ret < 0)
		err(1, "%s", what);
}

void ms(int n)
{
	struct timespec ts = { 0, n * 1000000L };

	while (syscall(SYS_nanosleep, &ts, &ts) && errno == EINTR)
		;
}

void nothing(void)
{
}

static void sleep_nanosleep(void)
{
	ms(2);
}

static void sleep_clock_nanosleep(void)
{
	struct timespec ts = { 0, 2000000 };

	must(syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &ts, NULL),
	     "clock_nanosleep");
}

/*
 * Files that are not in memory: the guest's are the host's, asked for over 9p,
 * a machine's are on its disk. Either way nobody can interrupt the wait. An
 * answer may be there before one waits for it, hence more than one file.
 */
static void do_disk(void)
{
	static const char *const files[] = {
		"/usr/bin/perl", "/usr/bin/find", "/usr/bin/diff",
	};
	int f = open("/proc/sys/vm/drop_caches", O_WRONLY);
	unsigned int i;

	must(f, "drop_caches");
	must(write(f, "3", 1), "drop_caches");
	close(f);
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		f = open(files[i], O_RDONLY);
		must(f, files[i]);
		close(f);
	}
}

static const struct kind plain_kinds[] = {
	{ "nanosleep", "GoSleep", "nanosleep", nothing, sleep_nanosleep, NULL },
	{ "clock_nanosleep", "GoSleep", "clock_nanosleep", nothing,
	  sleep_clock_nanosleep, NULL },
	{ "disk", "GoSysBlock", "openat", nothing, do_disk, NULL },
	{ NULL },
};

/* The letter of ps: S, D, T and t are asleep, Z is dead. */
static char state_of(pid_t pid)
{
	char path[32], text[256] = "";
	char *state;
	int f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = open(path, O_RDONLY);
	if (f < 0 || read(f, text, sizeof(text) - 1) <= 0)
		err(1, "%s", path);
	close(f);
	state = strrchr(text, ')');
	return state ? state[2] : '?';
}

static void wake_until_dead(const struct kind *k, pid_t pid)
{
	int turns;

	for (turns = 0; turns < 5000; turns++) {
		char state = state_of(pid);

		if (state == 'Z')
			return;
		if (k->wake && strchr("SDTt", state)) {
			k->wake(pid);
			ms(2);	/* until it is up, or it would seem asleep still */
		}
		ms(1);
	}
	errx(1, "%s: does not end", k->name);
}

static void run(const struct kind *k)
{
	sigset_t none;
	int i, status;
	pid_t pid;

	k->prepare();
	fflush(stdout);
	pid = fork();
	must(pid, "fork");
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (i = 0; i < TIMES + SPARE; i++)
			k->sleep();
		_exit(0);
	}
	wake_until_dead(k, pid);
	must(waitpid(pid, &status, 0), "waitpid");
	if (status)
		errx(1, "%s: status %#x", k->name, status);
	if (k->finish)
		k->finish();
	printf("%s %d %d %s %s\n", k->name, pid, TIMES, k->event, k->call);
	signal(SIGUSR1, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

int main(int argc, char **argv)
{
	const struct kind *const tables[] = { plain_kinds, talk_kinds, wait_kinds };
	const struct kind *k;
	unsigned int t;
	int i, wanted;

	for (t = 0; t < 3; t++) {
		for (k = tables[t]; k->name; k++) {
			wanted = argc == 1;
			for (i = 1; i < argc; i++)
				wanted |= !strcmp(argv[i], k->name);
			if (wanted)
				run(k);
		}
	}
	return 0;
}
