/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A file that takes another's place once it is complete, or never.
 *
 * It is written beside the other one and renamed then. A signal that ends us
 * takes it away. What is no regular file is written directly.
 */
#ifndef REPLACE_H
#define REPLACE_H

#include <stdio.h>
#include <sys/stat.h>

struct replace {
	FILE *file;		/* to write to */

	/* Its own. */
	const char *cmd;
	const char *name;	/* for messages */
	char *path;		/* whose place is taken; NULL when none is */
	char *temp;
	struct stat like;
};

/**
 * replace_begin() - begin a file
 * @r:    out
 * @cmd:  the command, for messages
 * @path: whose place it is to take; "-" is standard output
 * @like: whose owner, mode and age it shall have, as far as they may be given
 *
 * Return: 0, or -1 after a message.
 */
int replace_begin(struct replace *r, const char *cmd, const char *path,
		  const struct stat *like);

/* It is complete. Return: 0, or -1 after a message, with nothing changed. */
int replace_commit(struct replace *r);

/* It is not wanted. */
void replace_abandon(struct replace *r);

#endif
