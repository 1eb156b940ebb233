// SPDX-License-Identifier: GPL-2.0
/* gotrace export: a trace in other programs' formats. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "cmd.h"
#include "export.h"
#include "out.h"
#include "progress.h"
#include "replace.h"

static const char usage[] =
"usage: gotrace export -f FORMAT [OPTION]... FILE\n"
"\n"
"Makes of a trace, of ours or of a Go program, what other programs read. FILE '-' is\n"
"standard input.\n"
"\n"
"  -f, --format pprof|perfetto|chrome|csv|folded\n"
"                     pprof: a profile for 'go tool pprof'; perfetto: a trace for\n"
"                     ui.perfetto.dev; chrome: JSON for chrome://tracing; csv: a row for\n"
"                     each interval and event, for spreadsheets and databases; folded:\n"
"                     stacks with ns, a line each, for flame graphs\n"
"  -p, --profile cpu|offcpu|sched|syscall|sync|net\n"
"                     of pprof and folded: time spent running; asleep; waiting for a CPU,\n"
"                     by who made the task runnable; in system calls; asleep for others\n"
"                     (send, recv, select, sync, cond); for the network (cpu)\n"
"  -o, --output FILE  write there; '-', standard output, if there is none\n"
"  -h, --help         this text\n"
"  -V, --version      which gotrace this is\n"
"\n"
"The file appears when it is complete, or not at all.\n"
"\n"
"A sample says where the time since the one before it went. What no sample speaks for\n"
"has the task's name alone. Calls are those with their ends (--syscalls regions); of a\n"
"Go program, where it was blocked in them. A sleep's reason is a label in pprof, a frame\n"
"in folded.\n"
"\n"
"In Perfetto, tasks are threads of their processes, goroutines of one. Times are from the\n"
"beginning of the trace on.\n"
"\n"
"In csv, kind is what a task does (running, runnable, asleep, untraced; created), is in\n"
"(call, region, assist; enter, a call whose end is not recorded), or marks (user_task,\n"
"log); a CPU's idle, stopped, sample and lost; the machine's gc, stw, heap and heap_goal.\n"
"Rows are in the order in which these end, times in ns since the beginning of the trace. Of a\n"
"sleep, name is its reason and call the call that it is in; by is who woke, or created;\n"
"holder who had the CPU longest while a task waited for it; value is bytes, events that\n"
"were lost, or a user task's number; a stack has the innermost function first.\n"
"\n"
"Exit code: 0; 1 when the trace is broken or the file cannot be written, which then is\n"
"not there; 2 when the usage was wrong; 3 when events were lost.\n";

static const struct option options[] = {
	{ "format", required_argument, NULL, 'f' },
	{ "profile", required_argument, NULL, 'p' },
	{ "output", required_argument, NULL, 'o' },
	ARGS_COMMON
};

static const struct args args = { "export", usage, options, false };

static const struct export_format *const formats[] = {
	&export_pprof, &export_perfetto, &export_chrome, &export_csv,
	&export_folded,
};

#define N_FORMATS (sizeof(formats) / sizeof(formats[0]))

static const char *const profiles[] = {
	"cpu", "offcpu", "sched", "syscall", "sync", "net", NULL
};

struct command {
	struct export export;
	const struct export_format *format;
	const char *name;	/* the trace's, for people */
};

bool export_fail(struct export *e)
{
	e->failed = true;
	return false;
}

struct gt_string export_string(const struct export *e, uint64_t id)
{
	struct gt_string s;

	gt_names_string(&e->t->trace.names, id, &s);
	return s;
}

bool export_count_runnable(struct export *e)
{
	const struct gt_state *s = &e->t->state;
	int64_t before = e->runnable;

	if (s->moved) {
		e->runnable += s->moved->now.status == GT_G_RUNNABLE;
		e->runnable -= s->was.status == GT_G_RUNNABLE;
	}
	return e->runnable != before;
}

static void take(void *arg, const struct gt_interval *iv)
{
	struct command *c = arg;

	if (!c->export.failed)
		c->format->take(&c->export, iv);
}

/* Return: 0, or -1 with t->error. */
static int convert(struct command *c)
{
	struct export *e = &c->export;
	struct gt_intervals intervals;
	int ret = 1;

	gt_intervals_init(&intervals, e->t, take, c);
	if (c->format->begin)
		c->format->begin(e);
	while (!e->failed && (ret = gt_intervals_next(&intervals)) > 0)
		if (c->format->event)
			c->format->event(e);
	if (!ret && !e->failed && c->format->finish)
		c->format->finish(e);
	if (c->format->exit)
		c->format->exit(e);
	gt_intervals_exit(&intervals);
	if (e->failed) {
		snprintf(e->t->error.text, sizeof(e->t->error.text),
			 "no memory to convert it");
		return -1;
	}
	return ret;
}

/* What is written goes to standard output, which is the file from here on. */
static int into(struct command *c, struct replace *r)
{
	int err = 0;

	if (dup2(fileno(r->file), STDOUT_FILENO) < 0)
		err = -errno;
	else if (convert(c))
		return -1;
	if (!err)
		err = out_flush();
	if (!err)
		return 0;
	snprintf(c->export.t->error.text, sizeof(c->export.t->error.text),
		 "cannot write: %s", strerror(-err));
	return -1;
}

static int export_fd(struct command *c, int fd, const char *output)
{
	static const struct gt_progress progress = {
		progress_reading, "export",
	};
	/* Not on the stack: it holds the longest record. */
	static struct gt_timeline t;
	/* No file's: as new files are. */
	static const struct stat like;
	struct replace r;
	int ret = EXIT_FAILED;

	c->export.t = &t;
	if (gt_timeline_init_fd(&t, fd, &progress))
		goto bad;
	if (replace_begin(&r, "export", output, &like)) {
		gt_timeline_exit(&t);
		return EXIT_FAILED;
	}
	if (into(c, &r)) {
		replace_abandon(&r);
		goto bad;
	}
	progress_clear();
	if (!replace_commit(&r))
		ret = t.losses.events ? EXIT_LOST : EXIT_OK;
	gt_timeline_exit(&t);
	return ret;
bad:
	progress_clear();
	fprintf(stderr, "gotrace export: %s: %s\n", c->name, t.error.text);
	gt_timeline_exit(&t);
	return EXIT_FAILED;
}

static int export_file(struct command *c, const char *path, const char *output)
{
	int fd, ret;

	c->name = "standard input";
	if (!strcmp(path, "-"))
		return export_fd(c, STDIN_FILENO, output);
	c->name = path;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		fprintf(stderr, "gotrace export: cannot open %s: %s\n", path,
			strerror(errno));
		return EXIT_FAILED;
	}
	ret = export_fd(c, fd, output);
	close(fd);
	return ret;
}

static const struct export_format *choose_format(const char *text)
{
	const char *names[N_FORMATS + 1] = { NULL };

	for (size_t i = 0; i < N_FORMATS; i++)
		names[i] = formats[i]->name;
	return formats[args_choice(&args, "--format", text, names)];
}

int cmd_export(int argc, char **argv)
{
	struct command c = { 0 };
	const char *output = "-", *path;
	bool has_profile = false;
	int opt;

	while ((opt = args_next(&args, argc, argv)) != -1) {
		switch (opt) {
		case 'f':
			c.format = choose_format(optarg);
			break;
		case 'p':
			has_profile = true;
			c.export.profile = args_choice(&args, "--profile",
						       optarg, profiles);
			break;
		case 'o':
			output = optarg;
			break;
		}
	}
	if (!c.format)
		args_fail(&args, "into which format? Say it with -f");
	if (has_profile && !c.format->profiles)
		args_fail(&args, "--profile is for pprof and folded, not for %s",
			  c.format->name);
	if (optind == argc)
		args_fail(&args, "which trace? Name a FILE");
	path = argv[optind++];
	args_end(&args, argc, argv);
	if (c.format->binary && !strcmp(output, "-") && isatty(STDOUT_FILENO))
		args_fail(&args, "%s is nothing for a terminal; say -o FILE",
			  c.format->name);
	return export_file(&c, path, output);
}
