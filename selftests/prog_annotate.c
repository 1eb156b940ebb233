// SPDX-License-Identifier: GPL-2.0
/*
 * annotate: a program that annotates itself, rightly and wrongly.
 *
 *	annotate known		once, and prints what the trace must show
 *	annotate across		begins things, in a session or none, and prints
 *				"ready"; reads a line from standard input, which says
 *				that a new session has begun, and goes on with them;
 *				prints "done", reads a line; and again
 *	annotate storm SECONDS SEED
 *				as much misuse as it can think of, by threads and
 *				processes that come and go
 *
 * What must be found is a line an event, in each thread's order:
 *	TID create NAME TASK PARENT		TID finish TASK
 *	TID begin NAME TASK			TID end NAME TASK
 *	TID log CATEGORY MESSAGE TASK		("-" is no category)
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "libgotrace/gotrace.h"

#define MAX_REGIONS	32

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...)
{
	char text[9000];
	va_list ap;
	int n = snprintf(text, sizeof(text), "%ld ", syscall(SYS_gettid));

	va_start(ap, format);
	n += vsnprintf(text + n, sizeof(text) - n, format, ap);
	va_end(ap);
	if (write(STDOUT_FILENO, text, n) != n)
		err(1, "write");
}

static int64_t create(int64_t parent, const char *name)
{
	int64_t task = gotrace_task_create(parent, name);

	if (task <= 0)
		errx(1, "task %s: %s", name, strerror(-task));
	say("create %s %lld %lld\n", name, (long long)task, (long long)parent);
	return task;
}

static void finish(int64_t task)
{
	if (gotrace_task_end(task))
		errx(1, "end of task %lld", (long long)task);
	say("finish %lld\n", (long long)task);
}

static int64_t begin(int64_t task, const char *name)
{
	int64_t region = gotrace_region_begin(task, name);

	if (region <= 0)
		errx(1, "region %s: %s", name, strerror(-region));
	say("begin %s %lld\n", name, (long long)task);
	return region;
}

/* What must show, whatever ends it. */
static void ends(int64_t task, const char *name)
{
	say("end %s %lld\n", name, (long long)task);
}

static void end(int64_t region, int64_t task, const char *name)
{
	if (gotrace_region_end(region))
		errx(1, "end of region %s", name);
	ends(task, name);
}

static void tell(int64_t task, const char *category, const char *message)
{
	if (gotrace_log(task, category, message))
		errx(1, "log %s", message);
	say("log %s %s %lld\n", category && *category ? category : "-", message, (long long)task);
}

/* None of these shows. */
static void nothing(int64_t ret)
{
	if (ret)
		errx(1, "%s, where nothing was expected", strerror(-ret));
}

static void *in_thread(void *(*run)(void *), void *arg)
{
	pthread_t t;
	void *ret;

	if (pthread_create(&t, NULL, run, arg) || pthread_join(t, &ret))
		errx(1, "no thread");
	return ret;
}

static void in_child(void (*run)(int64_t), int64_t arg)
{
	pid_t pid = fork();
	int status;

	if (pid < 0)
		err(1, "fork");
	if (!pid) {
		run(arg);
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || status)
		errx(1, "the child failed: %d", status);
}

/* --- known --- */

static void *end_region(void *region)
{
	nothing(gotrace_region_end((intptr_t)region));
	return NULL;
}

static void child_ends_region(int64_t region)
{
	nothing(gotrace_region_end(region));
	end(begin(0, "child's"), 0, "child's");
}

static void child_finishes(int64_t task)
{
	finish(task);
}

static void *leave_open(void *task)
{
	begin((intptr_t)task, "left");
	begin(0, "left_too");
	ends(0, "left_too");
	ends((intptr_t)task, "left");
	return NULL;
}

static void exec_in_region(int64_t task)
{
	begin(task, "over_exec");
	ends(task, "over_exec");
	execlp("true", "true", NULL);
	_exit(127);
}

static void die_in_region(int64_t task)
{
	begin(task, "dies");
	ends(task, "dies");
	raise(SIGKILL);
}

static void nested(int64_t task)
{
	int64_t a = begin(task, "a"), b, c;

	b = begin(task, "b");
	c = begin(0, "c");
	getppid();
	end(c, 0, "c");
	end(b, task, "b");
	b = begin(task, "a");	/* the same name inside itself */
	end(b, task, "a");
	end(a, task, "a");
}

static void unbalanced(int64_t task)
{
	int64_t a = begin(task, "outer"), b = begin(task, "middle");

	begin(0, "inner");
	nothing(gotrace_region_end(0));
	ends(0, "inner");
	end(b, task, "middle");
	nothing(gotrace_region_end(b));
	end(a, task, "outer");
	nothing(gotrace_region_end(a));
	nothing(gotrace_region_end(b));
}

static void too_many(int64_t task)
{
	int64_t region[MAX_REGIONS];
	int i, ret;

	for (i = 0; i < MAX_REGIONS; i++)
		region[i] = begin(task, "deep");
	ret = gotrace_region_begin(task, "too_deep");
	if (ret != -E2BIG)
		errx(1, "one region too many: %s", strerror(-ret));
	for (i = MAX_REGIONS - 1; i >= 0; i--)
		end(region[i], task, "deep");
}

static void odd_strings(int64_t task)
{
	char longest[5001];

	memset(longest, 'x', 5000);
	longest[5000] = 0;
	nothing(gotrace_region_end(gotrace_region_begin(task, longest)));
	longest[4096] = 0;
	say("begin %s %lld\n", longest, (long long)task);
	ends(task, longest);
	tell(task, longest, longest);
	tell(task, "<b>&\"'", "%s%n<script>");
	tell(0, "", "without");
	tell(0, NULL, "without");
	tell(task, "\xff\xfe", "not_UTF-8_\xc3");
	/* compared as gotrace dump writes it */
	nothing(gotrace_log(task, "\\\t", "a b"));
	say("log \\x5c\\x09 a\\x20b %lld\n", (long long)task);
}

static void known(void)
{
	int64_t task = create(0, "job"), sub = create(task, "part"), region;
	pid_t pid;

	nested(task);
	unbalanced(sub);
	too_many(task);
	odd_strings(task);

	region = begin(sub, "mine");
	in_thread(end_region, (void *)(intptr_t)region);
	in_child(child_ends_region, region);
	end(region, sub, "mine");

	in_thread(leave_open, (void *)(intptr_t)task);
	in_child(exec_in_region, task);
	pid = fork();
	if (!pid)
		die_in_region(task);
	waitpid(pid, NULL, 0);

	/* The library's descriptor is gone, and its number is another file's. */
	close_range(3, ~0U, 0);
	if (open("/dev/null", O_RDWR) != 3)
		err(1, "/dev/null");
	tell(task, "closed", "message");

	in_child(child_finishes, sub);
	nothing(gotrace_task_end(sub));
	/* What has ended may still be named, and what is no task but a region. */
	end(begin(sub, "late"), sub, "late");
	tell(sub, "late", "late");
	end(begin(region, "in_a_region"), region, "in_a_region");
	create(sub, "late_part");	/* and stays open */
	finish(task);
	begin(task, "at_exit");
	ends(task, "at_exit");
}

/* --- across --- */

static void across(void)
{
	int64_t old_task = 0, old_region = 0, task, region, region2;
	char line[8];

	for (;;) {
		task = gotrace_task_create(old_task, "before");
		region = gotrace_region_begin(task, "before");
		region2 = gotrace_region_begin(task, "before_too");
		if (region) {
			say("create before %lld %lld\n", (long long)task, (long long)old_task);
			say("begin before %lld\n", (long long)task);
			say("begin before_too %lld\n", (long long)task);
		}
		puts("ready");
		fflush(stdout);
		if (!fgets(line, sizeof(line), stdin))
			return;
		nothing(gotrace_region_end(region2));
		end(begin(task, "after"), task, "after");
		nothing(gotrace_region_end(region));
		nothing(gotrace_region_end(old_region));
		tell(task, "across", "message");
		nothing(gotrace_task_end(task));
		nothing(gotrace_task_end(old_task));
		finish(create(task, "part"));
		old_task = task;
		old_region = region;
		puts("done");
		fflush(stdout);
		if (!fgets(line, sizeof(line), stdin))
			return;
	}
}

/* --- storm --- */

#define IDS	64

/* Everybody's, without any order: who reads one may find what has long ended. */
static int64_t tasks[IDS], regions[IDS];
static struct timespec until;

static int is_over(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec > until.tv_sec;
}

static int64_t any(int64_t *ids, unsigned int *seed)
{
	return __atomic_load_n(&ids[rand_r(seed) % IDS], __ATOMIC_RELAXED);
}

static void keep(int64_t *ids, unsigned int *seed, int64_t id)
{
	__atomic_store_n(&ids[rand_r(seed) % IDS], id, __ATOMIC_RELAXED);
}

static void some_name(char *name, size_t size, unsigned int *seed)
{
	snprintf(name, size, "name%u", rand_r(seed) % 20);
}

static void step(unsigned int *seed, int64_t *own, int *depth)
{
	char name[32];

	some_name(name, sizeof(name), seed);
	switch (rand_r(seed) % 16) {
	case 0:
		keep(tasks, seed, gotrace_task_create(any(tasks, seed), name));
		break;
	case 1:
		gotrace_task_end(any(tasks, seed));
		break;
	case 2:
		gotrace_region_end(any(regions, seed));
		break;
	case 3:
		gotrace_log(any(tasks, seed), name, "some message of no great length");
		break;
	case 4:
		usleep(rand_r(seed) % 3000);
		break;
	case 5:
		sched_yield();
		break;
	case 6:		/* any of the own ones, not the innermost */
		if (*depth) {
			*depth = rand_r(seed) % *depth;
			gotrace_region_end(own[*depth]);
		}
		break;
	case 7: case 8: case 9: case 10: case 11:
		if (*depth == MAX_REGIONS + 8)
			break;
		own[*depth] = gotrace_region_begin(any(tasks, seed), name);
		keep(regions, seed, own[(*depth)++]);
		break;
	default:
		if (*depth)
			gotrace_region_end(own[--*depth]);
	}
}

static void *storm_thread(void *arg)
{
	unsigned int seed = (uintptr_t)arg;
	int64_t own[MAX_REGIONS + 8];
	int depth = 0, steps = rand_r(&seed) % 300;

	while (steps-- && !is_over())
		step(&seed, own, &depth);
	return NULL;
}

/* A process with some threads; it ends with them, or before them, or execs. */
static void storm_process(unsigned int seed)
{
	pthread_t t[3];
	uintptr_t i;

	for (i = 0; i < 3; i++)
		if (pthread_create(&t[i], NULL, storm_thread, (void *)(seed + i)))
			_exit(1);
	storm_thread((void *)(uintptr_t)(seed + 3));
	switch (rand_r(&seed) % 4) {
	case 0:
		_exit(0);
	case 1:
		raise(SIGKILL);
		break;
	case 2:
		execlp("true", "true", NULL);
		break;
	}
	for (i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	_exit(0);
}

static void *storm_forks(void *arg)
{
	unsigned int seed = (uintptr_t)arg;

	while (!is_over()) {
		int64_t region = gotrace_region_begin(any(tasks, &seed), "forks");
		pid_t pid = fork();

		if (!pid) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			storm_process(rand_r(&seed));
		}
		if (pid > 0)
			waitpid(pid, NULL, 0);
		gotrace_region_end(region);
	}
	return NULL;
}

static void storm(int seconds, unsigned int seed)
{
	pthread_t t;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += seconds;
	if (pthread_create(&t, NULL, storm_forks, (void *)(uintptr_t)(seed + 1)))
		errx(1, "no thread");
	while (!is_over())
		in_thread(storm_thread, (void *)(uintptr_t)rand_r(&seed));
	pthread_join(t, NULL);
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "known"))
		known();
	else if (argc == 2 && !strcmp(argv[1], "across"))
		across();
	else if (argc == 4 && !strcmp(argv[1], "storm"))
		storm(atoi(argv[2]), atoi(argv[3]));
	else
		errx(2, "usage: annotate known | across | storm SECONDS SEED");
	return 0;
}
