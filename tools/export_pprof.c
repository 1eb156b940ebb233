// SPDX-License-Identifier: GPL-2.0
/*
 * A profile for pprof: a gzip'd protobuf message. Its elements are written as
 * they come up, each as a message with that one alone: such messages one behind
 * the other are one.
 */
#include "export.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "lib/array.h"
#include "out.h"
#include "proto/pprof.pb-c.h"
#include "triples.h"
#include "utf8.h"

struct pprof {
	z_stream z;
	uint8_t *packed;
	size_t size_packed;

	uint64_t n_strings;
	struct gt_map string_of;	/* string -> its number here, plus 1 */
	struct triples functions;	/* name, file */
	struct triples locations;	/* function, line, pc */
	uint64_t *frames;		/* locations of the sample in hand */
	size_t size_frames;
	int64_t reason;			/* the label's key */
	int64_t reasons[REPORT_REASONS];
};

static void compress_bytes(struct pprof *p, const void *data, size_t len,
			   int flush)
{
	uint8_t out[4096];
	int ret;

	p->z.next_in = (uint8_t *)data;
	p->z.avail_in = len;
	do {
		p->z.next_out = out;
		p->z.avail_out = sizeof(out);
		ret = deflate(&p->z, flush);
		out_bytes(out, sizeof(out) - p->z.avail_out);
	} while (flush == Z_FINISH ? ret == Z_OK : !p->z.avail_out);
}

static void put(struct export *e, const Pprof__Profile *message)
{
	struct pprof *p = e->own;
	size_t len = pprof__profile__get_packed_size(message);
	uint8_t *bigger;

	if (len > p->size_packed) {
		bigger = realloc(p->packed, len);
		if (!bigger) {
			export_fail(e);
			return;
		}
		p->packed = bigger;
		p->size_packed = len;
	}
	pprof__profile__pack(message, p->packed);
	compress_bytes(p, p->packed, len, Z_NO_FLUSH);
}

/* ---- Strings, functions, locations ---- */

static int64_t put_string(struct export *e, struct gt_string s)
{
	Pprof__Profile m = PPROF__PROFILE__INIT;
	struct pprof *p = e->own;
	char *text = utf8_dup(s.text, s.len);

	if (!text)
		return export_fail(e);
	m.n_string_table = 1;
	m.string_table = &text;
	put(e, &m);
	free(text);
	return p->n_strings++;
}

static int64_t put_word(struct export *e, const char *word)
{
	return put_string(e, gt_string_of(word));
}

static int64_t string(struct export *e, uint64_t id)
{
	struct pprof *p = e->own;
	uint64_t *at = gt_map_add(&p->string_of, id);

	if (!at)
		return export_fail(e);
	if (!*at) {
		*at = put_string(e, export_string(e, id)) + 1;
	}
	return *at - 1;
}

static uint64_t function(struct export *e, const struct gt_frame *frame)
{
	Pprof__Function fn = PPROF__FUNCTION__INIT, *fns = &fn;
	Pprof__Profile m = PPROF__PROFILE__INIT;
	struct pprof *p = e->own;
	bool is_new;

	fn.id = triples_add(&p->functions, frame->fn, frame->file, 0, &is_new);
	if (!fn.id)
		return export_fail(e);
	if (is_new) {
		fn.name = string(e, frame->fn);
		fn.system_name = fn.name;
		fn.filename = string(e, frame->file);
		m.n_function = 1;
		m.function = &fns;
		put(e, &m);
	}
	return fn.id;
}

static uint64_t location(struct export *e, const struct gt_frame *frame)
{
	Pprof__Line line = PPROF__LINE__INIT, *lines = &line;
	Pprof__Location loc = PPROF__LOCATION__INIT, *locs = &loc;
	Pprof__Profile m = PPROF__PROFILE__INIT;
	struct pprof *p = e->own;
	bool is_new;

	line.function_id = function(e, frame);
	line.line = frame->line;
	loc.id = triples_add(&p->locations, line.function_id, frame->line,
			     frame->pc, &is_new);
	if (!loc.id)
		return export_fail(e);
	if (is_new) {
		loc.address = frame->pc;
		loc.n_line = 1;
		loc.line = &lines;
		m.n_location = 1;
		m.location = &locs;
		put(e, &m);
	}
	return loc.id;
}

/* ---- Samples ---- */

static void label(struct export *e, enum report_reason reason, Pprof__Label *l)
{
	struct pprof *p = e->own;

	if (!p->reason)
		p->reason = put_word(e, "reason");
	if (!p->reasons[reason])
		p->reasons[reason] = put_word(e, report_reason_word(reason));
	l->key = p->reason;
	l->str = p->reasons[reason];
}

static void put_sum(struct export *e, const struct export_sum *sum)
{
	static const struct gt_frame nowhere;
	const struct gt_names *names = &e->t->trace.names;
	Pprof__Label l = PPROF__LABEL__INIT, *labels = &l;
	Pprof__Sample s = PPROF__SAMPLE__INIT, *samples = &s;
	Pprof__Profile m = PPROF__PROFILE__INIT;
	struct pprof *p = e->own;
	int64_t values[] = { sum->n, sum->ns };
	size_t n = gt_names_stack(names, sum->stk);
	struct gt_frame frame = nowhere;

	for (size_t i = 0; i < (n ? n : 1); i++) {
		if (n)
			frame = gt_names_frame(names, sum->stk, i);
		if (!array_reserve(&p->frames, i, &p->size_frames,
				   sizeof(*p->frames))) {
			export_fail(e);
			return;
		}
		p->frames[i] = location(e, &frame);
	}
	s.n_location_id = n ? n : 1;
	s.location_id = p->frames;
	s.n_value = 2;
	s.value = values;
	if (sum->reason != REPORT_REASONS) {
		label(e, sum->reason, &l);
		s.n_label = 1;
		s.label = &labels;
	}
	m.n_sample = 1;
	m.sample = &samples;
	put(e, &m);
}

/* The types are called as Go's tools call them. */
static void put_head(struct export *e)
{
	bool cpu = e->profile == EXPORT_CPU;
	Pprof__ValueType count = PPROF__VALUE_TYPE__INIT;
	Pprof__ValueType ns = PPROF__VALUE_TYPE__INIT;
	Pprof__ValueType *types[] = { &count, &ns };
	Pprof__Profile m = PPROF__PROFILE__INIT;

	put_word(e, "");
	count.type = put_word(e, cpu ? "samples" : "contentions");
	count.unit = put_word(e, "count");
	ns.type = put_word(e, cpu ? "cpu" : "delay");
	ns.unit = put_word(e, "nanoseconds");
	m.n_sample_type = 2;
	m.sample_type = types;
	m.period_type = &ns;
	m.period = 1;
	m.default_sample_type = ns.type;
	m.duration_nanos = e->t->time;
	put(e, &m);
}

static void finish(struct export *e)
{
	struct pprof *p = e->own;

	put_head(e);
	for (size_t i = 0; i < e->sums.n && !e->failed; i++)
		if (e->sums.all[i].n || e->sums.all[i].ns)
			put_sum(e, &e->sums.all[i]);
	compress_bytes(p, NULL, 0, Z_FINISH);
}

static void begin(struct export *e)
{
	struct pprof *p = calloc(1, sizeof(*p));

	e->own = p;
	/* 16: with the header of gzip. */
	if (!p || deflateInit2(&p->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
			       15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		export_fail(e);
}

static void end(struct export *e)
{
	struct pprof *p = e->own;

	export_sums_exit(e);
	if (!p)
		return;
	deflateEnd(&p->z);
	gt_map_exit(&p->string_of);
	triples_exit(&p->functions);
	triples_exit(&p->locations);
	free(p->frames);
	free(p->packed);
	free(p);
}

const struct export_format export_pprof = {
	.name = "pprof",
	.binary = true,
	.profiles = true,
	.begin = begin,
	.take = export_sums_take,
	.event = export_sums_event,
	.finish = finish,
	.exit = end,
};
