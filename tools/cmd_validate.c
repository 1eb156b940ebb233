// SPDX-License-Identifier: GPL-2.0
/* gotrace validate: would Go's tools open it, and show it as it is? */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "cmd.h"
#include "lib/array.h"
#include "lib/timeline.h"
#include "out.h"
#include "progress.h"
#include "rules.h"

static const char usage[] =
"usage: gotrace validate [OPTION]... TRACE...\n"
"\n"
"Checks traces by the rules of Go's own tools: what the readers of Go 1.21 and of the\n"
"newest Go refuse, what their viewers die of, and what they lose or show wrongly, which\n"
"is only a warning. A line for each fault, on standard output:\n"
"\n"
"  TRACE: offset N: WHAT IS WRONG (RULE; WHO MINDS)\n"
"\n"
"WHO MINDS is Go 1.21, Go 1.22+ (the older perhaps too) or all Go. A TRACE whose bytes\n"
"or order are wrong is checked up to there. TRACE '-' is standard input; what is no\n"
"file is copied into one in $TMPDIR (/var/tmp).\n"
"\n"
"  --strict           a warning is a fault\n"
"  --all              every fault, not only the first 5 of each rule\n"
"  --json             a JSON object for each fault: file, offset, rule, who (old, new,\n"
"                     all), warning, text\n"
"  -q, --quiet        no word about traces that are good, and no warnings\n"
"  -h, --help         this text\n"
"  -V, --version      which gotrace this is\n"
"\n"
"Exit code: 0 when there is no fault; 1 when there is one, or a TRACE cannot be read;\n"
"2 when the usage was wrong.\n";

enum { OPT_STRICT = 256, OPT_ALL, OPT_JSON };

static const struct option options[] = {
	{ "strict", no_argument, NULL, OPT_STRICT },
	{ "all", no_argument, NULL, OPT_ALL },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "quiet", no_argument, NULL, 'q' },
	ARGS_COMMON
};

static const struct args args = { "validate", usage, options, false };

/* Of each rule, so many are shown. */
#define SHOWN 5

struct tally {
	const char *rule;
	uint64_t n;
};

struct validate {
	bool strict, all, json, quiet;

	/* Of one trace. */
	const char *name;
	struct gt_trace records;
	struct gt_timeline t;
	struct rules rules;
	struct tally *tallies;
	size_t n_tallies, size_tallies;
	uint64_t faults, warnings;
};

static const char *who(enum gt_minds minds, bool word)
{
	switch (minds) {
	case GT_MIND_OLD:
		return word ? "old" : "Go 1.21";
	case GT_MIND_NEW:
		return word ? "new" : "Go 1.22+";
	default:
		return word ? "all" : "all Go";
	}
}

/* How many there were of that rule, this one included. */
static uint64_t count(struct validate *v, const char *rule)
{
	for (size_t i = 0; i < v->n_tallies; i++)
		if (!strcmp(v->tallies[i].rule, rule))
			return ++v->tallies[i].n;
	if (!array_reserve(&v->tallies, v->n_tallies, &v->size_tallies,
			   sizeof(*v->tallies)))
		return 1;
	v->tallies[v->n_tallies++] = (struct tally){ rule, 1 };
	return 1;
}

static void show_json(const struct validate *v, const struct finding *f)
{
	const char *text = f->error.text;

	out_text("{\"file\":");
	out_json(v->name, strlen(v->name));
	out_text(",\"offset\":");
	out_u64(f->error.off);
	out_text(",\"rule\":\"");
	out_text(f->rule);
	out_text("\",\"who\":\"");
	out_text(who(f->error.minds, true));
	out_text("\",\"warning\":");
	out_text(f->warning ? "true" : "false");
	out_text(",\"text\":");
	/* Its offset is a number of its own. */
	text = strstr(text, ": ") + 2;
	out_json(text, strlen(text));
	out_text("}\n");
}

static void show(const struct validate *v, const struct finding *f)
{
	out_text(v->name);
	out_text(": ");
	out_text(f->error.text);
	out_text(" (");
	out_text(f->rule);
	out_text("; ");
	out_text(who(f->error.minds, false));
	out_text(f->warning ? "; warning)\n" : ")\n");
}

static void found(void *arg, const struct finding *f)
{
	struct validate *v = arg;
	uint64_t n = count(v, f->rule);

	if (f->warning)
		v->warnings++;
	else
		v->faults++;
	if ((f->warning && v->quiet && !v->strict) || (n > SHOWN && !v->all))
		return;
	progress_clear();
	if (v->json)
		show_json(v, f);
	else
		show(v, f);
}

/* What the reader refuses ends the reading. */
static void refused(struct validate *v, const char *rule,
		    const struct gt_error *e)
{
	found(v, &(struct finding){ .error = *e, .rule = rule });
}

/* False: the reader has refused it. */
static bool check_records(struct validate *v)
{
	struct gt_event ev;
	enum gt_trace_next next;

	rules_begin(&v->rules, v->records.reader.version);
	while ((next = gt_trace_next(&v->records, &ev)) > GT_TRACE_END)
		rules_record(&v->rules, &v->records);
	if (next == GT_TRACE_ERROR)
		refused(v, "bytes", &v->records.reader.error);
	return next == GT_TRACE_END;
}

static void check_order(struct validate *v)
{
	struct gt_timeline *t = &v->t;
	int ret;

	while ((ret = gt_timeline_next(t)) > 0)
		rules_event(&v->rules, t);
	if (ret < 0)
		refused(v, "order", &t->error);
	else
		rules_end(&v->rules, t);
}

static int fail(const struct validate *v, const char *what)
{
	progress_clear();
	fprintf(stderr, "gotrace validate: %s: %s\n", v->name, what);
	return -1;
}

/* Twice: in the order of the file, and in that of time. */
static int check(struct validate *v, const struct gt_source *source)
{
	struct gt_progress progress = { progress_reading, "validate" };
	bool good = !gt_trace_init_fd(&v->records, source->fd);

	if (good)
		good = check_records(v);
	else
		refused(v, "bytes", &v->records.reader.error);
	gt_trace_exit(&v->records);
	if (!good)
		return 0;
	if (lseek(source->fd, source->base, SEEK_SET) < 0)
		return fail(v, strerror(errno));
	if (gt_timeline_init_fd(&v->t, source->fd, &progress))
		refused(v, "bytes", &v->t.error);
	else
		check_order(v);
	gt_timeline_exit(&v->t);
	return v->rules.no_memory ? fail(v, "no memory") : 0;
}

static void summary(const struct validate *v)
{
	uint64_t hidden;

	progress_clear();
	for (size_t i = 0; i < v->n_tallies && !v->all && !v->json; i++) {
		hidden = v->tallies[i].n > SHOWN ? v->tallies[i].n - SHOWN : 0;
		if (!hidden)
			continue;
		out_text(v->name);
		out_text(": ");
		out_u64(hidden);
		out_text(" more (");
		out_text(v->tallies[i].rule);
		out_text(")\n");
	}
	if (v->faults || v->quiet || v->json || (v->strict && v->warnings))
		return;
	out_text(v->name);
	out_text(": good, ");
	out_u64(v->t.events);
	out_text(" events");
	if (v->warnings) {
		out_text(", ");
		out_u64(v->warnings);
		out_text(v->warnings == 1 ? " warning" : " warnings");
	}
	out_char('\n');
}

static int validate_fd(struct validate *v, int fd)
{
	struct gt_error e;
	struct gt_source source;
	int err;

	v->n_tallies = 0;
	v->faults = 0;
	v->warnings = 0;
	v->rules = (struct rules){ .found = found, .arg = v };
	err = gt_source_init_fd(&source, fd, &e);
	if (err)
		fail(v, e.text);
	else
		err = check(v, &source);
	if (!err)
		summary(v);
	gt_source_exit(&source);
	rules_exit(&v->rules);
	if (err || v->faults || (v->strict && v->warnings))
		return EXIT_FAILED;
	return EXIT_OK;
}

static int validate_file(struct validate *v, const char *path)
{
	int fd, ret;

	if (!strcmp(path, "-")) {
		v->name = "standard input";
		return validate_fd(v, STDIN_FILENO);
	}
	v->name = path;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		fprintf(stderr, "gotrace validate: cannot open %s: %s\n", path,
			strerror(errno));
		return EXIT_FAILED;
	}
	ret = validate_fd(v, fd);
	close(fd);
	return ret;
}

int cmd_validate(int argc, char **argv)
{
	/* Not on the stack: it holds the longest record. */
	static struct validate v;
	int opt, err, ret = EXIT_OK;

	while ((opt = args_next(&args, argc, argv)) != -1) {
		switch (opt) {
		case OPT_STRICT:
			v.strict = true;
			break;
		case OPT_ALL:
			v.all = true;
			break;
		case OPT_JSON:
			v.json = true;
			break;
		case 'q':
			v.quiet = true;
			break;
		}
	}
	if (optind == argc)
		args_fail(&args, "which trace? Name a TRACE");
	for (; optind < argc; optind++)
		if (validate_file(&v, argv[optind]))
			ret = EXIT_FAILED;
	err = out_flush();
	if (!err)
		return ret;
	fprintf(stderr, "gotrace validate: cannot write: %s\n", strerror(-err));
	return EXIT_FAILED;
}
