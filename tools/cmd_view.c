// SPDX-License-Identifier: GPL-2.0
/* gotrace view: a page made for one trace, to look at with a browser. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "cmd.h"
#include "progress.h"
#include "view/assets.h"
#include "view/browser.h"
#include "view/server.h"

static const char usage[] =
"usage: gotrace view [OPTION]... FILE\n"
"       gotrace view --go [--port N] FILE\n"
"\n"
"Serves a page about a trace, of ours or of a Go program, to this machine's browser:\n"
"a timeline of CPUs and tasks, with stacks, wakers and reasons; flame graphs; how long\n"
"tasks waited and calls took; the report's tables. FILE '-' is standard input.\n"
"\n"
"  --port N           listen there (any free one)\n"
"  --no-browser       say the address only; else a browser is opened if there is a\n"
"                     screen\n"
"  --go               start 'go tool trace' instead\n"
"  -h, --help         this text\n"
"  -V, --version      which gotrace this is\n"
"\n"
"It listens on 127.0.0.1 alone, and the address has a random word: who does not know\n"
"it gets nothing. Nothing is fetched from anywhere. It ends with ^C.\n"
"\n"
"What of the trace the page needs lies in a file without a name in $TMPDIR, or\n"
"/var/tmp, about ten times the trace; memory grows with its tasks, stacks and names.\n"
"\n"
"Exit code: 0; 1 when the trace is broken, or there is no page; 2 when the usage was\n"
"wrong; 3 when events were lost.\n";

enum { OPT_PORT = 256, OPT_NO_BROWSER, OPT_GO };

static const struct option options[] = {
	{ "port", required_argument, NULL, OPT_PORT },
	{ "no-browser", no_argument, NULL, OPT_NO_BROWSER },
	{ "go", no_argument, NULL, OPT_GO },
	ARGS_COMMON
};

static const struct args args = { "view", usage, options, false };

struct command {
	unsigned int port;
	bool no_browser, go;
	sigset_t ends;		/* signals that do */
};

static int fail(const char *name, const char *what)
{
	progress_clear();
	fprintf(stderr, "gotrace view: %s: %s\n", name, what);
	return EXIT_FAILED;
}

static int serve(const struct command *c, struct view *v)
{
	struct view_server s;
	char *page = NULL;
	int err, sig;

	/* A browser may be gone before it has its answer. */
	signal(SIGPIPE, SIG_IGN);
	err = view_server_start(&s, v, c->port);
	if (err) {
		fprintf(stderr, "gotrace view: cannot listen on 127.0.0.1:%u: %s\n",
			c->port, strerror(-err));
		return EXIT_FAILED;
	}
	printf("%s\n", s.url);
	if (fflush(stdout))
		fprintf(stderr, "gotrace view: cannot write: %s\n",
			strerror(errno));
	if (!c->no_browser)
		page = browser_open(s.url);
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "Open this in a browser%s; ^C ends it.\n",
			page ? ", if none has opened it" : "");
	sigwait(&c->ends, &sig);
	view_server_stop(&s);
	browser_done(page);
	return v->t->losses.events ? EXIT_LOST : EXIT_OK;
}

static int view_fd(const struct command *c, int fd, const char *name)
{
	static const struct gt_progress progress = { progress_reading, "view" };
	/* Not on the stack: it holds the longest record. */
	static struct gt_timeline t;
	struct view v = { .t = &t, .name = name, .store.fd = -1 };
	int ret;

	if (gt_timeline_init_fd(&t, fd, &progress) || view_load(&v)) {
		ret = fail(name, t.error.text);
	} else {
		progress_clear();
		/* From here on signals end it in order; so far they just did. */
		sigprocmask(SIG_BLOCK, &c->ends, NULL);
		ret = serve(c, &v);
	}
	view_exit(&v);
	gt_timeline_exit(&t);
	return ret;
}

static int view_file(const struct command *c, const char *path)
{
	int fd, ret;

	if (!view_has_assets()) {
		fprintf(stderr, "gotrace view: this gotrace was built without its page: install nodejs and npm, and build it again; or try --go\n");
		return EXIT_FAILED;
	}
	if (!strcmp(path, "-"))
		return view_fd(c, STDIN_FILENO, "standard input");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return fail(path, strerror(errno));
	ret = view_fd(c, fd, path);
	close(fd);
	return ret;
}

static int view_go(const struct command *c, const char *path)
{
	char http[32];

	if (access(path, R_OK))
		return fail(path, strerror(errno));
	snprintf(http, sizeof(http), "127.0.0.1:%u", c->port);
	return browser_go(path, http);
}

int cmd_view(int argc, char **argv)
{
	struct command c = { 0 };
	const char *path;
	int opt;

	while ((opt = args_next(&args, argc, argv)) != -1) {
		switch (opt) {
		case OPT_PORT:
			c.port = args_number(&args, "--port", optarg, 1, 65535);
			break;
		case OPT_NO_BROWSER:
			c.no_browser = true;
			break;
		case OPT_GO:
			c.go = true;
			break;
		}
	}
	if (optind == argc)
		args_fail(&args, "which trace? Name a FILE");
	path = argv[optind++];
	args_end(&args, argc, argv);
	sigemptyset(&c.ends);
	sigaddset(&c.ends, SIGINT);
	sigaddset(&c.ends, SIGTERM);
	sigaddset(&c.ends, SIGHUP);
	if (c.go && c.no_browser)
		args_fail(&args, "--no-browser is not for --go: Go's viewer opens one");
	if (c.go && !strcmp(path, "-"))
		args_fail(&args, "--go is for a file, not for standard input");
	return c.go ? view_go(&c, path) : view_file(&c, path);
}
