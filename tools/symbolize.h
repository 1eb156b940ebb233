/* SPDX-License-Identifier: GPL-2.0 */
/* User frames of a trace, offsets in files, to functions, files and lines. */
#ifndef SYMBOLIZE_H
#define SYMBOLIZE_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct symbolize - what to do, and what was done
 * @cmd:     the command, for messages
 * @began:   when the trace began, ns of the epoch; 0 takes it from the age of
 *           the file and the length of the trace
 * @frames:  out: user frames there were
 * @named:   out: those of them that have got a name
 */
struct symbolize {
	const char *cmd;
	int64_t began;
	size_t frames;
	size_t named;
};

/**
 * symbolize_file() - write a trace with names
 * @s:  as above
 * @in: its file; "-" is standard input
 * @to: the file to write, which may be @in, a pipe, or "-", standard output.
 *      A regular file is replaced when all went well, else left as it was.
 *
 * All that is not a string or a stack stays as it is, byte for byte, and so
 * does a trace in which there is nothing to name.
 *
 * Return: 0 or -1 after a message.
 */
int symbolize_file(struct symbolize *s, const char *in, const char *to);

#endif
