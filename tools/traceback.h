/* SPDX-License-Identifier: GPL-2.0 */
/* The device's reply to "every task's stack": taken apart, and with names. */
#ifndef TRACEBACK_H
#define TRACEBACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/gotrace.h>

#include "lib/names.h"

/* A place in a source, or only a function. */
struct tb_line {
	char *fn;
	char *file;		/* NULL when not known */
	unsigned int line;	/* 0 when not known */
};

struct tb_frame {
	const struct gotrace_tb_frame *rec;
	struct gt_string name;		/* empty when it is not known */
	bool interrupted;		/* no call was made there */
	const struct tb_line *lines;	/* innermost first */
	unsigned int n_lines;		/* 0: has no name */
};

struct tb_task {
	const struct gotrace_tb_task *rec;
	struct tb_frame *frames;	/* rec->n_frames, then rec->n_created */
	struct gt_string created_name;	/* empty when it is not known */
	const uint64_t *words;		/* rec->kernel_words, then rec->user_words */
};

struct tb_found;

struct traceback {
	struct tb_task *tasks;
	size_t n_tasks, size_tasks;

	/* Its own. */
	struct gt_string *names;	/* by id */
	size_t n_names, size_names;
	struct tb_found *found;
	size_t n_found, size_found;
};

/*
 * The reply must stay until traceback_exit(), which follows in any case.
 * Return: 0 or -1: it makes no sense, or there is no memory.
 */
int traceback_init(struct traceback *tb, const void *reply, size_t len);
void traceback_exit(struct traceback *tb);

/* Name the functions of programs. Return: 0 or -1, no memory. */
int traceback_symbolize(struct traceback *tb);

#endif
