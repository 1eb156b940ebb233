// SPDX-License-Identifier: GPL-2.0
/*
 * gotrace record: be the reader of a session of our own, from START to the end
 * of its file, while a command runs or until told to stop.
 *
 * One loop, one thread. Each turn looks at what happened (signals, the
 * command, the clock), then either reads from the device or writes to the
 * file, whichever is next, and waits in ppoll(2) only. So a slow output never
 * keeps a ^C from being heard, and the kernel's buffers take up what we do not
 * read meanwhile.
 *
 *   tracing --command ends, time is up, ^C, output fails--> STOP --> draining
 *   time is up, output fails: the command gets SIGTERM
 *   draining --end of file--> done, unless the command still runs
 *   any --second ^C--> done at once, with what there is
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "args.h"
#include "child.h"
#include "cmd.h"
#include "dev.h"
#include "output.h"
#include "progress.h"
#include "session.h"
#include "signals.h"
#include "symbolize.h"

static const char usage[] =
"usage: gotrace record [OPTION]... [--] [COMMAND [ARGUMENT]...]\n"
"\n"
"Traces the whole machine while COMMAND runs, or until ^C, into a file that\n"
"'go tool trace' opens. Loads the module if it is not there (from $GOTRACE_KO\n"
"if that is set).\n"
"\n"
"  -o, --output FILE  the trace (trace.out); '-' is standard output, and COMMAND's\n"
"                     own goes to standard error then\n"
"  -d, --duration TIME\n"
"                     stop after that time, e.g. 10, 0.5, 250ms or 2m\n"
SESSION_USAGE
"  --only-command     only COMMAND and what it starts (--pid and --follow for it)\n"
"  --no-symbols       leave user frames as offsets in their files; 'gotrace symbolize'\n"
"                     names them later. It is like that too when FILE is '-', or none\n"
"                     that can be replaced\n"
"  -h, --help         this text\n"
"  -V, --version      which gotrace this is\n"
"\n"
"^C, SIGTERM and SIGHUP stop the trace and save it; a second one gives up what is\n"
"not saved yet. COMMAND gets SIGTERM when the duration is over, when the session has\n"
"come to its limit, or when FILE cannot be written.\n"
"\n"
"Exit code: COMMAND's (128 + the signal that killed it; 127 or 126 if it could not\n"
"be run). Without COMMAND, or when it succeeded or was ended by us: 0, or\n"
"3 if events were lost. 1 when recording failed, 2 when the usage was wrong.\n";

enum { OPT_NO_SYMBOLS = 512, OPT_ONLY_COMMAND };	/* apart from session.h's */

static const struct option options[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "duration", required_argument, NULL, 'd' },
	{ "only-command", no_argument, NULL, OPT_ONLY_COMMAND },
	{ "no-symbols", no_argument, NULL, OPT_NO_SYMBOLS },
	SESSION_OPTIONS,
	ARGS_COMMON
};

static const struct args args = { "record", usage, options, true };

#define BUF_SIZE (256 * 1024)

struct record {
	/* What was asked for. */
	struct session *session;
	const char *path;
	uint64_t duration;		/* ns, 0 is none */
	char **command;			/* NULL is none */
	bool only_command;
	bool no_symbols;

	int fd;
	struct output out;
	struct child child;
	bool tty;

	uint64_t t0;			/* when tracing had started */
	uint64_t drawn;			/* when the progress was drawn */
	struct gotrace_status status;	/* the newest of our session */

	bool stopped;			/* STOP was sent */
	bool at_end;			/* the trace has been read */
	bool ended;			/* we ended the command */
	bool failed;
	bool discard;			/* the output failed: read on, write not */

	char *buf;
	size_t head, len;		/* read, not yet written */
};

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

static void stop_tracing(struct record *r)
{
	int err;

	if (r->stopped)
		return;
	r->stopped = true;
	err = dev_stop(r->fd, GOTRACE_STOP_NOWAIT);
	if (!err)
		return;
	progress_clear();
	fprintf(stderr, "gotrace record: cannot stop: %s\n", strerror(-err));
	r->failed = true;
	r->at_end = true;	/* it would never come */
}

/*
 * The numbers are gone once the end of the file has been read, so they are
 * fetched before every read. And someone may have thrown our session away.
 */
static bool refresh_status(struct record *r)
{
	struct gotrace_status st;

	if (dev_status(r->fd, &st))
		return true;
	if (r->status.session && st.session != r->status.session) {
		progress_clear();
		fprintf(stderr, "gotrace record: another session was started in place of this one\n");
		r->failed = true;
		r->at_end = true;
		return false;
	}
	if (st.state != GOTRACE_STATE_NONE)
		r->status = st;
	return true;
}

/* The command runs only to be recorded. */
static void end_command(struct record *r)
{
	if (!r->child.pid)
		return;
	r->ended = true;
	kill(r->child.pid, SIGTERM);
}

/* It may have stopped itself. */
static void on_limit(struct record *r)
{
	const char *what = r->status.stopped == GOTRACE_STOPPED_TIME ? "--max-time" :
			   r->status.stopped == GOTRACE_STOPPED_BYTES ? "--max-size" : NULL;

	if (!what)
		return;
	progress_clear();
	fprintf(stderr, "gotrace record: the session came to its %s\n", what);
	end_command(r);
}

static void read_some(struct record *r)
{
	ssize_t n;

	if (!refresh_status(r))
		return;
	n = read(r->fd, r->buf, BUF_SIZE);
	if (n > 0) {
		r->head = 0;
		r->len = r->discard ? 0 : n;
		return;
	}
	if (n == 0) {
		r->at_end = true;
		r->stopped = true;	/* by someone else, if not by us */
		on_limit(r);
		return;
	}
	if (errno == EAGAIN || errno == EINTR)
		return;
	progress_clear();
	fprintf(stderr, "gotrace record: cannot read %s: %s\n",
		GOTRACE_DEVICE, strerror(errno));
	r->failed = true;
	r->at_end = true;
	stop_tracing(r);
}

/*
 * What is written stays. What is not is read to its end all the same, else the
 * session would hold its memory and be in the way of the next.
 */
static void output_failed(struct record *r, int err)
{
	progress_clear();
	fprintf(stderr, "gotrace record: cannot write %s: %s\n", r->out.name,
		strerror(-err));
	fprintf(stderr, "The trace is cut short after %llu bytes.\n",
		(unsigned long long)r->out.written);
	r->failed = true;
	r->discard = true;
	r->len = 0;
	stop_tracing(r);
	end_command(r);
}

static void write_some(struct record *r)
{
	ssize_t n = output_write(&r->out, r->buf + r->head, r->len);

	if (n < 0 && n != -EINTR && n != -EAGAIN)
		output_failed(r, n);
	if (n <= 0)
		return;
	r->head += n;
	r->len -= n;
}

static void on_signals(struct record *r)
{
	int sig = signals_take_own();

	if (sig && r->child.pid)
		kill(r->child.pid, sig);
	if (signals_count())
		stop_tracing(r);
}

static void on_time(struct record *r, uint64_t now)
{
	if (r->duration && !r->stopped && now - r->t0 >= r->duration) {
		stop_tracing(r);
		end_command(r);
	}
	if (r->tty && !r->at_end && now - r->drawn >= PROGRESS_NS) {
		r->drawn = now;
		refresh_status(r);
		progress_draw(&r->status, now - r->t0,
			      r->out.written + r->len);
	}
}

/* Until the next thing that only the clock tells us; NULL is for ever. */
static struct timespec *wait_time(const struct record *r, uint64_t now,
				  struct timespec *ts)
{
	uint64_t at = UINT64_MAX;

	if (r->duration && !r->stopped)
		at = r->t0 + r->duration;
	if (r->tty && !r->at_end && at > r->drawn + PROGRESS_NS)
		at = r->drawn + PROGRESS_NS;
	if (at == UINT64_MAX)
		return NULL;
	at = at > now ? at - now : 0;
	ts->tv_sec = at / 1000000000u;
	ts->tv_nsec = at % 1000000000u;
	return ts;
}

/* Wait until something can be done, and do it. */
static void turn(struct record *r)
{
	struct pollfd pfd = { .fd = -1 };
	struct timespec ts;

	if (r->len) {
		pfd.fd = r->out.fd;
		pfd.events = POLLOUT;
	} else if (!r->at_end) {
		pfd.fd = r->fd;
		pfd.events = POLLIN;
	}
	/* A negative fd is left out: then it is only signals and time. */
	if (ppoll(&pfd, 1, wait_time(r, now_ns(), &ts), signals_mask()) <= 0)
		return;
	if (r->len)
		write_some(r);
	else
		read_some(r);
}

static bool is_done(const struct record *r)
{
	if (signals_count() > 1)
		return true;
	return r->at_end && !r->len && !r->child.pid;
}

static void run(struct record *r)
{
	bool had_child = r->child.pid;

	while (!is_done(r)) {
		turn(r);
		on_signals(r);
		child_poll(&r->child);
		if (had_child && !r->child.pid)
			stop_tracing(r);
		on_time(r, now_ns());
	}
	progress_clear();
}

static void give_up(struct record *r)
{
	if (!r->at_end || r->len) {
		fprintf(stderr, "gotrace record: interrupted; the trace is cut short\n");
		r->failed = true;
	}
	if (!r->at_end)
		fprintf(stderr, "The rest of it can be dropped with 'cat %s >/dev/null'.\n",
			GOTRACE_DEVICE);
	if (r->child.pid)
		fprintf(stderr, "gotrace record: process %d still runs\n",
			(int)r->child.pid);
}

/* Has to be called with the numbers complete, or as complete as they get. */
static void summarize(struct record *r)
{
	uint64_t ns = now_ns() - r->t0;

	if (r->status.end_mono > r->status.start_mono)
		ns = r->status.end_mono - r->status.start_mono;
	progress_summary(r->out.name, &r->status, ns, r->out.written);
}

/*
 * The programs are likely still there, as they were. That it fails takes
 * nothing from what was recorded.
 */
static void name_frames(const struct record *r)
{
	struct symbolize s = {
		.cmd = "record", .began = r->status.start_real,
	};
	struct stat st;

	if (r->no_symbols || r->failed || !r->out.path ||
	    !(r->session->start.stacks & GOTRACE_STACKS_USER) ||
	    stat(r->out.path, &st) || !S_ISREG(st.st_mode))
		return;
	/* The trace is safe: from here on ^C only leaves the names out. */
	signals_restore();
	if (symbolize_file(&s, r->out.path, r->out.path))
		fprintf(stderr, "The trace is kept with offsets for functions.\n");
}

static int exit_code(const struct record *r)
{
	if (r->failed)
		return EXIT_FAILED;
	if (r->command && r->child.status && !r->ended)
		return r->child.status;
	return dev_events_lost(r->status.lost) ? EXIT_LOST : EXIT_OK;
}

static int start_command(struct record *r)
{
	/* Where the trace goes, nothing else may. */
	return child_start(&r->child, "record", r->command, !r->out.path);
}

/* One that is all that is traced is there before, and waits. */
static int hold_command(struct record *r)
{
	r->child.held = true;
	if (start_command(r))
		return -1;
	filter_add_pid(&r->session->filter, r->child.pid);
	r->session->filter.arg.flags |= GOTRACE_FILTER_FOLLOW;
	return 0;
}

/*
 * The device and the file first, and neither touched: then START, and from
 * there on there is something to save.
 */
static int begin(struct record *r)
{
	int err;

	r->fd = dev_open("record", DEV_READ, true);
	if (r->fd < 0)
		return -1;
	if (output_open(&r->out, "record", r->path))
		goto err_dev;
	if (r->only_command && hold_command(r))
		goto err_output;
	if (session_start(r->session, "record", r->fd))
		goto err_command;
	r->t0 = now_ns();
	r->drawn = r->t0;
	refresh_status(r);
	err = output_begin(&r->out);
	if (err)
		output_failed(r, err);
	return 0;

err_command:
	if (r->child.held)
		child_abandon(&r->child);
err_output:
	output_abandon(&r->out);
err_dev:
	close(r->fd);
	return -1;
}

static int run_command(struct record *r)
{
	if (!r->child.pid)
		return start_command(r);
	child_release(&r->child, "record", r->command);
	return 0;
}

static int record(struct record *r)
{
	int err;

	r->buf = malloc(BUF_SIZE);
	if (!r->buf) {
		fprintf(stderr, "gotrace record: no memory\n");
		return EXIT_FAILED;
	}
	signals_catch();
	r->tty = isatty(STDERR_FILENO);
	if (begin(r)) {
		free(r->buf);
		return EXIT_FAILED;
	}
	if (r->child.held && r->failed)
		child_abandon(&r->child);
	if (r->command && !r->failed && run_command(r)) {
		r->failed = true;
		stop_tracing(r);
	}
	run(r);
	if (signals_count() > 1)
		give_up(r);
	err = output_close(&r->out);
	if (err && !r->failed)
		output_failed(r, err);
	summarize(r);
	close(r->fd);
	name_frames(r);
	free(r->buf);
	return exit_code(r);
}

int cmd_record(int argc, char **argv)
{
	static struct session session;
	struct record r = {
		.session = &session, .path = "trace.out",
	};
	int opt;

	session_init(&session);
	session.start.stacks = GOTRACE_STACKS_KERNEL | GOTRACE_STACKS_USER;
	while ((opt = args_next(&args, argc, argv)) != -1) {
		if (opt == 'o')
			r.path = optarg;
		else if (opt == 'd')
			r.duration = args_duration(&args, "--duration",
						   optarg);
		else if (opt == OPT_NO_SYMBOLS)
			r.no_symbols = true;
		else if (opt == OPT_ONLY_COMMAND)
			r.only_command = true;
		else
			session_option(&args, opt, &session);
	}
	if (optind < argc)
		r.command = argv + optind;
	if (r.only_command && !r.command)
		args_fail(&args, "--only-command wants a COMMAND");
	return record(&r);
}
