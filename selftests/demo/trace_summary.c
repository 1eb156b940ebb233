// SPDX-License-Identifier: GPL-2.0
/*
 * trace_summary: what is in a trace, on one page.
 *
 *	trace_summary FILE
 *
 * Running times are from each start of a task to the next event that takes it
 * off its CPU; times of system calls from the start of their region to its end,
 * so with sleeping. A file holds the CPUs' events in pieces, one after the other:
 * they are put in order of time first (32 bytes of memory an event).
 */
#include <err.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/trace.h"

#define TOP	10	/* lines of each list */

struct task {
	uint64_t goid;
	uint64_t name;		/* string id */
	int64_t since;		/* ticks of its last start */
	int64_t ran;
	unsigned long starts;
	int64_t called;		/* ticks at which its call began */
};

struct call {
	uint64_t name;		/* string id */
	unsigned long count;	/* entries */
	unsigned long ends;
	int64_t spent;
};

/* What is kept of an event until all are in order. */
struct kept {
	int64_t ticks;
	uint64_t g;
	uint32_t what;		/* the other task, the stack, or the string */
	uint32_t n;		/* place in the file */
	uint8_t type;
	uint8_t end;		/* of a region */
};

static struct gt_trace trace;
static struct kept *kept;

static struct gt_map task_ids, call_ids;
static struct task *tasks;
static struct call *calls;
static size_t nkept, ntasks, ncalls;

static unsigned long events, switches, wakeups, entries, lost, gaps;
static int64_t first = INT64_MAX, last = INT64_MIN;
static uint64_t cpus;

static size_t index_of(struct gt_map *map, uint64_t key, size_t *n, void **array,
		       size_t size)
{
	uint64_t *i = gt_map_add(map, key);

	if (!i)
		errx(1, "no memory");
	if (!*i) {
		/* Powers of two, so that growing is rare. */
		if (!(*n & (*n - 1)) || !*n) {
			*array = realloc(*array, (*n ? 2 * *n : 1) * size);
			if (!*array)
				errx(1, "no memory");
		}
		memset((char *)*array + *n * size, 0, size);
		*i = ++*n;
	}
	return *i - 1;
}

static struct task *task(uint64_t goid)
{
	size_t i = index_of(&task_ids, goid, &ntasks, (void **)&tasks,
			    sizeof(*tasks));

	tasks[i].goid = goid;
	return &tasks[i];
}

static struct call *call(uint64_t name)
{
	size_t i = index_of(&call_ids, name, &ncalls, (void **)&calls,
			    sizeof(*calls));

	calls[i].name = name;
	return &calls[i];
}

/* --- counting --- */

static uint64_t leaf(uint64_t stk)
{
	return gt_names_stack(&trace.names, stk) ?
	       gt_names_frame(&trace.names, stk, 0).fn : 0;
}

/* "syscall." is in front of the names of system calls. */
static bool is_call(uint64_t string)
{
	struct gt_string s;

	return gt_names_string(&trace.names, string, &s) && s.len > 8 &&
	       !memcmp(s.text, "syscall.", 8);
}

static void enter(uint64_t name, struct task *t, int64_t ticks)
{
	call(name)->count++;
	entries++;
	t->called = ticks;
}

static void leave(uint64_t name, struct task *t, int64_t ticks)
{
	struct call *c = call(name);

	c->ends++;
	c->spent += ticks - t->called;
}

static void count(const struct kept *ev)
{
	switch (ev->type) {
	case GT_EV_GO_START:
		task(ev->g)->since = ev->ticks;
		task(ev->g)->starts++;
		switches++;
		break;
	case GT_EV_GO_BLOCK:
		task(ev->g)->ran += ev->ticks - task(ev->g)->since;
		break;
	case GT_EV_GO_SYSCALL:
		enter(leaf(ev->what), task(ev->g), ev->ticks);
		break;
	case GT_EV_USER_REGION:
		if (!is_call(ev->what))
			break;
		if (ev->end)
			leave(ev->what, task(ev->g), ev->ticks);
		else
			enter(ev->what, task(ev->g), ev->ticks);
		break;
	}
}

static int by_time(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;

	if (x->ticks != y->ticks)
		return x->ticks < y->ticks ? -1 : 1;
	return x->n < y->n ? -1 : x->n > y->n;
}

/* --- reading --- */

/* Starts and stops each become one type; false for what is counted already. */
static bool keep(const struct gt_event *ev, struct kept *k)
{
	*k = (struct kept){ .ticks = ev->ticks, .g = ev->g, .type = ev->type,
			    .n = nkept };

	switch (ev->type) {
	case GT_EV_GO_CREATE:
		task(ev->args[0])->name = leaf(ev->args[1]);
		return false;
	case GT_EV_GO_START:
	case GT_EV_GO_START_LOCAL:
	case GT_EV_GO_START_LABEL:
		k->type = GT_EV_GO_START;
		return true;
	case GT_EV_GO_UNBLOCK:
	case GT_EV_GO_UNBLOCK_LOCAL:
	case GT_EV_GO_SYSEXIT:
	case GT_EV_GO_SYSEXIT_LOCAL:
		wakeups++;
		return false;
	case GT_EV_GO_SYSCALL:
		k->what = ev->stk;
		return true;
	case GT_EV_USER_REGION:
		k->end = ev->args[1];
		k->what = ev->args[2];
		return true;
	case GT_EV_GOMAXPROCS:
		cpus = ev->args[0];
		return false;
	default:
		k->type = GT_EV_GO_BLOCK;
		return gt_event_leaves(ev->type) != GT_LEAVES_NOT;
	}
}

static void add(const struct gt_event *ev)
{
	static size_t size;
	struct kept k;

	events++;
	if (ev->ticks < first)
		first = ev->ticks;
	if (ev->ticks > last)
		last = ev->ticks;
	/* The GoSysCall in front of a GoSysBlock is no entry. */
	if (ev->type == GT_EV_GO_SYSBLOCK && nkept &&
	    kept[nkept - 1].type == GT_EV_GO_SYSCALL)
		nkept--;
	if (!keep(ev, &k))
		return;
	if (nkept == size) {
		size = size ? 2 * size : 1 << 16;
		kept = realloc(kept, size * sizeof(*kept));
		if (!kept)
			errx(1, "no memory");
	}
	kept[nkept++] = k;
}

/* The kernel says in the trace where it has gaps: "lost 12 events on cpu 0 …". */
static void add_loss(const struct gt_event *ev)
{
	char text[64];
	unsigned long n;

	if (ev->type != GT_EV_USER_LOG || ev->text_len < 5)
		return;
	snprintf(text, sizeof(text), "%.*s", (int)ev->text_len,
		 (const char *)ev->text);
	if (sscanf(text, "lost %lu events", &n) == 1) {
		lost += n;
		gaps++;
	}
}

/* --- the page --- */

static double seconds(int64_t ticks)
{
	return trace.hz ? (double)ticks / trace.hz : 0;
}

static void print_string(uint64_t id, size_t skip, int width)
{
	struct gt_string s = { "?", 1 };

	if (!gt_names_string(&trace.names, id, &s) || s.len < skip)
		skip = 0;
	printf("%-*.*s", width, (int)(s.len - skip), s.text + skip);
}

static int by_count(const void *a, const void *b)
{
	const struct call *x = a, *y = b;

	return x->count > y->count ? -1 : x->count < y->count;
}

static int by_ran(const void *a, const void *b)
{
	const struct task *x = a, *y = b;

	return x->ran > y->ran ? -1 : x->ran < y->ran;
}

static void print_calls(void)
{
	size_t i;

	qsort(calls, ncalls, sizeof(*calls), by_count);
	printf("\nMost frequent calls         calls   mean time\n");
	for (i = 0; i < ncalls && i < TOP; i++) {
		const struct call *c = &calls[i];

		printf("  ");
		print_string(c->name, 8, 20);
		printf(" %10lu", c->count);
		if (c->ends)
			printf(" %8.1f us", seconds(c->spent) / c->ends * 1e6);
		printf("\n");
	}
	if (ncalls > TOP)
		printf("  and %zu other names\n", ncalls - TOP);
}

static void print_tasks(void)
{
	int64_t total = (last - first) * (int64_t)(cpus ? cpus : 1);
	size_t i;

	qsort(tasks, ntasks, sizeof(*tasks), by_ran);
	printf("\nTasks by running time         tid      ran  of all    switched in\n");
	for (i = 0; i < ntasks && i < TOP && tasks[i].starts; i++) {
		const struct task *t = &tasks[i];

		printf("  ");
		print_string(t->name, 0, 22);
		printf(" %8" PRIu64 " %6.3f s  %5.1f%% %14lu\n",
		       t->goid & ((1 << 22) - 1), seconds(t->ran),
		       total ? 100.0 * t->ran / total : 0, t->starts);
	}
}

static void print_page(const char *file, off_t size)
{
	size_t i, ran = 0;

	for (i = 0; i < ntasks; i++)
		ran += tasks[i].starts > 0;
	printf("%s: %.3f s of %" PRIu64 " CPUs\n", file, seconds(last - first), cpus);
	printf("  tasks          %10zu, %zu of them ran\n", ntasks, ran);
	printf("  switches       %10lu\n", switches);
	printf("  wake-ups       %10lu\n", wakeups);
	printf("  system calls   %10lu, %zu names\n", entries, ncalls);
	printf("  lost events    %10lu, %lu gaps\n", lost, gaps);
	printf("  trace events   %10lu, %.2f bytes each, %.1f MiB\n", events,
	       events ? (double)size / events : 0, size / 1048576.0);
	print_calls();
	print_tasks();
}

int main(int argc, char **argv)
{
	struct gt_event ev;
	struct stat st;
	int fd, next;
	size_t i;

	if (argc != 2) {
		fprintf(stderr, "usage: trace_summary FILE\n");
		return 2;
	}
	fd = open(argv[1], O_RDONLY);
	if (fd < 0 || fstat(fd, &st))
		err(1, "%s", argv[1]);
	if (gt_trace_init_fd(&trace, fd) || gt_trace_index(&trace) != 1)
		errx(1, "%s: %s", argv[1], gt_trace_error(&trace));
	while ((next = gt_trace_next(&trace, &ev)) > 0) {
		if (next != GT_TRACE_EVENT)
			continue;
		add(&ev);
		add_loss(&ev);
	}
	if (next < 0)
		errx(1, "%s: %s", argv[1], gt_trace_error(&trace));
	qsort(kept, nkept, sizeof(*kept), by_time);
	for (i = 0; i < nkept; i++)
		count(&kept[i]);
	print_page(argv[1], st.st_size);
	gt_trace_exit(&trace);
	return 0;
}
