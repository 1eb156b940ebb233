// SPDX-License-Identifier: GPL-2.0
/* The signals that a recording listens to; see signals.h. */
#include "signals.h"

#include <stddef.h>

static const int caught[] = { SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGPIPE };

#define N_CAUGHT (sizeof(caught) / sizeof(caught[0]))

static struct sigaction old_actions[N_CAUGHT];
static sigset_t old_mask;

static volatile sig_atomic_t count;
static volatile sig_atomic_t own;

static void on_signal(int sig, siginfo_t *info, void *context)
{
	(void)context;
	if (sig == SIGCHLD)
		return;
	count++;
	if (info->si_code != SI_KERNEL)
		own = sig;
}

void signals_catch(void)
{
	struct sigaction catch = {
		.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO,
	};
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	sigset_t block;

	sigemptyset(&catch.sa_mask);
	sigemptyset(&ignore.sa_mask);
	sigemptyset(&block);
	for (size_t i = 0; i < N_CAUGHT; i++) {
		/* A write to a pipe that nobody reads is an error of write. */
		sigaction(caught[i], caught[i] == SIGPIPE ? &ignore : &catch,
			  &old_actions[i]);
		/*
		 * nohup says that a hangup means nothing. An ignored SIGINT
		 * says only that a script put us into the background, and a
		 * script has to be able to stop us.
		 */
		if (caught[i] == SIGHUP && old_actions[i].sa_handler == SIG_IGN)
			sigaction(SIGHUP, &ignore, NULL);
		if (caught[i] != SIGPIPE)
			sigaddset(&block, caught[i]);
	}
	sigprocmask(SIG_BLOCK, &block, &old_mask);
	/* Someone who starts us with these blocked wants to wait for ever. */
	for (size_t i = 0; i < N_CAUGHT; i++)
		sigdelset(&old_mask, caught[i]);
}

const sigset_t *signals_mask(void)
{
	return &old_mask;
}

void signals_restore(void)
{
	for (size_t i = 0; i < N_CAUGHT; i++)
		sigaction(caught[i], &old_actions[i], NULL);
	sigprocmask(SIG_SETMASK, &old_mask, NULL);
}

unsigned int signals_count(void)
{
	return count;
}

int signals_take_own(void)
{
	int sig = own;

	own = 0;
	return sig;
}
