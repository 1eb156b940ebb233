// SPDX-License-Identifier: GPL-2.0
/*
 * stops: tasks that are stopped and go on, whatever they do.
 *
 *	stops ROUNDS
 *
 * Five processes: one computes, one sleeps, three take short naps, one of these
 * in four threads and one under a debugger; each is stopped and continued ROUNDS
 * times. Prints their pids with what is done to them.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void must(long ret, const char *what)
{
	if (ret < 0)
		err(1, "%s", what);
}

static void compute(void)
{
	for (;;)
		__asm__ volatile("" ::: "memory");
}

static void sleep_on(void)
{
	for (;;)
		pause();
}

static void nap(void)
{
	struct timespec ts = { 0, 100000 };

	for (;;)
		nanosleep(&ts, NULL);
}

static void *nap_thread(void *arg)
{
	nap();
	return arg;
}

static void nap_in_threads(void)
{
	pthread_t t;
	int i;

	for (i = 0; i < 3; i++)
		pthread_create(&t, NULL, nap_thread, NULL);
	nap();
}

static pid_t start(const char *name, void (*run)(void))
{
	pid_t pid = fork();

	must(pid, "fork");
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		run();
	}
	printf("%s %d\n", name, pid);
	return pid;
}

static void end(pid_t pid)
{
	must(kill(pid, SIGKILL), "kill");
	must(waitpid(pid, NULL, 0), "waitpid");
}

static void stop_and_go(const char *name, void (*run)(void), int rounds)
{
	pid_t pid = start(name, run);
	int status;

	while (rounds--) {
		usleep(500);
		must(kill(pid, SIGSTOP), "kill");
		must(waitpid(pid, &status, WUNTRACED), "waitpid");
		must(kill(pid, SIGCONT), "kill");
		must(waitpid(pid, &status, WCONTINUED), "waitpid");
	}
	end(pid);
}

/* Stopped and continued so fast that it may not even have seen it. */
static void stop_and_go_blindly(const char *name, void (*run)(void), int rounds)
{
	pid_t pid = start(name, run);

	while (rounds--) {
		must(kill(pid, SIGSTOP), "kill");
		must(kill(pid, SIGCONT), "kill");
	}
	end(pid);
}

/* By a debugger: every entry and exit of a call, and single steps. */
static void trace(const char *name, int rounds)
{
	pid_t pid = start(name, nap);
	int status;

	must(ptrace(PTRACE_SEIZE, pid, NULL, PTRACE_O_TRACESYSGOOD), "seize");
	must(ptrace(PTRACE_INTERRUPT, pid, NULL, NULL), "interrupt");
	must(waitpid(pid, &status, 0), "waitpid");
	while (rounds--) {
		must(ptrace(rounds % 3 ? PTRACE_SYSCALL : PTRACE_SINGLESTEP, pid,
			    NULL, NULL), "continue");
		must(waitpid(pid, &status, 0), "waitpid");
		if (!WIFSTOPPED(status))
			errx(1, "%s: status %#x", name, status);
	}
	end(pid);
}

int main(int argc, char **argv)
{
	int rounds = argc == 2 ? atoi(argv[1]) : 0;

	if (rounds < 1)
		errx(2, "usage: stops ROUNDS");
	setvbuf(stdout, NULL, _IOLBF, 0);
	stop_and_go("compute", compute, rounds);
	stop_and_go("sleep", sleep_on, rounds);
	stop_and_go("threads", nap_in_threads, rounds);
	stop_and_go_blindly("blindly", nap, rounds);
	trace("traced", rounds);
	return 0;
}
