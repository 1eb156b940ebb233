// SPDX-License-Identifier: GPL-2.0
/*
 * ftrace as a witness: per_cpu/cpuN/trace, as text.
 *
 * trace_clock must be "counter": then time stamps are numbers drawn from one
 * atomic counter, and order records over all CPUs without regard to clocks.
 *
 * What a switch-out means is not in its record; it follows from what comes
 * after it:
 *  - prev_state R or R+: the task stays runnable. Before 5.18, R may also be one
 *    that sleeps and is being woken already: the state was read late.
 *  - Z or X, and never switched in again: it is dead. (An exiting task can be
 *    put off its CPU, and can sleep, after it became a zombie.)
 *  - any other state, then sched_wakeup of the task before it is switched in
 *    again: it was asleep, and that was its one wake-up. The kernel cannot
 *    write sched_wakeup for a task whose state is running, which it is until
 *    it goes to sleep again.
 *  - any other state, and switched in without that: a signal was pending,
 *    __schedule() left it on the run queue.
 *  - any other state and nothing more of the task: unsure.
 *  - unsure, too, when the waking began before the switch-out: a signal's waker
 *    finds the state asleep, __schedule() finds the signal and leaves the task
 *    on the run queue, and sched_wakeup follows all the same.
 * A sched_wakeup before the switch-out has stopped the task from going to
 * sleep and is no wake-up of a sleeper. The waker is who wrote the last
 * sched_waking of the task before that sched_wakeup: between the two the
 * task's state lets no other waking through.
 */
#include "witness.h"

#include <ctype.h>
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum line_type {
	SWITCH, WAKING, WAKEUP, FORK, ENTER, EXIT,
};

/* One line of the text. */
struct line {
	uint64_t order;
	uint64_t next;		/* order of the next line on that CPU */
	int type;
	int cpu;
	int pid;		/* who wrote it */
	int other;		/* next_pid, the woken, the child */
	int nr;
	char state;		/* of SWITCH: prev_state; 'r' for R+ */
};

#define WAKING_OR_RUNNING	'?'	/* such a state */

struct lines {
	struct line *line;
	size_t n, size;
};

static const struct {
	const char *name;
	int type;
} events[] = {
	{ "sched_switch", SWITCH },
	{ "sched_waking", WAKING },
	{ "sched_wakeup", WAKEUP },
	{ "sched_process_fork", FORK },
	{ "sys_enter", ENTER },
	{ "sys_exit", EXIT },
	/* Recorded, but the switches and calls say the same. */
	{ "sched_wakeup_new", -1 },
	{ "sched_process_exec", -1 },
	{ "sched_process_exit", -1 },
};

static int event_type(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < sizeof(events) / sizeof(*events); i++)
		if (strlen(events[i].name) == len &&
		    !memcmp(events[i].name, name, len))
			return events[i].type;
	return -2;
}

/* The last " KEY=" in the text: names of tasks stand before the numbers. */
static const char *field(const char *text, const char *key)
{
	const char *at, *found = NULL;

	for (at = text; (at = strstr(at, key)); at++)
		found = at + strlen(key);
	return found;
}

static int number(const char *text, const char *key, const char *line)
{
	const char *at = field(text, key);

	if (!at)
		errx(1, "ftrace: no%s in: %s", key, line);
	return atoi(at);
}

/* "   comm-123   [000] d..2.   1605: sched_switch: prev_comm=..." */
static bool parse(const char *text, int cpu, struct line *l)
{
	const char *at, *name, *rest, *dash;
	char want[16];
	static char running;

	if (!running)
		running = w_kernel_is(5, 18) ? 'R' : WAKING_OR_RUNNING;
	snprintf(want, sizeof(want), " [%03d] ", cpu);
	at = strstr(text, want);
	if (!at)
		errx(1, "ftrace: cannot read: %s", text);
	for (dash = at; dash > text && *dash != '-'; dash--)
		;
	l->cpu = cpu;
	l->pid = atoi(dash + 1);

	at += strlen(want);
	at += strcspn(at, " ");			/* flags */
	at += strspn(at, " ");
	l->order = strtoull(at, (char **)&name, 10);
	if (strncmp(name, ": ", 2))
		errx(1, "ftrace: no counter (trace_clock?) in: %s", text);
	name += 2;
	rest = name + strcspn(name, ":");
	l->type = event_type(name, rest - name);

	switch (l->type) {
	case SWITCH:
		l->other = number(rest, " next_pid=", text);
		at = field(rest, " prev_state=");
		if (!at || number(rest, " prev_pid=", text) != l->pid)
			errx(1, "ftrace: not by the one that leaves: %s", text);
		l->state = at[0] != 'R' ? at[0] : at[1] == '+' ? 'r' : running;
		return true;
	case WAKING:
	case WAKEUP:
		l->other = number(rest, " pid=", text);
		return true;
	case FORK:
		l->other = number(rest, " child_pid=", text);
		return true;
	case ENTER:
		l->nr = number(rest, " NR ", text);
		return true;
	case EXIT:
		return true;
	case -1:
		return false;
	default:
		errx(1, "ftrace: unexpected event: %s", text);
	}
}

static struct line *add_line(struct lines *ls)
{
	if (ls->n == ls->size) {
		ls->size = ls->size ? 2 * ls->size : 1 << 16;
		ls->line = realloc(ls->line, ls->size * sizeof(*ls->line));
		if (!ls->line)
			errx(1, "no memory");
	}
	memset(&ls->line[ls->n], 0, sizeof(*ls->line));
	return &ls->line[ls->n++];
}

static void read_cpu(struct lines *ls, const char *tracefs, int cpu)
{
	size_t first = ls->n, len = 0;
	char path[4096], *text = NULL;
	FILE *f;

	snprintf(path, sizeof(path), "%s/per_cpu/cpu%d/trace", tracefs, cpu);
	f = fopen(path, "r");
	if (!f)
		err(1, "%s", path);
	while (getline(&text, &len, f) > 0) {
		struct line *l;

		if (text[0] == '#' || text[0] == '\n')
			continue;
		if (strstr(text, "LOST "))
			errx(1, "%s: events were lost: %s", path, text);
		l = add_line(ls);
		if (!parse(text, cpu, l)) {
			ls->n--;
			continue;
		}
		l->next = UINT64_MAX;
		if (ls->n - 1 > first)
			l[-1].next = l->order;
	}
	if (ferror(f))
		err(1, "%s", path);
	free(text);
	fclose(f);
}

static int by_order(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	return x->order < y->order ? -1 : x->order > y->order;
}

/* --- the story of each task --- */

/* A place in a w_cpu, whose array may move. */
struct place {
	int cpu;
	size_t i;
};

struct task {
	bool is_out;		/* seen to leave, not to come back yet */
	bool woken;
	char state;
	uint64_t out_next;	/* a time at which it had surely left */
	struct place out;
	int waking_by, waking_cpu;
	uint64_t waking_order;
};

/* Who runs on a CPU. */
struct cur {
	bool known;
	int tid, ident;
};

struct story {
	struct w_witness *w;
	struct task *tasks;	/* by identity */
	int *ident;		/* tid -> the first tid of the task that has it */
	struct cur cur[W_CPUS];
	const struct lines *lines;
	unsigned int renamed;	/* times that a thread took its leader's tid */
};

static struct w_rec *at(struct story *s, struct place p)
{
	return &s->w->cpu[p.cpu].recs[p.i];
}

/*
 * Exec by a thread that is not the leader gives it the leader's tid, and the
 * leader, which is dying, the thread's. Nothing says when. It shows when the
 * task that was switched in last on a CPU writes something under another tid
 * than it came with, the thread or the leader, whoever is first.
 */
static void swap_tids(struct story *s, int a, int b)
{
	int was = s->ident[a];

	s->ident[a] = s->ident[b];
	s->ident[b] = was;
	s->renamed++;
}

/* Who wrote the record: the task that was switched in last on that CPU. */
static int who(struct story *s, const struct line *l)
{
	struct cur *cur = &s->cur[l->cpu];

	if (cur->known && s->ident[l->pid] != cur->ident) {
		if (!cur->tid || !l->pid)
			errx(1, "ftrace: %d runs on CPU %d and never came, at %llu",
			     l->pid, l->cpu, (unsigned long long)l->order);
		swap_tids(s, cur->tid, l->pid);
	}
	*cur = (struct cur){ true, l->pid, s->ident[l->pid] };
	return cur->ident;
}

/*
 * Who is switched in. If that one already runs elsewhere, it is the leader
 * that comes back, put off its CPU while it was dying, and the thread has its
 * tid but has not written anything since: what it writes next says which.
 */
static int comes(struct story *s, const struct line *l)
{
	const struct line *next, *end = s->lines->line + s->lines->n;
	int cpu;

	for (cpu = 0; l->other && cpu < s->w->cpus; cpu++) {
		if (cpu == l->cpu || s->cur[cpu].ident != s->ident[l->other])
			continue;
		for (next = l; next < end && next->cpu != cpu; next++)
			;
		if (next < end)
			swap_tids(s, l->other, next->pid);
		break;
	}
	s->cur[l->cpu] = (struct cur){ true, l->other, s->ident[l->other] };
	return s->ident[l->other];
}

static void leave(struct story *s, const struct line *l, int tid)
{
	struct task *t = &s->tasks[tid];
	struct w_rec rec = { .order = l->order, .type = W_OUT, .tid = tid };

	rec.left = tolower(l->state) == 'r' ? W_RUNNABLE :
		   strchr("ZX", l->state) ? W_DEAD : W_UNSURE;
	w_add(s->w, l->cpu, &rec);
	t->is_out = true;
	t->woken = false;
	t->state = l->state;
	t->out_next = l->next;
	t->out = (struct place){ l->cpu, s->w->cpu[l->cpu].n - 1 };
}

static void wake(struct story *s, int tid)
{
	struct task *t = &s->tasks[tid];

	if (t->is_out && tolower(t->state) != 'r') {
		t->woken = true;
		/* Or, when the waking met the switch-out, left on the queue. */
		if (t->waking_order >= t->out_next)
			at(s, t->out)->left = W_ASLEEP;
	}
}

static void enter(struct story *s, const struct line *l, int tid)
{
	struct task *t = &s->tasks[tid];
	struct w_rec rec = { .order = l->order, .type = W_IN, .tid = tid };

	if (t->is_out) {
		rec.came = t->woken ? W_WOKEN : W_STILL;
		if (!t->woken)
			at(s, t->out)->left = W_RUNNABLE;
	}
	if (t->woken) {
		rec.waker = t->waking_by;
		rec.waker_cpu = t->waking_cpu;
		/*
		 * gotrace's probes are called after ftrace's, which were there
		 * first, and before the next record on the same CPU. So its
		 * switch-out probe surely came before its waking probe only
		 * if that next record is older than ftrace's sched_waking.
		 */
		rec.at_switch = t->waking_order < t->out_next;
	}
	w_add(s->w, l->cpu, &rec);
	t->is_out = false;
	t->woken = false;
}

static void tell(struct story *s, const struct line *l)
{
	int tid = who(s, l), other = s->ident[l->other];
	struct w_rec rec = { .order = l->order, .tid = tid };

	switch (l->type) {
	case SWITCH:
		if (tid)
			leave(s, l, tid);
		other = comes(s, l);
		if (other)
			enter(s, l, other);
		break;
	case WAKING:
		s->tasks[other].waking_by = tid;
		s->tasks[other].waking_cpu = l->cpu;
		s->tasks[other].waking_order = l->order;
		break;
	case WAKEUP:
		wake(s, other);
		break;
	case FORK:
		s->ident[l->other] = l->other;
		memset(&s->tasks[l->other], 0, sizeof(*s->tasks));
		rec.type = W_CREATE;
		rec.other = l->other;
		w_add(s->w, l->cpu, &rec);
		break;
	case ENTER:
		rec.type = W_CALL;
		rec.nr = l->nr;
		w_add(s->w, l->cpu, &rec);
		break;
	case EXIT:
		rec.type = W_RET;
		w_add(s->w, l->cpu, &rec);
		break;
	}
}

void w_read_ftrace(struct w_witness *w, const char *tracefs)
{
	struct lines ls = { 0 };
	struct story s = { .w = w, .lines = &ls };
	size_t i;
	int n;

	w->name = "ftrace";
	for (n = 0; n < w->cpus; n++)
		read_cpu(&ls, tracefs, n);
	qsort(ls.line, ls.n, sizeof(*ls.line), by_order);

	s.tasks = calloc(W_TIDS, sizeof(*s.tasks));
	s.ident = malloc(W_TIDS * sizeof(*s.ident));
	if (!s.tasks || !s.ident)
		errx(1, "no memory");
	for (n = 0; n < W_TIDS; n++)
		s.ident[n] = n;
	for (i = 0; i < ls.n; i++)
		tell(&s, &ls.line[i]);
	printf("# ftrace: tids changed hands %u times\n", s.renamed);
	free(s.tasks);
	free(s.ident);
	free(ls.line);
}
