// SPDX-License-Identifier: GPL-2.0
/*
 * Questions and answers; see api.h.
 *
 *	trace    the trace, its CPUs and tasks, with their tracks
 *	columns  of the report's tables
 *	tiles    track looks of tracks, as struct view_seg (tiles.h)
 *	active   who ran or wanted to in a window
 *	slice    a record: by its index, or by a time
 *	chain    who woke a task, who had woken that one, …
 *	wakes    who woke whom in a window
 *	marks    messages and user tasks in a window
 *	heap     memory, all of it
 *	find     the next thing with a text in it
 *	report   tables, whole or in a window, as gotrace report --json has them
 *	flame    stacks and how long
 *	hists    how long tasks waited for CPUs, and calls took
 *
 * Times are ns since the beginning of the trace; tracks and tasks have numbers from 1.
 */
#include "view/api.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/find.h"
#include "view/flame.h"
#include "view/json.h"
#include "view/slice.h"
#include "view/tiles.h"

/* Most tiles of one answer, tracks times tiles of each. */
#define TILES_MAX	2048
/* Most wake-ups and marks in one. */
#define ARROWS_MAX	5000
#define MARKS_MAX	5000
#define CHAIN_MAX	50
#define HISTS_MAX	200

struct ask {
	struct view *v;
	const struct view_query *q;
	const char *bad;	/* what is wrong with it */
};

/* ---- Parameters ---- */

static const char *text(struct ask *a, const char *key)
{
	return a->q->get(a->q->arg, key);
}

static int64_t number(struct ask *a, const char *key, int64_t without,
		      int64_t max)
{
	const char *s = text(a, key);
	char *end;
	long long n;

	if (!s)
		return without;
	errno = 0;
	n = strtoll(s, &end, 10);
	if (errno || end == s || *end || n < 0 || n > max) {
		a->bad = key;
		return without;
	}
	return n;
}

static void window(struct ask *a, int64_t *from, int64_t *to)
{
	*from = number(a, "from", 0, INT64_MAX / 2);
	*to = number(a, "to", INT64_MAX / 2, INT64_MAX / 2);
	if (*from >= *to)
		a->bad = "to";
}

static uint32_t task(struct ask *a, const char *key)
{
	return number(a, key, 0, a->v->n_gs);
}

/* ---- The trace ---- */

static void put_track(const char *key, uint32_t track)
{
	json_i64(key, track);
}

static void put_cpus(struct view *v)
{
	json_key("cpus");
	out_char('[');
	for (size_t i = 0, n = 0; i < v->n_cpus; i++) {
		int64_t p = gt_state_p(&v->t->state, i)->id;

		if (p == GT_NO_P)
			continue;
		if (n++)
			out_char(',');
		out_char('{');
		json_first("i");
		out_u64(i + 1);
		json_i64("id", p);
		put_track("track", v->cpus[i]);
		out_char('}');
	}
	out_char(']');
}

/* As an array, there may be many: see TASK in the page's trace.js. */
static void put_task(struct view *v, size_t i)
{
	const struct view_g *own = &v->gs[i];
	const struct gt_g *g = gt_state_g(&v->t->state, i);
	struct gt_string name = gt_timeline_g_name(v->t, g);
	const struct view_track *t = &v->store.tracks[own->state - 1];

	out_text("[");
	out_u64(i + 1);
	out_text(",\"");
	out_u64(g->id);
	out_text("\",");
	out_json(name.text, name.len);
	for (size_t k = 0; k < VIEW_CLASSES; k++) {
		out_char(',');
		out_i64(t->ns[k]);
	}
	out_char(',');
	out_i64(view_store_rec(&v->store, own->state - 1, 0)->start);
	out_char(',');
	out_i64(t->end);
	out_char(',');
	out_u64(own->state);
	out_char(',');
	out_u64(own->calls);
	out_char(',');
	out_u64(own->assists);
	for (size_t k = 0; k < VIEW_DEPTH && own->regions[k]; k++) {
		out_char(',');
		out_u64(own->regions[k]);
	}
	out_char(']');
}

static void put_tasks(struct view *v)
{
	json_key("tasks");
	out_char('[');
	for (size_t i = 0, n = 0; i < v->n_gs; i++) {
		if (!v->gs[i].state)
			continue;
		if (n++)
			out_char(',');
		put_task(v, i);
	}
	out_char(']');
}

/* Those of calls and regions; numbers are as tiles have them. */
static void put_names(struct view *v)
{
	struct gt_string name;

	json_key("names");
	out_char('[');
	for (size_t i = 0; i < v->names.n; i++) {
		gt_names_string(&v->t->trace.names, v->names.all[i], &name);
		if (i)
			out_char(',');
		out_json(name.text, name.len);
	}
	out_char(']');
}

static void put_losses(const struct gt_losses *l)
{
	json_i64("lost", l->events);
	json_key("losses");
	out_char('[');
	for (size_t i = 0; i < l->n; i++) {
		if (i)
			out_char(',');
		out_char('[');
		out_i64(l->all[i].p);
		out_char(',');
		out_i64(l->all[i].from);
		out_char(',');
		out_i64(l->all[i].to);
		out_char(',');
		out_u64(l->all[i].events);
		out_char(']');
	}
	out_char(']');
}

static void put_reasons(void)
{
	json_key("reasons");
	out_char('{');
	for (unsigned int type = 0, n = 0; type < GT_EV_COUNT; type++) {
		if (!gt_event_desc(type))
			continue;
		out_text(n++ ? ",\"" : "\"");
		out_u64(type);
		out_text("\":[");
		out_json(gt_event_desc(type)->name,
			 strlen(gt_event_desc(type)->name));
		out_text(",\"");
		out_text(report_reason_word(report_reason(type)));
		out_text("\"]");
	}
	out_char('}');
}

static void answer_trace(struct ask *a)
{
	struct view *v = a->v;

	out_char('{');
	json_first("name");
	out_json(v->name, strlen(v->name));
	json_word("version", GOTRACE_VERSION);
	json_bool("kernel", v->t->kernel);
	json_i64("end", v->t->time);
	json_i64("events", v->t->events);
	json_i64("records", v->store.n);
	json_i64("deep", v->deep);
	json_i64("marks", v->n_marks);
	json_i64("more_marks", v->more_marks);
	json_i64("heap", v->n_heap);
	put_track("gc", v->gc);
	put_track("stw", v->stw);
	put_losses(&v->t->losses);
	put_reasons();
	put_cpus(v);
	put_names(v);
	put_tasks(v);
	out_char('}');
}

static void answer_columns(struct ask *a)
{
	static const char *const types[] = {
		[CELL_TEXT] = "text", [CELL_COUNT] = "count", [CELL_ID] = "id",
		[CELL_TIME] = "time", [CELL_MOMENT] = "moment",
		[CELL_PERCENT] = "percent", [CELL_STACK] = "stack",
	};

	(void)a;
	out_char('{');
	for (int by = 0; by < REPORT_BY_COUNT; by++) {
		const struct column *c = report_columns(by);

		if (by)
			out_char(',');
		json_first(report_by_words[by]);
		out_char('[');
		for (int i = 0; c[i].key; i++) {
			out_text(i ? ",{" : "{");
			json_first("key");
			out_json(c[i].key, strlen(c[i].key));
			json_word("type", types[c[i].type]);
			if (c[i].title)
				json_word("title", c[i].title);
			out_char('}');
		}
		out_char(']');
	}
	out_char('}');
}

/* ---- Tracks ---- */

static void put_tile(struct view *v, uint32_t track, unsigned int level,
		     uint64_t tile)
{
	/* One thread answers. */
	static struct view_seg segs[VIEW_SEGS_MAX];
	uint32_t head[2] = { 0 };

	head[0] = view_tile(&v->store, track, level, tile, segs);
	out_bytes(head, sizeof(head));
	out_bytes(segs, head[0] * sizeof(segs[0]));
}

static void answer_tiles(struct ask *a)
{
	unsigned int level = number(a, "level", 0, VIEW_LEVEL_MAX);
	uint64_t tile = number(a, "tile", 0, INT64_MAX >> (level + 10));
	uint64_t count = number(a, "count", 1, 64), done = 0;
	const char *s = text(a, "tracks");
	unsigned long track;
	char *end;

	while (s && *s && !a->bad) {
		track = strtoul(s, &end, 10);
		done += count;
		if (end == s || (*end && *end != ',') || !track ||
		    track > a->v->store.n_tracks || done > TILES_MAX) {
			a->bad = "tracks";
			return;
		}
		for (uint64_t i = 0; i < count; i++)
			put_tile(a->v, track - 1, level, tile + i);
		s = *end ? end + 1 : end;
	}
}

/* Tasks with what they ran and waited for a CPU, in the window. */
static void answer_active(struct ask *a)
{
	struct view *v = a->v;
	struct view_sum sum;
	int64_t from, to;

	window(a, &from, &to);
	out_char('[');
	for (size_t i = 0, n = 0; i < v->n_gs && !a->bad; i++) {
		if (!v->gs[i].state)
			continue;
		view_store_sum(&v->store, v->gs[i].state - 1, from, to, &sum);
		if (!sum.ns[VIEW_RUNNING] && !sum.ns[VIEW_RUNNABLE])
			continue;
		out_text(n++ ? ",[" : "[");
		out_u64(i + 1);
		out_char(',');
		out_i64(sum.ns[VIEW_RUNNING]);
		out_char(',');
		out_i64(sum.ns[VIEW_RUNNABLE]);
		out_char(']');
	}
	out_char(']');
}

static void answer_slice(struct ask *a)
{
	struct view *v = a->v;
	uint32_t g = task(a, "g");
	uint32_t track = number(a, "track", g ? v->gs[g - 1].state : 0,
				v->store.n_tracks);
	uint32_t n = track ? v->store.tracks[track - 1].n : 0;
	uint32_t i = number(a, "index", UINT32_MAX, UINT32_MAX);
	int64_t time = number(a, "time", 0, INT64_MAX);

	if (!n || a->bad) {
		a->bad = "track";
		return;
	}
	if (i == UINT32_MAX) {
		i = view_store_find(&v->store, track - 1, time);
		i -= i == n;
	}
	if (i >= n)
		a->bad = "index";
	else
		view_slice(v, track - 1, i);
}

static void answer_chain(struct ask *a)
{
	uint32_t g = task(a, "g");
	int64_t time = number(a, "time", 0, INT64_MAX);

	if (!g)
		a->bad = "g";
	else
		view_chain(a->v, g, time, number(a, "max", 20, CHAIN_MAX));
}

static void answer_wakes(struct ask *a)
{
	int64_t from, to;

	window(a, &from, &to);
	view_wakes(a->v, from, to, number(a, "max", ARROWS_MAX, ARROWS_MAX));
}

/* ---- Moments ---- */

static void put_mark(struct view *v, const struct view_mark *m, size_t i)
{
	const char *word = m->type == GT_EV_USER_LOG ? "log" :
		m->type == GT_EV_USER_TASK_CREATE ? "begin" : "end";
	struct gt_string name;

	gt_names_string(&v->t->trace.names, view_name(v, m->name), &name);
	out_char('{');
	json_first("i");
	out_u64(i);
	json_i64("at", m->time);
	json_word("what", word);
	json_g("g", v, m->g);
	json_string("name", name);
	json_string("text", (struct gt_string){ v->texts + m->text, m->len });
	out_char('}');
}

/* The first mark at or behind the time. */
static size_t find_mark(const struct view *v, int64_t time)
{
	size_t low = 0, high = v->n_marks, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (v->marks[mid].time < time)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* If there are too many, some of all over the window. */
static void answer_marks(struct ask *a)
{
	struct view *v = a->v;
	size_t i, end, step, max = number(a, "max", MARKS_MAX, MARKS_MAX);
	int64_t from, to;

	window(a, &from, &to);
	i = find_mark(v, from);
	end = find_mark(v, to);
	out_char('{');
	json_first("n");
	out_u64(end - i);
	json_key("marks");
	out_char('[');
	step = (end - i) / (max + 1) + 1;
	for (size_t n = 0; i < end; i += step, n++) {
		if (n)
			out_char(',');
		put_mark(v, &v->marks[i], i);
	}
	out_text("]}");
}

/* So many points are enough to draw it. */
static void answer_heap(struct ask *a)
{
	struct view *v = a->v;
	size_t step = v->n_heap / 4000 + 1;

	out_char('[');
	for (size_t i = 0; i < v->n_heap; i += step) {
		out_text(i ? ",[" : "[");
		out_i64(v->heap[i].time);
		out_char(',');
		out_u64(v->heap[i].heap);
		out_char(',');
		out_u64(v->heap[i].goal);
		out_char(']');
	}
	out_char(']');
}

static void answer_find(struct ask *a)
{
	int64_t time = number(a, "time", 0, INT64_MAX);
	bool back = number(a, "back", 0, 1);
	const char *what = text(a, "text");
	struct view_hit hit = { 0 };
	int ret;

	if (!what || !*what)
		a->bad = "text";
	if (a->bad)
		return;
	ret = view_find(a->v, what, time, back, &hit);
	if (ret < 0)
		a->bad = "text: there is no memory to look for it";
	else if (!ret)
		out_text("null");
	else if (hit.track)
		view_slice(a->v, hit.track - 1, hit.index);
	else
		put_mark(a->v, &a->v->marks[hit.index], hit.index);
}

/* ---- Sums ---- */

/* Return: NULL: none. */
static struct report *report(struct ask *a)
{
	struct report *r = NULL;
	int64_t from, to;

	window(a, &from, &to);
	if (!a->bad) {
		r = view_window(a->v, from, to);
		if (!r)
			a->bad = "from: nothing is there, or there is no memory for it";
	}
	return r;
}

static void answer_report(struct ask *a)
{
	const char *word = text(a, "by"), *sort = text(a, "sort");
	size_t top = number(a, "top", 0, 1000000);
	struct report *r;
	int by = 0;

	while (by < REPORT_BY_COUNT && word && strcmp(word, report_by_words[by]))
		by++;
	if (by == REPORT_BY_COUNT)
		a->bad = "by";
	else if (sort && table_column(report_columns(by), sort) < 0)
		a->bad = "sort";
	if (a->bad)
		return;
	r = report(a);
	if (r && (!report_print_trace(r, TABLE_JSON, "") ||
		  !report_print(r, by, TABLE_JSON, sort, top)))
		a->bad = "by: there is no memory for it";
}

static void answer_flame(struct ask *a)
{
	static const char *const words[] = { "cpu", "offcpu", "sched" };
	struct view_flame f = { .g = task(a, "g"), .named = number(a, "named", 0, 1) };
	const char *what = text(a, "what");
	size_t i = 0;

	window(a, &f.from, &f.to);
	while (i < 3 && what && strcmp(what, words[i]))
		i++;
	if (i == 3 || !what)
		a->bad = "what";
	if (a->bad)
		return;
	f.what = i == 0 ? EXPORT_CPU : i == 1 ? EXPORT_OFFCPU : EXPORT_SCHED;
	if (!view_flame(a->v, &f))
		a->bad = "what: there is no memory for it";
}

struct hist {
	const struct gt_histogram *h;
	struct gt_string name;
	const struct gt_g *g;	/* whose was the longest, and when */
	int64_t at;
};

static void put_hist(const struct hist *one)
{
	const struct gt_histogram *h = one->h;

	out_char('{');
	json_first("name");
	out_json(one->name.text, one->name.len);
	json_i64("g", one->g ? one->g->index + 1 : 0);
	json_i64("at", one->at);
	json_i64("n", h->n);
	json_i64("p50", gt_histogram_percentile(h, 50));
	json_i64("p90", gt_histogram_percentile(h, 90));
	json_i64("p99", gt_histogram_percentile(h, 99));
	json_i64("max", h->max);
	json_key("buckets");
	out_char('[');
	for (size_t i = 0; i < h->used; i++) {
		out_text(i ? ",[" : "[");
		out_u64(gt_histogram_low(h->buckets[i].at));
		out_char(',');
		out_u64(gt_histogram_low(h->buckets[i].at + 1));
		out_char(',');
		out_u64(h->buckets[i].n);
		out_char(']');
	}
	out_text("]}");
}

static int by_n(const void *a, const void *b)
{
	const struct hist *x = a, *y = b;

	return (x->h->n < y->h->n) - (x->h->n > y->h->n);
}

/* Of the most often ones. */
static void put_hists(const char *key, struct hist *all, size_t n)
{
	if (n)
		qsort(all, n, sizeof(*all), by_n);
	json_key(key);
	out_char('[');
	for (size_t i = 0; i < n && i < HISTS_MAX && all[i].h->n; i++) {
		if (i)
			out_char(',');
		put_hist(&all[i]);
	}
	out_char(']');
}

static bool put_waits(const struct report *r, struct hist *all)
{
	struct gt_histogram every = { 0 };
	struct hist whole = { &every, { "all tasks", 9 }, NULL, 0 };
	bool ok = true;

	for (size_t i = 0; i < r->n_comms && ok; i++) {
		const struct report_waits *w = &r->comms[i].waits;

		all[i] = (struct hist){ &w->hist, r->comms[i].name, w->g, w->at };
		if (w->hist.n && (!whole.g || w->hist.max > every.max)) {
			whole.g = w->g;
			whole.at = w->at;
		}
		ok = gt_histogram_merge(&every, &w->hist);
	}
	json_first("all");
	put_hist(&whole);
	if (ok)
		put_hists("waits", all, r->n_comms);
	gt_histogram_exit(&every);
	return ok;
}

static bool put_all_hists(const struct report *r)
{
	size_t most = r->n_comms > r->n_calls ? r->n_comms : r->n_calls;
	struct hist *all = calloc(most + 1, sizeof(*all));
	bool ok;

	if (!all)
		return false;
	out_char('{');
	ok = put_waits(r, all);
	for (size_t i = 0; i < r->n_calls; i++)
		all[i] = (struct hist){ &r->calls[i].hist, r->calls[i].name,
					r->calls[i].g, r->calls[i].at };
	put_hists("calls", all, r->n_calls);
	out_char('}');
	free(all);
	return ok;
}

static void answer_hists(struct ask *a)
{
	struct report *r = report(a);

	if (r && !put_all_hists(r))
		a->bad = "from: there is no memory for it";
}

/* ---- All of them ---- */

static const struct {
	const char *name;
	const char *type;
	void (*answer)(struct ask *a);
} questions[] = {
	{ "trace", "application/json", answer_trace },
	{ "columns", "application/json", answer_columns },
	{ "tiles", "application/octet-stream", answer_tiles },
	{ "active", "application/json", answer_active },
	{ "slice", "application/json", answer_slice },
	{ "chain", "application/json", answer_chain },
	{ "wakes", "application/json", answer_wakes },
	{ "marks", "application/json", answer_marks },
	{ "heap", "application/json", answer_heap },
	{ "find", "application/json", answer_find },
	{ "report", "application/x-ndjson", answer_report },
	{ "flame", "application/json", answer_flame },
	{ "hists", "application/json", answer_hists },
};

#define N_QUESTIONS (sizeof(questions) / sizeof(questions[0]))

static void fail(struct view_answer *a, unsigned int status, const char *what,
		 const char *which)
{
	int n = asprintf(&a->data, "%s %s\n", what, which);

	a->status = status;
	a->type = "text/plain; charset=utf-8";
	a->len = n < 0 ? 0 : n;
	if (n < 0)
		a->data = NULL;
}

void view_api(struct view *v, const struct view_query *q, struct view_answer *a)
{
	struct ask ask = { v, q, NULL };
	size_t i = 0;
	FILE *f;

	*a = (struct view_answer){ 0 };
	while (i < N_QUESTIONS && strcmp(q->name, questions[i].name))
		i++;
	if (i == N_QUESTIONS) {
		fail(a, 404, "there is no question", q->name);
		return;
	}
	f = open_memstream(&a->data, &a->len);
	if (!f) {
		fail(a, 500, "no memory for", q->name);
		return;
	}
	out_to(f);
	questions[i].answer(&ask);
	a->status = out_flush() ? 500 : 200;
	a->type = questions[i].type;
	out_to(NULL);
	if (fclose(f) || a->status != 200 || ask.bad) {
		free(a->data);
		fail(a, ask.bad ? 400 : 500, ask.bad ? "what is wrong is" :
		     "no memory for", ask.bad ? ask.bad : q->name);
	}
}
