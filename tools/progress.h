/* SPDX-License-Identifier: GPL-2.0 */
/* What people are told on stderr: a line while it goes on, a summary. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdint.h>

#include <linux/gotrace.h>

/* How often the line is worth drawing. */
#define PROGRESS_NS	250000000u

/* Redraw the line; only for a terminal. */
void progress_draw(const struct gotrace_status *st, uint64_t ns,
		   uint64_t bytes);
/* Take it off the terminal again, so that something else can be said. */
void progress_clear(void);

/*
 * For whoever reads a long trace (a struct gt_progress's report): a line with
 * how far it is, if stderr is a terminal. arg is the command's name.
 */
void progress_reading(void *arg, uint64_t done, uint64_t total);

/* What was lost, and why. */
void progress_losses(const struct gotrace_status *st);

/* What was recorded into name, and what was lost. */
void progress_summary(const char *name, const struct gotrace_status *st,
		      uint64_t ns, uint64_t bytes);

#endif
