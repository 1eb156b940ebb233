// SPDX-License-Identifier: GPL-2.0
/* gotrace: the table of commands. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
} commands[] = {
	{ "record", cmd_record, "trace until a command ends, into a file" },
	{ "start",  cmd_start,  "start a session; someone else reads it" },
	{ "stop",   cmd_stop,   "stop the session" },
	{ "status", cmd_status, "what the tracer does now" },
	{ "resize", cmd_resize, "change the memory for buffers while tracing" },
	{ "snapshot", cmd_snapshot, "what the flight recorder holds, as a trace" },
	{ "stacks", cmd_stacks, "print every task's stack at this moment" },
	{ "dump",   cmd_dump,   "print a trace, one event a line" },
	{ "report", cmd_report, "what everybody did in a trace, in figures" },
	{ "view",   cmd_view,   "look at a trace with a browser" },
	{ "export", cmd_export, "make of a trace what other programs read" },
	{ "annotate", cmd_annotate, "put a script's own marks into the trace" },
	{ "validate", cmd_validate, "check a trace by all rules of Go's tools" },
	{ "repair", cmd_repair, "make a trace that was cut short whole again" },
	{ "split",  cmd_split,  "cut a trace into pieces that open by themselves" },
	{ "symbolize", cmd_symbolize, "name the functions in a trace's user frames" },
	{ "doctor", cmd_doctor, "what is missing here for what, and how to get it" },
};

#define N_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void usage(FILE *to)
{
	fputs("usage: gotrace COMMAND [OPTION]...\n"
	      "\n"
	      "Traces the kernel in the format of Go's execution tracer.\n"
	      "\n", to);
	for (size_t i = 0; i < N_COMMANDS; i++)
		fprintf(to, "  %-9s %s\n", commands[i].name, commands[i].help);
	fputs("\n"
	      "'gotrace COMMAND --help' explains a command, 'gotrace --version' says which\n"
	      "gotrace this is. Open a trace with 'gotrace view FILE' or\n"
	      "'go tool trace FILE'.\n", to);
}

static const struct command *find(const char *name)
{
	for (size_t i = 0; i < N_COMMANDS; i++)
		if (!strcmp(name, commands[i].name))
			return &commands[i];
	return NULL;
}

static bool is_help(const char *name)
{
	return !strcmp(name, "--help") || !strcmp(name, "-h") ||
	       !strcmp(name, "help");
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : NULL;
	const struct command *command;

	if (!name) {
		usage(stderr);
		return EXIT_USAGE;
	}
	command = find(name);
	if (command)
		return command->run(argc - 1, argv + 1);
	/* "gotrace help record" is "gotrace record --help". */
	if (is_help(name) && argc == 3 && (command = find(argv[2]))) {
		char *args[] = { argv[2], "--help", NULL };

		return command->run(2, args);
	}
	if (is_help(name)) {
		usage(stdout);
		return EXIT_OK;
	}
	if (!strcmp(name, "--version") || !strcmp(name, "-V")) {
		puts("gotrace " GOTRACE_VERSION);
		return EXIT_OK;
	}
	fprintf(stderr, "gotrace: there is no %s '%s'; see 'gotrace --help'\n",
		name[0] == '-' ? "option" : "command", name);
	return EXIT_USAGE;
}
