// SPDX-License-Identifier: GPL-2.0
/* gotrace symbolize: user frames get their functions, files and lines. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "cmd.h"
#include "symbolize.h"

static const char usage[] =
"usage: gotrace symbolize [OPTION]... FILE\n"
"\n"
"Turns the user frames of a trace, which are offsets in programs and libraries, into\n"
"functions with file and line; inlined functions become frames of their own. Names\n"
"come from the files themselves and from debug files with the same build id, in\n"
"/usr/lib/debug or, only if $DEBUGINFOD_URLS is set, by debuginfod. 'gotrace record'\n"
"does it by itself.\n"
"\n"
"A frame keeps its offset when its file is gone or was replaced, or has no name for\n"
"that place; it never gets another's. Nothing else in the trace is changed.\n"
"\n"
"  -o, --output FILE  the new trace, instead of in place; '-' is standard output\n"
"  -h, --help         this text\n"
"  -V, --version      which gotrace this is\n"
"\n"
"FILE '-' is standard input, and then standard output is where it goes.\n"
"\n"
"Exit code: 0; 1 when the trace is broken or cannot be written, and it is left as it\n"
"was; 2 when the usage was wrong.\n";

static const struct option options[] = {
	{ "output", required_argument, NULL, 'o' },
	ARGS_COMMON
};

static const struct args args = { "symbolize", usage, options, false };

int cmd_symbolize(int argc, char **argv)
{
	struct symbolize s = { .cmd = "symbolize" };
	const char *in, *to = NULL;
	int opt;

	while ((opt = args_next(&args, argc, argv)) != -1)
		to = optarg;
	if (optind == argc)
		args_fail(&args, "which trace? Name a FILE");
	in = argv[optind++];
	args_end(&args, argc, argv);
	if (!to)
		to = in;
	if (!strcmp(to, "-") && isatty(STDOUT_FILENO))
		args_fail(&args, "a trace is nothing for a terminal: say -o FILE");
	if (symbolize_file(&s, in, to))
		return EXIT_FAILED;
	fprintf(stderr, "%zu of %zu user frames have names\n", s.named,
		s.frames);
	return EXIT_OK;
}
