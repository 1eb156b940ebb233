// SPDX-License-Identifier: GPL-2.0
/* gotrace split: pieces of a trace, each of which opens by itself. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "args.h"
#include "cmd.h"
#include "lib/timeline.h"
#include "out.h"
#include "progress.h"
#include "replace.h"
#include "retrace.h"

static const char usage[] =
"usage: gotrace split --every TIME|--size SIZE [--from TIME] [--to TIME] [OPTION]... TRACE\n"
"       gotrace split [--from TIME] [--to TIME] -o FILE [OPTION]... TRACE\n"
"\n"
"Cuts a trace into pieces that Go opens each by itself, for what is too large for a\n"
"viewer; or takes one piece out of it. A piece begins with what every task and CPU was\n"
"doing then, with regions and the like that were open, and has the names that it\n"
"uses. TRACE '-' is standard input.\n"
"\n"
"  --every TIME       pieces of so much time: 500ms, 10s, 1m\n"
"  --size SIZE        pieces of about so many bytes: 64M, 1G (64K at least); what the\n"
"                     beginning of a piece takes comes on top\n"
"  --from TIME        begin so long after the first event\n"
"  --to TIME          end so long after the first event\n"
"  -o, --output FILE  the piece, '-' for standard output; of several, a number is put\n"
"                     in: for trace.out they are trace-000.out, trace-001.out, ...\n"
"                     By default TRACE says the name\n"
"  --json             a JSON object for each piece, on standard output\n"
"  -h, --help         this text\n"
"  -V, --version      which gotrace this is\n"
"\n"
"Exit code: 0; 1 when the trace is broken ('gotrace repair' may help), has nothing in\n"
"that time, or a piece cannot be written; 2 when the usage was wrong.\n";

enum { OPT_EVERY = 256, OPT_SIZE, OPT_FROM, OPT_TO, OPT_JSON };

static const struct option options[] = {
	{ "every", required_argument, NULL, OPT_EVERY },
	{ "size", required_argument, NULL, OPT_SIZE },
	{ "from", required_argument, NULL, OPT_FROM },
	{ "to", required_argument, NULL, OPT_TO },
	{ "output", required_argument, NULL, 'o' },
	{ "json", no_argument, NULL, OPT_JSON },
	ARGS_COMMON
};

static const struct args args = { "split", usage, options, false };

/* Smaller pieces would be nothing but their beginnings. */
#define SIZE_MIN (64 * 1024)

struct split {
	const char *name;	/* of the trace, for messages */
	const char *output;
	uint64_t every, size, from, to;	/* ns; to: 0 for all */
	bool json;

	struct gt_timeline t;
	struct stat like;
	unsigned int pieces;
	int64_t last_ticks;	/* of the event before */
	bool after_call;	/* which is a GoSysCall */

	/* The piece that is being written. */
	bool open;
	char *path;
	struct replace file;
	struct retrace r;
	int64_t begin, end;	/* ns; end: with --every */
	uint64_t base, events;	/* bytes of its beginning */
};

static int fail(const struct split *s, const char *what)
{
	progress_clear();
	fprintf(stderr, "gotrace split: %s: %s\n", s->name, what);
	return -1;
}

/* The number goes in front of the last dot of the name. */
static char *piece_path(const struct split *s)
{
	const char *base = strrchr(s->output, '/');
	const char *dot;
	char *path;
	int stem;

	if (!s->every && !s->size)
		return strdup(s->output);
	base = base ? base + 1 : s->output;
	dot = strrchr(base, '.');
	if (!dot || dot == base)
		dot = s->output + strlen(s->output);
	stem = dot - s->output;
	if (asprintf(&path, "%.*s-%03u%s", stem, s->output, s->pieces, dot) < 0)
		return NULL;
	return path;
}

static int begin_piece(struct split *s)
{
	struct gt_timeline *t = &s->t;

	s->path = piece_path(s);
	if (!s->path)
		return fail(s, "no memory");
	if (replace_begin(&s->file, "split", s->path, &s->like)) {
		free(s->path);
		return -1;
	}
	s->open = true;
	if (t->events)
		retrace_begin_here(&s->r, t, s->file.file);
	else
		retrace_begin(&s->r, t, s->file.file);
	s->begin = t->time;
	s->base = s->r.bytes;
	s->events = 0;
	if (s->every)
		s->end = (t->time / (int64_t)s->every + 1) * (int64_t)s->every;
	return 0;
}

static void say_piece(const struct split *s, int64_t end, uint64_t bytes)
{
	progress_clear();
	if (!s->json) {
		fprintf(stderr, "%s: %.6f s to %.6f s, %" PRIu64 " events\n",
			s->path, (double)s->begin / 1e9, (double)end / 1e9,
			s->events);
		return;
	}
	out_text("{\"file\":");
	out_json(s->path, strlen(s->path));
	out_text(",\"from_ns\":");
	out_i64(s->begin);
	out_text(",\"to_ns\":");
	out_i64(end);
	out_text(",\"events\":");
	out_u64(s->events);
	out_text(",\"bytes\":");
	out_u64(bytes);
	out_text("}\n");
	out_flush();
}

static void drop_piece(struct split *s)
{
	if (!s->open)
		return;
	replace_abandon(&s->file);
	retrace_exit(&s->r);
	free(s->path);
	s->open = false;
}

/* It ends at this time: of its last event, or of what comes after. */
static int end_piece(struct split *s, int64_t end)
{
	uint64_t bytes;
	int err;

	retrace_end(&s->r, s->last_ticks);
	bytes = s->r.bytes;
	err = s->r.no_memory ? fail(s, "no memory") : 0;
	if (err) {
		drop_piece(s);
		return -1;
	}
	retrace_exit(&s->r);
	s->open = false;
	err = replace_commit(&s->file);
	if (!err)
		say_piece(s, end, bytes);
	free(s->path);
	s->pieces++;
	return err;
}

/*
 * A piece may begin with this event, which was not taken yet: not while the
 * initial state is being said, not at one time with the event before, and not
 * between a call and its blocking.
 */
static bool may_cut(const struct split *s)
{
	return s->t.state.procs && s->t.ev->ticks > s->last_ticks &&
	       !s->after_call;
}

static bool is_full(const struct split *s)
{
	if (s->every && s->t.time >= s->end)
		return true;
	return s->size && s->r.bytes - s->base >= s->size;
}

static int take_event(struct split *s)
{
	struct gt_timeline *t = &s->t;
	int64_t time = t->time;

	if (s->open && is_full(s) && may_cut(s) && end_piece(s, time))
		return -1;
	if (!s->open && time >= (int64_t)s->from &&
	    (!t->events || may_cut(s)) && begin_piece(s))
		return -1;
	if (gt_timeline_next(t) < 0)
		return fail(s, t->error.text);
	s->last_ticks = t->ev->ticks;
	s->after_call = t->ev->type == GT_EV_GO_SYSCALL;
	if (s->open) {
		retrace_event(&s->r);
		s->events++;
	}
	return 0;
}

static int copy(struct split *s)
{
	struct gt_timeline *t = &s->t;
	int64_t end = 0;
	int ret;

	while ((ret = gt_timeline_peek(t)) > 0) {
		if (s->to && t->time >= (int64_t)s->to)
			break;
		end = t->time;
		if (take_event(s))
			return -1;
	}
	if (ret < 0)
		return fail(s, t->error.text);
	if (s->open)
		return end_piece(s, s->to ? (int64_t)s->to : end);
	return s->pieces ? 0 : fail(s, "there is nothing in that time");
}

static int split(struct split *s, int fd)
{
	struct gt_progress progress = { progress_reading, "split" };

	if (fstat(fd, &s->like))
		return fail(s, strerror(errno));
	if (gt_timeline_init_fd(&s->t, fd, &progress))
		return fail(s, s->t.error.text);
	if (s->t.trace.reader.version < GT_V1_7)
		return fail(s, "a trace of Go 1.5, which is too old to be split");
	return copy(s);
}

static int split_file(struct split *s, const char *path)
{
	bool is_stdin = !strcmp(path, "-");
	int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	int err;

	s->name = is_stdin ? "standard input" : path;
	if (fd < 0) {
		fprintf(stderr, "gotrace split: cannot open %s: %s\n", path,
			strerror(errno));
		return EXIT_FAILED;
	}
	err = split(s, fd);
	progress_clear();
	drop_piece(s);
	gt_timeline_exit(&s->t);
	if (!is_stdin)
		close(fd);
	return err ? EXIT_FAILED : EXIT_OK;
}

static void check_options(struct split *s, const char *trace)
{
	bool many = s->every || s->size;

	if (s->every && s->size)
		args_fail(&args, "--every or --size, not both");
	if (s->size && s->size < SIZE_MIN)
		args_fail(&args, "--size must be 64K or more");
	if (s->to && s->to <= s->from)
		args_fail(&args, "--to must be later than --from");
	if (!many && !s->output)
		args_fail(&args, "into what? Say --every, --size, or -o FILE for one piece");
	if (!s->output && !strcmp(trace, "-"))
		args_fail(&args, "standard input has no name: say -o FILE");
	if (!s->output)
		s->output = trace;
	if (strcmp(s->output, "-"))
		return;
	if (many)
		args_fail(&args, "standard output can have one piece only");
	if (s->json)
		args_fail(&args, "standard output can have the piece or --json, not both");
	if (isatty(STDOUT_FILENO))
		args_fail(&args, "a trace is nothing for a terminal: say -o FILE");
}

int cmd_split(int argc, char **argv)
{
	/* Not on the stack: it holds the longest record. */
	static struct split s;
	int opt;

	while ((opt = args_next(&args, argc, argv)) != -1) {
		switch (opt) {
		case OPT_EVERY:
			s.every = args_duration(&args, "--every", optarg);
			break;
		case OPT_SIZE:
			s.size = args_size(&args, "--size", optarg);
			break;
		case OPT_FROM:
			s.from = args_duration(&args, "--from", optarg);
			break;
		case OPT_TO:
			s.to = args_duration(&args, "--to", optarg);
			break;
		case 'o':
			s.output = optarg;
			break;
		case OPT_JSON:
			s.json = true;
			break;
		}
	}
	if (optind == argc)
		args_fail(&args, "which trace? Name a TRACE");
	check_options(&s, argv[optind]);
	optind++;
	args_end(&args, argc, argv);
	return split_file(&s, argv[optind - 1]);
}
