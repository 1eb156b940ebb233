/* SPDX-License-Identifier: GPL-2.0 */
/* The file that a trace is recorded into. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct output {
	const char *name;	/* for messages */
	const char *path;	/* NULL for standard output */
	int fd;
	bool created;		/* by us, so it may be removed again */
	size_t chunk;		/* most bytes that do not block when writable */
	uint64_t written;
};

/*
 * Open the file ("-" is standard output) and leave what it holds alone. For a
 * message, the name of the command. Return: 0 or -1 after a message.
 */
int output_open(struct output *out, const char *cmd, const char *path);

/* There will be a trace: empty the file. Return: 0 or -errno. */
int output_begin(struct output *out);

/* There will be none: leave things as they were before output_open(). */
void output_abandon(struct output *out);

/* Write some of it. Return: bytes written, or -errno. */
ssize_t output_write(struct output *out, const void *data, size_t len);

/* Return: 0 or -errno: some file systems tell only now that they are full. */
int output_close(struct output *out);

#endif
