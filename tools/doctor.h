/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What gotrace doctor looks at. Each check finds out one thing, from files below
 * doctor_root, the environment and the programs in $PATH.
 */
#ifndef DOCTOR_H
#define DOCTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* "" is this system; another one's files are below it. */
extern const char *doctor_root;

enum doctor_state {
	DOCTOR_OK,
	DOCTOR_NOTE,		/* works, but could do better */
	DOCTOR_MISSING,
};

struct finding {
	enum doctor_state state;
	char text[512];		/* what is the matter */
	char todo[1024];	/* what to do about it, maybe some lines; or "" */
};

/* Fill in the text, or the todo; the first for the state as well. */
void found(struct finding *f, enum doctor_state state, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void todo(struct finding *f, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* A line that installs what Debian calls PACKAGE. */
void todo_install(struct finding *f, const char *package);

/* A file to read, or NULL. */
FILE *open_file(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The first line of a file, without its end. False if it cannot be read. */
bool first_line(char *out, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
bool exists(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The last file by name that a glob pattern finds, with the root before it. */
bool find_file(char *out, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Is there such a program? */
bool in_path(const char *program);

/* Recording, doctor_kernel.c; in this order, later ones use what was found. */
void check_kernel(struct finding *f);
void check_module(struct finding *f);
void check_headers(struct finding *f);
void check_signature(struct finding *f);
void check_lockdown(struct finding *f);
void check_rights(struct finding *f);
void check_session(struct finding *f);
void check_clock(struct finding *f);

/* Names and viewing, doctor_view.c. */
void check_symbols(struct finding *f);
void check_kptr(struct finding *f);
void check_go(struct finding *f);
void check_graphviz(struct finding *f);

#endif
