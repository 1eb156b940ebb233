// SPDX-License-Identifier: GPL-2.0
/* gotrace start: start a session that others read and stop. */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "args.h"
#include "cmd.h"
#include "dev.h"
#include "session.h"

static const char usage[] =
"usage: gotrace start [OPTION]...\n"
"\n"
"Starts a session. Its trace is read from " GOTRACE_DEVICE ", e.g. with\n"
"'cat " GOTRACE_DEVICE " >trace.out', while it goes on or after 'gotrace stop'.\n"
"Loads the module if it is not there (from $GOTRACE_KO if that is set).\n"
"\n"
"  --overwrite        flight recorder: when the buffers are full, the oldest events go;\n"
"                     'gotrace snapshot' writes what is held\n"
SESSION_USAGE
"  -h, --help         this text\n"
"  -V, --version      which gotrace this is\n"
"\n"
"Exit code: 0; 1 when it could not be started; 2 when the usage was wrong.\n";

enum { OPT_OVERWRITE = 512 };	/* apart from session.h's */

static const struct option options[] = {
	{ "overwrite", no_argument, NULL, OPT_OVERWRITE },
	SESSION_OPTIONS,
	ARGS_COMMON
};

static const struct args args = { "start", usage, options, false };

int cmd_start(int argc, char **argv)
{
	static struct session session;
	struct gotrace_status status;
	int opt, fd, err;

	session_init(&session);
	while ((opt = args_next(&args, argc, argv)) != -1)
		if (opt == OPT_OVERWRITE)
			session.start.flags |= GOTRACE_START_OVERWRITE;
		else
			session_option(&args, opt, &session);
	args_end(&args, argc, argv);

	fd = dev_open("start", DEV_CONTROL, true);
	if (fd < 0)
		return EXIT_FAILED;
	err = session_start(&session, "start", fd);
	if (!err && !dev_status(fd, &status))
		fprintf(stderr, "session %" PRIu64 " is being traced\n",
			(uint64_t)status.session);
	close(fd);
	return err ? EXIT_FAILED : EXIT_OK;
}
