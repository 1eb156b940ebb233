/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What gotrace.c and the commands have in common. GOTRACE_VERSION comes from
 * the file VERSION, by the Makefile.
 */
#ifndef CMD_H
#define CMD_H

/* Exit codes. A recorded command's own status comes beside them. */
enum {
	EXIT_OK = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_LOST = 3,		/* all went well, but events were lost */
	EXIT_CANNOT_RUN = 126,	/* as a shell says it */
	EXIT_NOT_FOUND = 127,
	EXIT_SIGNAL = 128,	/* plus the signal's number */
};

/* Each like main(); argv[0] is the command's name. */
int cmd_record(int argc, char **argv);
int cmd_start(int argc, char **argv);
int cmd_stop(int argc, char **argv);
int cmd_status(int argc, char **argv);
int cmd_resize(int argc, char **argv);
int cmd_snapshot(int argc, char **argv);
int cmd_dump(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_view(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_symbolize(int argc, char **argv);
int cmd_repair(int argc, char **argv);
int cmd_split(int argc, char **argv);
int cmd_validate(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_stacks(int argc, char **argv);
int cmd_annotate(int argc, char **argv);

#endif
