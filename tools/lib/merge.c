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

static int no_memory(struct gt_error *e, uint64_t off)
{
	return gt_error_set(e, off, "no memory to bring the trace's events in order");
}

static bool new_g(struct gt_merge *m)
{
	if (!array_reserve(&m->gs, m->n_gs, &m->size_gs, sizeof(*m->gs)))
		return false;
	m->gs[m->n_gs++] = (struct gt_merge_g){ 0 };
	return true;
}

/* Its index, plus 1. */
static size_t find_g(struct gt_merge *m, uint64_t id)
{
	uint64_t *at = gt_map_add(&m->g_of, id);

	if (!at || (!*at && !new_g(m)))
		return 0;
	if (!*at)
		*at = m->n_gs;
	return *at;
}

/* All but the G. False: it moves none. */
static bool describe_step(const struct gt_event *ev, struct gt_merge_step *s)
{
	switch (ev->type) {
	case GT_EV_GO_CREATE:
		*s = (struct gt_merge_step){ .id = ev->args[0], .counts = true,
				    .from = UNKNOWN, .to = RUNNABLE };
		return true;
	case GT_EV_GO_WAITING:
	case GT_EV_GO_IN_SYSCALL:
		*s = (struct gt_merge_step){ .id = ev->g, .seq = 1, .counts = true,
				    .from = RUNNABLE, .to = WAITING };
		return true;
	case GT_EV_GO_START:
	case GT_EV_GO_START_LABEL:
		*s = (struct gt_merge_step){ .id = ev->g, .seq = ev->args[1],
				    .counts = true,
				    .from = RUNNABLE, .to = RUNNING };
		return true;
	case GT_EV_GO_START_LOCAL:
		*s = (struct gt_merge_step){ .id = ev->g, .any_seq = true,
				    .counts = true,
				    .from = RUNNABLE, .to = RUNNING };
		return true;
	case GT_EV_GO_UNBLOCK:
	case GT_EV_GO_SYSEXIT:
		*s = (struct gt_merge_step){ .id = ev->args[0], .seq = ev->args[1],
				    .counts = true,
				    .from = WAITING, .to = RUNNABLE };
		return true;
	case GT_EV_GO_UNBLOCK_LOCAL:
	case GT_EV_GO_SYSEXIT_LOCAL:
		*s = (struct gt_merge_step){ .id = ev->args[0], .any_seq = true,
				    .counts = true,
				    .from = WAITING, .to = RUNNABLE };
		return true;
	default:
		break;
	}
	switch (gt_event_leaves(ev->type)) {
	case GT_LEAVES_ASLEEP:
		*s = (struct gt_merge_step){ .id = ev->g, .any_seq = true,
				    .from = RUNNING, .to = WAITING };
		return true;
	case GT_LEAVES_RUNNABLE:
		*s = (struct gt_merge_step){ .id = ev->g, .any_seq = true,
				    .from = RUNNING, .to = RUNNABLE };
		return true;
	default:
		return false;
	}
}

/* False without memory. Go 1.5 numbered all events, and no step needs more. */
static bool find_step(struct gt_merge *m, struct gt_stream *st)
{
	const struct gt_event *ev = &st->ev;
	struct gt_merge_step *s = &st->step;

	s->g = 0;
	if (m->version < GT_V1_7)
		return true;
	if (ev->type == GT_EV_GC_START) {
		*s = (struct gt_merge_step){ .g = 1, .seq = ev->args[0],
					     .counts = true };
		return true;
	}
	if (!describe_step(ev, s))
		return true;
	/* Often it is the G of the step before. */
	if (!st->last_g || st->last_id != s->id) {
		st->last_id = s->id;
		st->last_g = find_g(m, s->id);
	}
	s->g = st->last_g;
	return s->g;
}

static struct gt_merge_g *step_g(const struct gt_merge *m,
				 const struct gt_merge_step *s)
{
	return &m->gs[s->g - 1];
}

static bool is_ready(const struct gt_merge *m, const struct gt_merge_step *s)
{
	const struct gt_merge_g *g;

	if (!s->g)
		return true;
	g = step_g(m, s);
	return g->status == s->from && (s->any_seq || g->seq == s->seq);
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
	s->step.g = 0;
	s->last_g = 0;
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
	return find_step(m, s) ? 1 : no_memory(e, s->ev.off);
}

/* Its G is not what it has to be. */
static void wait_for_g(struct gt_merge *m, unsigned int i)
{
	struct gt_stream *s = &m->streams[i];
	struct gt_merge_g *g = step_g(m, &s->step);

	s->waits = true;
	s->next = g->waiting;
	g->waiting = i + 1;
	m->waiting++;
}

static int place(struct gt_merge *m, unsigned int i, struct gt_error *e)
{
	const struct gt_stream *s = &m->streams[i];

	if (!is_ready(m, &s->step))
		wait_for_g(m, i);
	else if (!push(m, i))
		return no_memory(e, s->ev.off);
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

/* Runs of samples that begin before anything else, if there is anything. */
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
		if (m->current && run->ticks > m->streams[m->current - 1].key)
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
		  bool lenient, struct gt_error *e)
{
	struct gt_stream *s;
	int ret;

	memset(m, 0, sizeof(*m));
	m->source = source;
	m->index = index;
	m->version = version;
	m->lenient = lenient;
	m->last_ticks = INT64_MIN;
	if (!new_g(m))
		return no_memory(e, 0);
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

/* Of those that wait, there being some, the earliest. */
static unsigned int first_waiting(const struct gt_merge *m)
{
	unsigned int first = UINT32_MAX;

	for (size_t i = 0; i < m->n_streams; i++)
		if (m->streams[i].waits &&
		    (first == UINT32_MAX || is_before(m, i, first)))
			first = i;
	return first;
}

static int fail_stuck(const struct gt_merge *m, struct gt_error *e)
{
	unsigned int first = first_waiting(m);
	const struct gt_merge_step *s = &m->streams[first].step;
	const struct gt_event *ev = &m->streams[first].ev;
	const struct gt_merge_g *g = step_g(m, s);

	if (ev->type == GT_EV_GC_START)
		return gt_error_set(e, ev->off, "GCStart has the number %" PRIu64 ", but %" PRIu64 " is not in the trace",
				    s->seq, g->seq);
	if (s->id == 0)
		return gt_error_set(e, ev->off, "%s while P %" PRId64 " runs no G",
				    ev->desc->name, ev->p);
	if (g->status != s->from)
		return gt_error_set(e, ev->off, "%s needs a G that is %s, but G %" PRIu64 " is %s, and nothing in the trace changes it",
				    ev->desc->name, status_words[s->from], s->id,
				    status_words[g->status]);
	return gt_error_set(e, ev->off, "%s is step %" PRIu64 " of G %" PRIu64 ", but step %" PRIu64 " is not in the trace",
			    ev->desc->name, s->seq, s->id, g->seq);
}

/* A GoSysExit's own time lies in the call, which began and blocked before it. */
static int check_exit(struct gt_merge *m, const struct gt_merge_g *g,
		      struct gt_event *ev, struct gt_error *e)
{
	int64_t own;

	if (!gt_index_exit_key(m->version, ev, &own))
		return 0;
	if (m->lenient && (!g->block || own < g->block)) {
		m->corrected++;
		ev->args[2] = 0;
		return 0;
	}
	if (!g->block)
		return gt_error_set(e, ev->off, "GoSysExit of a G that is in no call");
	if (own < g->block)
		return gt_error_set(e, ev->off, "GoSysExit at %" PRId64 " of a call that blocked at %" PRId64,
				    own, g->block);
	return 0;
}

static int take_step(struct gt_merge *m, struct gt_stream *st,
		     struct gt_error *e)
{
	const struct gt_merge_step *s = &st->step;
	struct gt_event *ev = &st->ev;
	struct gt_merge_g *g;

	if (!s->g)
		return 0;
	g = step_g(m, s);
	if (check_exit(m, g, ev, e))
		return -1;
	if (ev->type == GT_EV_GO_SYSBLOCK || ev->type == GT_EV_GO_IN_SYSCALL)
		g->block = ev->ticks;
	g->status = s->to;
	g->seq += s->counts;
	return g->waiting ? wake(m, g, e) : 0;
}

/* The stream returned last goes on; it stays the current one if it can. */
static int go_on(struct gt_merge *m, struct gt_error *e)
{
	unsigned int i = m->current - 1;
	int ret;

	if (!m->current)
		return 0;
	ret = advance(m, i, e);
	if (ret < 0)
		return -1;
	if (ret > 0 && is_ready(m, &m->streams[i].step))
		return 0;
	m->current = 0;
	if (ret > 0)
		wait_for_g(m, i);
	else
		free_stream(m, i);
	return 0;
}

/* The earliest of all that are ready becomes the current stream. */
static bool choose(struct gt_merge *m)
{
	unsigned int first;

	if (!m->n_heap)
		return m->current;
	first = m->heap[0];
	if (!m->current)
		pop(m);
	else if (is_before(m, first, m->current - 1))
		sink(m, m->current - 1);
	else
		return true;
	m->current = first + 1;
	return true;
}

/* Another P has moved the G since this one could have. */
static int check_conflict(struct gt_merge *m, struct gt_error *e)
{
	struct gt_stream *s = &m->streams[m->current - 1];

	if (is_ready(m, &s->step))
		return 0;
	if (!m->lenient)
		return gt_error_set(e, s->ev.off, "%s of a G that another P moves at the same time",
				    s->ev.desc->name);
	wait_for_g(m, m->current - 1);
	m->current = 0;
	return 0;
}

static int check_time(struct gt_merge *m, struct gt_event *ev,
		      struct gt_error *e)
{
	if (ev->ticks < m->last_ticks && !m->lenient)
		return gt_error_set(e, ev->off, "time stamps out of order: %s at %" PRId64 " after an event at %" PRId64,
				    ev->desc->name, ev->ticks, m->last_ticks);
	if (ev->ticks < m->last_ticks) {
		m->corrected++;
		ev->ticks = m->last_ticks;
	}
	m->last_ticks = ev->ticks;
	return 0;
}

/* It waits no more: its G is what it has to be. */
static int force(struct gt_merge *m, unsigned int i, struct gt_error *e)
{
	struct gt_stream *s = &m->streams[i];
	struct gt_merge_g *g = step_g(m, &s->step);
	unsigned int *link = &g->waiting;

	if (!m->forced++)
		fail_stuck(m, &m->why);
	while (*link != i + 1)
		link = &m->streams[*link - 1].next;
	*link = s->next;
	s->waits = false;
	m->waiting--;
	g->status = s->step.from;
	if (!s->step.any_seq)
		g->seq = s->step.seq;
	return push(m, i) ? 0 : no_memory(e, s->ev.off);
}

/* What it waits for is earlier, or not there. */
static int force_late(struct gt_merge *m, struct gt_error *e)
{
	unsigned int i;
	int64_t key;

	if (!m->lenient || !m->waiting)
		return 0;
	i = first_waiting(m);
	key = m->streams[i].key;
	if (m->n_heap && m->streams[m->heap[0]].key <= key)
		return 0;
	if (m->current && m->streams[m->current - 1].key <= key)
		return 0;
	return force(m, i, e);
}

int gt_merge_next(struct gt_merge *m, struct gt_event **ev, struct gt_error *e)
{
	struct gt_event *next;

	if (go_on(m, e))
		return -1;
	do {
		if (begin_runs(m, e) || force_late(m, e))
			return -1;
		if (!choose(m))
			return m->waiting ? fail_stuck(m, e) : 0;
		if (check_conflict(m, e))
			return -1;
	} while (!m->current);
	next = &m->streams[m->current - 1].ev;
	if (take_step(m, &m->streams[m->current - 1], e) ||
	    check_time(m, next, e))
		return -1;
	m->events++;
	*ev = next;
	return 1;
}
