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
	if (next == GT_TRACE_ERROR) {
		t->error = t->trace.reader.error;
		return -1;
	}
	gt_index_finish(&t->index);
	t->kernel = is_kernel(&t->trace);
	if (!gt_losses_finish(&t->losses, &t->trace))
		return gt_error_set(&t->error, 0, "no memory for the trace's losses");
	return 0;
}

static int begin(struct gt_timeline *t, int err)
{
	unsigned int version = t->trace.reader.version;

	if (err) {
		t->error = t->trace.reader.error;
		return -1;
	}
	gt_state_init(&t->state, version, &t->trace.names);
	if (read_once(t))
		return -1;
	/* Its buffer is not needed any more. */
	gt_reader_exit(&t->trace.reader);
	return gt_order_init(&t->order, &t->source, &t->index, version,
			     &t->error);
}

static void init(struct gt_timeline *t, const struct gt_progress *progress)
{
	memset(t, 0, sizeof(*t));
	if (progress)
		t->progress = *progress;
}

int gt_timeline_init_fd(struct gt_timeline *t, int fd,
			const struct gt_progress *progress)
{
	init(t, progress);
	if (gt_source_init_fd(&t->source, fd, &t->error))
		return -1;
	return begin(t, gt_trace_init_fd(&t->trace, t->source.fd));
}

int gt_timeline_init_mem(struct gt_timeline *t, const void *data, size_t len,
			 const struct gt_progress *progress)
{
	init(t, progress);
	gt_source_init_mem(&t->source, data, len);
	return begin(t, gt_trace_init_mem(&t->trace, data, len));
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

int gt_timeline_next(struct gt_timeline *t)
{
	struct gt_event *ev;
	int ret = gt_order_next(&t->order, &ev, &t->error);

	if (ret <= 0)
		return ret;
	t->ev = ev;
	t->time = gt_trace_time(&t->trace, ev->ticks);
	if (gt_state_apply(&t->state, ev, t->time, &t->error))
		return -1;
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
