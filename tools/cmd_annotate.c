// SPDX-License-Identifier: GPL-2.0
/*
 * gotrace annotate: what libgotrace does for programs, for shell scripts.
 *
 * A region is begun by the very process that becomes COMMAND, for it belongs to
 * the thread, and ends with it. A task must be ended after COMMAND:
 * then we stay, and wait for it.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "child.h"
#include "cmd.h"
#include "libgotrace/gotrace.h"
#include "signals.h"

#define TASK_VARIABLE "GOTRACE_TASK"

static const char usage[] =
"usage: gotrace annotate [OPTION]... [--] [COMMAND [ARGUMENT]...]\n"
"\n"
"Puts a script's own marks into the trace that is being recorded; when none is, or\n"
"the module is not loaded, only COMMAND runs.\n"
"\n"
"  -t, --task NAME    a task that lasts as long as COMMAND. Inside, $GOTRACE_TASK is\n"
"                     its id, and the marks of 'gotrace annotate' are part of it\n"
"  -r, --region NAME  a region of COMMAND's process, from its start to its end\n"
"  -l, --log MESSAGE  a message, before COMMAND; more than one may be given\n"
"  -c, --category NAME\n"
"                     of the messages\n"
"  -h, --help         this text\n"
"  -V, --version      which gotrace this is\n"
"\n"
"Needs permission to write to /dev/gotrace, nothing else: root has it, and the group\n"
"gotrace.\n"
"\n"
"Exit code: COMMAND's (128 + the signal that killed it; 127 or 126 if it could not\n"
"be run), whether or not a mark could be made. Without COMMAND 0, or 1 when a\n"
"message could not be put into the trace. 2 when the usage was wrong.\n";

static const struct option options[] = {
	{ "task", required_argument, NULL, 't' },
	{ "region", required_argument, NULL, 'r' },
	{ "log", required_argument, NULL, 'l' },
	{ "category", required_argument, NULL, 'c' },
	ARGS_COMMON
};

static const struct args args = { "annotate", usage, options, true };

struct annotate {
	/* What was asked for; NULL is none. */
	const char *task_name, *region_name, *category;
	const char **messages;
	int n_messages;
	char **command;

	int64_t task;		/* that all belongs to; 0 is none */
	bool own_task;		/* and we end it */
	bool failed;
};

/* The scripts go on: a message, and the exit code if there is nothing else. */
static void check(struct annotate *a, const char *what, int64_t ret)
{
	if (ret >= 0)
		return;
	a->failed = true;
	fprintf(stderr, "gotrace annotate: cannot put the %s into the trace: %s\n",
		what, strerror(-ret));
	switch (-ret) {
	case EACCES:
		fputs("This needs permission to write to the device: chmod or chown it.\n", stderr);
		break;
	case EINVAL:
		fprintf(stderr, "The kernel has given out no task with the number in $%s.\n",
			TASK_VARIABLE);
		break;
	case EDQUOT:
		fputs("Annotations of one user have used up their part of the session's memory.\n",
		      stderr);
		break;
	}
}

/* The task that somebody around us began. */
static int64_t outer_task(struct annotate *a)
{
	const char *text = getenv(TASK_VARIABLE);
	char *end;
	long long id;

	if (!text || !*text)
		return 0;
	errno = 0;
	id = strtoll(text, &end, 10);
	if (!*end && !errno && id > 0)
		return id;
	fprintf(stderr, "gotrace annotate: $%s is not the number of a task: '%s'\n",
		TASK_VARIABLE, text);
	a->failed = true;
	return 0;
}

static void begin_task(struct annotate *a)
{
	char text[24];
	int64_t task = gotrace_task_create(a->task, a->task_name);

	check(a, "task", task);
	if (task <= 0)
		return;
	a->task = task;
	a->own_task = true;
	snprintf(text, sizeof(text), "%lld", (long long)task);
	setenv(TASK_VARIABLE, text, 1);
}

static void begin_region(void *arg)
{
	struct annotate *a = arg;

	if (a->region_name)
		check(a, "region", gotrace_region_begin(a->task, a->region_name));
}

static int become_command(struct annotate *a)
{
	int err;

	begin_region(a);
	execvp(a->command[0], a->command);
	err = errno;
	fprintf(stderr, "gotrace annotate: cannot run %s: %s\n", a->command[0], strerror(err));
	return err == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
}

static int wait_for_command(struct annotate *a)
{
	struct child child = { .before_exec = begin_region, .arg = a };
	int sig;

	signals_catch();
	if (child_start(&child, "annotate", a->command, false)) {
		gotrace_task_end(a->task);
		return EXIT_FAILED;
	}
	while (child.pid) {
		ppoll(NULL, 0, NULL, signals_mask());
		sig = signals_take_own();
		if (sig)
			kill(child.pid, sig);
		child_poll(&child);
	}
	check(a, "task's end", gotrace_task_end(a->task));
	return child.status;
}

static int annotate(struct annotate *a)
{
	a->task = outer_task(a);
	if (a->task_name)
		begin_task(a);
	for (int i = 0; i < a->n_messages; i++)
		check(a, "message", gotrace_log(a->task, a->category, a->messages[i]));
	if (!a->command)
		return a->failed ? EXIT_FAILED : EXIT_OK;
	return a->own_task ? wait_for_command(a) : become_command(a);
}

static const char *name_of(const char *option)
{
	if (!*optarg)
		args_fail(&args, "%s takes a name, not ''", option);
	return optarg;
}

int cmd_annotate(int argc, char **argv)
{
	struct annotate a = { 0 };
	int opt, ret;

	a.messages = calloc(argc, sizeof(*a.messages));
	if (!a.messages) {
		fprintf(stderr, "gotrace annotate: no memory\n");
		return EXIT_FAILED;
	}
	while ((opt = args_next(&args, argc, argv)) != -1) {
		if (opt == 't')
			a.task_name = name_of("--task");
		else if (opt == 'r')
			a.region_name = name_of("--region");
		else if (opt == 'c')
			a.category = name_of("--category");
		else
			a.messages[a.n_messages++] = name_of("--log");
	}
	if (optind < argc)
		a.command = argv + optind;
	if (!a.command && (a.task_name || a.region_name))
		args_fail(&args, "a task or a region lasts as long as a COMMAND: which one?");
	if (!a.command && !a.n_messages)
		args_fail(&args, "nothing to do: say --task, --region or --log");
	if (a.category && !a.n_messages)
		args_fail(&args, "--category is for --log");
	ret = annotate(&a);
	free(a.messages);
	return ret;
}
