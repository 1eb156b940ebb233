// SPDX-License-Identifier: GPL-2.0
/* The device's reply to "every task's stack"; see traceback.h. */
#include "traceback.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "symbols.h"
#include "userframe.h"

/* What was found, to be freed; frames point into it. */
struct tb_found {
	struct tb_line *lines;
	unsigned int n_lines;
};

/* ---- The reply ---- */

static bool add_name(struct traceback *tb, const void *at, size_t size)
{
	const struct gotrace_tb_name *rec = at;

	/* Ids are given out one after the other. */
	if (size < sizeof(*rec) || rec->len > size - sizeof(*rec) ||
	    rec->id != tb->n_names + 1 ||
	    !array_reserve(&tb->names, tb->n_names, &tb->size_names,
			   sizeof(*tb->names)))
		return false;
	tb->names[tb->n_names++] = (struct gt_string){
		(const char *)(rec + 1), rec->len
	};
	return true;
}

static bool find_name(const struct traceback *tb, uint32_t id,
		      struct gt_string *name)
{
	*name = (struct gt_string){ "", 0 };
	if (id > tb->n_names)
		return false;
	if (id)
		*name = tb->names[id - 1];
	return true;
}

static bool add_frames(const struct traceback *tb, struct tb_task *t,
		       const struct gotrace_tb_frame *rec)
{
	size_t n = (size_t)t->rec->n_frames + t->rec->n_created;
	bool called = false;

	t->frames = calloc(n + 1, sizeof(*t->frames));
	if (!t->frames)
		return false;
	for (size_t i = 0; i < n; i++) {
		struct tb_frame *f = &t->frames[i];

		f->rec = &rec[i];
		if (!find_name(tb, rec[i].name, &f->name))
			return false;
		called |= rec[i].kind == GOTRACE_FRAME_CALL;
		f->interrupted = !called && rec[i].kind == GOTRACE_FRAME_USER;
		called |= f->interrupted;
	}
	return true;
}

static bool add_task(struct traceback *tb, const char *at, size_t size)
{
	const struct gotrace_tb_task *rec = (const void *)at;
	struct tb_task *t;
	size_t rest;

	if (size < sizeof(*rec) || rec->head < sizeof(*rec) ||
	    rec->head > size || rec->head % 8 ||
	    !array_reserve(&tb->tasks, tb->n_tasks, &tb->size_tasks,
			   sizeof(*tb->tasks)))
		return false;
	t = &tb->tasks[tb->n_tasks];
	*t = (struct tb_task){ .rec = rec };
	rest = size - rec->head;
	if (rec->n_frames > rest || rec->n_created > rest ||
	    rec->kernel_words > rest || rec->user_words > rest ||
	    ((size_t)rec->n_frames + rec->n_created) *
			    sizeof(struct gotrace_tb_frame) +
		    ((size_t)rec->kernel_words + rec->user_words) * 8 > rest)
		return false;
	tb->n_tasks++;
	if (!add_frames(tb, t, (const void *)(at + rec->head)) ||
	    !find_name(tb, rec->created_name, &t->created_name))
		return false;
	t->words = (const void *)(at + rec->head +
				  ((size_t)rec->n_frames + rec->n_created) *
					  sizeof(struct gotrace_tb_frame));
	return true;
}

int traceback_init(struct traceback *tb, const void *reply, size_t len)
{
	const char *at = reply, *end = at + len;

	memset(tb, 0, sizeof(*tb));
	while (at < end) {
		uint32_t head[2];	/* type and size, of any record */
		bool good = true;

		if ((size_t)(end - at) < sizeof(head))
			return -1;
		memcpy(head, at, sizeof(head));
		if (head[1] < sizeof(head) || head[1] % 8 ||
		    head[1] > (size_t)(end - at))
			return -1;
		if (head[0] == GOTRACE_TB_NAME)
			good = add_name(tb, at, head[1]);
		else if (head[0] == GOTRACE_TB_TASK)
			good = add_task(tb, at, head[1]);
		if (!good)
			return -1;
		at += head[1];
	}
	return 0;
}

void traceback_exit(struct traceback *tb)
{
	for (size_t i = 0; i < tb->n_tasks; i++)
		free(tb->tasks[i].frames);
	for (size_t i = 0; i < tb->n_found; i++) {
		for (unsigned int k = 0; k < tb->found[i].n_lines; k++) {
			free(tb->found[i].lines[k].fn);
			free(tb->found[i].lines[k].file);
		}
		free(tb->found[i].lines);
	}
	free(tb->tasks);
	free(tb->names);
	free(tb->found);
}

/* ---- Names of functions ---- */

/* A frame of a program, and when its process began. */
struct user {
	struct tb_frame *f;
	uint64_t started;
};

/* The frames of one file, those of one place beside each other. */
static int by_place(const void *a, const void *b)
{
	const struct user *x = a, *y = b;
	const struct gotrace_tb_frame *p = x->f->rec, *q = y->f->rec;

	if (p->name != q->name)
		return p->name < q->name ? -1 : 1;
	return p->offset < q->offset ? -1 : p->offset > q->offset;
}

/* Keep what is found at a place. Return: how many, -1 without memory. */
static int find_lines(struct traceback *tb, struct symbols *syms,
		      uint64_t offset)
{
	struct symbols_frame found[SYMBOLS_FRAMES_MAX];
	unsigned int n = symbols_find(syms, offset, found);
	struct tb_found *f;

	if (!array_reserve(&tb->found, tb->n_found, &tb->size_found,
			   sizeof(*tb->found)))
		return -1;
	f = &tb->found[tb->n_found++];
	f->n_lines = 0;
	f->lines = calloc(n + 1, sizeof(*f->lines));
	if (!f->lines)
		return -1;
	for (unsigned int i = 0; i < n; i++) {
		struct tb_line *l = &f->lines[f->n_lines++];

		l->fn = strdup(found[i].fn);
		l->file = found[i].file ? strdup(found[i].file) : NULL;
		l->line = found[i].line;
		if (!l->fn || (found[i].file && !l->file))
			return -1;
	}
	return n;
}

static int name_places(struct traceback *tb, struct symbols *syms,
		       struct user *u, size_t n)
{
	int found = 0;

	for (size_t i = 0; i < n; i++) {
		if (!i || by_place(&u[i], &u[i - 1]))
			found = find_lines(tb, syms, u[i].f->rec->offset);
		if (found < 0)
			return -1;
		u[i].f->lines = tb->found[tb->n_found - 1].lines;
		u[i].f->n_lines = found;
	}
	return 0;
}

/* See symbolize.c: what a file without a build id can be told by. */
static bool are_returns(const struct user *u, size_t n,
			const struct symbols *syms)
{
	size_t returns = 0;

	for (size_t i = 0; i < n; i++)
		returns += u[i].f->interrupted ||
			   symbols_is_return(syms, u[i].f->rec->offset);
	return 4 * returns >= 3 * n;
}

static int name_file(struct traceback *tb, struct user *u, size_t n)
{
	struct userframe_file file = userframe_file(u->f->name);
	uint64_t began = u->started;
	struct symbols *syms;
	char *path, *id = NULL;
	int err = -1;

	if (!file.path.len || file.path.text[0] != '/')
		return 0;
	for (size_t i = 1; i < n; i++)
		if (u[i].started < began)
			began = u[i].started;
	path = strndup(file.path.text, file.path.len);
	if (file.has_id)
		id = strndup(file.id.text, file.id.len);
	if (!path || (file.has_id && !id))
		goto out;
	err = 0;
	syms = symbols_open(path, id, began);
	if (!syms)
		goto out;
	if (id || are_returns(u, n, syms))
		err = name_places(tb, syms, u, n);
	symbols_close(syms);
out:
	free(path);
	free(id);
	return err;
}

int traceback_symbolize(struct traceback *tb)
{
	struct user *users = NULL;
	size_t n_users = 0, size = 0, n;
	int err = 0;

	for (size_t i = 0; i < tb->n_tasks && !err; i++) {
		const struct tb_task *t = &tb->tasks[i];

		for (n = 0; n < (size_t)t->rec->n_frames + t->rec->n_created; n++) {
			if (t->frames[n].rec->kind != GOTRACE_FRAME_USER)
				continue;
			if (!array_reserve(&users, n_users, &size, sizeof(*users))) {
				err = -1;
				break;
			}
			users[n_users++] = (struct user){
				&t->frames[n], t->rec->started
			};
		}
	}
	if (users)
		qsort(users, n_users, sizeof(*users), by_place);
	for (size_t i = 0; i < n_users && !err; i += n) {
		for (n = 1; i + n < n_users; n++)
			if (users[i + n].f->rec->name != users[i].f->rec->name)
				break;
		err = name_file(tb, &users[i], n);
	}
	free(users);
	return err;
}
