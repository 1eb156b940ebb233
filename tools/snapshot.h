/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A trace of what a flight recorder holds (struct gotrace_snapshot).
 *
 * Time is causal: what is later than the cut is a consistent part of the trace,
 * and so is what is not later than the time until which all CPUs are there. So a
 * task's state at the cut is what its first event behind it starts from; of one
 * that has none, what it was found in. What is written: tasks in that state, CPUs
 * with what they run, the events, with each task's steps numbered anew, and what
 * closes them.
 */
#ifndef SNAPSHOT_H
#define SNAPSHOT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct snapshot_result {
	uint64_t events;
	uint64_t ticks, hz;	/* how long it is */
	const char *error;	/* what is wrong, after a return of -1 */
};

/* Errors of the FILE are the caller's to look for. */
int snapshot_write(const void *reply, size_t len, unsigned int version, FILE *to,
		   struct snapshot_result *result);

#endif
