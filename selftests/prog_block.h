/* SPDX-License-Identifier: GPL-2.0 */
/* What the parts of prog_block.c share. */
#ifndef SELFTESTS_PROG_BLOCK_H
#define SELFTESTS_PROG_BLOCK_H

#include <sys/types.h>

/* One kind of sleep, and what the trace must show of it. */
struct kind {
	const char *name;
	const char *event;
	const char *call;		/* "-": in none */
	void (*prepare)(void);		/* before the fork */
	void (*sleep)(void);		/* child: once */
	void (*wake)(pid_t child);	/* parent: once; NULL: wakes by itself */
	void (*finish)(void);		/* parent, at the end; NULL: nothing to do */
};

/* Each ends with a kind without name. */
extern const struct kind talk_kinds[];	/* prog_block_talk.c */
extern const struct kind wait_kinds[];	/* prog_block_wait.c */

/* What the functions of a kind have in common: made by prepare(). */
extern int fd[2], other[2];

/* Dies with @what and errno if @ret is negative. */
void must(long ret, const char *what);

/* nanosleep, the call itself. */
void ms(int n);

void nothing(void);

/* The plainest pair: the child reads a byte from fd[0], the parent writes it. */
void prepare_pipe(void);
void read_one(void);
void wake_reader(pid_t child);

#endif /* SELFTESTS_PROG_BLOCK_H */
