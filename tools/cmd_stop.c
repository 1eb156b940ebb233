// SPDX-License-Identifier: GPL-2.0
/* gotrace stop: stop the session, whoever started it. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "cmd.h"
#include "dev.h"
#include "progress.h"

static const char usage[] =
"usage: gotrace stop [OPTION]...\n"
"\n"
"Stops the session, and waits until its reader, if there is one, has read all\n"
"of it.\n"
"\n"
"  --no-wait          do not wait for the reader\n"
"  --discard          drop what has not been read, or what a flight recorder holds\n"
"  -h, --help         this text\n"
"  -V, --version      which gotrace this is\n"
"\n"
"Exit code: 0, also when nothing was being traced; 1 when it failed; 2 when the\n"
"usage was wrong; 3 when events were lost.\n";

enum { OPT_NO_WAIT = 256, OPT_DISCARD };

static const struct option options[] = {
	{ "no-wait", no_argument, NULL, OPT_NO_WAIT },
	{ "discard", no_argument, NULL, OPT_DISCARD },
	ARGS_COMMON
};

static const struct args args = { "stop", usage, options, false };

static int fail(const char *what, int err)
{
	fprintf(stderr, "gotrace stop: %s: %s\n", what, strerror(-err));
	return EXIT_FAILED;
}

/*
 * Stop first and wait afterwards: in between the numbers are final, and the
 * session is not gone yet unless its reader was very quick.
 */
static int stop(int fd, bool wait, bool discard)
{
	struct gotrace_status before, after;
	int err = dev_status(fd, &before);

	if (!err)
		err = dev_stop(fd, GOTRACE_STOP_NOWAIT);
	if (err)
		return fail("cannot stop", err);
	if (dev_status(fd, &after) || after.state == GOTRACE_STATE_NONE ||
	    after.session != before.session)
		after = before;
	if (!err && discard)
		err = dev_stop(fd, GOTRACE_STOP_DISCARD);
	if (err)
		return fail("cannot discard", err);
	if (wait && !discard) {
		err = dev_stop(fd, 0);
		if (err == -EINTR)
			return fail("the session has stopped, but its reader is not done", err);
		if (err)
			return fail("cannot wait for the reader", err);
	}
	if (before.state == GOTRACE_STATE_NONE) {
		fprintf(stderr, "nothing was being traced\n");
	} else {
		fprintf(stderr, "session %" PRIu64 ": %" PRIu64 " events\n",
			(uint64_t)after.session, (uint64_t)after.events);
		progress_losses(&after);
	}
	return dev_events_lost(after.lost) ? EXIT_LOST : EXIT_OK;
}

int cmd_stop(int argc, char **argv)
{
	bool wait = true, discard = false;
	int opt, fd, ret;

	while ((opt = args_next(&args, argc, argv)) != -1)
		if (opt == OPT_NO_WAIT)
			wait = false;
		else if (opt == OPT_DISCARD)
			discard = true;
	args_end(&args, argc, argv);

	fd = dev_open("stop", DEV_CONTROL, false);
	if (fd < 0)
		return EXIT_FAILED;
	ret = stop(fd, wait, discard);
	close(fd);
	return ret;
}
