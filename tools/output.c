// SPDX-License-Identifier: GPL-2.0
/* The file that a trace is recorded into; see output.h. */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int open_file(struct output *out)
{
	out->fd = open(out->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
		       0666);
	if (out->fd >= 0) {
		out->created = true;
		return 0;
	}
	if (errno == EEXIST)
		out->fd = open(out->path, O_WRONLY | O_CLOEXEC);
	return out->fd < 0 ? -1 : 0;
}

int output_open(struct output *out, const char *cmd, const char *path)
{
	struct stat st;

	memset(out, 0, sizeof(*out));
	out->name = path;
	out->chunk = SSIZE_MAX;
	if (!strcmp(path, "-")) {
		out->name = "standard output";
		out->fd = STDOUT_FILENO;
		if (isatty(out->fd)) {
			fprintf(stderr, "gotrace %s: a trace is nothing for a terminal; say -o FILE\n",
				cmd);
			return -1;
		}
	} else {
		out->path = path;
		if (open_file(out)) {
			fprintf(stderr, "gotrace %s: cannot open %s: %s\n",
				cmd, path, strerror(errno));
			return -1;
		}
	}
	/*
	 * A pipe that poll(2) calls writable takes so much without blocking,
	 * and blocking would make us deaf for signals.
	 */
	if (!fstat(out->fd, &st) && (S_ISFIFO(st.st_mode) ||
				     S_ISSOCK(st.st_mode)))
		out->chunk = PIPE_BUF;
	return 0;
}

int output_begin(struct output *out)
{
	/* Pipes and devices have nothing to empty. */
	if (out->path && ftruncate(out->fd, 0) && errno != EINVAL)
		return -errno;
	return 0;
}

void output_abandon(struct output *out)
{
	if (!out->path)
		return;
	close(out->fd);
	if (out->created)
		unlink(out->path);
}

ssize_t output_write(struct output *out, const void *data, size_t len)
{
	ssize_t n = write(out->fd, data, len < out->chunk ? len : out->chunk);

	if (n < 0)
		return -errno;
	out->written += n;
	return n;
}

int output_close(struct output *out)
{
	return close(out->fd) ? -errno : 0;
}
