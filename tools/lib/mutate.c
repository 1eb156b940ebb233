// SPDX-License-Identifier: LGPL-2.1 OR MIT
/*
 * A test of the reader, meant to run under ASan and UBSan: every truncation of
 * the traces given, and every one of their bytes set to values that matter, is
 * read to its end. It must end well or with an error that says where, in
 * memory and through a pipe alike.
 *
 *   mutate TRACE...
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "timeline.h"
#include "trace.h"

/* More is tried with smaller files; nothing here has to be large. */
#define TRACE_MAX (64 * 1024)

struct outcome {
	enum gt_trace_next end;
	uint64_t events;
	char error[256];
};

static unsigned long runs;

static void die(const char *trace, const char *how, const char *what)
{
	printf("%s: %s: %s\n", trace, how, what);
	exit(1);
}

/* Read it all, and look at everything that a caller may look at. */
static void read_all(struct gt_trace *t, int begun, bool index,
		     struct outcome *out)
{
	struct gt_string s;
	struct gt_event ev;
	uint64_t sum = 0;

	memset(out, 0, sizeof(*out));
	out->end = begun ? GT_TRACE_ERROR : GT_TRACE_END;
	if (!begun && index && gt_trace_index(t) < 0)
		out->end = GT_TRACE_ERROR;
	while (out->end == GT_TRACE_END || out->end >= GT_TRACE_EVENT) {
		out->end = gt_trace_next(t, &ev);
		if (out->end <= GT_TRACE_END)
			break;
		if (out->end == GT_TRACE_RECORD) {
			gt_names_string(&t->names, t->rec.args[0], &s);
			for (size_t i = 0; i < s.len; i++)
				sum += s.text[i];
			continue;
		}
		out->events++;
		if (t->hz)
			sum += gt_trace_time(t, ev.ticks);
		for (size_t i = gt_names_stack(&t->names, ev.stk); i--;)
			sum += gt_names_frame(&t->names, ev.stk, i).pc;
		for (size_t i = 0; i < ev.text_len; i++)
			sum += ev.text[i];
	}
	/* So that no compiler leaves the looking out. */
	__asm__ volatile("" : : "r"(sum));
	snprintf(out->error, sizeof(out->error), "%s", gt_trace_error(t));
	runs++;
}

static void check_error(const struct outcome *out, uint64_t len,
			const char *trace, const char *how)
{
	uint64_t off;

	if (out->end == GT_TRACE_END)
		return;
	if (sscanf(out->error, "offset %" SCNu64 ": ", &off) != 1)
		die(trace, how, "an error that does not say where");
	if (off > len)
		die(trace, how, "an error behind the end");
}

/*
 * In order of time more is refused: what is not refused otherwise must be as
 * many events.
 */
static void try_timeline(const void *data, size_t len,
			 const struct outcome *plain, const char *trace,
			 const char *how)
{
	static struct gt_timeline t;
	struct outcome out = { 0 };
	int ret = gt_timeline_init_mem(&t, data, len, NULL);

	while (!ret && (ret = gt_timeline_next(&t)) > 0)
		ret = 0;
	out.end = ret ? GT_TRACE_ERROR : GT_TRACE_END;
	out.events = t.events;
	snprintf(out.error, sizeof(out.error), "%s", t.error.text);
	gt_timeline_exit(&t);
	runs++;

	check_error(&out, len, trace, how);
	if (plain->end == GT_TRACE_ERROR && out.end != GT_TRACE_ERROR)
		die(trace, how, "in order of time it is no error");
	if (out.end == GT_TRACE_END && out.events > plain->events)
		die(trace, how, "in order of time it has more events");
}

/*
 * A copy of exactly the size, so that one byte too far is found. With and
 * without an index it is the same trace.
 */
static struct outcome try_memory(const void *data, size_t len,
				 const char *trace, const char *how)
{
	static struct gt_trace t;
	struct outcome plain, indexed;
	void *copy = malloc(len ? len : 1);

	memcpy(copy, data, len);
	read_all(&t, gt_trace_init_mem(&t, copy, len), false, &plain);
	gt_trace_exit(&t);
	read_all(&t, gt_trace_init_mem(&t, copy, len), true, &indexed);
	gt_trace_exit(&t);
	check_error(&plain, len, trace, how);
	try_timeline(copy, len, &plain, trace, how);
	free(copy);

	if (plain.end != indexed.end || plain.events != indexed.events ||
	    strcmp(plain.error, indexed.error))
		die(trace, how, "with an index it is another trace");
	return plain;
}

/* A byte at a time: every record is met in all its unfinished forms. */
static void try_pipe(const uint8_t *data, size_t len, const char *trace,
		     const char *how, const struct outcome *want)
{
	static struct gt_trace t;
	struct outcome got;
	int fds[2];
	pid_t pid;

	if (pipe(fds))
		die(trace, how, "no pipe");
	pid = fork();
	if (pid == 0) {
		close(fds[0]);
		for (size_t i = 0; i < len; i++)
			if (write(fds[1], data + i, 1) != 1)
				break;
		_exit(0);
	}
	close(fds[1]);
	read_all(&t, gt_trace_init_fd(&t, fds[0]), true, &got);
	gt_trace_exit(&t);
	close(fds[0]);
	waitpid(pid, NULL, 0);
	if (got.end != want->end || got.events != want->events ||
	    strcmp(got.error, want->error))
		die(trace, how, "through a pipe it is another trace");
}

static void mutate(const char *name, uint8_t *data, size_t len)
{
	static const uint8_t values[] = { 0x00, 0x01, 0x25, 0x40, 0x7f, 0x80,
					  0xc3, 0xf0, 0xff };
	struct outcome out;
	char how[64];
	uint8_t was;

	for (size_t n = 0; n <= len; n++) {
		snprintf(how, sizeof(how), "cut at %zu", n);
		out = try_memory(data, n, name, how);
		if (n == len)
			try_pipe(data, n, name, how, &out);
	}
	for (size_t at = 0; at < len; at++) {
		was = data[at];
		for (size_t i = 0; i < sizeof(values) + 8; i++) {
			/* All single bits, then some whole bytes. */
			data[at] = i < 8 ? was ^ (1u << i) : values[i - 8];
			snprintf(how, sizeof(how), "byte %zu is %#x", at,
				 data[at]);
			try_memory(data, len, name, how);
		}
		data[at] = was;
	}
}

int main(int argc, char **argv)
{
	static uint8_t data[TRACE_MAX];
	size_t len;
	FILE *f;

	for (int i = 1; i < argc; i++) {
		f = fopen(argv[i], "rb");
		if (!f)
			die(argv[i], "open", "failed");
		len = fread(data, 1, sizeof(data), f);
		fclose(f);
		mutate(argv[i], data, len);
	}
	printf("%lu traces read\n", runs);
	return 0;
}
