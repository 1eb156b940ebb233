// SPDX-License-Identifier: GPL-2.0
/* gotrace snapshot: what a flight recorder holds, as a trace. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "args.h"
#include "cmd.h"
#include "dev.h"
#include "replace.h"
#include "snapshot.h"

static const char usage[] =
"usage: gotrace snapshot [OPTION]...\n"
"\n"
"Writes what the flight recorder ('gotrace start --overwrite') holds, up to now, as a\n"
"trace. It goes on meanwhile. One that was stopped holds what it had until\n"
"'gotrace stop --discard'.\n"
"\n"
"  -o, --output FILE  the trace (trace.out); '-' is standard output\n"
"  -h, --help         this text\n"
"  -V, --version      which gotrace this is\n"
"\n"
"Exit code: 0; 1 when there is no flight recorder, or the trace cannot be written; 2\n"
"when the usage was wrong.\n";

static const struct option options[] = {
	{ "output", required_argument, NULL, 'o' },
	ARGS_COMMON
};

static const struct args args = { "snapshot", usage, options, false };

static int fail(const char *what, const char *why)
{
	fprintf(stderr, "gotrace snapshot: %s: %s\n", what, why);
	return EXIT_FAILED;
}

static int write_trace(const char *path, const void *reply, size_t len)
{
	const struct stat like = { .st_mode = S_IFREG | 0644 };
	struct snapshot_result result;
	struct replace file;

	if (replace_begin(&file, "snapshot", path, &like))
		return EXIT_FAILED;
	if (snapshot_write(reply, len, 1021, file.file, &result)) {
		replace_abandon(&file);
		return fail("cannot make a trace", result.error);
	}
	if (replace_commit(&file))
		return EXIT_FAILED;
	fprintf(stderr, "%s: %" PRIu64 " events, %.3f s\n", path, result.events,
		(double)result.ticks / (double)(result.hz ? result.hz : 1));
	return EXIT_OK;
}

int cmd_snapshot(int argc, char **argv)
{
	const char *path = "trace.out";
	void *reply;
	size_t len;
	int opt, fd, err, ret;

	while ((opt = args_next(&args, argc, argv)) != -1)
		if (opt == 'o')
			path = optarg;
	args_end(&args, argc, argv);

	fd = dev_open("snapshot", DEV_CONTROL, false);
	if (fd < 0)
		return EXIT_FAILED;
	err = dev_snapshot(fd, &reply, &len);
	close(fd);
	if (err == -ENODATA)
		return fail("nothing is held", "start with 'gotrace start --overwrite'");
	if (err)
		return fail("cannot fetch what is held", strerror(-err));
	ret = write_trace(path, reply, len);
	free(reply);
	return ret;
}
