/* SPDX-License-Identifier: LGPL-2.1 OR MIT */
/*
 * libgotrace: a program's own tasks, regions and messages in a gotrace trace.
 * Build with `pkg-config --cflags --libs libgotrace`.
 *
 *	int64_t task = gotrace_task_create(0, "request");
 *	int64_t region = gotrace_region_begin(task, "parse");
 *	...
 *	gotrace_logf(task, "bytes", "%zu", n);
 *	gotrace_region_end(region);
 *	gotrace_task_end(task);
 *
 * A program does not depend on being traced. Without the device (/dev/gotrace)
 * a call costs a few loads, with it and no trace being recorded one system call,
 * and what it began is ended without one. The device is opened by the first call
 * (close-on-exec), and looked for again, once a second at most, until it is
 * there; from then on the module stays loaded as long as the program runs.
 *
 * Every function may be called by any thread at any time, after fork(2) and in
 * signal handlers too (but gotrace_logf(), which is a printf), and leaves errno as
 * it was. Errors are negative errno values (linux/gotrace.h says which); nobody
 * needs to look at them, for every function takes a negative id as none.
 *
 * Names and messages are cut after 4096 bytes. Names should be few: viewers
 * group by them, and the trace keeps each.
 */
#ifndef GOTRACE_H
#define GOTRACE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Is a trace being recorded? For programs to which preparing what they would
 * tell is much work; the other functions ask by themselves.
 */
int gotrace_enabled(void);

/*
 * A task is something to be done, by whatever threads and processes; viewers show
 * its latency and what was done for it. parent is the task of which it is a part,
 * or 0. Return: its id; 0 without the device; an error.
 */
int64_t gotrace_task_create(int64_t parent, const char *name);

/* Any thread or process of the same user may end it. Return: 0 or an error. */
int gotrace_task_end(int64_t task);

/*
 * A region is a stretch of the calling thread's time, done for a task, or for
 * none (0). Regions nest, up to 32. They go on over execve(2), are not inherited
 * by fork(2), and end with the thread. Return: its id; 0 when no trace is being
 * recorded; an error.
 */
int64_t gotrace_region_begin(int64_t task, const char *name);

/*
 * The thread that began it ends it; regions begun inside and still open end with
 * it. In any other thread it does nothing. Return: 0 or an error.
 */
int gotrace_region_end(int64_t region);

/*
 * A message at this moment; category says what kind, NULL or "" is none.
 * Return: 0 or an error.
 */
int gotrace_log(int64_t task, const char *category, const char *message);

/* The same with printf(3)'s formats, which cost nothing while not tracing. */
int gotrace_logf(int64_t task, const char *category, const char *format, ...)
#ifdef __GNUC__
	__attribute__((format(printf, 3, 4)))
#endif
	;

#ifdef __cplusplus
}
#endif

#endif
