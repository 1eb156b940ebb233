// SPDX-License-Identifier: GPL-2.0
/* gotrace report: what everybody did, in figures. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "cmd.h"
#include "lib/timeline.h"
#include "out.h"
#include "progress.h"
#include "report.h"

static const char usage[] =
"usage: gotrace report [OPTION]... FILE\n"
"       gotrace report --wakeups TID [OPTION]... FILE\n"
"\n"
"Says in figures what was going on in a trace of ours, or of a Go program: who ran,\n"
"who waited for a CPU and who had it, why tasks slept and who woke them, what system\n"
"calls took. The first rows of several tables, unless --by asks for one. FILE '-' is\n"
"standard input.\n"
"\n"
"  --by task|comm|cpu|syscall|stack|waker\n"
"                     one table, with a row for each task; name of tasks; CPU; system\n"
"                     call; reason and stack of sleeps; pair of a task and its waker\n"
"  --sort COLUMN      rows with the greatest first; COLUMN as --json calls it, --by\n"
"                     chooses the table\n"
"  --top N            at most N rows, 0 for all (20; of several tables 5; all with --json\n"
"                     and --csv)\n"
"  --task TASK        only of the task with that id, or of all with that name\n"
"  --from TIME        only from then on, as 1.5 or 250ms since the beginning\n"
"  --to TIME          only up to then\n"
"  --wakeups TID      for whom the task with that id slept: from the end of each sleep\n"
"                     back to who woke it, to who woke that one meanwhile, and so on;\n"
"                     in all, and the longest sleeps one by one\n"
"  --json             a JSON object a line, with all there is to know of each row; times\n"
"                     in ns; the first is about the trace\n"
"  --csv              comma-separated values, the same; of one table\n"
"  -h, --help         this text\n"
"  -V, --version      which gotrace this is\n"
"\n"
"A task is running, runnable (it waits for a CPU), asleep, or untraced: between the\n"
"closing steps of its CPU, which lost events or went offline, and its next event.\n"
"A wait is the time from being made runnable to running. It is held by the task that\n"
"had the CPU meanwhile, of the last 8 there the one that had it longest.\n"
"Sleeps are named after Go's events: sleep (GoSleep), net, select, sync, cond, recv,\n"
"send, gc (reclaim), syscall (GoSysBlock, uninterruptible, as for a disk), other\n"
"(GoBlock), and before (since before the trace).\n"
"\n"
"Percentiles are wrong by up to 1.6 %, what is greatest is exact. Neither knows what\n"
"began before the trace, has not ended, or lasted while events were lost. With --from\n"
"and --to, times are what is inside; things are counted where they begin, wake-ups where\n"
"they are; percentiles are of what ended inside, as a whole.\n"
"\n"
"A terminal's width, or $COLUMNS, decides how many columns there are.\n"
"\n"
"Exit code: 0; 1 when the trace is broken, which then has no report; 2 when the usage\n"
"was wrong; 3 when events were lost.\n";

enum { OPT_BY = 256, OPT_SORT, OPT_TOP, OPT_TASK, OPT_FROM, OPT_TO,
       OPT_WAKEUPS, OPT_JSON, OPT_CSV };

static const struct option options[] = {
	{ "by", required_argument, NULL, OPT_BY },
	{ "sort", required_argument, NULL, OPT_SORT },
	{ "top", required_argument, NULL, OPT_TOP },
	{ "task", required_argument, NULL, OPT_TASK },
	{ "from", required_argument, NULL, OPT_FROM },
	{ "to", required_argument, NULL, OPT_TO },
	{ "wakeups", required_argument, NULL, OPT_WAKEUPS },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "csv", no_argument, NULL, OPT_CSV },
	ARGS_COMMON
};

static const struct args args = { "report", usage, options, false };

#define TOP_ONE		20
#define TOP_SEVERAL	5
#define TOP_NOT_SAID	SIZE_MAX

struct command {
	struct report report;
	int by;			/* -1: not said */
	const char *sort;
	size_t top;
	enum table_format format;
	bool wakeups;
};

/* ---- What comes out ---- */

static size_t top(const struct command *c)
{
	if (c->top != TOP_NOT_SAID)
		return c->top;
	if (c->format != TABLE_TEXT)
		return 0;
	return c->by < 0 ? TOP_SEVERAL : TOP_ONE;
}

static bool print_all(struct command *c)
{
	struct report *r = &c->report;

	if (!report_print_trace(r, c->format, c->report.name))
		return false;
	if (c->by >= 0) {
		if (c->format == TABLE_TEXT)
			out_char('\n');
		return report_print(r, c->by, c->format, c->sort, top(c));
	}
	if (c->format == TABLE_TEXT)
		return report_overview(r, top(c));
	for (int by = 0; by < REPORT_BY_COUNT; by++)
		if (!report_print(r, by, c->format, NULL, top(c)))
			return false;
	return true;
}

static int read_and_print(struct command *c)
{
	struct report *r = &c->report;
	int ret;

	if (c->wakeups) {
		ret = report_wakeups(r, c->format, top(c));
		progress_clear();
		return ret;
	}
	ret = report_read(r);
	progress_clear();
	if (!ret && !print_all(c))
		ret = report_fail(r, "no memory for the tables");
	return ret;
}

static int report_fd(struct command *c, int fd)
{
	static const struct gt_progress progress = {
		progress_reading, "report",
	};
	/* Not on the stack: it holds the longest record. */
	static struct gt_timeline t;
	int bad, err, lost;

	c->report.t = &t;
	bad = gt_timeline_init_fd(&t, fd, &progress) || read_and_print(c);
	progress_clear();
	err = out_flush();
	if (err)
		fprintf(stderr, "gotrace report: cannot write: %s\n",
			strerror(-err));
	if (bad)
		fprintf(stderr, "gotrace report: %s: %s\n", c->report.name,
			t.error.text);
	lost = t.losses.events > 0;
	report_exit(&c->report);
	gt_timeline_exit(&t);
	if (bad || err)
		return EXIT_FAILED;
	return lost ? EXIT_LOST : EXIT_OK;
}

static int report_file(struct command *c, const char *path)
{
	int fd, ret;

	c->report.name = "standard input";
	if (!strcmp(path, "-"))
		return report_fd(c, STDIN_FILENO);
	c->report.name = path;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		fprintf(stderr, "gotrace report: cannot open %s: %s\n", path,
			strerror(errno));
		return EXIT_FAILED;
	}
	ret = report_fd(c, fd);
	close(fd);
	return ret;
}

/* ---- What is asked for ---- */

/* Ids are numbers above 0 that a name may look like: then it is an id. */
static bool is_id(const char *text, uint64_t *id)
{
	char *end;

	errno = 0;
	*id = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno;
}

static void ask_task(struct report *r, const char *text)
{
	r->has_task = true;
	r->task = gt_string_of(text);
	r->task_is_id = is_id(text, &r->task_id);
}

static void check(const struct command *c)
{
	if (c->report.from >= c->report.to)
		args_fail(&args, "--from must be before --to");
	if (c->wakeups) {
		if (c->by >= 0 || c->sort)
			args_fail(&args, "--by and --sort are not for --wakeups");
		if (c->report.has_task)
			args_fail(&args, "--wakeups names its task already");
		if (c->format == TABLE_CSV)
			args_fail(&args, "--wakeups is more than a table; say --json");
		return;
	}
	if (c->format == TABLE_CSV && c->by < 0)
		args_fail(&args, "--csv is for one table: say which, with --by");
	if (c->sort && c->by < 0)
		args_fail(&args, "--sort is for one table: say which, with --by");
	if (c->sort && table_column(report_columns(c->by), c->sort) < 0)
		args_fail(&args, "--by %s has no column '%s'; --json shows them",
			  report_by_words[c->by], c->sort);
}

int cmd_report(int argc, char **argv)
{
	struct command c = {
		.report.to = INT64_MAX, .by = -1, .top = TOP_NOT_SAID,
	};
	uint64_t id;
	int opt;

	while ((opt = args_next(&args, argc, argv)) != -1) {
		switch (opt) {
		case OPT_BY:
			c.by = args_choice(&args, "--by", optarg,
					   report_by_words);
			break;
		case OPT_SORT:
			c.sort = optarg;
			break;
		case OPT_TOP:
			c.top = args_number(&args, "--top", optarg, 0, 1000000);
			break;
		case OPT_TASK:
			ask_task(&c.report, optarg);
			break;
		case OPT_FROM:
			c.report.from = args_duration(&args, "--from", optarg);
			break;
		case OPT_TO:
			c.report.to = args_duration(&args, "--to", optarg);
			break;
		case OPT_WAKEUPS:
			c.wakeups = true;
			if (!is_id(optarg, &id))
				args_fail(&args, "--wakeups takes the id of a task, not '%s'",
					  optarg);
			c.report.task_id = id;
			break;
		case OPT_JSON:
			c.format = TABLE_JSON;
			break;
		case OPT_CSV:
			c.format = TABLE_CSV;
			break;
		}
	}
	if (optind == argc)
		args_fail(&args, "which trace? Name a FILE");
	check(&c);
	optind++;
	args_end(&args, argc, argv);
	return report_file(&c, argv[optind - 1]);
}
