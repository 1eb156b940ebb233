/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A process with as many sleeping threads as one asks for, made by hand:
 * glibc's take too much memory and time.
 */
#ifndef SELFTESTS_CROWD_H
#define SELFTESTS_CROWD_H

#include "device.h"
#include <sched.h>

#define CROWD_STACK	2048

struct crowd {
	pid_t	pid;
	int	ask;	/* how many more, as a long */
	int	answer;	/* a byte for each request done */
	int	*tids;	/* of the threads, shared with them */
	long	count;
};

GT_HELPER int crowd_member(void *arg)
{
	for (;;)
		syscall(SYS_pause);
	return arg != NULL;
}

/* The crowd's own process: all of it ends when the test does. */
GT_HELPER void crowd_main(int *tids, long max, int asked, int answer)
{
	const int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND |
			  CLONE_THREAD;
	char *stacks = mmap(NULL, max * CROWD_STACK, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	long n = 0, more;

	if (stacks == MAP_FAILED)
		_exit(1);
	gt_busy(1);	/* syscall() is found now: it needs more stack than they have */
	while (read(asked, &more, sizeof(more)) == sizeof(more)) {
		for (; more && n < max; more--, n++) {
			tids[n] = clone(crowd_member, stacks + (n + 1) * CROWD_STACK,
					flags, NULL);
			if (tids[n] < 0)
				_exit(2);
		}
		if (write(answer, "r", 1) != 1)
			_exit(3);
	}
	_exit(4);
}

/* A crowd of up to @max threads, none yet. */
GT_HELPER int crowd_start(struct crowd *c, long max)
{
	int ask[2], answer[2];

	c->count = 0;
	c->tids = mmap(NULL, max * sizeof(*c->tids), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (c->tids == MAP_FAILED || pipe(ask) || pipe(answer))
		return -errno;
	c->pid = gt_fork();
	if (!c->pid) {
		close(ask[1]);
		crowd_main(c->tids, max, ask[0], answer[1]);
	}
	close(ask[0]);
	close(answer[1]);
	c->ask = ask[1];
	c->answer = answer[0];
	return c->pid < 0 ? -EAGAIN : 0;
}

/* @more threads, asleep when it returns; -ECHILD when they cannot be made. */
GT_HELPER int crowd_grow(struct crowd *c, long more)
{
	char done;

	if (write(c->ask, &more, sizeof(more)) != sizeof(more) ||
	    read(c->answer, &done, 1) != 1)
		return -ECHILD;
	for (; more; more--)
		if (gt_wait_syscall(c->tids[c->count++], SYS_pause))
			return -ETIMEDOUT;
	return 0;
}

GT_HELPER int crowd_end(struct crowd *c)
{
	int ret = gt_kill_and_join(c->pid);

	close(c->ask);
	close(c->answer);
	return ret;
}

#endif /* SELFTESTS_CROWD_H */
