/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a witness saw: per CPU, in order, who came and went and what they did.
 *
 * ftrace (witness_ftrace.c) and gotrace (witness_trace.c) each reduce what
 * they recorded to this form on their own; witness.c compares the two.
 */
#ifndef SELFTESTS_WITNESS_H
#define SELFTESTS_WITNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define W_CPUS		64
#define W_TID_BITS	22
#define W_TIDS		(1 << W_TID_BITS)

enum w_type {
	W_IN,		/* @tid is switched in */
	W_OUT,		/* @tid is switched out; @left says how */
	W_CREATE,	/* @tid makes @other */
	W_CALL,		/* @tid enters system call @nr */
	W_RET,		/* @tid leaves its system call */
	W_TYPES,
};

enum w_left {
	W_ASLEEP,
	W_RUNNABLE,
	W_DEAD,
	W_UNSURE,	/* what was recorded does not tell */
};

/* How a task that is switched in became able to run. */
enum w_came {
	W_UNKNOWN,	/* its last switch-out was not seen */
	W_STILL,	/* it was not asleep */
	W_WOKEN,	/* by @waker, on CPU @waker_cpu */
};

/**
 * struct w_rec - one thing seen
 * @order: in the total order of all CPUs, as far as this witness knows it
 * @type:  see above
 * @cpu:   where
 * @tid:   who; the first tid that a task had, even after exec by a thread gave
 *         it another; 0 is the idle task, which is neither IN nor OUT
 * @other: see above
 * @nr:    number of the system call, -1 if its name is unknown
 * @left:  of W_OUT
 * @came:  of W_IN
 * @waker: of W_IN
 * @waker_cpu: of W_IN
 * @at_switch: of W_IN. In the trace: the wake-up was written together with the
 *         switch-out that it met, without its waker. In ftrace: it may have
 *         met the switch-out.
 */
struct w_rec {
	uint64_t order;
	uint8_t type;
	uint8_t cpu;
	uint8_t left;
	uint8_t came;
	bool at_switch;
	uint8_t waker_cpu;
	int32_t tid;
	int32_t other;
	int32_t nr;
	int32_t waker;
};

struct w_cpu {
	struct w_rec *recs;
	size_t n, size;
};

struct w_witness {
	const char *name;
	int cpus;
	struct w_cpu cpu[W_CPUS];
};

/* Numbers of system calls by name, as on x86-64; -1 for none. */
int w_call_nr(const char *name, size_t len);

/* Whether this one is that, or newer. */
bool w_kernel_is(int major, int minor);

struct w_rec *w_add(struct w_witness *w, int cpu, const struct w_rec *rec);

/* All end the program, with a message, when they cannot make sense of it. */
void w_read_ftrace(struct w_witness *w, const char *tracefs);
void w_read_trace(struct w_witness *w, const char *file);

#endif
