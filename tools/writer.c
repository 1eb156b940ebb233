// SPDX-License-Identifier: GPL-2.0
/* Events to a trace; see writer.h. */
#include "writer.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "putrecord.h"

/* As Go's runtime and our module have it. */
#define BATCH_BYTES (64 * 1024)

static void flush(struct writer *w, struct writer_p *p)
{
	fwrite(p->buf, 1, p->used, w->to);
	p->used = 0;
}

void writer_begin(struct writer *w, FILE *to, unsigned int version,
		  int64_t ticks)
{
	uint8_t batch[PUT_RECORD_MAX];
	size_t n;

	memset(w, 0, sizeof(*w));
	w->to = to;
	w->version = version;
	put_header(to, version);
	n = put_record(batch, GT_EV_BATCH, (uint64_t[]){ 0, ticks }, 2);
	fwrite(batch, 1, n, to);
	w->bytes = GT_HEADER_SIZE + n;
}

void writer_exit(struct writer *w)
{
	for (size_t i = 0; i < w->n_ps; i++)
		free(w->ps[i].buf);
	free(w->ps);
	free(w->gs);
	gt_map_exit(&w->p_of);
	gt_map_exit(&w->g_of);
	memset(w, 0, sizeof(*w));
}

static struct writer_p *find_p(struct writer *w, int64_t p)
{
	uint64_t *at;

	if (w->last_p && w->ps[w->last_p - 1].p == p)
		return &w->ps[w->last_p - 1];
	at = gt_map_add(&w->p_of, p);
	if (!at)
		return NULL;
	if (!*at) {
		if (!array_reserve(&w->ps, w->n_ps, &w->size_ps,
				   sizeof(*w->ps)))
			return NULL;
		w->ps[w->n_ps++] = (struct writer_p){ .p = p };
		*at = w->n_ps;
	}
	w->last_p = *at;
	return &w->ps[*at - 1];
}

static struct writer_g *find_g(struct writer *w, uint64_t id)
{
	uint64_t *at = gt_map_add(&w->g_of, id);

	if (!at)
		return NULL;
	if (!*at) {
		if (!array_reserve(&w->gs, w->n_gs, &w->size_gs,
				   sizeof(*w->gs)))
			return NULL;
		w->gs[w->n_gs++] = (struct writer_g){ .p = GT_NO_P };
		*at = w->n_gs;
	}
	return &w->gs[*at - 1];
}

/* Room for n bytes behind those of p. */
static bool reserve(struct writer_p *p, size_t n)
{
	size_t size = p->size ? p->size : 256;
	uint8_t *buf;

	while (size - p->used < n)
		size *= 2;
	if (size == p->size)
		return true;
	buf = realloc(p->buf, size);
	if (!buf)
		return false;
	p->buf = buf;
	p->size = size;
	return true;
}

/*
 * The numbers of the steps. Where the last one was on the same P it needs none:
 * that P's events are in order anyway.
 */
static bool number_step(struct writer *w, struct gt_event *ev)
{
	unsigned int type = gt_event_plain(ev->type);
	struct writer_g *g;
	bool local;

	switch (type) {
	case GT_EV_GC_START:
		ev->args[0] = w->gcs++;
		return true;
	case GT_EV_GO_CREATE:
	case GT_EV_GO_START:
	case GT_EV_GO_START_LABEL:
	case GT_EV_GO_UNBLOCK:
	case GT_EV_GO_SYSEXIT:
	case GT_EV_GO_WAITING:
	case GT_EV_GO_IN_SYSCALL:
		break;
	default:
		if (gt_event_leaves(type) == GT_LEAVES_NOT)
			return true;
		/* It takes a place in the order, but not a number. */
		g = find_g(w, ev->g);
		if (g)
			g->p = ev->p;
		return g;
	}
	g = find_g(w, ev->args[0]);
	if (!g)
		return false;
	local = g->p == ev->p;
	if (type == GT_EV_GO_START && local) {
		type = GT_EV_GO_START_LOCAL;
	} else if (type == GT_EV_GO_UNBLOCK && local) {
		type = GT_EV_GO_UNBLOCK_LOCAL;
	} else if (type != GT_EV_GO_CREATE && type != GT_EV_GO_WAITING &&
		   type != GT_EV_GO_IN_SYSCALL) {
		ev->args[1] = g->seq;
	}
	if (type == GT_EV_GO_SYSEXIT)
		ev->args[2] = 0;
	g->seq++;
	g->p = ev->p;
	ev->type = type;
	ev->desc = gt_event_desc(type);
	return true;
}

/* Samples have their own time and P; where they are written does not matter. */
static struct writer_p *place(struct writer *w, const struct gt_event *ev)
{
	if (ev->type != GT_EV_CPU_SAMPLE)
		return find_p(w, ev->p);
	if (w->n_ps)
		return &w->ps[0];
	return find_p(w, 0);
}

bool writer_event(struct writer *w, const struct gt_event *event)
{
	struct gt_event ev = *event;
	struct writer_p *p = place(w, &ev);
	size_t before;

	if (!p || !reserve(p, 2 * PUT_RECORD_MAX + ev.text_len) ||
	    !number_step(w, &ev))
		return false;
	if (p->used + PUT_RECORD_MAX + ev.text_len > BATCH_BYTES)
		flush(w, p);
	before = p->used;
	if (!p->used) {
		p->used = put_record(p->buf, GT_EV_BATCH,
				     (uint64_t[]){ p->p, ev.ticks }, 2);
		p->ticks = ev.ticks;
	}
	if (ev.type == GT_EV_CPU_SAMPLE) {
		ev.args[0] = ev.ticks;
		ev.args[1] = ev.p;
		ev.args[2] = ev.g;
		ev.ticks = p->ticks;
	}
	p->used += put_event(p->buf + p->used, &ev, w->version,
			     ev.ticks - p->ticks);
	p->ticks = ev.ticks;
	w->bytes += p->used - before;
	w->events++;
	return true;
}

struct gt_event writer_make(unsigned int type, int64_t p, uint64_t g,
			    int64_t ticks)
{
	return (struct gt_event){
		.desc = gt_event_desc(type), .type = type,
		.p = p, .g = g, .ticks = ticks,
	};
}

void writer_frequency(struct writer *w, uint64_t hz)
{
	uint8_t rec[PUT_RECORD_MAX];
	size_t n = put_record(rec, GT_EV_FREQUENCY, &hz, 1);

	fwrite(rec, 1, n, w->to);
	w->bytes += n;
}

void writer_end(struct writer *w)
{
	for (size_t i = 0; i < w->n_ps; i++)
		flush(w, &w->ps[i]);
}
