// SPDX-License-Identifier: GPL-2.0
/* About records; see slice.h. */
#include "view/slice.h"

#include "view/json.h"

/* Back from a moment, at most so many records are looked at for a wake-up. */
#define BACK_MAX 100000u

const char *view_kind_word(unsigned int kind)
{
	static const char *const words[] = {
		[GT_IV_RUNNING] = "running", [GT_IV_RUNNABLE] = "runnable",
		[GT_IV_ASLEEP] = "asleep", [GT_IV_UNTRACED] = "untraced",
		[GT_IV_ENTER] = "enter", [GT_IV_CALL] = "call",
		[GT_IV_REGION] = "region", [GT_IV_ASSIST] = "reclaim",
		[GT_IV_IDLE] = "idle", [GT_IV_STOPPED] = "stopped",
		[GT_IV_GC] = "gc", [GT_IV_STW] = "stw",
	};

	return words[kind];
}

static const struct view_rec *rec_at(const struct view *v, uint32_t track,
				     uint32_t i)
{
	return i < v->store.tracks[track].n ?
		view_store_rec(&v->store, track, i) : NULL;
}

/* Made runnable by another: woken, or made. Who was there before tracing was not. */
static bool is_wake(const struct view_rec *r)
{
	if (!r || r->kind != GT_IV_RUNNABLE)
		return false;
	return r->why == GT_EV_GO_UNBLOCK || r->why == GT_EV_GO_SYSEXIT ||
	       (r->why == GT_EV_GO_CREATE && !(r->flags & VIEW_SINCE_BEFORE));
}

/* The wake-up that a record of a G's states is about. */
static const struct view_rec *wake_of(const struct view *v, uint32_t track,
				      uint32_t i, const struct view_rec *r)
{
	const struct view_rec *w = r;

	if (r->kind == GT_IV_ASLEEP)
		w = rec_at(v, track, i + 1);
	else if (r->kind == GT_IV_RUNNING)
		w = i ? rec_at(v, track, i - 1) : NULL;
	return is_wake(w) ? w : NULL;
}

static void put_wake(const struct view *v, const struct view_rec *w)
{
	json_key("wake");
	if (!w) {
		out_text("null");
		return;
	}
	out_char('{');
	json_first("at");
	out_i64(w->start);
	json_bool("created", w->why == GT_EV_GO_CREATE);
	json_g("by", v, w->by);
	json_bool("irq", w->flags & VIEW_IRQ);
	json_p("cpu", v, w->p);
	json_p("to_cpu", v, w->end_p);
	json_i64("ran", w->end);
	json_bool("unfinished", w->flags & VIEW_UNFINISHED);
	json_stack("stack", v, w->stk);
	out_char('}');
}

static void put_neighbour(const struct view *v, const char *key, uint32_t track,
			  uint32_t i)
{
	const struct view_rec *r = rec_at(v, track, i);

	json_key(key);
	if (!r) {
		out_text("null");
		return;
	}
	out_char('{');
	json_first("i");
	out_u64(i);
	json_word("kind", view_kind_word(r->kind));
	json_i64("start", r->start);
	json_i64("end", r->end);
	out_char('}');
}

static void put_event(const char *key, unsigned int type)
{
	const struct gt_event_desc *desc = gt_event_desc(type);

	json_key(key);
	if (!desc || type == GT_EV_NONE) {
		out_text("null");
		return;
	}
	out_char('"');
	out_text(desc->name);
	out_char('"');
}

/* What a track of the G has at the time. */
static void put_inside(const struct view *v, const char *key, uint32_t track,
		       int64_t time)
{
	const struct view_rec *r = NULL;
	struct gt_string name;

	if (track)
		r = rec_at(v, track - 1,
			   view_store_find(&v->store, track - 1, time));
	if (!r || r->start > time)
		return;
	gt_names_string(&v->t->trace.names, view_name(v, r->name), &name);
	json_string(key, name);
}

static void put_state(const struct view *v, uint32_t track, uint32_t i,
		      const struct view_rec *r)
{
	const struct view_g *own = &v->gs[r->g - 1];

	put_wake(v, wake_of(v, track, i, r));
	/* While a call is open, that is where it is. */
	put_inside(v, "call", own->calls, r->start);
	for (size_t d = VIEW_DEPTH; d; d--) {
		if (!own->regions[d - 1])
			continue;
		put_inside(v, "region", own->regions[d - 1], r->start);
		break;
	}
	if (r->kind == GT_IV_ASLEEP)
		json_word("reason", report_reason_word(report_reason(r->why)));
	if (r->kind == GT_IV_RUNNABLE && r->name) {
		json_g("holder", v, r->name);
		json_i64("held", r->extra);
	}
	/* Where it stopped to run: the next one's stack is of that event. */
	if (r->kind == GT_IV_RUNNING && rec_at(v, track, i + 1))
		json_stack("end_stack", v, rec_at(v, track, i + 1)->stk);
}

static void put_record(const struct view *v, uint32_t track, uint32_t i)
{
	const struct view_rec *r = view_store_rec(&v->store, track, i);
	struct gt_string name;

	out_char('{');
	json_first("track");
	out_u64(track + 1);
	json_i64("index", i);
	json_word("kind", view_kind_word(r->kind));
	json_i64("start", r->start);
	json_i64("end", r->end);
	json_g("g", v, r->g);
	json_p("cpu", v, r->p);
	json_p("end_cpu", v, r->end_p);
	put_event("why", r->why);
	put_event("then", r->then);
	json_bool("since_before", r->flags & VIEW_SINCE_BEFORE);
	json_bool("unfinished", r->flags & VIEW_UNFINISHED);
	json_bool("doubtful", r->flags & VIEW_DOUBTFUL);
	if (r->kind != GT_IV_RUNNABLE && r->name) {
		gt_names_string(&v->t->trace.names, view_name(v, r->name), &name);
		json_string("name", name);
	}
	if (r->kind == GT_IV_CALL)
		json_i64("asleep", r->extra);
	/* A wake-up's stack is the waker's, and stands there. */
	if (!is_wake(r))
		json_stack("stack", v, r->stk);
	if (r->g && r->kind <= GT_IV_UNTRACED)
		put_state(v, track, i, r);
	put_neighbour(v, "before", track, i - 1);
	put_neighbour(v, "after", track, i + 1);
	out_char('}');
}

static bool is_cpu(const struct view *v, uint32_t track)
{
	for (size_t i = 0; i < v->n_cpus; i++)
		if (v->cpus[i] == track + 1)
			return true;
	return false;
}

void view_slice(const struct view *v, uint32_t track, uint32_t i)
{
	const struct view_rec *r = view_store_rec(&v->store, track, i);

	if (r->kind == GT_IV_RUNNING && r->g && is_cpu(v, track)) {
		track = v->gs[r->g - 1].state - 1;
		i = view_store_find(&v->store, track, r->start);
	}
	put_record(v, track, i);
}

/* ---- Who led to it ---- */

/* The last wake-up of the G at or before the time. */
static const struct view_rec *woken_before(const struct view *v, uint32_t g,
					   int64_t time, uint32_t *at)
{
	uint32_t track = v->gs[g - 1].state, i;
	const struct view_rec *r;

	if (!track || !v->store.tracks[track - 1].n)
		return NULL;
	track--;
	i = view_store_find(&v->store, track, time);
	if (i == v->store.tracks[track].n)
		i--;
	for (uint32_t n = 0; n < BACK_MAX; n++, i--) {
		r = view_store_rec(&v->store, track, i);
		if (r->start <= time && is_wake(r)) {
			*at = i;
			return r;
		}
		if (!i)
			break;
	}
	return NULL;
}

void view_chain(const struct view *v, uint32_t g, int64_t time, size_t max)
{
	const struct view_rec *w, *sleep;
	uint32_t track, i;

	out_char('[');
	for (size_t n = 0; n < max && g; n++) {
		w = woken_before(v, g, time, &i);
		if (!w)
			break;
		if (n)
			out_char(',');
		track = v->gs[g - 1].state - 1;
		sleep = i ? view_store_rec(&v->store, track, i - 1) : NULL;
		out_char('{');
		json_first("at");
		out_i64(w->start);
		json_g("g", v, g);
		json_g("by", v, w->by);
		json_bool("irq", w->flags & VIEW_IRQ);
		json_p("cpu", v, w->p);
		json_i64("waited", w->end - w->start);
		json_i64("track", track + 1);
		json_i64("index", i);
		if (sleep && sleep->kind == GT_IV_ASLEEP) {
			json_i64("slept", sleep->end - sleep->start);
			json_word("reason", report_reason_word(
					report_reason(sleep->why)));
		}
		if (w->by)
			put_inside(v, "call", v->gs[w->by - 1].calls, w->start);
		out_char('}');
		g = w->by;
		/* Before: a G may wake another again and again at one moment. */
		time = w->start - 1;
	}
	out_char(']');
}

/* ---- Arrows ---- */

void view_wakes(const struct view *v, int64_t from, int64_t to, size_t max)
{
	uint32_t track = v->wakes - 1, i = 0, end = 0, state, n;
	const struct view_rec *w, *r;

	if (v->wakes) {
		i = view_store_find(&v->store, track, from - 1);
		end = view_store_find(&v->store, track, to);
	}
	n = end - i;
	out_char('{');
	json_first("n");
	out_u64(n);
	json_key("wakes");
	out_char('[');
	for (bool first = true; n <= max && i < end; i++, first = false) {
		w = view_store_rec(&v->store, track, i);
		state = v->gs[w->g - 1].state - 1;
		r = rec_at(v, state, view_store_find(&v->store, state, w->start));
		if (!first)
			out_char(',');
		/* When, who, whom, from which CPU, when and where that runs. */
		out_char('[');
		out_i64(w->start);
		out_char(',');
		out_u64(w->by);
		out_char(',');
		out_u64(w->g);
		out_char(',');
		out_u64(w->p);
		out_char(',');
		out_i64(r && is_wake(r) ? r->end : w->start);
		out_char(',');
		out_u64(r && is_wake(r) ? r->end_p : 0);
		out_char(',');
		out_u64(!!(w->flags & VIEW_IRQ));
		out_char(']');
	}
	out_text("]}");
}
