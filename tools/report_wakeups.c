// SPDX-License-Identifier: GPL-2.0
/*
 * gotrace report --wakeups: for whom a task slept.
 *
 * Each of its sleeps is cut into what others did meanwhile, from its end backwards:
 * its waker ran, or waited for a CPU, from when it was woken itself; before that,
 * who woke the waker did, and so on, until where the sleep began. Who was woken by
 * an interrupt was asleep for something outside, and before that did something
 * itself. So the pieces make up the sleep, none overlaps another.
 *
 * The trace is read forwards: each G carries with it how it came to run, the last
 * HOPS wake-ups of that chain, and gives it to those it wakes. A piece's waits for
 * a CPU need no history of Gs: a wake-up notes how long both had waited so far, and
 * had at the moment when the task in question fell asleep.
 */
#include "report.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "out.h"

#define HOPS 16
/* Running, runnable and asleep for each, and what is further back. */
#define PIECES_MAX (3 * HOPS + 4)

enum what {
	RUNNING,
	RUNNABLE,
	ASLEEP,		/* until an interrupt */
	FURTHER_BACK,	/* more than HOPS wake-ups ago */
	WHATS,
};

static const char *const what_words[WHATS] = {
	"running", "runnable", "asleep", "further back",
};

/* How long something had been runnable at two moments. */
struct ready {
	int64_t now;
	int64_t since;		/* now less what it was as the sleep began */
};

/* How a G came to run. */
struct hop {
	const struct gt_g *g;
	const struct gt_g *by;	/* NULL: an interrupt, or not known */
	int64_t slept;		/* when it fell asleep, and */
	int64_t woken;		/* when it was woken, or created */
	struct ready ready, by_ready;
	uint64_t call;		/* in which it was asleep */
	uint64_t by_call;	/* in which the waker was */
};

struct walker {
	struct hop *chain;	/* HOPS, the last wake-up first; NULL: none yet */
	size_t n;
	bool cut;		/* there were more */
	int64_t ready;		/* ns in all */
	int64_t ready_then;	/* as the sleep began, if known_then is its number */
	uint64_t known_then;
};

struct piece {
	const struct gt_g *g;
	enum what what;
	int64_t ns;
	uint64_t call;		/* ASLEEP: in which; RUNNING: of the wake-up */
};

struct sleep {
	int64_t start, end;
	unsigned int why;
	uint64_t call;
	bool doubtful;
	struct piece pieces[PIECES_MAX];
	size_t n;
};

struct blame {
	const struct gt_g *g;
	enum what what;
	int64_t ns;
	uint64_t n;
};

struct wakeups {
	struct report *r;
	enum table_format format;
	struct gt_intervals intervals;
	struct walker *walkers;	/* by gt_g.index */
	size_t n_walkers, size_walkers;
	int64_t asleep_since;	/* the task's own */
	uint64_t sleep_no;	/* counts its sleeps, from 1 on */

	struct gt_map blame_of;
	struct blame *blames;
	size_t n_blames, size_blames;
	int64_t total;
	uint64_t n;

	struct sleep *longest;	/* top of them at most, the longest first */
	size_t n_longest, top;
	bool found, no_memory;
};

/* ---- Chains ---- */

static struct walker *walker(struct wakeups *w, const struct gt_g *g)
{
	while (w->n_walkers <= g->index) {
		if (!array_reserve(&w->walkers, w->n_walkers,
				   &w->size_walkers, sizeof(*w->walkers))) {
			w->no_memory = true;
			return NULL;
		}
		w->walkers[w->n_walkers++] = (struct walker){ 0 };
	}
	return &w->walkers[g->index];
}

/*
 * The first thing of a G that ends since the sleep began tells how long it had
 * been runnable then.
 */
static void note_then(struct wakeups *w, struct walker *x,
		      const struct gt_interval *i)
{
	int64_t then = w->asleep_since < i->end ? w->asleep_since : i->end;

	if (x->known_then == w->sleep_no)
		return;
	x->known_then = w->sleep_no;
	x->ready_then = x->ready;
	if (i->kind == GT_IV_RUNNABLE && then > i->start)
		x->ready_then += then - i->start;
}

/* Nothing of it ended: it ran all the time. */
static struct ready ready_of(const struct wakeups *w, const struct walker *x)
{
	int64_t then = x->known_then == w->sleep_no ? x->ready_then : x->ready;

	return (struct ready){ x->ready, x->ready - then };
}

static void lengthen(struct wakeups *w, struct walker *x,
		     const struct walker *from, const struct hop *hop)
{
	size_t keep = from->n < HOPS - 1 ? from->n : HOPS - 1;

	if (!x->chain)
		x->chain = calloc(HOPS, sizeof(*x->chain));
	if (!x->chain) {
		w->no_memory = true;
		return;
	}
	if (keep)
		memmove(x->chain + 1, from->chain, keep * sizeof(*hop));
	x->chain[0] = *hop;
	x->cut = from->cut || from->n > keep;
	x->n = keep + 1;
}

static struct hop hop_of(struct wakeups *w, const struct gt_interval *i)
{
	struct gt_intervals *iv = &w->intervals;

	return (struct hop){
		.g = i->g, .by = i->by, .slept = i->start, .woken = i->end,
		.call = gt_intervals_call(iv, i->stk),
		.by_call = gt_intervals_call(iv, i->end_stk),
	};
}

static void woken(struct wakeups *w, struct hop hop)
{
	struct walker *x = walker(w, hop.g);
	struct walker *by = hop.by ? walker(w, hop.by) : NULL;

	/* Both are there: an array that grew may have moved. */
	if (w->no_memory)
		return;
	x = &w->walkers[hop.g->index];
	hop.ready = ready_of(w, x);
	if (by)
		hop.by_ready = ready_of(w, by);
	lengthen(w, x, by ? by : x, &hop);
}

/* ---- One sleep ---- */

static void add_piece(struct sleep *s, const struct gt_g *g, enum what what,
		      int64_t ns, uint64_t call)
{
	if (ns > 0)
		s->pieces[s->n++] = (struct piece){ g, what, ns, call };
}

/* What a G that was awake did from begin to end: it waited so long for a CPU. */
static void add_awake(struct sleep *s, const struct gt_g *g, int64_t ns,
		      int64_t ready, uint64_t call)
{
	add_piece(s, g, RUNNING, ns - ready, call);
	add_piece(s, g, RUNNABLE, ready, 0);
}

/*
 * Backwards along the chain of g, which was awake at until: in which call it woke
 * the next, and how long it had been runnable by then.
 */
static void walk(struct sleep *s, const struct gt_g *g, const struct walker *x,
		 struct ready ready, uint64_t call)
{
	int64_t until = s->end, begin;

	for (size_t k = 0; k < x->n && until > s->start; k++) {
		const struct hop *h = &x->chain[k];
		bool before = h->woken <= s->start;

		begin = before ? s->start : h->woken;
		add_awake(s, g, until - begin, before ? ready.since :
			  ready.now - h->ready.now, call);
		until = begin;
		if (before)
			return;
		if (h->by) {
			g = h->by;
			ready = h->by_ready;
			call = h->by_call;
			continue;
		}
		begin = h->slept > s->start ? h->slept : s->start;
		add_piece(s, g, ASLEEP, until - begin, h->call);
		until = begin;
		ready = h->ready;
		call = 0;
	}
	if (until <= s->start)
		return;
	if (x->cut)
		add_piece(s, NULL, FURTHER_BACK, until - s->start, 0);
	else
		add_awake(s, g, until - s->start, ready.since, call);
}

static struct blame *blame(struct wakeups *w, const struct piece *p)
{
	uint64_t *at = gt_map_add(&w->blame_of,
				  (p->g ? p->g->index + 1 : 0) * WHATS + p->what);

	if (at && !*at && array_reserve(&w->blames, w->n_blames,
					&w->size_blames, sizeof(*w->blames))) {
		w->blames[w->n_blames++] = (struct blame){ p->g, p->what, 0, 0 };
		*at = w->n_blames;
	}
	if (!at || !*at) {
		w->no_memory = true;
		return NULL;
	}
	return &w->blames[*at - 1];
}

static void keep(struct wakeups *w, const struct sleep *s)
{
	int64_t ns = s->end - s->start;
	size_t at = w->n_longest;

	while (at && ns > w->longest[at - 1].end - w->longest[at - 1].start)
		at--;
	if (at == w->top)
		return;
	if (w->n_longest < w->top)
		w->n_longest++;
	memmove(&w->longest[at + 1], &w->longest[at],
		(w->n_longest - at - 1) * sizeof(*s));
	w->longest[at] = *s;
}

static void print_sleep(struct wakeups *w, const struct sleep *s);

static void slept(struct wakeups *w, const struct gt_interval *i)
{
	struct sleep s = {
		.start = i->start, .end = i->end, .why = i->why,
		.call = gt_intervals_call(&w->intervals, i->stk),
		.doubtful = i->doubtful,
	};
	struct walker *by = i->by ? walker(w, i->by) : NULL;
	struct blame *b;

	if (i->unfinished || i->end < w->r->from || i->end >= w->r->to)
		return;
	if (by)
		walk(&s, i->by, by, ready_of(w, by),
		     gt_intervals_call(&w->intervals, i->end_stk));
	else
		add_piece(&s, i->g, ASLEEP, s.end - s.start, s.call);
	for (size_t k = 0; k < s.n; k++) {
		b = blame(w, &s.pieces[k]);
		if (!b)
			return;
		b->ns += s.pieces[k].ns;
		b->n++;
	}
	w->total += s.end - s.start;
	w->n++;
	if (w->top)
		keep(w, &s);
	else
		print_sleep(w, &s);
}

static void take(void *arg, const struct gt_interval *i)
{
	struct wakeups *w = arg;
	bool is_it = i->g && i->g->id == w->r->task_id;
	struct walker *x;

	if (w->no_memory)
		return;
	if (i->kind == GT_IV_CREATED && i->by)
		woken(w, hop_of(w, i));
	if (i->kind > GT_IV_UNTRACED)
		return;
	x = walker(w, i->g);
	if (!x)
		return;
	w->found |= is_it;
	note_then(w, x, i);
	if (i->kind == GT_IV_RUNNABLE)
		x->ready += i->end - i->start;
	if (i->kind == GT_IV_ASLEEP && !i->unfinished) {
		if (is_it)
			slept(w, i);
		woken(w, hop_of(w, i));
	}
	if (is_it && !i->unfinished &&
	    (gt_event_leaves(i->then) == GT_LEAVES_ASLEEP ||
	     i->then == GT_EV_GO_WAITING || i->then == GT_EV_GO_IN_SYSCALL)) {
		w->asleep_since = i->end;
		w->sleep_no++;
	}
}

/* ---- What comes out ---- */

static void put_g(struct wakeups *w, const struct gt_g *g)
{
	struct gt_string name = gt_timeline_g_name(w->r->t, g);

	for (size_t i = 0; i < name.len; i++)
		out_char((uint8_t)name.text[i] < ' ' || name.text[i] == 0x7f ?
			 '?' : name.text[i]);
	out_char('/');
	out_u64(g->id);
}

static void put_time(int64_t ns)
{
	char text[CELL_MAX];

	table_time(text, ns);
	for (size_t n = strlen(text); n < 8; n++)
		out_char(' ');
	out_text(text);
}

static void put_call(struct wakeups *w, const char *before, uint64_t call)
{
	struct gt_string s;

	if (!call || !gt_names_string(&w->r->t->trace.names, call, &s))
		return;
	out_text(before);
	out_bytes(s.text, s.len);
}

static void text_sleep(struct wakeups *w, const struct sleep *s)
{
	char at[CELL_MAX];

	table_moment(at, s->start);
	out_text("\n");
	put_time(s->end - s->start);
	out_text("  from ");
	out_text(at);
	out_text(", ");
	out_text(report_reason_word(report_reason(s->why)));
	put_call(w, " in ", s->call);
	if (s->doubtful)
		out_text(" (events were lost meanwhile)");
	out_char('\n');
	for (size_t i = 0; i < s->n; i++) {
		const struct piece *p = &s->pieces[i];

		out_text("  ");
		put_time(p->ns);
		out_text("  ");
		if (p->g) {
			put_g(w, p->g);
			out_char(' ');
		}
		out_text(what_words[p->what]);
		put_call(w, p->what == ASLEEP ? " in " : ", woke the one above in ",
			 p->call);
		out_char('\n');
	}
}

static void json_g(struct wakeups *w, const struct gt_g *g)
{
	struct gt_string name;

	if (!g) {
		out_text("\"id\":null,\"name\":null");
		return;
	}
	name = gt_timeline_g_name(w->r->t, g);
	out_text("\"id\":");
	out_u64(g->id);
	out_text(",\"name\":");
	out_json(name.text, name.len);
}

static void json_call(struct wakeups *w, uint64_t call)
{
	struct gt_string s;

	out_text(",\"call\":");
	if (call && gt_names_string(&w->r->t->trace.names, call, &s))
		out_json(s.text, s.len);
	else
		out_text("null");
}

static void json_sleep(struct wakeups *w, const struct sleep *s)
{
	out_text("{\"row\":\"sleep\",\"at_ns\":");
	out_i64(s->start);
	out_text(",\"asleep_ns\":");
	out_i64(s->end - s->start);
	out_text(",\"reason\":\"");
	out_text(report_reason_word(report_reason(s->why)));
	out_char('"');
	json_call(w, s->call);
	out_text(s->doubtful ? ",\"doubtful\":true" : ",\"doubtful\":false");
	out_text(",\"pieces\":[");
	for (size_t i = 0; i < s->n; i++) {
		out_text(i ? ",{" : "{");
		json_g(w, s->pieces[i].g);
		out_text(",\"what\":\"");
		out_text(what_words[s->pieces[i].what]);
		out_text("\",\"ns\":");
		out_i64(s->pieces[i].ns);
		json_call(w, s->pieces[i].call);
		out_char('}');
	}
	out_text("]}\n");
}

static void print_sleep(struct wakeups *w, const struct sleep *s)
{
	if (w->format == TABLE_JSON)
		json_sleep(w, s);
	else
		text_sleep(w, s);
}

static const struct column blame_columns[] = {
	{ "total_ns", "TIME", CELL_TIME, 0 },
	{ "percent", "OF ALL", CELL_PERCENT, 1 },
	{ "pieces", "PIECES", CELL_COUNT, 2 },
	{ "id", "ID", CELL_ID, 0 },
	{ "name", "TASK", CELL_TEXT, 0 },
	{ "what", "WAS", CELL_TEXT, 0 },
	{ 0 }
};

static bool fill_blame(void *arg, size_t i, struct row *row)
{
	struct wakeups *w = arg;
	const struct blame *b = &w->blames[i];
	const char *what = what_words[b->what];

	row->cells[0].ns = b->ns;
	row->cells[1].percent = 100.0 * (double)b->ns / (double)w->total;
	row->cells[2].count = b->n;
	if (b->g) {
		row->cells[3].count = b->g->id;
		row->cells[4].text = gt_timeline_g_name(w->r->t, b->g);
	}
	row->is_none[3] = row->is_none[4] = !b->g;
	row->cells[5].text = gt_string_of(what);
	return true;
}

static bool print(struct wakeups *w, size_t top)
{
	struct table t = {
		.name = "blame", .columns = blame_columns,
		.n_rows = w->n_blames, .fill = fill_blame, .arg = w,
		.names = &w->r->t->trace.names,
	};
	char text[CELL_MAX];

	if (w->format == TABLE_TEXT) {
		out_text(w->top ? "" : "\n");
		put_g(w, gt_state_find_g(&w->r->t->state, w->r->task_id));
		out_text(" slept ");
		out_u64(w->n);
		out_text(w->n == 1 ? " time, " : " times, ");
		table_time(text, w->total);
		out_text(text);
		out_text(" in all. Meanwhile:\n\n");
	}
	if (!table_print(&t, w->format, &(struct table_order){ 0, top }))
		return false;
	for (size_t i = 0; i < w->n_longest; i++)
		print_sleep(w, &w->longest[i]);
	return true;
}

static int read_all(struct wakeups *w)
{
	int ret;

	w->longest = calloc(w->top ? w->top : 1, sizeof(*w->longest));
	w->no_memory = !w->longest;
	do
		ret = w->no_memory ? 0 : gt_intervals_next(&w->intervals);
	while (ret > 0);
	if (ret == 0 && !w->no_memory && !w->found)
		return report_fail(w->r, "the trace has no task with the id of --wakeups");
	return ret;
}

int report_wakeups(struct report *r, enum table_format format, size_t top)
{
	struct wakeups w = { .r = r, .format = format, .top = top };
	int ret;

	gt_intervals_init(&w.intervals, r->t, take, &w);
	ret = read_all(&w);
	if (!ret && !w.no_memory)
		w.no_memory = !print(&w, top);
	if (!ret && w.no_memory)
		ret = report_fail(r, "no memory for the wake-ups");
	for (size_t i = 0; i < w.n_walkers; i++)
		free(w.walkers[i].chain);
	free(w.walkers);
	free(w.blames);
	free(w.longest);
	gt_map_exit(&w.blame_of);
	gt_intervals_exit(&w.intervals);
	return ret;
}
