// SPDX-License-Identifier: LGPL-2.1 OR MIT
/* A trace in order, with states; see timeline.h. */
#include "timeline.h"

#include <string.h>

/* Events, or records, between two reports. */
#define REPORT_EVERY (1u << 16)

static void report(struct gt_timeline *t, uint64_t done)
{
	if (t->progress.report)
		t->progress.report(t->progress.arg, done, t->source.len);
}

/* Of a Go program's strings, the first are labels of its garbage collector's. */
static bool is_kernel(const struct gt_trace *t)
{
	struct gt_string s;

	gt_names_string(&t->names, GT_STRING_GOTRACE, &s);
	return s.len == 7 && !memcmp(s.text, "gotrace", 7);
}

/* The first reading: nothing is looked at but what it teaches. */
static int read_once(struct gt_timeline *t)
{
	enum gt_trace_next next;
	struct gt_event ev;
	unsigned int n = 0;

	gt_trace_learn(&t->trace);
	while ((next = gt_trace_next(&t->trace, &ev)) > GT_TRACE_END) {
		if (!gt_index_add(&t->index, &t->trace,
				  next == GT_TRACE_EVENT ? &ev : NULL) ||
		    (next == GT_TRACE_EVENT && !gt_losses_add(&t->losses, &ev)))
			return gt_error_set(&t->error, t->trace.reader.rec_off,
					    "no memory for the trace's Batches");
		if (++n % REPORT_EVERY == 0)
			report(t, t->trace.reader.off);
	}
	gt_index_finish(&t->index);
	t->kernel = is_kernel(&t->trace);
	if (!gt_losses_finish(&t->losses, &t->trace))
		return gt_error_set(&t->error, 0, "no memory for the trace's losses");
	if (next == GT_TRACE_END)
		return 0;
	t->error = t->trace.reader.error;
	return t->lenient ? 0 : -1;
}

/* Nothing behind the damage is known: not even the frequency, maybe. */
static int note_damage(struct gt_timeline *t)
{
	const struct gt_reader *r = &t->trace.reader;

	t->damage = t->error;
	t->cut = r->ended ? r->off : r->rec_off;
	t->error = (struct gt_error){ 0 };
	t->hz_lost = !t->trace.hz;
	if (t->hz_lost)
		t->trace.hz = GT_HZ_GUESS;
	if (!t->trace.events)
		return gt_error_set(&t->error, t->cut, "there is no event before the fault");
	return 0;
}

static int begin(struct gt_timeline *t, int err)
{
	unsigned int version = t->trace.reader.version;

	if (err) {
		t->error = t->trace.reader.error;
		return -1;
	}
	gt_state_init(&t->state, version, t->lenient, &t->trace.names);
	if (read_once(t))
		return -1;
	if (t->lenient && note_damage(t))
		return -1;
	/* Its buffer is not needed any more. */
	gt_reader_exit(&t->trace.reader);
	return gt_order_init(&t->order, &t->source, &t->index, version,
			     t->lenient, &t->error);
}

static void init(struct gt_timeline *t, bool lenient,
		 const struct gt_progress *progress)
{
	memset(t, 0, sizeof(*t));
	t->lenient = lenient;
	if (progress)
		t->progress = *progress;
}

static int init_fd(struct gt_timeline *t, int fd)
{
	if (gt_source_init_fd(&t->source, fd, &t->error))
		return -1;
	return begin(t, gt_trace_init_fd(&t->trace, t->source.fd));
}

static int init_mem(struct gt_timeline *t, const void *data, size_t len)
{
	gt_source_init_mem(&t->source, data, len);
	return begin(t, gt_trace_init_mem(&t->trace, data, len));
}

int gt_timeline_init_fd(struct gt_timeline *t, int fd,
			const struct gt_progress *progress)
{
	init(t, false, progress);
	return init_fd(t, fd);
}

int gt_timeline_init_mem(struct gt_timeline *t, const void *data, size_t len,
			 const struct gt_progress *progress)
{
	init(t, false, progress);
	return init_mem(t, data, len);
}

int gt_timeline_init_damaged_fd(struct gt_timeline *t, int fd,
				const struct gt_progress *progress)
{
	init(t, true, progress);
	return init_fd(t, fd);
}

int gt_timeline_init_damaged_mem(struct gt_timeline *t, const void *data,
				 size_t len, const struct gt_progress *progress)
{
	init(t, true, progress);
	return init_mem(t, data, len);
}

void gt_timeline_exit(struct gt_timeline *t)
{
	gt_order_exit(&t->order);
	gt_state_exit(&t->state);
	gt_index_exit(&t->index);
	gt_losses_exit(&t->losses);
	gt_trace_exit(&t->trace);
	gt_source_exit(&t->source);
}

int gt_timeline_peek(struct gt_timeline *t)
{
	int ret;

	if (!t->next) {
		ret = gt_order_next(&t->order, &t->next, &t->error);
		if (ret <= 0)
			return ret;
	}
	t->ev = t->next;
	t->time = gt_trace_time(&t->trace, t->ev->ticks);
	return 1;
}

/* ---- What is lost ---- */

static void make(struct gt_timeline *t, unsigned int type, int64_t p,
		 uint64_t g, uint64_t arg)
{
	t->made = (struct gt_event){
		.desc = gt_event_desc(type), .type = type,
		.off = t->next->off, .ticks = t->next->ticks,
		.p = p, .g = g, .args = { arg },
	};
	t->made.nargs = gt_event_nargs(t->made.desc,
				       t->trace.reader.version);
}

/* A G that is to start: make it runnable, and its P free. */
static bool make_runnable(struct gt_timeline *t, uint64_t id)
{
	const struct gt_event *ev = t->next;
	const struct gt_p *p = gt_state_find_p(&t->state, ev->p);
	const struct gt_g *g = gt_state_find_g(&t->state, id);

	if (p && p->g) {
		make(t, GT_EV_GO_SCHED, ev->p, p->g->id, 0);
		return true;
	}
	switch (g ? g->now.status : GT_G_UNKNOWN) {
	case GT_G_UNKNOWN:
		make(t, GT_EV_GO_CREATE, ev->p, 0, id);
		return true;
	case GT_G_RUNNING:
		make(t, GT_EV_GO_SCHED, g->now.p, id, 0);
		return true;
	case GT_G_WAITING:
		make(t, GT_EV_GO_UNBLOCK, ev->p, 0, id);
		return true;
	case GT_G_SYSCALL:
		make(t, GT_EV_GO_SYSEXIT, ev->p, id, id);
		return true;
	default:
		return false;
	}
}

/* A G that is woken: it fell asleep where it was last seen running. */
static bool make_waiting(struct gt_timeline *t, uint64_t id)
{
	const struct gt_g *g = gt_state_find_g(&t->state, id);

	if (!g || g->now.status != GT_G_RUNNING)
		return false;
	make(t, GT_EV_GO_BLOCK, g->now.p, id, 0);
	return true;
}

/* The next step towards what the next event needs, if it needs one. */
static bool make_up(struct gt_timeline *t)
{
	const struct gt_event *ev = t->next;

	switch (gt_event_plain(ev->type)) {
	case GT_EV_GO_START:
	case GT_EV_GO_START_LABEL:
		return make_runnable(t, ev->g);
	case GT_EV_GO_UNBLOCK:
	case GT_EV_GO_SYSEXIT:
		return make_waiting(t, ev->args[0]);
	default:
		return false;
	}
}

/*
 * Whose event it is: who runs there, which after what was made up and left out
 * is not who the file says.
 */
static void settle_g(struct gt_timeline *t)
{
	struct gt_event *ev = t->next;
	const struct gt_p *p;

	switch (gt_event_plain(ev->type)) {
	case GT_EV_GO_START:
	case GT_EV_GO_START_LABEL:
	case GT_EV_GO_SYSEXIT:
	case GT_EV_GO_WAITING:
	case GT_EV_GO_IN_SYSCALL:
	case GT_EV_GC_START:
	case GT_EV_GC_DONE:
	case GT_EV_STW_START:
	case GT_EV_STW_DONE:
	case GT_EV_CPU_SAMPLE:
		return;
	}
	p = gt_state_find_p(&t->state, ev->p);
	ev->g = p && p->g ? p->g->id : 0;
}

/* The next event, or one that it needs first. Return: is there one? */
static bool take_damaged(struct gt_timeline *t)
{
	settle_g(t);
	if (make_up(t) &&
	    !gt_state_apply(&t->state, &t->made, t->time, &t->error)) {
		t->made_up++;
		t->ev = &t->made;
		return true;
	}
	if (!gt_state_apply(&t->state, t->next, t->time, &t->error)) {
		t->next = NULL;
		return true;
	}
	if (!t->left_out++)
		t->why = t->error;
	t->error = (struct gt_error){ 0 };
	t->next = NULL;
	return false;
}

/* ---- */

static int next_event(struct gt_timeline *t)
{
	int ret;

	while ((ret = gt_timeline_peek(t)) > 0) {
		if (t->lenient) {
			if (take_damaged(t))
				return 1;
			continue;
		}
		t->next = NULL;
		if (gt_state_apply(&t->state, t->ev, t->time, &t->error))
			return -1;
		return 1;
	}
	return ret;
}

int gt_timeline_next(struct gt_timeline *t)
{
	int ret = next_event(t);

	if (ret <= 0)
		return ret;
	if (++t->events % REPORT_EVERY == 0)
		report(t, t->trace.events ? (double)t->source.len *
					    t->events / t->trace.events : 0);
	return 1;
}

int64_t gt_timeline_row(const struct gt_timeline *t)
{
	const struct gt_event *ev = t->ev;

	switch (gt_event_plain(ev->type)) {
	case GT_EV_GC_START:
		return GT_ROW_GC;
	case GT_EV_GO_SYSEXIT:
		return GT_ROW_SYSCALLS;
	case GT_EV_GO_UNBLOCK:
		if (gt_map_find(&t->index.timers, ev->g))
			return GT_ROW_TIMERS;
		if (t->state.was.why == GT_EV_GO_BLOCK_NET)
			return GT_ROW_NETWORK;
		return ev->p;
	default:
		return ev->p;
	}
}

struct gt_string gt_timeline_g_name(const struct gt_timeline *t,
				    const struct gt_g *g)
{
	const struct gt_names *names = &t->trace.names;
	struct gt_string s = { .text = "" };

	if (gt_names_stack(names, g->newstk))
		gt_names_string(names, gt_names_frame(names, g->newstk, 0).fn,
				&s);
	return s;
}

/* As the module writes it (kmod/string.h, kmod/stack.h): a string for each name. */
#define FIRST_NAME	(UINT64_C(1) << 20)	/* a stack */
#define FIRST_PROCESS	(UINT64_C(1) << 21)	/* a string */

uint64_t gt_timeline_g_process(const struct gt_timeline *t,
			       const struct gt_g *g)
{
	struct gt_string s;
	uint64_t n = 0;

	if (!t->kernel || g->newstk <= FIRST_NAME ||
	    !gt_names_string(&t->trace.names,
			     g->newstk - FIRST_NAME + FIRST_PROCESS, &s))
		return 0;
	for (size_t i = 0; i < s.len; i++) {
		if (s.text[i] < '0' || s.text[i] > '9' || n > INT32_MAX)
			return 0;
		n = 10 * n + (s.text[i] - '0');
	}
	return n;
}
