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

static void exec_command(const struct child *child, char **argv, bool no_stdout, int report)
{
	int err;

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

int child_start(struct child *child, const char *cmd, char **argv,
		bool no_stdout)
{
	int report[2], err;
	ssize_t n;

	/* Closed by a successful exec, so that reading it ends either way. */
	if (pipe2(report, O_CLOEXEC)) {
		fprintf(stderr, "gotrace %s: cannot make a pipe: %s\n", cmd,
			strerror(errno));
		return -1;
	}
	child->pid = fork();
	if (child->pid == 0)
		exec_command(child, argv, no_stdout, report[1]);
	err = errno;
	close(report[1]);
	if (child->pid < 0) {
		child->pid = 0;
		close(report[0]);
		fprintf(stderr, "gotrace %s: cannot fork: %s\n", cmd,
			strerror(err));
		return -1;
	}
	do
		n = read(report[0], &err, sizeof(err));
	while (n < 0 && errno == EINTR);
	close(report[0]);
	if (n == sizeof(err))
		fprintf(stderr, "gotrace %s: cannot run %s: %s\n", cmd,
			argv[0], strerror(err));
	return 0;
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
