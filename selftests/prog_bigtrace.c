// SPDX-License-Identifier: GPL-2.0
/*
 * bigtrace: a trace of any size, as our module would write it.
 *
 *	bigtrace [-e EVENTS] [-p PS] [-g TASKS] [-s SEED] > FILE
 *
 * Made-up tasks call, sleep, wake each other and are preempted on made-up CPUs,
 * with samples, messages, user tasks and reclaim in between; some die and others
 * are born. The same options give the same trace.
 */
#include <err.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/names.h"
#include "putrecord.h"
#include "writer.h"

#define CALLS	60
#define STACKS	500
#define NAMES	40
#define FIRST_STACK (NAMES + 1)	/* 1..NAMES are the tasks' own */
#define FRAMES	12

struct task {
	uint64_t g;
	bool asleep, dead;
	bool call;		/* an open region */
	unsigned int name;	/* 1..NAMES */
	unsigned int call_nr;
};

static struct writer w;
static struct task *tasks;
static unsigned int n_tasks, alive;
static unsigned int *queue, q_head, q_len, q_size;
static struct task **running;	/* of each P */
static int64_t now = 1000000;
static uint64_t rnd = 88172645463325252u;

static uint64_t chance(uint64_t n)
{
	rnd ^= rnd << 13;
	rnd ^= rnd >> 7;
	rnd ^= rnd << 17;
	return (rnd >> 11) % n;
}

static void put(unsigned int type, unsigned int p, uint64_t a, uint64_t b,
		uint64_t c, uint64_t stk)
{
	struct task *t = running[p];
	struct gt_event ev = writer_make(type, p, t ? t->g : 0, now);

	ev.args[0] = a;
	ev.args[1] = b;
	ev.args[2] = c;
	ev.stk = stk;
	if (type == GT_EV_USER_LOG) {
		ev.text = (const uint8_t *)"message";
		ev.text_len = 7;
	}
	if (!writer_event(&w, &ev))
		errx(1, "no memory");
	now += 1 + chance(400);
}

static uint64_t some_stack(void)
{
	return FIRST_STACK + chance(STACKS);
}

static void enqueue(struct task *t)
{
	queue[(q_head + q_len++) % q_size] = t - tasks;
}

static void create(unsigned int p)
{
	struct task *t = &tasks[n_tasks];

	t->g = 1000 + n_tasks++;
	t->name = 1 + chance(NAMES);
	alive++;
	put(GT_EV_GO_CREATE, p, t->g, t->name, 0, running[p] ? some_stack() : 0);
}

static void start(unsigned int p)
{
	struct task *t = &tasks[queue[q_head]];

	q_head = (q_head + 1) % q_size;
	q_len--;
	running[p] = t;
	put(GT_EV_GO_START, p, t->g, 0, 0, 0);
}

static void wake(unsigned int p)
{
	/* A few tries: most sleep. */
	for (int i = 0; i < 4; i++) {
		struct task *t = &tasks[chance(n_tasks)];

		if (!t->asleep || t->dead)
			continue;
		t->asleep = false;
		enqueue(t);
		put(GT_EV_GO_UNBLOCK, p, t->g, 0, 0, some_stack());
		return;
	}
}

static void call(unsigned int p, struct task *t)
{
	if (!t->call)
		t->call_nr = chance(CALLS);
	put(GT_EV_USER_REGION, p, 0, t->call, 1 + NAMES + t->call_nr,
	    some_stack());
	t->call = !t->call;
}

static void leave(unsigned int p, struct task *t)
{
	static const unsigned int kinds[] = {
		GT_EV_GO_BLOCK, GT_EV_GO_SLEEP, GT_EV_GO_BLOCK_SEND,
		GT_EV_GO_BLOCK_RECV, GT_EV_GO_BLOCK_SELECT, GT_EV_GO_BLOCK_SYNC,
		GT_EV_GO_BLOCK_COND, GT_EV_GO_BLOCK_NET,
	};
	unsigned int kind = chance(10);

	if (kind < 8) {
		put(kinds[kind], p, 0, 0, 0, some_stack());
		t->asleep = true;
	} else {
		put(kind == 8 ? GT_EV_GO_SCHED : GT_EV_GO_PREEMPT, p, 0, 0, 0,
		    some_stack());
		enqueue(t);
	}
	running[p] = NULL;
}

static void die(unsigned int p, struct task *t)
{
	if (t->call)
		call(p, t);
	put(GT_EV_GO_END, p, 0, 0, 0, 0);
	t->dead = true;
	alive--;
	running[p] = NULL;
}

static void step(unsigned int p, unsigned int max_tasks)
{
	struct task *t = running[p];
	unsigned int what = chance(1000);

	if (!t) {
		if (q_len)
			start(p);
		else
			wake(p);
	} else if (what < 600) {
		call(p, t);
	} else if (what < 750) {
		leave(p, t);
	} else if (what < 940) {
		wake(p);
	} else if (what < 960) {
		put(GT_EV_CPU_SAMPLE, p, 0, 0, 0, some_stack());
	} else if (what < 980) {
		put(GT_EV_HEAP_ALLOC, p, chance(1 << 30), 0, 0, 0);
	} else if (what < 985) {
		put(GT_EV_USER_LOG, p, 0, 1, 0, some_stack());
	} else if (what < 990 && alive > max_tasks / 2) {
		die(p, t);
	} else if (alive < max_tasks && n_tasks < 16 * max_tasks) {
		create(p);
		enqueue(&tasks[n_tasks - 1]);
	}
}

/* Strings: tasks' names, calls' names, functions. */
static void put_names(FILE *to)
{
	struct gt_frame f[FRAMES];
	char text[64];
	int n;

	for (unsigned int i = 1; i <= NAMES + CALLS + STACKS; i++) {
		n = snprintf(text, sizeof(text), i <= NAMES ? "task%u" :
			     i <= NAMES + CALLS ? "syscall.call%u" :
			     "some_function_%u", i);
		put_string(to, i, text, n);
	}
	for (unsigned int i = 1; i <= NAMES; i++) {
		f[0] = (struct gt_frame){ i, i, i, 1 };
		put_stack(to, i, f, 1);
	}
	for (unsigned int i = 0; i < STACKS; i++) {
		for (unsigned int k = 0; k < FRAMES; k++) {
			unsigned int fn = NAMES + CALLS + 1 +
					  (i * 7 + k * 13) % STACKS;

			f[k] = (struct gt_frame){ fn, fn, 1, 1 };
		}
		put_stack(to, FIRST_STACK + i, f, FRAMES);
	}
}

static void begin(unsigned int ps, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		create(0);
		if (i % 4) {
			put(GT_EV_GO_WAITING, 0, tasks[i].g, 0, 0, 0);
			tasks[i].asleep = true;
		} else {
			enqueue(&tasks[i]);
		}
	}
	put(GT_EV_GOMAXPROCS, 0, ps, 0, 0, 0);
	put(GT_EV_GOMAXPROCS, 0, ps, 0, 0, 0);
	for (unsigned int p = 0; p < ps; p++)
		put(GT_EV_PROC_START, p, p + 1, 0, 0, 0);
}

static void end(unsigned int ps)
{
	for (unsigned int p = 0; p < ps; p++) {
		if (running[p])
			put(GT_EV_GO_SCHED, p, 0, 0, 0, some_stack());
		running[p] = NULL;
		put(GT_EV_PROC_STOP, p, 0, 0, 0, 0);
	}
	writer_end(&w);
	writer_frequency(&w, 1000000000);
}

int main(int argc, char **argv)
{
	unsigned long long events = 100000, seed = 1;
	unsigned int ps = 4, n = 200;
	int opt;

	while ((opt = getopt(argc, argv, "e:p:g:s:")) != -1) {
		switch (opt) {
		case 'e':
			events = strtoull(optarg, NULL, 0);
			break;
		case 'p':
			ps = strtoul(optarg, NULL, 0);
			break;
		case 'g':
			n = strtoul(optarg, NULL, 0);
			break;
		case 's':
			seed = strtoull(optarg, NULL, 0);
			break;
		default:
			errx(2, "usage: bigtrace [-e EVENTS] [-p PS] [-g TASKS] [-s SEED] > FILE");
		}
	}
	if (!ps || !n || optind < argc)
		errx(2, "usage: bigtrace [-e EVENTS] [-p PS] [-g TASKS] [-s SEED] > FILE");
	rnd += seed * 0x9e3779b97f4a7c15u;
	q_size = 16 * n + 1;
	tasks = calloc(16 * n + 1, sizeof(*tasks));
	queue = calloc(q_size, sizeof(*queue));
	running = calloc(ps, sizeof(struct task *));
	if (!tasks || !queue || !running)
		errx(1, "no memory");
	writer_begin(&w, stdout, GT_V1_21, now);
	put_names(stdout);
	begin(ps, n);
	while (w.events < events)
		step(chance(ps), n);
	end(ps);
	writer_exit(&w);
	if (fflush(stdout) || ferror(stdout))
		err(1, "standard output");
	return 0;
}
