/* SPDX-License-Identifier: GPL-2.0 */
/* A command that we run and wait for. */
#ifndef CHILD_H
#define CHILD_H

#include <stdbool.h>
#include <sys/types.h>

struct child {
	pid_t pid;	/* 0: there is none, or it has ended */
	int status;	/* the exit code it gives us, once it has ended */

	/* What the new process does before it becomes the command, or NULL. */
	void (*before_exec)(void *arg);
	void *arg;

	/* It waits for child_release() before it becomes the command. */
	bool held;
	int release[2];		/* a pipe that it reads from; we keep both ends */
	int report;		/* of one that it writes to when it cannot be run */
};

/*
 * Run argv, with the signals as they were before signals_catch(). One that
 * cannot be run is said on stderr, and ends with 127 or 126, as in a shell. With
 * no_stdout, what it writes to its standard output goes to standard error.
 * Return: 0 or -1 after a message.
 */
int child_start(struct child *child, const char *cmd, char **argv,
		bool no_stdout);

/* One that was held becomes the command, or ends without having been it. */
void child_release(struct child *child, const char *cmd, char **argv);
void child_abandon(struct child *child);

/* See whether it has ended; does not wait. */
void child_poll(struct child *child);

#endif
