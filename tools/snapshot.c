// SPDX-License-Identifier: GPL-2.0
/* A flight recorder's trace; see snapshot.h. */
#include "snapshot.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <linux/gotrace.h>

#include "lib/event.h"
#include "lib/map.h"
#include "lib/names.h"
#include "lib/reader.h"
#include "putrecord.h"

#define NEVER INT64_MAX

/* The first of a G's steps; of one that runs at the cut, to leave its P. */
enum first { FIRST_NONE, FIRST_CREATE, FIRST_WAKE, FIRST_EXIT, FIRST_START, FIRST_LEAVE };

struct g {
	uint64_t id;
	uint32_t found;		/* GOTRACE_SNAP_*, 0 when it was not */
	uint64_t newstk;
	enum first first;	/* behind the cut */
	int64_t first_ticks;
	int64_t first_p;
	uint64_t first_seq;	/* 0 for a step that carries no number */
	uint64_t stk;		/* one of its stacks, for its name */

	/* The step with the least number of those that carry one. */
	bool numbered;
	uint64_t seq;
	int64_t seq_ticks;
	uint64_t locals;	/* steps before it that carry none */
	int64_t passed_p;	/* in the second pass: where one with a number was last, plus 1 */
	uint64_t shift;		/* what numbers are less by */

	int64_t assist;		/* ticks of the first mark assist's start */
};

struct p {
	int64_t id;
	size_t begin, end;	/* its batches, see batches */
	uint64_t g, thread;	/* at the cut; later, where we are */
	int64_t ticks;		/* of the event written last */
	bool stw;
};

struct batch {
	const struct gotrace_snap *snap;
	const uint8_t *data;
};

/* What the whole trace has one of at a time. */
struct global {
	int64_t start, done;	/* ticks of the first of each */
	int64_t last;		/* of the last of both; is it open then? */
	bool open;
	int64_t p;		/* of that */
	uint64_t seq;		/* the first GCStart's */
};

struct snapshot {
	FILE *to;
	unsigned int version;
	struct snapshot_result *result;

	int64_t cut, end;
	uint64_t unknown;	/* stack of a task without a name */
	struct batch *batches;	/* in the order that they have there */
	size_t n_batches;
	uint8_t *names;		/* a trace of nothing else */
	size_t names_len;
	struct gt_names table;

	struct g *gs;
	size_t n_gs, size_gs;
	struct gt_map g_of;	/* id -> index, plus 1 */
	struct p *ps;
	size_t n_ps;
	struct global gc, stw;
	uint64_t next_stack;
};

static int fail(struct snapshot *s, const char *error)
{
	if (!s->result->error)
		s->result->error = error;
	return -1;
}

/* ---- The reply ---- */

static struct g *get_g(struct snapshot *s, uint64_t id)
{
	static struct g none;
	uint64_t *index = gt_map_add(&s->g_of, id);
	struct g *more;

	if (index && *index)
		return &s->gs[*index - 1];
	if (index && s->n_gs == s->size_gs) {
		s->size_gs = s->size_gs ? 2 * s->size_gs : 256;
		more = realloc(s->gs, s->size_gs * sizeof(*more));
		if (more)
			s->gs = more;
		else
			index = NULL;
	}
	if (!index) {
		fail(s, "no memory");
		return &none;
	}
	*index = ++s->n_gs;
	s->gs[*index - 1] = (struct g){
		.id = id, .newstk = s->unknown, .first_ticks = NEVER, .assist = NEVER,
	};
	return &s->gs[*index - 1];
}

static const struct gotrace_snap *next_snap(const uint8_t *reply, size_t len, size_t *at)
{
	const struct gotrace_snap *snap = (const void *)(reply + *at);

	if (len - *at < sizeof(*snap) || snap->len < sizeof(*snap) || snap->len % 8 ||
	    snap->len > len - *at || snap->bytes > snap->len - sizeof(*snap))
		return NULL;
	*at += snap->len;
	return snap;
}

static void take_snap(struct snapshot *s, const struct gotrace_snap *snap)
{
	int64_t ticks = snap->ticks;
	struct g *g;

	switch (snap->type) {
	case GOTRACE_SNAP_SESSION:
		s->unknown = snap->stack;
		/* fallthrough */
	case GOTRACE_SNAP_CUT:
		if (s->cut < ticks)
			s->cut = ticks;
		break;
	case GOTRACE_SNAP_CPU:
		if (s->end > ticks)
			s->end = ticks;
		break;
	case GOTRACE_SNAP_TASK:
		g = get_g(s, snap->goid);
		g->found = snap->state;
		g->newstk = snap->stack;
		break;
	case GOTRACE_SNAP_BATCH:
		s->batches[s->n_batches++] = (struct batch){ snap, (const void *)(snap + 1) };
		break;
	case GOTRACE_SNAP_NAMES:
		memcpy(s->names + s->names_len, snap + 1, snap->bytes);
		s->names_len += snap->bytes;
		break;
	}
}

static int take_reply(struct snapshot *s, const void *reply, size_t len)
{
	const struct gotrace_snap *snap;
	size_t at = 0;

	/* At most. */
	s->batches = calloc(len / sizeof(*snap) + 1, sizeof(*s->batches));
	s->names = malloc(GT_HEADER_SIZE + len);
	if (!s->batches || !s->names)
		return fail(s, "no memory");
	memset(s->names, 0, GT_HEADER_SIZE);
	snprintf((char *)s->names, GT_HEADER_SIZE, "go 1.21 trace");
	s->names_len = GT_HEADER_SIZE;
	while (at < len) {
		snap = next_snap(reply, len, &at);
		if (!snap)
			return fail(s, "the module's reply is broken");
		take_snap(s, snap);
	}
	return s->result->error ? -1 : 0;
}

/* ---- Batches by their Ps ---- */

static int compare(const void *a, const void *b)
{
	const struct gotrace_snap *x = ((const struct batch *)a)->snap;
	const struct gotrace_snap *y = ((const struct batch *)b)->snap;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* Only behind the last gap is all there. */
static int sort_batches(struct snapshot *s)
{
	const struct gotrace_snap *snap;
	struct p *p = NULL;
	size_t i;

	qsort(s->batches, s->n_batches, sizeof(*s->batches), compare);
	s->ps = calloc(s->n_batches + 1, sizeof(*s->ps));
	if (!s->ps)
		return fail(s, "no memory");
	for (i = 0; i < s->n_batches; i++) {
		snap = s->batches[i].snap;
		if (snap->kind != GOTRACE_SNAP_OF_CPU)
			break;
		if (!p || p->id != snap->cpu) {
			p = &s->ps[s->n_ps++];
			*p = (struct p){ .id = snap->cpu, .begin = i };
			if (snap->number && s->cut < (int64_t)snap->ticks)
				s->cut = snap->ticks;
		} else if (snap->number != s->batches[i - 1].snap->number + 1) {
			p->begin = i;
			if (s->cut < (int64_t)snap->ticks)
				s->cut = snap->ticks;
		}
		p->end = i + 1;
	}
	if (s->cut >= s->end || !s->n_ps)
		return fail(s, "all was overwritten while it was fetched; use a larger --buffer");
	return 0;
}

/*
 * The events of a P's batches, or of those of samples: the G that runs is told by
 * the head of the first. fn returns false to stop.
 */
struct walk {
	struct gt_event ev;
	uint64_t g;	/* that runs before it */
};

static int walk_batches(struct snapshot *s, size_t begin, size_t end, uint64_t g,
			void (*fn)(struct snapshot *s, struct walk *w, void *arg), void *arg)
{
	struct gt_decoder d = { .version = GT_V1_21 };
	struct gt_record *rec = malloc(sizeof(*rec));
	struct walk w = { .g = g };
	enum gt_decode_result res;
	ptrdiff_t n;

	for (size_t i = begin; rec && i < end; i++) {
		const uint8_t *at = s->batches[i].data;
		size_t len = s->batches[i].snap->bytes;

		for (; len; at += n, len -= n) {
			n = gt_record_parse(at, len, GT_V1_21, rec);
			if (n <= 0) {
				fail(s, "a batch is broken");
				goto out;
			}
			res = gt_decode(&d, rec, 0, &w.ev);
			if (res != GT_DECODE_EVENT)
				continue;
			fn(s, &w, arg);
			switch (gt_event_plain(w.ev.type)) {
			case GT_EV_GO_START:
			case GT_EV_GO_START_LABEL:
				w.g = w.ev.args[0];
				break;
			default:
				if (gt_event_leaves(w.ev.type) != GT_LEAVES_NOT)
					w.g = 0;
			}
		}
	}
out:
	if (!rec)
		fail(s, "no memory");
	free(rec);
	gt_decoder_exit(&d);
	return s->result->error ? -1 : 0;
}

static int walk_p(struct snapshot *s, struct p *p,
		  void (*fn)(struct snapshot *s, struct walk *w, void *arg))
{
	return walk_batches(s, p->begin, p->end, s->batches[p->begin].snap->goid, fn, p);
}

/* ---- First pass: what was at the cut ---- */

/*
 * At one time, a P's steps are in its order; of two Ps' the one with the smaller
 * number is first, and before it one that has none: its P is that of the step before.
 */
static void note_first(struct g *g, enum first what, uint64_t seq, const struct gt_event *ev)
{
	if (ev->ticks > g->first_ticks ||
	    (ev->ticks == g->first_ticks && (ev->p == g->first_p || seq >= g->first_seq)))
		return;
	g->first = what;
	g->first_ticks = ev->ticks;
	g->first_p = ev->p;
	g->first_seq = seq;
}

static void note_number(struct g *g, const struct gt_event *ev)
{
	if (g->numbered && g->seq <= ev->args[1])
		return;
	g->numbered = true;
	g->seq = ev->args[1];
	g->seq_ticks = ev->ticks;
}

static void note_global(struct global *x, bool start, const struct gt_event *ev)
{
	int64_t *first = start ? &x->start : &x->done;

	if (ev->ticks < *first) {
		*first = ev->ticks;
		if (start)
			x->seq = ev->args[0];
	}
	if (ev->ticks >= x->last) {
		x->last = ev->ticks;
		x->open = start;
		x->p = ev->p;
	}
}

/* Until the cut, only what runs where counts. */
static void before_cut(struct walk *w, struct p *p)
{
	const struct gt_event *ev = &w->ev;

	switch (gt_event_plain(ev->type)) {
	case GT_EV_GO_START:
	case GT_EV_GO_START_LABEL:
		p->g = ev->args[0];
		break;
	case GT_EV_PROC_START:
		p->thread = ev->args[0];
		break;
	case GT_EV_PROC_STOP:
		p->thread = 0;
		break;
	default:
		if (gt_event_leaves(ev->type) != GT_LEAVES_NOT)
			p->g = 0;
	}
}

static void look(struct snapshot *s, struct walk *w, void *arg)
{
	const struct gt_event *ev = &w->ev;
	struct g *g;

	if (ev->ticks <= s->cut) {
		before_cut(w, arg);
		return;
	}
	if (ev->ticks > s->end)
		return;
	/* All of them end in the name of who runs. */
	if (w->g && ev->stk)
		get_g(s, w->g)->stk = ev->stk;
	switch (ev->type) {
	case GT_EV_GO_CREATE:
		note_first(get_g(s, ev->args[0]), FIRST_CREATE, 0, ev);
		return;
	case GT_EV_GO_START:
	case GT_EV_GO_START_LABEL:
		note_number(get_g(s, ev->args[0]), ev);
		note_first(get_g(s, ev->args[0]), FIRST_START, ev->args[1], ev);
		return;
	case GT_EV_GO_START_LOCAL:
		note_first(get_g(s, ev->args[0]), FIRST_START, 0, ev);
		return;
	case GT_EV_GO_UNBLOCK:
		note_number(get_g(s, ev->args[0]), ev);
		note_first(get_g(s, ev->args[0]), FIRST_WAKE, ev->args[1], ev);
		return;
	case GT_EV_GO_UNBLOCK_LOCAL:
		note_first(get_g(s, ev->args[0]), FIRST_WAKE, 0, ev);
		return;
	case GT_EV_GO_SYSEXIT:
		note_number(get_g(s, ev->args[0]), ev);
		note_first(get_g(s, ev->args[0]), FIRST_EXIT, ev->args[1], ev);
		return;
	case GT_EV_GC_START:
	case GT_EV_GC_DONE:
		note_global(&s->gc, ev->type == GT_EV_GC_START, ev);
		return;
	case GT_EV_STW_START:
	case GT_EV_STW_DONE:
		note_global(&s->stw, ev->type == GT_EV_STW_START, ev);
		return;
	}
	if (!w->g)
		return;
	g = get_g(s, w->g);
	if (ev->type == GT_EV_MARK_ASSIST_START && ev->ticks < g->assist)
		g->assist = ev->ticks;
}

/* ---- Second pass: by how much numbers are less ---- */

/* A step without a number is on the P of the one before it. */
static void count(struct snapshot *s, struct walk *w, void *arg)
{
	const struct gt_event *ev = &w->ev;
	struct g *g;

	(void)arg;
	if (ev->ticks <= s->cut || ev->ticks > s->end)
		return;
	switch (ev->type) {
	case GT_EV_GO_START:
	case GT_EV_GO_START_LABEL:
	case GT_EV_GO_UNBLOCK:
	case GT_EV_GO_SYSEXIT:
		get_g(s, ev->args[0])->passed_p = ev->p + 1;
		return;
	case GT_EV_GO_START_LOCAL:
	case GT_EV_GO_UNBLOCK_LOCAL:
		g = get_g(s, ev->args[0]);
		if (ev->ticks < g->seq_ticks ||
		    (ev->ticks == g->seq_ticks && g->passed_p != ev->p + 1))
			g->locals++;
	}
}

static bool is_initial(const struct g *g)
{
	return g->first != FIRST_CREATE && (g->first || g->found);
}

/* The state at the cut. */
static bool is_waiting(const struct g *g)
{
	if (g->first)
		return g->first == FIRST_WAKE || g->first == FIRST_EXIT;
	return g->found == GOTRACE_SNAP_WAITING || g->found == GOTRACE_SNAP_SYSCALL;
}

static void number(struct snapshot *s)
{
	for (size_t i = 0; i < s->n_gs; i++) {
		struct g *g = &s->gs[i];
		/* What the initial state takes: GoWaiting, GoStart. */
		uint64_t next = is_waiting(g) || g->first == FIRST_LEAVE ? 2 : 1;

		g->shift = g->seq - g->locals - next;
	}
}

/* ---- Third pass: writing ---- */

static void put(struct snapshot *s, unsigned int type, const uint64_t *args, size_t n)
{
	uint8_t bytes[PUT_RECORD_MAX];

	fwrite(bytes, 1, put_record(bytes, type, args, n), s->to);
	s->result->events += type != GT_EV_BATCH && type != GT_EV_FREQUENCY;
}

#define PUT(s, type, ...) do {							\
	const uint64_t args_[] = { __VA_ARGS__ };				\
	put(s, type, args_, sizeof(args_) / sizeof(args_[0]));			\
} while (0)

/* A stack with nothing but the task's name, of one that ends in it. */
static uint64_t name_stack(struct snapshot *s, const struct g *g)
{
	size_t n = g->stk ? gt_names_stack(&s->table, g->stk) : 0;
	struct gt_frame f;

	if (g->found || !n)
		return g->newstk;
	f = gt_names_frame(&s->table, g->stk, n - 1);
	put_stack(s->to, s->next_stack, &f, 1);
	return s->next_stack++;
}

static void put_initial(struct snapshot *s)
{
	int64_t ticks = s->cut - 2;
	uint64_t procs = 1;

	PUT(s, GT_EV_BATCH, 0, ticks);
	PUT(s, GT_EV_FREQUENCY, s->result->hz);
	for (size_t i = 0; i < s->n_gs; i++) {
		const struct g *g = &s->gs[i];

		if (!is_initial(g))
			continue;
		PUT(s, GT_EV_GO_CREATE, 0, g->id, name_stack(s, g), 0);
		if (is_waiting(g))
			PUT(s, GT_EV_GO_WAITING, 0, g->id);
	}
	for (size_t i = 0; i < s->n_ps; i++) {
		struct p *p = &s->ps[i];

		PUT(s, GT_EV_BATCH, p->id, ticks);
		if (p->thread)
			PUT(s, GT_EV_PROC_START, 0, p->thread);
		if (p->g)
			PUT(s, GT_EV_GO_START, 0, p->g, 1);
		p->ticks = ticks;
		if ((uint64_t)p->id >= procs)
			procs = p->id + 1;
	}
	PUT(s, GT_EV_BATCH, 0, s->cut - 1);
	PUT(s, GT_EV_GOMAXPROCS, 0, procs, 0);
	PUT(s, GT_EV_GOMAXPROCS, 0, procs, 0);
	for (size_t i = 0; i < s->n_ps; i++)
		if (!s->ps[i].id)
			s->ps[i].ticks = s->cut - 1;
}

/* False when it has no beginning here. */
static bool change(struct snapshot *s, struct walk *w, struct p *p)
{
	struct gt_event *ev = &w->ev;
	struct g *g;

	switch (ev->type) {
	case GT_EV_GO_SYSEXIT:
		g = get_g(s, ev->args[0]);
		ev->args[1] -= g->shift;
		if (g->first == FIRST_EXIT && ev->ticks == g->first_ticks && ev->p == g->first_p) {
			/* It was found asleep, and is woken. */
			ev->type = GT_EV_GO_UNBLOCK;
			ev->desc = gt_event_desc(ev->type);
			ev->stk = 0;
		}
		return true;
	case GT_EV_GO_START:
	case GT_EV_GO_START_LABEL:
	case GT_EV_GO_UNBLOCK:
		ev->args[1] -= get_g(s, ev->args[0])->shift;
		return true;
	case GT_EV_GC_START:
		ev->args[0] -= s->gc.seq;
		return true;
	case GT_EV_GC_DONE:
		return ev->ticks > s->gc.start;
	case GT_EV_STW_START:
		p->stw = true;
		return true;
	case GT_EV_STW_DONE:
		p->stw = false;
		return ev->ticks > s->stw.start;
	case GT_EV_MARK_ASSIST_DONE:
		return w->g && ev->ticks >= get_g(s, w->g)->assist;
	default:
		return true;
	}
}

static void copy(struct snapshot *s, struct walk *w, void *arg)
{
	struct gt_event *ev = &w->ev;
	struct p *p = arg;
	static uint8_t bytes[PUT_RECORD_MAX + GT_TEXT_MAX];

	if (ev->ticks <= s->cut || ev->ticks > s->end)
		return;
	before_cut(w, p);
	if (!change(s, w, p))
		return;
	fwrite(bytes, 1, put_event(bytes, ev, GT_V1_21, ev->ticks - p->ticks), s->to);
	p->ticks = ev->ticks;
	s->result->events++;
}

/* These carry their own time; a G that is not there by then is none. */
static void copy_sample(struct snapshot *s, struct walk *w, void *arg)
{
	struct gt_event *ev = &w->ev;
	int64_t ticks = ev->args[0];
	const struct g *g;

	(void)arg;
	if (ev->type != GT_EV_CPU_SAMPLE || ticks <= s->cut || ticks > s->end)
		return;
	if (ev->args[2]) {
		g = get_g(s, ev->args[2]);
		if (!is_initial(g) && !(g->first == FIRST_CREATE && ticks > g->first_ticks))
			ev->args[2] = 0;
	}
	PUT(s, GT_EV_CPU_SAMPLE, 0, ticks, ev->args[1], ev->args[2], ev->stk);
}

static void put_samples(struct snapshot *s)
{
	size_t begin = s->n_batches;

	while (begin && s->batches[begin - 1].snap->kind == GOTRACE_SNAP_SAMPLES)
		begin--;
	PUT(s, GT_EV_BATCH, 0, s->cut - 1);
	walk_batches(s, begin, s->n_batches, 0, copy_sample, NULL);
}

static void put_closing(struct snapshot *s, struct p *p, int64_t ticks)
{
	uint64_t dt = ticks - p->ticks;

	if (p->stw && p->g) {
		PUT(s, GT_EV_STW_DONE, dt);
		dt = 0;
	}
	if (s->gc.open && s->gc.p == p->id && s->gc.start <= s->end) {
		PUT(s, GT_EV_GC_DONE, dt);
		dt = 0;
	}
	if (p->g) {
		PUT(s, GT_EV_GO_SCHED, dt, 0);
		dt = 0;
	}
	if (p->thread)
		PUT(s, GT_EV_PROC_STOP, dt);
}

static int put_ps(struct snapshot *s)
{
	int64_t last = s->cut;

	for (size_t i = 0; i < s->n_ps; i++) {
		PUT(s, GT_EV_BATCH, s->ps[i].id, s->ps[i].ticks);
		if (walk_p(s, &s->ps[i], copy))
			return -1;
		if (last < s->ps[i].ticks)
			last = s->ps[i].ticks;
	}
	if (s->end == NEVER)
		s->end = last;
	for (size_t i = 0; i < s->n_ps; i++) {
		PUT(s, GT_EV_BATCH, s->ps[i].id, s->ps[i].ticks);
		put_closing(s, &s->ps[i], s->end);
	}
	s->result->ticks = s->end - s->cut;
	return 0;
}

/* ---- Names ---- */

static int read_names(struct snapshot *s)
{
	struct gt_record *rec = malloc(sizeof(*rec));
	struct gt_reader r;
	int ret = rec ? gt_reader_init_mem(&r, s->names, s->names_len) : -1;

	while (!ret && (ret = gt_reader_next(&r, rec)) > 0) {
		ret = 0;
		if (rec->type == GT_EV_FREQUENCY)
			s->result->hz = rec->args[0];
		if (rec->type != GT_EV_STACK)
			continue;
		if (gt_names_add_stack(&s->table, rec, GT_V1_21, r.rec_off))
			ret = -1;
		if (rec->args[0] >= s->next_stack)
			s->next_stack = rec->args[0] + 1;
	}
	free(rec);
	return ret ? fail(s, "the module's names are broken") : 0;
}

/* All but the Batch and the frequency that they begin with. */
static void put_names(struct snapshot *s)
{
	struct gt_record *rec = malloc(sizeof(*rec));
	const uint8_t *at = s->names + GT_HEADER_SIZE;
	size_t len = s->names_len - GT_HEADER_SIZE;
	ptrdiff_t n;

	PUT(s, GT_EV_BATCH, 0, s->end);
	for (int i = 0; rec && i < 2; i++) {
		n = gt_record_parse(at, len, GT_V1_21, rec);
		at += n;
		len -= n;
	}
	if (rec)
		fwrite(at, 1, len, s->to);
	else
		fail(s, "no memory");
	free(rec);
}

static int write_all(struct snapshot *s, const void *reply, size_t len)
{
	if (take_reply(s, reply, len) || sort_batches(s) || read_names(s))
		return -1;
	for (size_t i = 0; i < s->n_ps; i++) {
		s->ps[i].g = s->batches[s->ps[i].begin].snap->goid;
		s->ps[i].thread = s->batches[s->ps[i].begin].snap->thread;
		if (walk_p(s, &s->ps[i], look))
			return -1;
	}
	for (size_t i = 0; i < s->n_ps; i++)
		if (s->ps[i].g)
			get_g(s, s->ps[i].g)->first = FIRST_LEAVE;
	for (size_t i = 0; i < s->n_ps; i++)
		if (walk_p(s, &s->ps[i], count))
			return -1;
	number(s);
	put_header(s->to, s->version);
	put_initial(s);
	put_samples(s);
	if (put_ps(s))
		return -1;
	put_names(s);
	return s->result->error ? -1 : 0;
}

int snapshot_write(const void *reply, size_t len, unsigned int version, FILE *to,
		   struct snapshot_result *result)
{
	struct snapshot s = {
		.to = to, .version = version, .result = result, .end = NEVER,
		.gc = { .start = NEVER, .done = NEVER }, .stw = { .start = NEVER, .done = NEVER },
	};
	int ret;

	memset(result, 0, sizeof(*result));
	ret = write_all(&s, reply, len);
	free(s.batches);
	free(s.names);
	free(s.gs);
	free(s.ps);
	gt_map_exit(&s.g_of);
	gt_names_exit(&s.table);
	return ret;
}
