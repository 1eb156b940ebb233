/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The signals that a recording listens to. They come in only while it waits,
 * so that none is missed between looking and waiting.
 */
#ifndef SIGNALS_H
#define SIGNALS_H

#include <signal.h>

/* From now on SIGINT, SIGTERM, SIGHUP and SIGCHLD only end signals_mask(). */
void signals_catch(void);

/* The mask for ppoll(2). */
const sigset_t *signals_mask(void);

/* As it was before signals_catch(), for a child that is going to exec. */
void signals_restore(void);

/* How many of SIGINT, SIGTERM and SIGHUP have come. */
unsigned int signals_count(void);

/*
 * The last of these that a process sent to us alone, once; else 0. A ^C is
 * none: the terminal gives it to the command as well.
 */
int signals_take_own(void);

#endif
