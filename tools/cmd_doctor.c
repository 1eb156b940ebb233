// SPDX-License-Identifier: GPL-2.0
/* gotrace doctor: what is missing for what, and how to get it. */
#include <glob.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "cmd.h"
#include "doctor.h"
#include "out.h"

static const char usage[] =
"usage: gotrace doctor [OPTION]...\n"
"\n"
"Looks at this system and says whether 'gotrace record' would work for who asks,\n"
"what is missing for that and for looking at traces, and how to get it. Changes\n"
"nothing, and loads nothing.\n"
"\n"
"  --json             one JSON object a line: check, for, state, text, todo; at the\n"
"                     end recording, true or false\n"
"  --root DIR         look at the files of a system below DIR, e.g. an image; $PATH,\n"
"                     $GOTRACE_KO and $DEBUGINFOD_URLS are still those here\n"
"  -h, --help         this text\n"
"  -V, --version      which gotrace this is\n"
"\n"
"A line is a state (ok; note: it works, but not all of it; missing), the check, and\n"
"what was found; below it, what to do.\n"
"\n"
"Exit code: 0 when recording would work, whatever else is missing; 1 when not; 2 when\n"
"the usage was wrong.\n";

enum { OPT_JSON = 256, OPT_ROOT };

static const struct option options[] = {
	{ "json", no_argument, NULL, OPT_JSON },
	{ "root", required_argument, NULL, OPT_ROOT },
	ARGS_COMMON
};

static const struct args args = { "doctor", usage, options, false };

/* What is "for recording" and missing keeps it from working. */
static const struct check {
	const char *name;
	const char *what_for;
	void (*look)(struct finding *f);
} checks[] = {
	{ "kernel",    "recording", check_kernel },
	{ "module",    "recording", check_module },
	{ "headers",   "building",  check_headers },
	{ "signature", "recording", check_signature },
	{ "lockdown",  "recording", check_lockdown },
	{ "rights",    "recording", check_rights },
	{ "session",   "recording", check_session },
	{ "clock",     "precision", check_clock },
	{ "symbols",   "names",     check_symbols },
	{ "addresses", "names",     check_kptr },
	{ "go",        "viewing",   check_go },
	{ "graphviz",  "viewing",   check_graphviz },
};

#define N_CHECKS (sizeof(checks) / sizeof(checks[0]))

static const char *const states[] = {
	[DOCTOR_OK] = "ok", [DOCTOR_NOTE] = "note", [DOCTOR_MISSING] = "missing",
};

const char *doctor_root = "";

void found(struct finding *f, enum doctor_state state, const char *fmt, ...)
{
	va_list ap;

	f->state = state;
	va_start(ap, fmt);
	vsnprintf(f->text, sizeof(f->text), fmt, ap);
	va_end(ap);
}

void todo(struct finding *f, const char *fmt, ...)
{
	size_t n = strlen(f->todo);
	va_list ap;

	if (n && n + 1 < sizeof(f->todo))
		f->todo[n++] = '\n';
	va_start(ap, fmt);
	vsnprintf(f->todo + n, sizeof(f->todo) - n, fmt, ap);
	va_end(ap);
}

void todo_install(struct finding *f, const char *package)
{
	if (exists("/usr/bin/apt-get"))
		todo(f, "apt-get install %s", package);
	else
		todo(f, "install what Debian calls %s", package);
}

/* The name of a file with the root before it; false where it has no room. */
static bool below_root(char *out, size_t size, const char *fmt, va_list ap)
{
	size_t n = strlen(doctor_root);
	int len;

	if (n >= size)
		return false;
	memcpy(out, doctor_root, n + 1);
	len = vsnprintf(out + n, size - n, fmt, ap);
	return len >= 0 && (size_t)len < size - n;
}

static FILE *vopen_file(const char *fmt, va_list ap)
{
	char path[4096];

	return below_root(path, sizeof(path), fmt, ap) ? fopen(path, "re") : NULL;
}

FILE *open_file(const char *fmt, ...)
{
	va_list ap;
	FILE *f;

	va_start(ap, fmt);
	f = vopen_file(fmt, ap);
	va_end(ap);
	return f;
}

bool first_line(char *out, size_t size, const char *fmt, ...)
{
	va_list ap;
	bool ok;
	FILE *f;

	out[0] = '\0';
	va_start(ap, fmt);
	f = vopen_file(fmt, ap);
	va_end(ap);
	if (!f)
		return false;
	ok = fgets(out, size, f);
	out[strcspn(out, "\n")] = '\0';
	fclose(f);
	return ok;
}

bool exists(const char *fmt, ...)
{
	char path[4096];
	va_list ap;
	bool ok;

	va_start(ap, fmt);
	ok = below_root(path, sizeof(path), fmt, ap);
	va_end(ap);
	return ok && !access(path, F_OK);
}

bool find_file(char *out, size_t size, const char *fmt, ...)
{
	char pattern[4096];
	va_list ap;
	glob_t g;
	bool ok;

	va_start(ap, fmt);
	ok = below_root(pattern, sizeof(pattern), fmt, ap);
	va_end(ap);
	if (!ok || glob(pattern, GLOB_BRACE, NULL, &g))
		return false;
	snprintf(out, size, "%s", g.gl_pathv[g.gl_pathc - 1]);
	globfree(&g);
	return true;
}

bool in_path(const char *program)
{
	const char *path = getenv("PATH");
	char file[4096];
	size_t n;

	for (; path && *path; path += path[n] ? n + 1 : n) {
		n = strcspn(path, ":");
		snprintf(file, sizeof(file), "%.*s/%s", (int)n, path, program);
		if (n && !access(file, X_OK))
			return true;
	}
	return false;
}

static void print_text(const struct check *c, const struct finding *f)
{
	const char *line = f->todo;
	size_t n;

	printf("%-8s %-10s %s\n", states[f->state], c->name, f->text);
	for (; *line; line += line[n] ? n + 1 : n) {
		n = strcspn(line, "\n");
		printf("%-8s %-10s   %.*s\n", "", "", (int)n, line);
	}
}

static void json_field(const char *name, const char *text)
{
	out_json(name, strlen(name));
	out_char(':');
	out_json(text, strlen(text));
}

static void print_json(const struct check *c, const struct finding *f)
{
	out_char('{');
	json_field("check", c->name);
	out_char(',');
	json_field("for", c->what_for);
	out_char(',');
	json_field("state", states[f->state]);
	out_char(',');
	json_field("text", f->text);
	out_char(',');
	json_field("todo", f->todo);
	out_text("}\n");
}

/* Returns how many checks say that recording would not work. */
static unsigned int look(bool json)
{
	char why[256] = "";
	unsigned int bad = 0;

	for (size_t i = 0; i < N_CHECKS; i++) {
		const struct check *c = &checks[i];
		struct finding f = { 0 };

		c->look(&f);
		if (json)
			print_json(c, &f);
		else
			print_text(c, &f);
		if (f.state != DOCTOR_MISSING || strcmp(c->what_for, "recording"))
			continue;
		snprintf(why + strlen(why), sizeof(why) - strlen(why), "%s%s",
			 bad++ ? ", " : "", c->name);
	}
	if (json)
		out_text(bad ? "{\"recording\":false}\n" : "{\"recording\":true}\n");
	else if (bad)
		printf("\nrecording would fail: %s\n", why);
	else
		puts("\nrecording would work");
	return bad;
}

int cmd_doctor(int argc, char **argv)
{
	bool json = false;
	unsigned int bad;
	int opt;

	while ((opt = args_next(&args, argc, argv)) != -1) {
		if (opt == OPT_JSON)
			json = true;
		else
			doctor_root = optarg;
	}
	args_end(&args, argc, argv);
	if (*doctor_root && access(doctor_root, R_OK | X_OK))
		args_fail(&args, "there is no folder '%s'", doctor_root);
	bad = look(json);
	if (out_flush() || fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "gotrace doctor: cannot write\n");
		return EXIT_FAILED;
	}
	return bad ? EXIT_FAILED : EXIT_OK;
}
