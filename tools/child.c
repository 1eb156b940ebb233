// SPDX-License-Identifier: GPL-2.0
/* A command that we run and wait for; see child.h. */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd.h"
#include "signals.h"

/* Until the other end says so; if it goes without a word, so do we. */
static void wait_for_release(int fd)
{
	char c;
	ssize_t n;

	do
		n = read(fd, &c, 1);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(EXIT_CANNOT_RUN);
}

static void exec_command(const struct child *child, char **argv, bool no_stdout, int release,
			 int report)
{
	int err;

	if (child->held)
		wait_for_release(release);
	signals_restore();
	if (child->before_exec)
		child->before_exec(child->arg);
	if (no_stdout)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	execvp(argv[0], argv);
	err = errno;
	if (write(report, &err, sizeof(err)) != sizeof(err))
		_exit(EXIT_CANNOT_RUN);
	_exit(err == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN);
}

static void close_pipes(struct child *child)
{
	close(child->release[0]);
	close(child->release[1]);
	close(child->report);
}

int child_start(struct child *child, const char *cmd, char **argv,
		bool no_stdout)
{
	int report[2], *release = child->release, err;

	/* Closed by a successful exec, so that reading it ends either way. */
	if (pipe2(report, O_CLOEXEC) || pipe2(release, O_CLOEXEC)) {
		fprintf(stderr, "gotrace %s: cannot make a pipe: %s\n", cmd,
			strerror(errno));
		return -1;
	}
	child->pid = fork();
	if (child->pid == 0) {
		close(release[1]);
		exec_command(child, argv, no_stdout, release[0], report[1]);
	}
	err = errno;
	close(report[1]);
	child->report = report[0];
	if (child->pid < 0) {
		child->pid = 0;
		close_pipes(child);
		fprintf(stderr, "gotrace %s: cannot fork: %s\n", cmd,
			strerror(err));
		return -1;
	}
	if (!child->held)
		child_release(child, cmd, argv);
	return 0;
}

void child_release(struct child *child, const char *cmd, char **argv)
{
	int err, released = 1;
	ssize_t n;

	/* There is room, and a reader: we. */
	if (child->held)
		released = write(child->release[1], "x", 1);
	child->held = false;
	do
		n = released == 1 ? read(child->report, &err, sizeof(err)) : 0;
	while (n < 0 && errno == EINTR);
	close_pipes(child);
	if (n == sizeof(err))
		fprintf(stderr, "gotrace %s: cannot run %s: %s\n", cmd,
			argv[0], strerror(err));
}

void child_abandon(struct child *child)
{
	child->held = false;
	close_pipes(child);
	while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
		;
	child->pid = 0;
}

void child_poll(struct child *child)
{
	int status;

	if (!child->pid || waitpid(child->pid, &status, WNOHANG) != child->pid)
		return;
	child->pid = 0;
	child->status = WIFSIGNALED(status) ? EXIT_SIGNAL + WTERMSIG(status) :
					      WEXITSTATUS(status);
}
