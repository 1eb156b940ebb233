// SPDX-License-Identifier: GPL-2.0
/* gotrace resize: another limit of the memory for trace buffers. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "cmd.h"
#include "dev.h"

static const char usage[] =
"usage: gotrace resize [OPTION]... SIZE\n"
"\n"
"Changes the memory for trace buffers (--buffer) of the session that is being\n"
"traced, which goes on. Less memory is given back as the trace is read; nothing\n"
"is dropped.\n"
"\n"
"  -h, --help         this text\n"
"  -V, --version      which gotrace this is\n"
"\n"
"Exit code: 0; 1 when it failed; 2 when the usage was wrong.\n";

static const struct option options[] = {
	ARGS_COMMON
};

static const struct args args = { "resize", usage, options, false };

static void explain(int err)
{
	fprintf(stderr, "gotrace resize: cannot resize: %s\n", strerror(-err));
	if (err == -ENODATA)
		fputs("Nothing is being traced: 'gotrace start --buffer' says it at the start.\n",
		      stderr);
	else if (err == -EINVAL)
		fputs("The buffer must hold two times 64 KiB more than there are CPUs, and at most\n"
		      "1 TiB.\n", stderr);
}

int cmd_resize(int argc, char **argv)
{
	uint64_t bytes;
	int fd, err;

	while (args_next(&args, argc, argv) != -1)
		;
	if (optind == argc)
		args_fail(&args, "which SIZE?");
	bytes = args_size(&args, "SIZE", argv[optind++]);
	args_end(&args, argc, argv);

	fd = dev_open("resize", DEV_CONTROL, false);
	if (fd < 0)
		return EXIT_FAILED;
	err = dev_resize(fd, bytes);
	if (err)
		explain(err);
	close(fd);
	return err ? EXIT_FAILED : EXIT_OK;
}
