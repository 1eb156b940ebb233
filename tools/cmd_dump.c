// SPDX-License-Identifier: GPL-2.0
/*
 * gotrace dump: a trace as text, one event a line.
 *
 * The format is a promise: scripts and tests cut it with awk. A file is read
 * twice, first for its strings, its stacks and its clock, which stand at its
 * end. A pipe is read once, and shows the numbers of what it does not know yet;
 * unless it is to be in order of time, which needs all of it first.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "cmd.h"
#include "lib/timeline.h"
#include "lib/trace.h"
#include "out.h"

static const char usage[] =
"usage: gotrace dump [OPTION]... FILE\n"
"\n"
"Prints a trace of ours, or of a Go program of Go 1.5 to 1.21, one event a line,\n"
"in the order of the file, or in that of time. FILE '-' is standard input.\n"
"\n"
"  --json             a JSON object a line\n"
"  --ticks            times in absolute ticks of the trace's clock, not in ns\n"
"  --offsets          with the offset in the file of each event\n"
"  --records          also what has no time: batches, strings, stacks, frequency\n"
"  --no-frames        only the numbers of stacks\n"
"  --order file|time  the order: as it was written (the default), or the CPUs' events\n"
"                     in one order, which is checked as Go's reader does. Input that\n"
"                     is no file is copied into one in $TMPDIR (/var/tmp) for this\n"
"  --rows             with --order time: as P the row that Go's viewer draws the event\n"
"                     in: 1000001 timers, 1000002 network, 1000003 system calls,\n"
"                     1000004 GC\n"
"  -h, --help         this text\n"
"  -V, --version      which gotrace this is\n"
"\n"
"A line is   TIME P G NAME KEY=VALUE...   with one space between the fields:\n"
"  TIME   ns since the earliest event; '-' for what has no time. In a pipe it is\n"
"         since the first event, and has a 't' behind and is in ticks as long as no\n"
"         Frequency has come\n"
"  P      processor (CPU), -1 for none\n"
"  G      goroutine (task) whose event it is, 0 for none\n"
"  NAME   as Go names it, e.g. GoStart\n"
"  KEYs   the event's arguments, in a fixed order; then stk=ID and, if it is known,\n"
"         frames=FUNCTION;FUNCTION;... from the innermost out (for GoCreate also\n"
"         newframes=); UserLog has message= at the end; off= comes last\n"
"In a value, a space, what is not printable, '\\', in frames also ';', and a '#' in\n"
"front, are written \\xNN. '#N' is the string with the id N, which the trace has not\n"
"defined (yet). ts= of CPUSample and GoSysExit is in absolute ticks.\n"
"In JSON the same names: event, time (null while it is unknown), ticks, p, g, args (an\n"
"object; the text of a string NAME is NAME_text), stk, frames, message, off.\n"
"\n"
"Exit code: 0; 1 when the trace is broken, after all events before that place; 2\n"
"when the usage was wrong.\n";

enum { OPT_JSON = 256, OPT_TICKS, OPT_OFFSETS, OPT_RECORDS, OPT_NO_FRAMES,
       OPT_ORDER, OPT_ROWS };

static const struct option options[] = {
	{ "json", no_argument, NULL, OPT_JSON },
	{ "ticks", no_argument, NULL, OPT_TICKS },
	{ "offsets", no_argument, NULL, OPT_OFFSETS },
	{ "records", no_argument, NULL, OPT_RECORDS },
	{ "no-frames", no_argument, NULL, OPT_NO_FRAMES },
	{ "order", required_argument, NULL, OPT_ORDER },
	{ "rows", no_argument, NULL, OPT_ROWS },
	ARGS_COMMON
};

static const struct args args = { "dump", usage, options, false };

struct dump {
	bool json, ticks, offsets, records, no_frames;
	bool live;		/* a person waits for each line */
	bool by_time, rows;
	struct gt_trace *trace;
	/* One of them: */
	struct gt_trace file;
	struct gt_timeline timeline;
};

/* Text: TIME P G NAME KEY=VALUE... */

static void text_key(const char *key)
{
	out_char(' ');
	out_text(key);
	out_char('=');
}

static void text_u64(const char *key, uint64_t v)
{
	text_key(key);
	out_u64(v);
}

static void text_time(const struct dump *d, int64_t ticks)
{
	if (d->ticks) {
		out_i64(ticks);
	} else if (d->trace->hz) {
		out_i64(gt_trace_time(d->trace, ticks));
	} else {
		out_i64((int64_t)((uint64_t)ticks -
				  (uint64_t)d->trace->first_ticks));
		out_char('t');
	}
}

/* also: what has a meaning where this is put, beside what never is allowed */
static void text_string(const struct dump *d, uint64_t id, const char *also)
{
	struct gt_string s;

	if (gt_names_string(&d->trace->names, id, &s)) {
		out_field(s.text, s.len, also);
	} else {
		out_char('#');
		out_u64(id);
	}
}

static void text_frames(const struct dump *d, const char *key, uint64_t stk)
{
	size_t n = gt_names_stack(&d->trace->names, stk);

	if (!n || d->no_frames)
		return;
	text_key(key);
	for (size_t i = 0; i < n; i++) {
		struct gt_frame f = gt_names_frame(&d->trace->names, stk, i);

		if (i)
			out_char(';');
		/* Go 1.5 has no functions; elsewhere it may be unknown. */
		if (f.fn) {
			text_string(d, f.fn, ";");
		} else {
			out_text("pc:");
			out_u64(f.pc);
		}
	}
}

static void text_arg(const struct dump *d, const struct gt_arg_desc *arg,
		     uint64_t v)
{
	text_key(arg->name);
	switch (arg->kind) {
	case GT_ARG_STRING:
		text_string(d, v, "");
		break;
	case GT_ARG_P:
		out_i64((int64_t)v);
		break;
	default:
		out_u64(v);
		break;
	}
	if (arg->kind == GT_ARG_STACK)
		text_frames(d, "newframes", v);
}

static void text_event(const struct dump *d, const struct gt_event *ev)
{
	text_time(d, ev->ticks);
	out_char(' ');
	out_i64(ev->p);
	out_char(' ');
	out_u64(ev->g);
	out_char(' ');
	out_text(ev->desc->name);
	for (unsigned int i = 0; i < ev->nargs; i++)
		text_arg(d, &ev->desc->args[i], ev->args[i]);
	if (ev->desc->stack) {
		text_u64("stk", ev->stk);
		text_frames(d, "frames", ev->stk);
	}
	if (ev->type == GT_EV_USER_LOG) {
		text_key("message");
		out_field(ev->text, ev->text_len, "");
	}
	if (d->offsets)
		text_u64("off", ev->off);
	out_char('\n');
}

static void text_record(const struct dump *d)
{
	const struct gt_record *rec = &d->trace->rec;
	const struct gt_event_desc *desc = gt_event_desc(rec->type);

	out_text("- - - ");
	out_text(desc->name);
	switch (rec->type) {
	case GT_EV_BATCH:
		text_key("p");
		out_i64((int64_t)rec->args[0]);
		/* In Go 1.5 the sequence number is in between. */
		text_u64("ticks", rec->args[rec->nargs - 1]);
		break;
	case GT_EV_STRING:
		text_u64("id", rec->args[0]);
		text_key("text");
		out_field(rec->text, rec->text_len, "");
		break;
	case GT_EV_STACK:
		text_u64("id", rec->args[0]);
		text_u64("n", rec->args[1]);
		text_frames(d, "frames", rec->args[0]);
		break;
	default:
		text_u64(desc->args[0].name, rec->args[0]);
		break;
	}
	if (d->offsets)
		text_u64("off", d->trace->reader.rec_off);
	out_char('\n');
}

/* JSON: an object a line, the same names */

static void json_key(const char *key)
{
	out_text(",\"");
	out_text(key);
	out_text("\":");
}

static void json_u64(const char *key, uint64_t v)
{
	json_key(key);
	out_u64(v);
}

static void json_string(const struct dump *d, uint64_t id)
{
	struct gt_string s;

	if (gt_names_string(&d->trace->names, id, &s))
		out_json(s.text, s.len);
	else
		out_text("null");
}

static void json_frames(const struct dump *d, const char *key, uint64_t stk)
{
	size_t n = gt_names_stack(&d->trace->names, stk);

	if (!n || d->no_frames)
		return;
	json_key(key);
	for (size_t i = 0; i < n; i++) {
		struct gt_frame f = gt_names_frame(&d->trace->names, stk, i);

		out_text(i ? ",{\"fn\":" : "[{\"fn\":");
		json_string(d, f.fn);
		out_text(",\"file\":");
		json_string(d, f.file);
		json_u64("line", f.line);
		json_u64("pc", f.pc);
		out_char('}');
	}
	out_char(']');
}

/* Arguments have an object of their own: some are named like a column. */
static void json_args(const struct dump *d, const struct gt_event *ev)
{
	json_key("args");
	out_char('{');
	for (unsigned int i = 0; i < ev->nargs; i++) {
		const struct gt_arg_desc *arg = &ev->desc->args[i];

		out_text(i ? ",\"" : "\"");
		out_text(arg->name);
		out_text("\":");
		if (arg->kind == GT_ARG_P)
			out_i64((int64_t)ev->args[i]);
		else
			out_u64(ev->args[i]);
		if (arg->kind == GT_ARG_STRING) {
			out_text(",\"");
			out_text(arg->name);
			out_text("_text\":");
			json_string(d, ev->args[i]);
		}
	}
	out_char('}');
}

static void json_event(const struct dump *d, const struct gt_event *ev)
{
	out_text("{\"event\":\"");
	out_text(ev->desc->name);
	out_text("\",\"time\":");
	if (d->trace->hz)
		out_i64(gt_trace_time(d->trace, ev->ticks));
	else
		out_text("null");
	json_key("ticks");
	out_i64(ev->ticks);
	json_key("p");
	out_i64(ev->p);
	json_u64("g", ev->g);
	json_args(d, ev);
	if (ev->type == GT_EV_GO_CREATE)
		json_frames(d, "newframes", ev->args[1]);
	if (ev->desc->stack) {
		json_u64("stk", ev->stk);
		json_frames(d, "frames", ev->stk);
	}
	if (ev->type == GT_EV_USER_LOG) {
		json_key("message");
		out_json(ev->text, ev->text_len);
	}
	json_u64("off", ev->off);
	out_text("}\n");
}

static void json_record(const struct dump *d)
{
	const struct gt_record *rec = &d->trace->rec;
	const struct gt_event_desc *desc = gt_event_desc(rec->type);

	out_text("{\"record\":\"");
	out_text(desc->name);
	out_char('"');
	switch (rec->type) {
	case GT_EV_BATCH:
		json_key("p");
		out_i64((int64_t)rec->args[0]);
		json_u64("ticks", rec->args[rec->nargs - 1]);
		break;
	case GT_EV_STRING:
		json_u64("id", rec->args[0]);
		json_key("text");
		out_json(rec->text, rec->text_len);
		break;
	case GT_EV_STACK:
		json_u64("id", rec->args[0]);
		json_u64("n", rec->args[1]);
		json_frames(d, "frames", rec->args[0]);
		break;
	default:
		json_u64(desc->args[0].name, rec->args[0]);
		break;
	}
	json_u64("off", d->trace->reader.rec_off);
	out_text("}\n");
}

static void print_event(const struct dump *d, const struct gt_event *ev)
{
	if (d->json)
		json_event(d, ev);
	else
		text_event(d, ev);
}

static void print_record(const struct dump *d)
{
	if (!d->records)
		return;
	if (d->json)
		json_record(d);
	else
		text_record(d);
}

static bool enough(const struct dump *d)
{
	return d->live && out_flush();
}

static int dump_in_file(struct dump *d)
{
	enum gt_trace_next next;
	struct gt_event ev;

	if (gt_trace_index(d->trace) < 0)
		return -1;
	while ((next = gt_trace_next(d->trace, &ev)) > GT_TRACE_END) {
		if (next == GT_TRACE_EVENT)
			print_event(d, &ev);
		else
			print_record(d);
		if (enough(d))
			break;
	}
	return next == GT_TRACE_ERROR ? -1 : 0;
}

static int dump_in_time(struct dump *d)
{
	struct gt_timeline *t = &d->timeline;
	struct gt_event ev;
	int ret;

	while ((ret = gt_timeline_next(t)) > 0) {
		ev = *t->ev;
		if (d->rows)
			ev.p = gt_timeline_row(t);
		print_event(d, &ev);
		if (enough(d))
			break;
	}
	return ret < 0 ? -1 : 0;
}

/* What was good goes out before the word about what is not. */
static int end(int bad, const char *name, const char *error)
{
	int err = out_flush();

	if (err)
		fprintf(stderr, "gotrace dump: cannot write: %s\n",
			strerror(-err));
	if (bad)
		fprintf(stderr, "gotrace dump: %s: %s\n", name, error);
	return bad || err ? EXIT_FAILED : EXIT_OK;
}

static int dump_fd(struct dump *d, int fd, const char *name)
{
	int bad, ret;

	if (d->by_time) {
		d->trace = &d->timeline.trace;
		bad = gt_timeline_init_fd(&d->timeline, fd, NULL) ||
		      dump_in_time(d);
		ret = end(bad, name, d->timeline.error.text);
		gt_timeline_exit(&d->timeline);
	} else {
		d->trace = &d->file;
		bad = gt_trace_init_fd(&d->file, fd) || dump_in_file(d);
		ret = end(bad, name, gt_trace_error(&d->file));
		gt_trace_exit(&d->file);
	}
	return ret;
}

static int dump_file(struct dump *d, const char *path)
{
	int fd, ret;

	if (!strcmp(path, "-"))
		return dump_fd(d, STDIN_FILENO, "standard input");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		fprintf(stderr, "gotrace dump: cannot open %s: %s\n", path,
			strerror(errno));
		return EXIT_FAILED;
	}
	ret = dump_fd(d, fd, path);
	close(fd);
	return ret;
}

int cmd_dump(int argc, char **argv)
{
	static const char *const orders[] = { "file", "time", NULL };
	/* Not on the stack: it holds the longest record. */
	static struct dump d;
	int opt;

	while ((opt = args_next(&args, argc, argv)) != -1) {
		switch (opt) {
		case OPT_JSON:
			d.json = true;
			break;
		case OPT_TICKS:
			d.ticks = true;
			break;
		case OPT_OFFSETS:
			d.offsets = true;
			break;
		case OPT_RECORDS:
			d.records = true;
			break;
		case OPT_NO_FRAMES:
			d.no_frames = true;
			break;
		case OPT_ORDER:
			d.by_time = args_choice(&args, "--order", optarg, orders);
			break;
		case OPT_ROWS:
			d.rows = true;
			break;
		}
	}
	if (optind == argc)
		args_fail(&args, "which trace? Name a FILE");
	if (d.by_time && d.records)
		args_fail(&args, "records have no time: --records is for the order of the file");
	if (d.rows && !d.by_time)
		args_fail(&args, "--rows is for --order time");
	d.live = isatty(STDOUT_FILENO);
	optind++;
	args_end(&args, argc, argv);
	return dump_file(&d, argv[optind - 1]);
}
