// SPDX-License-Identifier: GPL-2.0
/*
 * A coverage-guided fuzzer (libFuzzer) of all that reads traces: the reader, the
 * order, the states, intervals, the rules of `gotrace validate`, and `gotrace repair`.
 * Built by build.sh with ASan and UBSan. Beside crashes it looks for these:
 *
 * - an error that does not say where, or is behind the end of the trace;
 * - a trace that is good in order of time, but not in that of the file;
 * - an interval that ends before it begins, a gap in what a G does;
 * - a good trace of which a lenient reading loses or makes up something;
 * - a repaired trace that is not good.
 *
 * With FUZZ_PLANTED in its environment it also dies of a trace of which much is
 * lost, to see that such a thing is found.
 *
 * Mutations are libFuzzer's, and in half of the cases whole records that are left
 * out, written twice, or moved: few random bytes are a trace with an order.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/intervals.h"
#include "retrace.h"
#include "rules.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);
size_t LLVMFuzzerMutate(uint8_t *data, size_t len, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t max,
			       unsigned int seed);

static void die(const char *what, const char *why)
{
	fprintf(stderr, "fuzz: %s: %s\n", what, why);
	abort();
}

static void check_error(const struct gt_error *e, size_t len)
{
	uint64_t off;

	if (sscanf(e->text, "offset %" SCNu64 ": ", &off) != 1)
		die("an error that does not say where", e->text);
	if (off > len || off != e->off)
		die("an error behind the end", e->text);
}

static void found(void *arg, const struct finding *f)
{
	check_error(&f->error, *(size_t *)arg);
}

/* In the order of the file. Return: is it good? */
static bool read_records(struct rules *r, const uint8_t *data, size_t len)
{
	static struct gt_trace t;
	enum gt_trace_next next = GT_TRACE_ERROR;
	struct gt_event ev;

	if (!gt_trace_init_mem(&t, data, len)) {
		rules_begin(r, t.reader.version);
		while ((next = gt_trace_next(&t, &ev)) > GT_TRACE_END)
			rules_record(r, &t);
	}
	if (next == GT_TRACE_ERROR)
		check_error(&t.reader.error, len);
	gt_trace_exit(&t);
	return next == GT_TRACE_END;
}

/* What a G does has no gaps; ends is when each G's last interval did. */
static void check_interval(void *arg, const struct gt_interval *iv)
{
	struct gt_map *ends = arg;
	uint64_t *end;

	if (iv->end < iv->start)
		die("an interval ends", "before it begins");
	if (iv->kind > GT_IV_UNTRACED)
		return;
	end = gt_map_add(ends, iv->g->id);
	if (*end && *end - 1 != (uint64_t)iv->start)
		die("a gap", "in what a G does");
	*end = (uint64_t)iv->end + 1;
}

/* In the order of time. Return: is it good? */
static bool read_events(struct rules *r, const uint8_t *data, size_t len,
			uint64_t *events)
{
	static struct gt_timeline t;
	struct gt_map ends = { 0 };
	struct gt_intervals iv;
	int ret = gt_timeline_init_mem(&t, data, len, NULL);

	gt_intervals_init(&iv, &t, check_interval, &ends);
	while (!ret && (ret = gt_intervals_next(&iv)) > 0) {
		ret = 0;
		if (r)
			rules_event(r, &t);
	}
	if (ret)
		check_error(&t.error, len);
	else if (r)
		rules_end(r, &t);
	*events = t.events;
	gt_intervals_exit(&iv);
	gt_map_exit(&ends);
	gt_timeline_exit(&t);
	return !ret;
}

/* As gotrace repair does. Return: what it made, or NULL. */
static char *repair(const uint8_t *data, size_t len, bool good,
		    uint64_t events, size_t *size)
{
	static struct gt_timeline t;
	struct retrace r = { 0 };
	uint64_t kept = 0;
	char *out = NULL;
	int64_t last = 0;
	FILE *to;
	int ret;

	ret = gt_timeline_init_damaged_mem(&t, data, len, NULL);
	if (ret || t.trace.reader.version < GT_V1_7) {
		if (ret)
			check_error(&t.error, len);
		gt_timeline_exit(&t);
		return NULL;
	}
	to = open_memstream(&out, size);
	retrace_begin(&r, &t, to);
	while ((ret = gt_timeline_next(&t)) > 0) {
		kept += t.ev != &t.made;
		last = t.ev->ticks;
		retrace_event(&r);
	}
	if (ret)
		die("a damaged trace cannot be read", t.error.text);
	if (t.made_up > 2 && t.left_out > 2 && getenv("FUZZ_PLANTED"))
		die("planted", "much is lost");
	if (good && (kept != events || t.left_out || t.made_up))
		die("a good trace is not read as it is", t.why.text);
	if (kept)
		retrace_end(&r, last);
	retrace_exit(&r);
	gt_timeline_exit(&t);
	fclose(to);
	if (kept)
		return out;
	free(out);
	return NULL;
}

/*
 * Traces with numbers near the end of 64 bits are none of anybody's; their times
 * wrap around when something is to be written in front of them.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct rules r = { .found = found, .arg = &len };
	bool by_file, by_time;
	uint64_t events, kept;
	size_t size;
	char *made;

	by_file = read_records(&r, data, len);
	by_time = read_events(&r, data, len, &events);
	rules_exit(&r);
	if (by_time && !by_file)
		die("good in order of time", "but not in that of the file");
	made = repair(data, len, by_time, events, &size);
	if (made && !read_events(NULL, (uint8_t *)made, size, &kept))
		die("a repaired trace", "is not good");
	free(made);
	return 0;
}

/* ---- Mutations ---- */

#define RECORDS 512

static unsigned int rnd;

static unsigned int chance(unsigned int n)
{
	rnd = rnd * 1103515245 + 12345;
	return (rnd >> 16) % n;
}

/* Where records begin; the last is the end. */
static unsigned int find_records(const uint8_t *data, size_t len,
				 size_t starts[RECORDS + 1])
{
	static struct gt_record rec;
	unsigned int version, n = 0;
	size_t at = GT_HEADER_SIZE;
	ptrdiff_t used;

	if (len < GT_HEADER_SIZE)
		return 0;
	version = gt_header_version(data);
	if (!gt_version_known(version))
		return 0;
	while (n < RECORDS && at < len) {
		used = gt_record_parse(data + at, len - at, version, &rec);
		if (used <= 0)
			break;
		starts[n++] = at;
		at += used;
	}
	starts[n] = at;
	return n;
}

/* Put record a before record b as well, or instead of where it is. */
static size_t copy_record(uint8_t *data, size_t len, size_t max,
			  const size_t *starts, unsigned int a, unsigned int b)
{
	size_t n = starts[a + 1] - starts[a];
	uint8_t rec[4096];

	if (n > sizeof(rec) || len + n > max)
		return len;
	memcpy(rec, data + starts[a], n);
	memmove(data + starts[b] + n, data + starts[b], len - starts[b]);
	memcpy(data + starts[b], rec, n);
	return len + n;
}

static size_t drop(uint8_t *data, size_t len, size_t start, size_t end)
{
	memmove(data + start, data + end, len - end);
	return len - (end - start);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t max,
			       unsigned int seed)
{
	size_t starts[RECORDS + 1];
	unsigned int n, a, b;

	rnd = seed;
	n = find_records(data, len, starts);
	if (!n || chance(2))
		return LLVMFuzzerMutate(data, len, max);
	a = chance(n);
	b = chance(n);
	switch (chance(4)) {
	case 0:
		return drop(data, len, starts[a], starts[a + 1]);
	case 1:
		if (a > b)
			return len;
		return drop(data, len, starts[a], starts[b]);
	case 2:
		return copy_record(data, len, max, starts, a, b);
	default:
		/* Moved to the front, so that its own place stays known. */
		if (b > a)
			return len;
		len = copy_record(data, len, max, starts, a, b);
		return drop(data, len, starts[a + 1],
			    2 * starts[a + 1] - starts[a]);
	}
}
