/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A command's arguments. Whatever is wrong with them ends the process here,
 * with a message and the exit code for bad usage.
 */
#ifndef ARGS_H
#define ARGS_H

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>

struct args {
	const char *name;	/* of the command */
	const char *usage;	/* its text for --help */
	const struct option *options;
	bool in_order;		/* options end at the first word that is none */
};

/* Options that every command has go into its table with this. */
#define ARGS_COMMON \
	{ "help", no_argument, NULL, 'h' }, \
	{ "version", no_argument, NULL, 'V' }, \
	{ 0 }

/*
 * The next option's value, -1 after the last; its argument is in optarg. An
 * option whose value is a letter has that letter as its short form.
 */
int args_next(const struct args *args, int argc, char **argv);

/* "gotrace NAME: …", the way to more help, and out. */
void args_fail(const struct args *args, const char *fmt, ...)
	__attribute__((noreturn, format(printf, 2, 3)));

/* No words may be left behind the options. */
void args_end(const struct args *args, int argc, char **argv);

/* 4096, 64K, 1.5M, 2G, 1T: bytes, greater than 0. */
uint64_t args_size(const struct args *args, const char *option,
		   const char *text);

/* 10, 0.5, 250ms, 3s, 2m, 1h: nanoseconds, greater than 0. */
uint64_t args_duration(const struct args *args, const char *option,
		       const char *text);

/* A plain number from min to max. */
unsigned int args_number(const struct args *args, const char *option,
			 const char *text, unsigned int min, unsigned int max);

/* The index of text in names, which ends with a NULL. */
unsigned int args_choice(const struct args *args, const char *option,
			 const char *text, const char *const *names);

#endif
