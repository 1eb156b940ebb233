// SPDX-License-Identifier: LGPL-2.1 OR MIT
/*
 * All Ps' events in one order; see merge.h.
 *
 * A stream is the current one, in the heap, waiting for a G, or at its end. One
 * that got into the heap stays there: that another P's event takes its state
 * away is an error, as it is to Go.
 */
#include "merge.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

/* A G's status. Zero is that of a G which nothing was said about. */
enum { UNKNOWN, RUNNABLE, RUNNING, WAITING };

static const char *const status_words[] = {
	"not created", "runnable", "running", "waiting"
};

/* Which G an event moves, and from where to where. */
struct step {
	struct gt_merge_g *g;	/* NULL: none */
	uint64_t id;
	uint64_t seq;		/* the step's number */
	bool any_seq;		/* it has none: whichever is next */
	bool counts;		/* the next step has the next number */
	unsigned int from, to;
};

static int no_memory(struct gt_error *e, uint64_t off)
{
	return gt_error_set(e, off, "no memory to bring the trace's events in order");
}

static struct gt_merge_g *find_g(struct gt_merge *m, uint64_t id)
{
	uint64_t *at = gt_map_add(&m->g_of, id);

	if (!at)
		return NULL;
	if (!*at) {
		if (!array_reserve(&m->gs, m->n_gs, &m->size_gs, sizeof(*m->gs)))
			return NULL;
		m->gs[m->n_gs++] = (struct gt_merge_g){ 0 };
		*at = m->n_gs;
	}
	return &m->gs[*at - 1];
}

/* All but the G. False: it moves none. */
static bool describe_step(const struct gt_event *ev, struct step *s)
{
	switch (ev->type) {
	case GT_EV_GO_CREATE:
		*s = (struct step){ .id = ev->args[0], .counts = true,
				    .from = UNKNOWN, .to = RUNNABLE };
		return true;
	case GT_EV_GO_WAITING:
	case GT_EV_GO_IN_SYSCALL:
		*s = (struct step){ .id = ev->g, .seq = 1, .counts = true,
				    .from = RUNNABLE, .to = WAITING };
		return true;
	case GT_EV_GO_START:
	case GT_EV_GO_START_LABEL:
		*s = (struct step){ .id = ev->g, .seq = ev->args[1],
				    .counts = true,
				    .from = RUNNABLE, .to = RUNNING };
		return true;
	case GT_EV_GO_START_LOCAL:
		*s = (struct step){ .id = ev->g, .any_seq = true,
				    .counts = true,
				    .from = RUNNABLE, .to = RUNNING };
		return true;
	case GT_EV_GO_UNBLOCK:
	case GT_EV_GO_SYSEXIT:
		*s = (struct step){ .id = ev->args[0], .seq = ev->args[1],
				    .counts = true,
				    .from = WAITING, .to = RUNNABLE };
		return true;
	case GT_EV_GO_UNBLOCK_LOCAL:
	case GT_EV_GO_SYSEXIT_LOCAL:
		*s = (struct step){ .id = ev->args[0], .any_seq = true,
				    .counts = true,
				    .from = WAITING, .to = RUNNABLE };
		return true;
	default:
		break;
	}
	switch (gt_event_leaves(ev->type)) {
	case GT_LEAVES_ASLEEP:
		*s = (struct step){ .id = ev->g, .any_seq = true,
				    .from = RUNNING, .to = WAITING };
		return true;
	case GT_LEAVES_RUNNABLE:
		*s = (struct step){ .id = ev->g, .any_seq = true,
				    .from = RUNNING, .to = RUNNABLE };
		return true;
	default:
		return false;
	}
}

/* False without memory. Go 1.5 numbered all events, and no step needs more. */
static bool find_step(struct gt_merge *m, const struct gt_event *ev,
		      struct step *s)
{
	if (ev->type == GT_EV_GC_START) {
		*s = (struct step){ .g = &m->gc, .seq = ev->args[0],
				    .counts = true };
	} else if (describe_step(ev, s)) {
		s->g = find_g(m, s->id);
		if (!s->g)
			return false;
	} else {
		s->g = NULL;
	}
	if (m->version < GT_V1_7)
		s->g = NULL;
	return true;
}

static bool is_ready(const struct step *s)
{
	return !s->g || (s->g->status == s->from &&
			 (s->any_seq || s->g->seq == s->seq));
}

/* ---- The heap ---- */

/* At one time, the order of the file. */
static bool is_before(const struct gt_merge *m, unsigned int a, unsigned int b)
{
	const struct gt_stream *x = &m->streams[a], *y = &m->streams[b];

	return x->key < y->key || (x->key == y->key && x->ev.off < y->ev.off);
}

/* Put s where there is a hole at the top. */
static void sink(struct gt_merge *m, unsigned int s)
{
	size_t at = 0, child;

	for (; (child = 2 * at + 1) < m->n_heap; at = child) {
		if (child + 1 < m->n_heap &&
		    is_before(m, m->heap[child + 1], m->heap[child]))
			child++;
		if (!is_before(m, m->heap[child], s))
			break;
		m->heap[at] = m->heap[child];
	}
	m->heap[at] = s;
}

static bool push(struct gt_merge *m, unsigned int s)
{
	size_t at = m->n_heap;

	if (!array_reserve(&m->heap, m->n_heap, &m->size_heap, sizeof(*m->heap)))
		return false;
	m->n_heap++;
	for (; at && is_before(m, s, m->heap[(at - 1) / 2]); at = (at - 1) / 2)
		m->heap[at] = m->heap[(at - 1) / 2];
	m->heap[at] = s;
	return true;
}

static unsigned int pop(struct gt_merge *m)
{
	unsigned int s = m->heap[0], last = m->heap[--m->n_heap];

	if (m->n_heap)
		sink(m, last);
	return s;
}

/* ---- Streams ---- */

static struct gt_stream *new_stream(struct gt_merge *m)
{
	struct gt_stream *s;

	if (m->free) {
		s = &m->streams[m->free - 1];
		m->free = s->next;
	} else {
		if (!array_reserve(&m->streams, m->n_streams, &m->size_streams,
				   sizeof(*s)))
			return NULL;
		s = &m->streams[m->n_streams++];
	}
	s->next = 0;
	s->waits = false;
	return s;
}

static void free_stream(struct gt_merge *m, unsigned int i)
{
	gt_cursor_exit(&m->streams[i].cursor);
	m->streams[i].next = m->free;
	m->free = i + 1;
}

/* 1 when the stream's next event is there. */
static int advance(struct gt_merge *m, unsigned int i, struct gt_error *e)
{
	struct gt_stream *s = &m->streams[i];
	int ret = gt_cursor_next(&s->cursor, &m->rec, &s->ev, e);

	if (ret <= 0)
		return ret;
	s->key = gt_index_key(m->version, &s->ev);
	return 1;
}

/* The stream has an event: into the heap, or to those that wait for its G. */
static int place(struct gt_merge *m, unsigned int i, struct gt_error *e)
{
	struct gt_stream *s = &m->streams[i];
	struct step step;

	if (!find_step(m, &s->ev, &step))
		return no_memory(e, s->ev.off);
	if (is_ready(&step))
		return push(m, i) ? 0 : no_memory(e, s->ev.off);
	s->waits = true;
	s->next = step.g->waiting;
	step.g->waiting = i + 1;
	m->waiting++;
	return 0;
}

/* The G has moved: who can be next now? */
static int wake(struct gt_merge *m, struct gt_merge_g *g, struct gt_error *e)
{
	unsigned int i = g->waiting, next;

	g->waiting = 0;
	for (; i; i = next) {
		struct gt_stream *s = &m->streams[i - 1];

		next = s->next;
		s->waits = false;
		m->waiting--;
		if (place(m, i - 1, e))
			return -1;
	}
	return 0;
}

/* Runs of samples that begin before anything else. */
static int begin_runs(struct gt_merge *m, struct gt_error *e)
{
	const struct gt_index *ix = m->index;
	const struct gt_run *run;
	struct gt_stream *s;
	unsigned int i;

	for (; m->next_run < ix->n_runs; m->next_run++) {
		run = &ix->runs[m->next_run];
		if (m->n_heap && run->ticks > m->streams[m->heap[0]].key)
			break;
		s = new_stream(m);
		if (!s)
			return no_memory(e, run->start);
		gt_cursor_init_run(&s->cursor, m->source, ix, m->version, run);
		i = s - m->streams;
		if (advance(m, i, e) < 0)
			return -1;
		if (!push(m, i))
			return no_memory(e, run->start);
	}
	return 0;
}

int gt_merge_init(struct gt_merge *m, const struct gt_source *source,
		  const struct gt_index *index, unsigned int version,
		  struct gt_error *e)
{
	struct gt_stream *s;
	int ret;

	memset(m, 0, sizeof(*m));
	m->source = source;
	m->index = index;
	m->version = version;
	m->last_ticks = INT64_MIN;
	for (size_t i = 0; i < index->n_ps; i++) {
		if (!index->ps[i].first)
			continue;
		s = new_stream(m);
		if (!s)
			return no_memory(e, 0);
		gt_cursor_init_p(&s->cursor, source, index, version,
				 &index->ps[i]);
		ret = advance(m, s - m->streams, e);
		if (ret < 0 || (ret && place(m, s - m->streams, e)))
			return -1;
	}
	return 0;
}

void gt_merge_exit(struct gt_merge *m)
{
	for (size_t i = 0; i < m->n_streams; i++)
		gt_cursor_exit(&m->streams[i].cursor);
	free(m->streams);
	free(m->heap);
	free(m->gs);
	gt_map_exit(&m->g_of);
	memset(m, 0, sizeof(*m));
}

/* ---- The order ---- */

/* Of those that wait, the earliest is the one to complain about. */
static int fail_stuck(struct gt_merge *m, struct gt_error *e)
{
	unsigned int first = UINT32_MAX;
	const struct gt_event *ev;
	struct step step;

	for (size_t i = 0; i < m->n_streams; i++)
		if (m->streams[i].waits &&
		    (first == UINT32_MAX || is_before(m, i, first)))
			first = i;
	ev = &m->streams[first].ev;
	if (!find_step(m, ev, &step))
		return no_memory(e, ev->off);
	if (step.g == &m->gc)
		return gt_error_set(e, ev->off, "this GCStart has the number %" PRIu64 ", but the last had %" PRIu64,
				    step.seq, step.g->seq - 1);
	if (step.id == 0)
		return gt_error_set(e, ev->off, "%s while P %" PRId64 " runs no G",
				    ev->desc->name, ev->p);
	if (step.g->status != step.from)
		return gt_error_set(e, ev->off, "%s needs a G that is %s, but G %" PRIu64 " is %s, and nothing in the trace changes it",
				    ev->desc->name, status_words[step.from],
				    step.id,
				    status_words[step.g->status]);
	return gt_error_set(e, ev->off, "%s is step %" PRIu64 " of G %" PRIu64 ", but step %" PRIu64 " is not in the trace",
			    ev->desc->name, step.seq, step.id,
			    step.g->seq);
}

/* A GoSysExit's own time lies in the call, which began and blocked before it. */
static int check_exit(const struct gt_merge *m, const struct gt_merge_g *g,
		      const struct gt_event *ev, struct gt_error *e)
{
	int64_t own;

	if (!gt_index_exit_key(m->version, ev, &own))
		return 0;
	if (!g->block)
		return gt_error_set(e, ev->off, "GoSysExit of a G that is in no call");
	if (own < g->block)
		return gt_error_set(e, ev->off, "GoSysExit at %" PRId64 " of a call that blocked at %" PRId64,
				    own, g->block);
	return 0;
}

static int take_step(struct gt_merge *m, const struct gt_event *ev,
		     struct gt_error *e)
{
	struct step s;

	if (!find_step(m, ev, &s))
		return no_memory(e, ev->off);
	if (!s.g)
		return 0;
	if (!is_ready(&s))
		return gt_error_set(e, ev->off, "%s of a G that another P moves at the same time",
				    ev->desc->name);
	if (check_exit(m, s.g, ev, e))
		return -1;
	if (ev->type == GT_EV_GO_SYSBLOCK || ev->type == GT_EV_GO_IN_SYSCALL)
		s.g->block = ev->ticks;
	s.g->status = s.to;
	s.g->seq += s.counts;
	return s.g->waiting ? wake(m, s.g, e) : 0;
}

/* The stream returned last goes on. */
static int go_on(struct gt_merge *m, struct gt_error *e)
{
	unsigned int i = m->current - 1;
	int ret;

	if (!m->current)
		return 0;
	m->current = 0;
	ret = advance(m, i, e);
	if (ret > 0)
		return place(m, i, e);
	if (ret == 0)
		free_stream(m, i);
	return ret;
}

int gt_merge_next(struct gt_merge *m, struct gt_event **ev, struct gt_error *e)
{
	struct gt_event *next;

	if (go_on(m, e) || begin_runs(m, e))
		return -1;
	if (!m->n_heap)
		return m->waiting ? fail_stuck(m, e) : 0;
	m->current = pop(m) + 1;
	next = &m->streams[m->current - 1].ev;
	if (take_step(m, next, e))
		return -1;
	if (next->ticks < m->last_ticks)
		return gt_error_set(e, next->off, "time stamps out of order: %s at %" PRId64 " after an event at %" PRId64,
				    next->desc->name, next->ticks, m->last_ticks);
	m->last_ticks = next->ticks;
	m->events++;
	*ev = next;
	return 1;
}
