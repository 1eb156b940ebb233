// SPDX-License-Identifier: GPL-2.0
/* gotrace repair: a trace that was cut short becomes one that Go opens. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
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
"usage: gotrace repair [OPTION]... -o FILE TRACE\n"
"\n"
"Makes a trace that Go opens of one that was cut short (the disk was full, the\n"
"machine went down), or has a fault somewhere: all that is good before the fault is\n"
"kept, CPUs and tasks that were running then are closed, and names that stood behind\n"
"it are made up: 'lost.17'. So are steps of tasks that others depend on (a CPU's last\n"
"events are written together, and those of others after them may be there already): a\n"
"task that starts while it sleeps is woken first. It says what was lost. TRACE '-' is\n"
"standard input, FILE '-' standard output.\n"
"\n"
"  -o, --output FILE  the repaired trace; it may be TRACE's own place\n"
"  --hz N             ticks a second, for a Go program's trace that was cut before it\n"
"                     says so (ours say it at once); by default those of a PC of 3 GHz\n"
"  --json             say it as a JSON object, on standard output\n"
"  -h, --help         this text\n"
"  -V, --version      which gotrace this is\n"
"\n"
"Exit code: 0 when nothing was wrong; 3 when FILE is written and something was lost or\n"
"had to be closed; 1 when nothing can be saved or FILE cannot be written; 2 when the\n"
"usage was wrong.\n";

enum { OPT_HZ = 256, OPT_JSON };

static const struct option options[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "hz", required_argument, NULL, OPT_HZ },
	{ "json", no_argument, NULL, OPT_JSON },
	ARGS_COMMON
};

static const struct args args = { "repair", usage, options, false };

struct repair {
	const char *name;	/* of the trace, for messages */
	const char *to;
	uint64_t hz;		/* given, 0: not */
	bool json;
	struct gt_timeline t;
	struct retrace r;
	uint64_t size;		/* of the trace */
	uint64_t events;
	int64_t last_ticks, last_time;
};

static int fail(const struct repair *rp, const char *what)
{
	progress_clear();
	fprintf(stderr, "gotrace repair: %s: %s\n", rp->name, what);
	return -1;
}

/* Times, and samples that name a task before it is there. */
static uint64_t corrected(const struct gt_timeline *t)
{
	return t->order.merge.corrected + t->state.strangers;
}

static uint64_t lost_steps(const struct gt_timeline *t)
{
	return t->made_up > t->order.merge.forced ? t->made_up :
						    t->order.merge.forced;
}

static const char *first_loss(const struct gt_timeline *t)
{
	const struct gt_error *forced = &t->order.merge.why;

	return forced->text[0] ? forced->text : t->why.text;
}

static bool is_whole(const struct repair *rp)
{
	const struct gt_timeline *t = &rp->t;

	return !t->damage.text[0] && !t->left_out && !lost_steps(t) &&
	       !corrected(t) && !rp->r.closed && !rp->r.ended;
}

static void say_json(const struct repair *rp)
{
	const struct gt_timeline *t = &rp->t;

	out_text("{\"events\":");
	out_u64(rp->events);
	out_text(",\"time_ns\":");
	out_i64(rp->last_time);
	out_text(",\"fault\":");
	if (t->damage.text[0])
		out_json(t->damage.text, strlen(t->damage.text));
	else
		out_text("null");
	out_text(",\"lost_bytes\":");
	out_u64(rp->size - t->cut);
	out_text(",\"left_out_events\":");
	out_u64(t->left_out);
	out_text(",\"lost_steps\":");
	out_u64(lost_steps(t));
	out_text(",\"made_up_events\":");
	out_u64(t->made_up);
	out_text(",\"corrected_events\":");
	out_u64(corrected(t));
	out_text(",\"first_loss\":");
	if (t->left_out || lost_steps(t))
		out_json(first_loss(t), strlen(first_loss(t)));
	else
		out_text("null");
	out_text(",\"closed_tasks\":");
	out_u64(rp->r.closed);
	out_text(",\"closed_intervals\":");
	out_u64(rp->r.ended);
	out_text(",\"lost_stacks\":");
	out_u64(rp->r.names.lost_stacks);
	out_text(",\"lost_strings\":");
	out_u64(rp->r.names.lost_strings);
	out_text(",\"hz_lost\":");
	out_text(t->hz_lost && !rp->hz ? "true" : "false");
	out_text("}\n");
	out_flush();
}

static void say(const struct repair *rp)
{
	const struct gt_timeline *t = &rp->t;

	progress_clear();
	if (t->damage.text[0])
		fprintf(stderr, "%s: %s\n", rp->name, t->damage.text);
	fprintf(stderr, "kept: %" PRIu64 " events, %.6f s\n", rp->events,
		(double)rp->last_time / 1e9);
	if (is_whole(rp))
		fprintf(stderr, "nothing was wrong\n");
	if (rp->size > t->cut)
		fprintf(stderr, "lost: all from offset %" PRIu64 " on, %" PRIu64 " bytes\n",
			t->cut, rp->size - t->cut);
	if (lost_steps(t))
		fprintf(stderr, "lost: %" PRIu64 " steps of tasks that others depend on; %" PRIu64 " were made up\n",
			lost_steps(t), t->made_up);
	if (t->left_out)
		fprintf(stderr, "lost: %" PRIu64 " events that cannot be; they were left out\n",
			t->left_out);
	if (corrected(t))
		fprintf(stderr, "corrected: %" PRIu64 " events with a time, or samples with a task, that cannot be\n",
			corrected(t));
	if (lost_steps(t) || t->left_out)
		fprintf(stderr, "  the first: %s\n", first_loss(t));
	if (rp->r.names.lost_stacks || rp->r.names.lost_strings)
		fprintf(stderr, "lost: %" PRIu64 " stacks and %" PRIu64 " strings; they are called lost.N\n",
			rp->r.names.lost_stacks, rp->r.names.lost_strings);
	if (t->hz_lost && !rp->hz)
		fprintf(stderr, "lost: the frequency of the clock; times are for %u ticks a second (--hz)\n",
			GT_HZ_GUESS);
	if (rp->r.closed)
		fprintf(stderr, "closed: %" PRIu64 " running tasks\n",
			rp->r.closed);
	if (rp->r.ended)
		fprintf(stderr, "closed: %" PRIu64 " intervals of GC, sweeping, or a stopped world\n",
			rp->r.ended);
}

static int copy(struct repair *rp, FILE *to)
{
	int ret;

	retrace_begin(&rp->r, &rp->t, to);
	while ((ret = gt_timeline_next(&rp->t)) > 0) {
		rp->events += rp->t.ev != &rp->t.made;
		rp->last_ticks = rp->t.ev->ticks;
		rp->last_time = rp->t.time;
		retrace_event(&rp->r);
	}
	if (ret < 0)
		return fail(rp, rp->t.error.text);
	if (!rp->events)
		return fail(rp, first_loss(&rp->t));
	retrace_end(&rp->r, rp->last_ticks);
	return rp->r.no_memory ? fail(rp, "no memory") : 0;
}

static int write_it(struct repair *rp, const struct stat *like)
{
	struct replace to;
	int err;

	if (replace_begin(&to, "repair", rp->to, like))
		return -1;
	err = copy(rp, to.file);
	if (err) {
		replace_abandon(&to);
		return -1;
	}
	return replace_commit(&to);
}

static int repair(struct repair *rp, int fd)
{
	struct gt_progress progress = { progress_reading, "repair" };
	struct stat st;
	int err;

	if (fstat(fd, &st))
		return fail(rp, strerror(errno));
	if (gt_timeline_init_damaged_fd(&rp->t, fd, &progress))
		return fail(rp, rp->t.error.text);
	if (rp->t.trace.reader.version < GT_V1_7)
		return fail(rp, "a trace of Go 1.5, which is too old to be repaired");
	rp->size = rp->t.source.len;
	if (rp->t.hz_lost && rp->hz)
		rp->t.trace.hz = rp->hz;
	err = write_it(rp, &st);
	if (err)
		return -1;
	if (rp->json)
		say_json(rp);
	else
		say(rp);
	return 0;
}

static int repair_file(struct repair *rp, const char *path)
{
	bool is_stdin = !strcmp(path, "-");
	int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	int err, ret;

	rp->name = is_stdin ? "standard input" : path;
	if (fd < 0) {
		fprintf(stderr, "gotrace repair: cannot open %s: %s\n", path,
			strerror(errno));
		return EXIT_FAILED;
	}
	err = repair(rp, fd);
	progress_clear();
	ret = is_whole(rp) ? EXIT_OK : EXIT_LOST;
	retrace_exit(&rp->r);
	gt_timeline_exit(&rp->t);
	if (!is_stdin)
		close(fd);
	return err ? EXIT_FAILED : ret;
}

int cmd_repair(int argc, char **argv)
{
	/* Not on the stack: it holds the longest record. */
	static struct repair rp;
	int opt;

	while ((opt = args_next(&args, argc, argv)) != -1) {
		switch (opt) {
		case 'o':
			rp.to = optarg;
			break;
		case OPT_HZ:
			rp.hz = args_number(&args, "--hz", optarg, 1, UINT32_MAX);
			break;
		case OPT_JSON:
			rp.json = true;
			break;
		}
	}
	if (optind == argc)
		args_fail(&args, "which trace? Name a TRACE");
	if (!rp.to)
		args_fail(&args, "where to? Say -o FILE");
	if (!strcmp(rp.to, "-") && isatty(STDOUT_FILENO))
		args_fail(&args, "a trace is nothing for a terminal: say -o FILE");
	if (!strcmp(rp.to, "-") && rp.json)
		args_fail(&args, "standard output can have the trace or --json, not both");
	optind++;
	args_end(&args, argc, argv);
	return repair_file(&rp, argv[optind - 1]);
}
