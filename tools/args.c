// SPDX-License-Identifier: GPL-2.0
/* A command's arguments; see args.h. */
#include "args.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cmd.h"

void args_fail(const struct args *args, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "gotrace %s: ", args->name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "; see 'gotrace %s --help'\n", args->name);
	exit(EXIT_USAGE);
}

/* "+:ho:": in order, errors are told to us, the letters with their colons. */
static void short_options(const struct args *args, char *out, size_t size)
{
	size_t n = 0;

	if (args->in_order)
		out[n++] = '+';
	out[n++] = ':';
	for (const struct option *o = args->options; o->name; o++) {
		if (o->val > 'z' || n + 3 > size)
			continue;
		out[n++] = o->val;
		if (o->has_arg == required_argument)
			out[n++] = ':';
	}
	out[n] = '\0';
}

/*
 * The option that getopt found fault with: a letter of a word, or the word
 * itself, which getopt has already gone past.
 */
static void fail_option(const struct args *args, char **argv, const char *what)
{
	if (optopt > 0 && optopt <= 'z' &&
	    strncmp(argv[optind - 1], "--", 2))
		args_fail(args, "%s '-%c'", what, optopt);
	args_fail(args, "%s '%s'", what, argv[optind - 1]);
}

int args_next(const struct args *args, int argc, char **argv)
{
	char shorts[64];
	int opt;

	short_options(args, shorts, sizeof(shorts));
	opterr = 0;
	opt = getopt_long(argc, argv, shorts, args->options, NULL);
	switch (opt) {
	case '?':
		fail_option(args, argv, "there is no option");
		break;
	case ':':
		fail_option(args, argv, "an argument is missing after");
		break;
	case 'h':
		fputs(args->usage, stdout);
		exit(EXIT_OK);
	case 'V':
		puts("gotrace " GOTRACE_VERSION);
		exit(EXIT_OK);
	}
	return opt;
}

void args_end(const struct args *args, int argc, char **argv)
{
	if (optind < argc)
		args_fail(args, "do not know what to do with '%s'",
			  argv[optind]);
}

struct unit {
	const char *suffix;
	long double factor;
};

/*
 * A positive number with a unit. Floating point: 1.5M is what people write, and
 * the bits are more than any size or time here needs. Rounded: 0.000065 s is
 * 64999.99... ns, since no binary fraction is it exactly.
 */
static uint64_t number(const struct args *args, const char *option,
		       const char *text, const struct unit *units,
		       const char *examples)
{
	char *end;
	long double v = strtold(text, &end);

	for (; units->suffix; units++)
		if (!strcasecmp(end, units->suffix))
			break;
	v *= units->factor;
	/* Also catches what strtold() reads as nan and inf. */
	if (end == text || !units->suffix || !(v >= 1) || v >= 0x1p63L)
		args_fail(args, "%s takes something like %s, not '%s'",
			  option, examples, text);
	return v + 0.5L;
}

uint64_t args_size(const struct args *args, const char *option,
		   const char *text)
{
	static const struct unit units[] = {
		{ "", 1 },	 { "B", 1 },
		{ "K", 0x1p10 }, { "KB", 0x1p10 }, { "KiB", 0x1p10 },
		{ "M", 0x1p20 }, { "MB", 0x1p20 }, { "MiB", 0x1p20 },
		{ "G", 0x1p30 }, { "GB", 0x1p30 }, { "GiB", 0x1p30 },
		{ "T", 0x1p40 }, { "TB", 0x1p40 }, { "TiB", 0x1p40 },
		{ 0 },
	};

	return number(args, option, text, units, "512K, 64M or 1G");
}

uint64_t args_duration(const struct args *args, const char *option,
		       const char *text)
{
	static const struct unit units[] = {
		{ "", 1e9 },  { "s", 1e9 },  { "ms", 1e6 }, { "us", 1e3 },
		{ "m", 60e9 }, { "h", 3600e9 },
		{ 0 },
	};

	return number(args, option, text, units, "10, 0.5, 250ms or 2m");
}

unsigned int args_number(const struct args *args, const char *option,
			 const char *text, unsigned int min, unsigned int max)
{
	char *end;
	long v = strtol(text, &end, 10);

	if (end == text || *end || v < (long)min || v > (long)max)
		args_fail(args, "%s takes a number from %u to %u, not '%s'",
			  option, min, max, text);
	return v;
}

unsigned int args_choice(const struct args *args, const char *option,
			 const char *text, const char *const *names)
{
	char all[128] = "";

	for (unsigned int i = 0; names[i]; i++) {
		if (!strcmp(text, names[i]))
			return i;
		snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s",
			 i ? ", " : "", names[i]);
	}
	args_fail(args, "%s takes one of %s, not '%s'", option, all, text);
}
