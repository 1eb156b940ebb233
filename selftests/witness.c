// SPDX-License-Identifier: GPL-2.0
/*
 * witness: did ftrace and gotrace see the same?
 *
 *	witness MODE TRACE TRACEFS UNISTD LEAST
 *
 *	MODE     calls or regions: how TRACE was recorded
 *	TRACE    gotrace's file
 *	TRACEFS  where ftrace's buffers can be read, recording stopped
 *	UNISTD   asm/unistd_64.h: the numbers of the system calls
 *	LEAST    of switches, wake-ups and calls; less is no comparison
 *
 * Both recorded witness_load. On each CPU the window reaches from the marker's
 * first switch-out after its first getpriority to its last switch-in before
 * its last one. In the window must be the same, without exception:
 *
 * 1. For each CPU, the one sequence of all that tasks do there: who is
 *    switched in; who is switched out, and whether asleep, still runnable or
 *    dead; who makes whom; who enters which system call; with regions, who
 *    leaves one. All of it happens in the order of one CPU's program, so the
 *    two must agree on the order of all, not just of each kind.
 *
 * 2. For each task, how it came to run each time: woken, or runnable since it
 *    left; and who woke it, on which CPU. This is not part of the sequence
 *    because an interrupt can wake somebody between the two tracers' probes
 *    of one sys_enter. A task's first switch-in is left out: its wake-up may
 *    lie before the recording.
 *
 * What may differ, and how it is known to be no mistake:
 *
 * a. A switch-out is unsure in ftrace when it is the last thing there of a
 *    task. Then how it left is not compared.
 *
 * b. gotrace ends the region of a call that never returns (exit) when the
 *    task ends. So an end directly before a task's death counts only if
 *    ftrace has it too.
 *
 * c. A return counts only if its call lies in the window: a new task's first
 *    return (of a fork that its parent made), and those of calls made before
 *    gotrace began to record, have no start in the trace, and so no end.
 *
 * d. When a wake-up and the switch-out of the woken meet on two CPUs, gotrace
 *    may see them in the other order than ftrace did (between the two, each
 *    CPU calls its probes one after the other). It then writes the wake-up
 *    with the switch-out, without its waker. That is accepted only where
 *    ftrace's order of records leaves it possible; see witness_ftrace.c.
 *
 * e. Newer kernels call the probes of calls, returns and births preemptible:
 *    the task can be put off its CPU when ftrace's was called and gotrace's
 *    was not yet. Then ftrace has the record before the switch-out, gotrace
 *    after the task came back, maybe on another CPU. Accepted only if the
 *    task did nothing in between but being put off, runnable, and coming back.
 */
#include "witness.h"

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>

#define SHOW_MAX	10	/* differences shown of a kind */
#define CONTEXT		6	/* records shown around one */

static struct {
	char name[40];
	int nr;
} calls[1024];
static size_t ncalls;

static void read_calls(const char *path)
{
	FILE *f = fopen(path, "r");
	char line[256];

	if (!f)
		err(1, "%s", path);
	while (ncalls < sizeof(calls) / sizeof(*calls) &&
	       fgets(line, sizeof(line), f))
		if (sscanf(line, "#define __NR_%39s %d", calls[ncalls].name,
			   &calls[ncalls].nr) == 2)
			ncalls++;
	fclose(f);
	if (ncalls < 300)
		errx(1, "%s: only %zu system calls", path, ncalls);
}

int w_call_nr(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < ncalls; i++)
		if (strlen(calls[i].name) == len &&
		    !memcmp(calls[i].name, name, len))
			return calls[i].nr;
	return -1;
}

static const char *call_name(int nr)
{
	size_t i;

	for (i = 0; i < ncalls; i++)
		if (calls[i].nr == nr)
			return calls[i].name;
	return "?";
}

bool w_kernel_is(int major, int minor)
{
	struct utsname u;
	int is_major, is_minor;

	if (uname(&u) || sscanf(u.release, "%d.%d", &is_major, &is_minor) != 2)
		errx(1, "cannot tell the kernel's version");
	return is_major > major || (is_major == major && is_minor >= minor);
}

struct w_rec *w_add(struct w_witness *w, int cpu, const struct w_rec *rec)
{
	struct w_cpu *c = &w->cpu[cpu];

	if (c->n == c->size) {
		c->size = c->size ? 2 * c->size : 1 << 14;
		c->recs = realloc(c->recs, c->size * sizeof(*c->recs));
		if (!c->recs)
			errx(1, "no memory");
	}
	c->recs[c->n] = *rec;
	c->recs[c->n].cpu = cpu;
	return &c->recs[c->n++];
}

/* --- what is compared --- */

/* Records by reference, in some order. */
struct list {
	const struct w_rec **rec;
	size_t n;
};

struct view {
	const struct w_witness *w;
	size_t lo[W_CPUS], hi[W_CPUS];	/* the window: recs[lo] to recs[hi - 1] */
	struct list cpu[W_CPUS];	/* what is compared of it */
	struct list in;			/* its switch-ins, task by task */
};

static int mark_nr;

static void find_window(struct view *v, int cpu)
{
	const struct w_cpu *c = &v->w->cpu[cpu];
	size_t first = c->n, last = 0, i;
	int marker;

	for (i = 0; i < c->n; i++) {
		if (c->recs[i].type != W_CALL || c->recs[i].nr != mark_nr)
			continue;
		if (first == c->n)
			first = i;
		last = i;
	}
	if (first >= last)
		errx(1, "%s: no marks on CPU %d", v->w->name, cpu);
	marker = c->recs[first].tid;
	if (c->recs[last].tid != marker)
		errx(1, "%s: marks of %d and %d on CPU %d", v->w->name, marker,
		     c->recs[last].tid, cpu);
	for (i = first; i < last; i++)
		if (c->recs[i].type == W_OUT && c->recs[i].tid == marker)
			break;
	v->lo[cpu] = i + 1;
	for (i = last; i > v->lo[cpu]; i--)
		if (c->recs[i].type == W_IN && c->recs[i].tid == marker)
			break;
	v->hi[cpu] = i;
	if (v->lo[cpu] >= v->hi[cpu])
		errx(1, "%s: nothing between the marks on CPU %d", v->w->name,
		     cpu);
}

static bool in_window(const struct view *v, const struct w_rec *r)
{
	const struct w_rec *recs = v->w->cpu[r->cpu].recs;

	return r >= recs + v->lo[r->cpu] && r < recs + v->hi[r->cpu];
}

static int by_order(const void *a, const void *b)
{
	const struct w_rec *x = *(const struct w_rec **)a;
	const struct w_rec *y = *(const struct w_rec **)b;

	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	/* The two sides of one switch. */
	return x < y ? -1 : x > y;
}

static int by_task(const void *a, const void *b)
{
	const struct w_rec *x = *(const struct w_rec **)a;
	const struct w_rec *y = *(const struct w_rec **)b;

	return x->tid != y->tid ? (x->tid < y->tid ? -1 : 1) : by_order(a, b);
}

static void push(struct list *l, const struct w_rec *r)
{
	l->rec[l->n++] = r;
}

static void alloc_list(struct list *l, size_t n)
{
	l->rec = malloc((n + 1) * sizeof(*l->rec));
	l->n = 0;
	if (!l->rec)
		errx(1, "no memory");
}

static void build_view(struct view *v, const struct w_witness *w, bool with_rets)
{
	/* Tasks that are inside a call that they made in the window. */
	bool *inside = calloc(W_TIDS, sizeof(*inside));
	size_t total = 0, i, n;
	struct list all;
	int cpu;

	if (!inside)
		errx(1, "no memory");
	v->w = w;
	for (cpu = 0; cpu < w->cpus; cpu++) {
		find_window(v, cpu);
		alloc_list(&v->cpu[cpu], w->cpu[cpu].n);
		total += w->cpu[cpu].n;
	}
	alloc_list(&all, total);
	alloc_list(&v->in, total);
	for (cpu = 0; cpu < w->cpus; cpu++)
		for (i = 0; i < w->cpu[cpu].n; i++)
			push(&all, &w->cpu[cpu].recs[i]);
	qsort(all.rec, all.n, sizeof(*all.rec), by_order);

	for (n = 0; n < all.n; n++) {
		const struct w_rec *r = all.rec[n];
		bool was_inside = inside[r->tid];

		if (r->type == W_CALL)
			inside[r->tid] = in_window(v, r);
		else if (r->type == W_RET)
			inside[r->tid] = false;
		else if (r->type == W_OUT && r->left == W_DEAD)
			inside[r->tid] = false;
		if (!in_window(v, r) ||
		    (r->type == W_RET && !(with_rets && was_inside)))
			continue;
		push(&v->cpu[r->cpu], r);
		if (r->type == W_IN)
			push(&v->in, r);
	}
	qsort(v->in.rec, v->in.n, sizeof(*v->in.rec), by_task);
	free(all.rec);
	free(inside);
}

/* --- words --- */

static void print_rec(const char *name, const struct w_rec *r)
{
	static const char * const how[] = {
		[W_ASLEEP] = "asleep",
		[W_RUNNABLE] = "runnable",
		[W_DEAD] = "dead",
		[W_UNSURE] = "unsure",
	};

	printf("#   %-8s", name);
	if (!r) {
		printf(" (end)\n");
		return;
	}
	switch (r->type) {
	case W_IN:
		printf(" %d in\n", r->tid);
		break;
	case W_OUT:
		printf(" %d out, %s\n", r->tid, how[r->left]);
		break;
	case W_CREATE:
		printf(" %d makes %d\n", r->tid, r->other);
		break;
	case W_CALL:
		printf(" %d calls %s (%d)\n", r->tid, call_name(r->nr), r->nr);
		break;
	case W_RET:
		printf(" %d returns\n", r->tid);
		break;
	}
}

static const struct w_rec *get(const struct list *l, size_t i)
{
	return i < l->n ? l->rec[i] : NULL;
}

static void print_context(const char *name, const struct list *l, size_t i)
{
	size_t n, from = i > CONTEXT ? i - CONTEXT : 0;

	for (n = from; n <= i + CONTEXT && n <= l->n; n++)
		print_rec(n == i ? "-->" : name, get(l, n));
}

static void print_came(const char *name, const struct w_rec *r)
{
	printf("#   %-8s on CPU %d ", name, r->cpu);
	if (r->came == W_WOKEN && r->at_switch)
		printf("woken by %d on CPU %d, at the switch\n", r->waker,
		       r->waker_cpu);
	else if (r->came == W_WOKEN)
		printf("woken by %d on CPU %d\n", r->waker, r->waker_cpu);
	else
		printf("%s\n", r->came == W_STILL ? "runnable all the time" :
		       "unknown");
}

/* --- comparing --- */

static bool same(const struct w_rec *f, const struct w_rec *g)
{
	if (f->type != g->type || f->tid != g->tid)
		return false;
	switch (f->type) {
	case W_OUT:
		return f->left == W_UNSURE || f->left == g->left;	/* rule a */
	case W_CREATE:
		return f->other == g->other;
	case W_CALL:
		return f->nr == g->nr;
	default:
		return true;
	}
}

/* Rule b: is g[i] the end that gotrace made up for a dying task? */
static bool is_end_of_dead(const struct list *g, size_t i, const struct w_rec *f)
{
	const struct w_rec *r = get(g, i), *next = get(g, i + 1);

	return r && next && f && r->type == W_RET && next->type == W_OUT &&
	       next->left == W_DEAD && next->tid == r->tid && same(f, next);
}

/* Where the comparison is: the next records of each CPU. */
struct compare {
	const struct view *fv, *gv;
	size_t i[W_CPUS], j[W_CPUS];
	bool differs[W_CPUS];
	unsigned long n[W_CPUS][W_TYPES];	/* the same */
	unsigned long ends;			/* rule b */
	unsigned long late;			/* rule e */
	bool may_be_late;
	const struct w_rec **owed;	/* rule e, by tid: ftrace has it, gotrace not yet */
};

static bool is_runnable_out(const struct w_rec *r, int tid)
{
	return r && r->type == W_OUT && r->left == W_RUNNABLE && r->tid == tid;
}

/* Rule e: ftrace's record will come in gotrace after the task's switch-out. */
static bool begins_late(struct compare *c, int cpu, const struct w_rec *f, const struct w_rec *g)
{
	return c->may_be_late && (f->type == W_CALL || f->type == W_RET || f->type == W_CREATE) &&
	       !c->owed[f->tid] && is_runnable_out(g, f->tid) &&
	       is_runnable_out(get(&c->fv->cpu[cpu], c->i[cpu] + 1), f->tid);
}

/* Rule e: gotrace's record is what is owed. */
static bool ends_late(struct compare *c, const struct w_rec *g)
{
	const struct w_rec *owed = c->owed[g->tid];

	if (!owed || !same(owed, g))
		return false;
	c->owed[g->tid] = NULL;
	c->late++;
	return true;
}

/* What is owed must come before the task does anything else. */
static bool same_and_due(struct compare *c, const struct w_rec *f, const struct w_rec *g)
{
	if (c->owed[g->tid] && g->type != W_IN && !is_runnable_out(g, g->tid))
		return false;
	return same(f, g);
}

/* The next record of gotrace on a CPU; false when it has no equal. */
static bool compare_next(struct compare *c, int cpu)
{
	const struct list *f = &c->fv->cpu[cpu], *g = &c->gv->cpu[cpu];

	if (ends_late(c, g->rec[c->j[cpu]])) {
		c->j[cpu]++;
		return true;
	}
	if (c->i[cpu] == f->n)
		return false;
	if (is_end_of_dead(g, c->j[cpu], f->rec[c->i[cpu]])) {
		c->ends++;
		c->j[cpu]++;
	}
	if (begins_late(c, cpu, f->rec[c->i[cpu]], g->rec[c->j[cpu]])) {
		c->owed[f->rec[c->i[cpu]]->tid] = f->rec[c->i[cpu]];
		c->i[cpu]++;
	}
	if (!same_and_due(c, f->rec[c->i[cpu]], g->rec[c->j[cpu]]))
		return false;
	c->n[cpu][f->rec[c->i[cpu]]->type]++;
	c->i[cpu]++;
	c->j[cpu]++;
	return true;
}

/* The CPU with gotrace's next record in its order of all; -1 at the end. */
static int next_cpu(const struct compare *c)
{
	const struct w_rec *best = NULL, *r;
	int cpu;

	for (cpu = 0; cpu < c->gv->w->cpus; cpu++) {
		r = c->differs[cpu] ? NULL : get(&c->gv->cpu[cpu], c->j[cpu]);
		if (r && (!best || r->order < best->order))
			best = r;
	}
	return best ? best->cpu : -1;
}

/* How far a CPU's records were the same; true if all were. */
static bool print_cpu(const struct compare *c, int cpu)
{
	const struct list *f = &c->fv->cpu[cpu], *g = &c->gv->cpu[cpu];
	const unsigned long *n = c->n[cpu];

	printf("# CPU %d: same: %lu in, %lu out, %lu created, %lu calls, %lu returns\n",
	       cpu, n[W_IN], n[W_OUT], n[W_CREATE], n[W_CALL], n[W_RET]);
	if (c->i[cpu] == f->n && c->j[cpu] == g->n)
		return true;
	printf("# CPU %d: then they differ, %zu and %zu records before the ends:\n",
	       cpu, f->n - c->i[cpu], g->n - c->j[cpu]);
	print_context("ftrace", f, c->i[cpu]);
	print_context("gotrace", g, c->j[cpu]);
	return false;
}

/* True if all sequences are the same; counts by type. */
static bool compare_sequences(struct compare *c, unsigned long done[W_TYPES])
{
	bool ok = true;
	int cpu, t;

	/* For calls and returns; some release later for births, too. */
	c->may_be_late = w_kernel_is(6, 13);
	c->owed = calloc(W_TIDS, sizeof(*c->owed));
	if (!c->owed)
		errx(1, "no memory");
	while ((cpu = next_cpu(c)) >= 0)
		c->differs[cpu] = !compare_next(c, cpu);
	for (cpu = 0; cpu < c->gv->w->cpus; cpu++) {
		ok &= print_cpu(c, cpu);
		for (t = 0; t < W_TYPES; t++)
			done[t] += c->n[cpu][t];
	}
	free(c->owed);
	return ok;
}

struct wakes {
	unsigned long woken;	/* the same waker on the same CPU */
	unsigned long at_switch;	/* rule d */
	unsigned long still;
	unsigned long first;	/* left out */
	unsigned long differ;
};

static void compare_came(const struct w_rec *f, const struct w_rec *g, struct wakes *w)
{
	/* rule d, when a signal kept the task from sleeping at all */
	if (f->cpu == g->cpu && f->came == W_WOKEN && f->at_switch && g->came == W_STILL) {
		w->at_switch++;
		return;
	}
	if (f->cpu == g->cpu && f->came == g->came) {
		if (f->came == W_STILL) {
			w->still++;
			return;
		}
		if (f->came == W_WOKEN && f->waker == g->waker &&
		    f->waker_cpu == g->waker_cpu) {
			w->woken++;
			return;
		}
		if (f->came == W_WOKEN && f->at_switch && g->at_switch) {
			w->at_switch++;
			return;
		}
	}
	if (w->differ++ < SHOW_MAX) {
		printf("# task %d came to run differently:\n", f->tid);
		print_came("ftrace", f);
		print_came("gotrace", g);
	}
}

static bool compare_wakes(const struct view *fv, const struct view *gv, struct wakes *w)
{
	const struct list *f = &fv->in, *g = &gv->in;
	size_t i;

	/* Holds when the sequences of all CPUs are the same. */
	if (f->n != g->n)
		return false;
	for (i = 0; i < f->n; i++) {
		if (f->rec[i]->tid != g->rec[i]->tid)
			return false;
		if (!i || f->rec[i - 1]->tid != f->rec[i]->tid)
			w->first++;
		else
			compare_came(f->rec[i], g->rec[i], w);
	}
	return !w->differ;
}

int main(int argc, char **argv)
{
	static struct w_witness ftrace, gotrace;
	static struct view fv, gv;
	static struct compare c = { .fv = &fv, .gv = &gv };
	unsigned long done[W_TYPES] = { 0 }, least;
	struct wakes wakes = { 0 };
	bool with_rets, ok;

	if (argc != 6 || (strcmp(argv[1], "calls") && strcmp(argv[1], "regions"))) {
		fprintf(stderr, "usage: witness calls|regions TRACE TRACEFS UNISTD LEAST\n");
		return 2;
	}
	least = strtoul(argv[5], NULL, 0);
	with_rets = !strcmp(argv[1], "regions");
	read_calls(argv[4]);
	mark_nr = w_call_nr("getpriority", strlen("getpriority"));
	ftrace.cpus = gotrace.cpus = get_nprocs_conf();
	if (ftrace.cpus > W_CPUS)
		errx(1, "more than %d CPUs", W_CPUS);

	w_read_ftrace(&ftrace, argv[3]);
	w_read_trace(&gotrace, argv[2]);
	build_view(&fv, &ftrace, with_rets);
	build_view(&gv, &gotrace, with_rets);

	ok = compare_sequences(&c, done);
	if (ok && !compare_wakes(&fv, &gv, &wakes))
		ok = false;
	printf("# compared: %lu switched in, %lu switched out, %lu created, %lu calls, %lu returns\n",
	       done[W_IN], done[W_OUT], done[W_CREATE], done[W_CALL], done[W_RET]);
	printf("# compared: %lu wake-ups with waker and CPU, %lu that met the switch-out, %lu times runnable all the time; differ %lu\n",
	       wakes.woken, wakes.at_switch, wakes.still, wakes.differ);
	printf("# left out: %lu first switch-ins, %lu ends of calls that never return\n",
	       wakes.first, c.ends);
	printf("# seen by ftrace before the task was put off, by gotrace after: %lu\n", c.late);
	if (ok && (done[W_IN] < least || wakes.woken < least || done[W_CALL] < least ||
		   (with_rets && done[W_RET] < least))) {
		printf("# too little to compare\n");
		ok = false;
	}
	return !ok;
}
