// SPDX-License-Identifier: GPL-2.0
/*
 * Naming the user frames of a trace; see symbolize.h.
 *
 * The module writes a frame of a program as "BASE+0xOFFSET" in the file "PATH
 * [build-id HEX]". The trace is read once, which tells whether it is whole; then
 * every such frame is looked up, a file at a time; then all bytes but those of
 * strings and stacks are copied, and strings and stacks written behind them.
 * The format lets them stand anywhere behind the first batch.
 *
 * Strings that nothing names any more are left out, and new ones get their ids.
 */
#include "symbolize.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/trace.h"
#include "newnames.h"
#include "putrecord.h"
#include "replace.h"
#include "symbols.h"
#include "userframe.h"

/* A frame of the trace: all that have this function and this file. */
struct place {
	uint64_t fn, file;	/* strings */
	bool user;
	bool returns;		/* is where something returns to, not where a sample was */
	uint64_t offset;
	size_t first;		/* in job.named */
	unsigned int n;		/* 0: stays as it is */
};

/* Bytes of the trace that are not copied. */
struct gap {
	uint64_t start, end;
};

struct job {
	struct symbolize *s;
	const char *name;		/* of the trace, for messages */
	int fd;
	off_t base;			/* where it begins in fd */
	int64_t last_ticks;
	struct gt_trace trace;

	struct gap *gaps;
	size_t n_gaps, size_gaps;
	struct gt_map used_strings;	/* by events */
	struct gt_map samples;		/* stacks of CPUSample */

	uint64_t *stacks;		/* their ids in order */
	size_t n_stacks;
	struct gt_map place_of;		/* hash of fn and file -> index + 1 */
	struct place *places;
	size_t n_places, size_places;

	struct newnames names;
	size_t *named;			/* indices of their frames */
	size_t n_named, size_named;
	size_t left_out;		/* stands for frames without room */
	struct gt_map unused;		/* string -> 1, or 0 when it is used */
};

static int fail(const struct job *j, const char *what)
{
	fprintf(stderr, "gotrace %s: %s: %s\n", j->s->cmd, j->name, what);
	return -1;
}

static int no_memory(const struct job *j)
{
	return fail(j, "no memory");
}

/* ---- Reading ---- */

static int add_gap(struct job *j)
{
	const struct gt_reader *r = &j->trace.reader;
	struct gap *last = j->n_gaps ? &j->gaps[j->n_gaps - 1] : NULL;

	if (last && last->end == r->rec_off) {
		last->end = r->off;
		return 0;
	}
	if (!array_reserve(&j->gaps, j->n_gaps, &j->size_gaps, sizeof(*j->gaps)))
		return no_memory(j);
	j->gaps[j->n_gaps++] = (struct gap){ r->rec_off, r->off };
	return 0;
}

static int note_event(struct job *j, const struct gt_event *ev)
{
	if (ev->ticks > j->last_ticks)
		j->last_ticks = ev->ticks;
	for (unsigned int i = 0; i < ev->nargs; i++)
		if (ev->desc->args[i].kind == GT_ARG_STRING &&
		    !gt_map_add(&j->used_strings, ev->args[i]))
			return no_memory(j);
	if (ev->type == GT_EV_CPU_SAMPLE && !gt_map_add(&j->samples, ev->stk))
		return no_memory(j);
	return 0;
}

static int read_trace(struct job *j)
{
	enum gt_trace_next next;
	struct gt_event ev;
	int err = 0;

	if (gt_trace_init_fd(&j->trace, j->fd))
		return fail(j, gt_trace_error(&j->trace));
	while (!err && (next = gt_trace_next(&j->trace, &ev)) > GT_TRACE_END) {
		if (next == GT_TRACE_EVENT)
			err = note_event(j, &ev);
		else if (j->trace.rec.type == GT_EV_STRING ||
			 j->trace.rec.type == GT_EV_STACK)
			err = add_gap(j);
	}
	if (!err && next == GT_TRACE_ERROR)
		err = fail(j, gt_trace_error(&j->trace));
	return err;
}

/* ---- Frames ---- */

static bool is_user(const struct job *j, struct place *p)
{
	struct gt_string fn, file;

	return gt_names_string(&j->trace.names, p->fn, &fn) &&
	       gt_names_string(&j->trace.names, p->file, &file) &&
	       userframe_parse(fn, userframe_file(file), &p->offset);
}

static struct place *find_place(struct job *j, struct gt_frame f)
{
	uint64_t h = f.fn * 0x9e3779b97f4a7c15u + f.file, *at;
	struct place *p;

	for (;; h++) {
		at = gt_map_add(&j->place_of, h);
		if (!at)
			return NULL;
		if (!*at)
			break;
		p = &j->places[*at - 1];
		if (p->fn == f.fn && p->file == f.file)
			return p;
	}
	if (!array_reserve(&j->places, j->n_places, &j->size_places, sizeof(*p)))
		return NULL;
	p = &j->places[j->n_places++];
	*at = j->n_places;
	*p = (struct place){ .fn = f.fn, .file = f.file };
	p->user = is_user(j, p);
	return p;
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* The keys of a map, in order. */
static uint64_t *sorted_keys(const struct gt_map *map, size_t *n)
{
	uint64_t *keys = malloc((map->used + 1) * sizeof(*keys));

	*n = 0;
	if (!keys)
		return NULL;
	for (size_t i = 0; i < map->size; i++)
		if (map->entries[i].used)
			keys[(*n)++] = map->entries[i].key;
	qsort(keys, *n, sizeof(*keys), by_number);
	return keys;
}

/* A sample's innermost frame of a program is where it was interrupted. */
static int find_places_of(struct job *j, uint64_t stack)
{
	const struct gt_names *names = &j->trace.names;
	bool leaf = gt_map_find(&j->samples, stack);
	size_t n = gt_names_stack(names, stack);

	for (size_t i = 0; i < n; i++) {
		struct place *p = find_place(j, gt_names_frame(names, stack, i));

		if (!p)
			return no_memory(j);
		p->returns |= !leaf;
		leaf &= !p->user;
	}
	return 0;
}

static int find_places(struct job *j)
{
	const struct gt_names *names = &j->trace.names;

	j->stacks = sorted_keys(&names->stacks, &j->n_stacks);
	if (!j->stacks)
		return no_memory(j);
	for (size_t i = 0; i < j->n_stacks; i++)
		if (find_places_of(j, j->stacks[i]))
			return -1;
	for (size_t i = 0; i < j->n_places; i++)
		j->s->frames += j->places[i].user;
	return 0;
}

/* ---- Names ---- */

static int name_place(struct job *j, struct place *p, struct symbols *syms,
		      const char *path)
{
	struct symbols_frame frames[SYMBOLS_FRAMES_MAX];
	unsigned int n = symbols_find(syms, p->offset, frames);

	p->first = j->n_named;
	for (unsigned int i = 0; i < n; i++) {
		if (!array_reserve(&j->named, j->n_named, &j->size_named,
			     sizeof(*j->named)))
			return no_memory(j);
		/* Go's viewers want a file and a line. */
		j->named[j->n_named++] =
			newnames_frame(&j->names, frames[i].fn,
				       frames[i].file ? frames[i].file : path,
				       frames[i].line ? frames[i].line : 1);
	}
	p->n = n;
	j->s->named += !!n;
	return j->names.no_memory ? no_memory(j) : 0;
}

/*
 * Without a build id there is nothing that says it is the same file, but what
 * the offsets are can be looked at: they stand behind calls. Of another file's,
 * one in thirty would. Not all do: where a signal handler returns to, and where
 * a goroutine does, nothing was called. Where samples were says nothing.
 */
static bool are_returns(struct place **p, size_t n, const struct symbols *syms)
{
	size_t returns = 0, all = 0;

	for (size_t i = 0; i < n; i++) {
		if (!p[i]->returns)
			continue;
		all++;
		returns += symbols_is_return(syms, p[i]->offset);
	}
	return all && 4 * returns >= 3 * all;
}

/* The frames of one file. */
static int name_file(struct job *j, struct place **p, size_t n)
{
	struct userframe_file file;
	char *path, *id = NULL;
	struct gt_string text;
	struct symbols *syms;
	int err = 0;

	gt_names_string(&j->trace.names, p[0]->file, &text);
	file = userframe_file(text);
	path = strndup(file.path.text, file.path.len);
	if (file.has_id)
		id = strndup(file.id.text, file.id.len);
	if (!path || (file.has_id && !id)) {
		free(path);
		return no_memory(j);
	}
	syms = symbols_open(path, id, j->s->began);
	if (syms && (id || are_returns(p, n, syms)))
		for (size_t i = 0; i < n && !err; i++)
			err = name_place(j, p[i], syms, path);
	if (syms)
		symbols_close(syms);
	free(path);
	free(id);
	return err;
}

static int by_file(const void *a, const void *b)
{
	const struct place *x = *(void *const *)a, *y = *(void *const *)b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* The age of what was written when the trace ended, less how long it took. */
static void guess_began(struct job *j, const struct stat *st)
{
	const struct gt_trace *t = &j->trace;

	if (j->s->began || !t->hz || !S_ISREG(st->st_mode))
		return;
	j->s->began = st->st_mtim.tv_sec * 1000000000ll + st->st_mtim.tv_nsec -
		      gt_trace_time(t, j->last_ticks);
}

static int name_places(struct job *j)
{
	struct place **users = malloc((j->s->frames + 1) * sizeof(*users));
	size_t i, n = 0;
	int err = 0;

	if (!users)
		return no_memory(j);
	for (i = 0; i < j->n_places; i++)
		if (j->places[i].user)
			users[n++] = &j->places[i];
	qsort(users, n, sizeof(*users), by_file);
	for (i = 0; i < j->s->frames && !err; i += n) {
		for (n = 1; i + n < j->s->frames; n++)
			if (users[i + n]->file != users[i]->file)
				break;
		err = name_file(j, &users[i], n);
	}
	free(users);
	return err;
}

/* ---- Numbers ---- */

static void is_used(struct job *j, uint64_t string)
{
	uint64_t *at = gt_map_find(&j->unused, string);

	if (at)
		*at = 0;
}

/* Strings that were there only for frames that now have names. */
static int find_unused(struct job *j)
{
	const struct gt_map *used = &j->used_strings;
	uint64_t *fn, *file;

	for (size_t i = 0; i < j->n_places; i++) {
		if (!j->places[i].n)
			continue;
		fn = gt_map_add(&j->unused, j->places[i].fn);
		if (!fn)
			return no_memory(j);
		*fn = 1;
		file = gt_map_add(&j->unused, j->places[i].file);
		if (!file)
			return no_memory(j);
		*file = 1;
	}
	for (size_t i = 0; i < j->n_places; i++) {
		if (j->places[i].n)
			continue;
		is_used(j, j->places[i].fn);
		is_used(j, j->places[i].file);
	}
	for (size_t i = 0; i < used->size; i++)
		if (used->entries[i].used)
			is_used(j, used->entries[i].key);
	return 0;
}

static bool is_unused(const struct job *j, uint64_t string)
{
	const uint64_t *at = gt_map_find(&j->unused, string);

	return at && *at;
}

/* New ones must not be what stays. */
static int number(struct job *j)
{
	const struct gt_names *names = &j->trace.names;

	j->left_out = newnames_frame(&j->names, "...", "?", 1);
	if (find_unused(j))
		return -1;
	for (size_t i = 0; i < names->strings.size; i++) {
		const struct gt_map_entry *e = &names->strings.entries[i];

		if (e->used && !is_unused(j, e->key))
			newnames_take_id(&j->names, e->key);
	}
	for (size_t i = 0; i < j->n_stacks; i++) {
		size_t n = gt_names_stack(names, j->stacks[i]);

		for (size_t k = 0; k < n; k++) {
			struct gt_frame f = gt_names_frame(names, j->stacks[i], k);

			if (!find_place(j, f)->n)
				newnames_take_pc(&j->names, f.pc);
		}
	}
	newnames_number(&j->names);
	return j->names.no_memory ? no_memory(j) : 0;
}

/* ---- Writing ---- */

/*
 * What does not fit is taken from before the root, which is the task's name,
 * and a frame stands for it.
 */
static size_t fit(const struct job *j, uint64_t id, struct gt_frame *f,
		  size_t n)
{
	const struct gt_frame *left_out = &j->names.frames[j->left_out];
	/* Three bytes for the count, at most. */
	size_t room = GT_LENGTH_MAX - put_number_size(id) - 3, kept = 0;

	if (put_frames_size(f, n) <= room && n <= GT_FRAMES_MAX)
		return n;
	room -= put_frames_size(&f[n - 1], 1) + put_frames_size(left_out, 1);
	for (; kept < n - 1; kept++) {
		if (put_frames_size(&f[kept], 1) > room || kept == GT_FRAMES_MAX - 2)
			break;
		room -= put_frames_size(&f[kept], 1);
	}
	f[kept] = *left_out;
	f[kept + 1] = f[n - 1];
	return kept + 2;
}

static void write_stack(struct job *j, FILE *to, uint64_t id)
{
	static struct gt_frame out[GT_FRAMES_MAX * SYMBOLS_FRAMES_MAX];
	const struct gt_names *names = &j->trace.names;
	size_t n = gt_names_stack(names, id), k = 0;
	bool changed = false;

	for (size_t i = 0; i < n; i++) {
		struct gt_frame f = gt_names_frame(names, id, i);
		const struct place *p = find_place(j, f);

		if (!p->n)
			out[k++] = f;
		for (unsigned int m = 0; m < p->n; m++)
			out[k++] = j->names.frames[j->named[p->first + m]];
		changed |= p->n;
	}
	if (changed)
		k = fit(j, id, out, k);
	if (k)
		put_stack(to, id, out, k);
}

static int write_strings(struct job *j, FILE *to)
{
	const struct gt_names *names = &j->trace.names;
	struct gt_string s;
	uint64_t *ids;
	size_t n;

	ids = sorted_keys(&names->strings, &n);
	if (!ids)
		return no_memory(j);
	for (size_t i = 0; i < n; i++)
		if (!is_unused(j, ids[i]) &&
		    gt_names_string(names, ids[i], &s))
			put_string(to, ids[i], s.text, s.len);
	free(ids);
	for (size_t i = 0; i < j->names.n_strings; i++)
		put_string(to, j->names.strings[i].id, j->names.strings[i].text,
			   j->names.strings[i].len);
	return 0;
}

static int copy(struct job *j, FILE *to, uint64_t start, uint64_t end)
{
	static char buf[256 * 1024];

	while (start < end) {
		size_t want = end - start < sizeof(buf) ? end - start : sizeof(buf);
		ssize_t n = pread(j->fd, buf, want, j->base + start);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return fail(j, n ? strerror(errno) : "it has become shorter");
		fwrite(buf, 1, n, to);
		start += n;
	}
	return 0;
}

/* All as it is, or all but strings and stacks, and these behind it. */
static int write_trace(struct job *j, FILE *to)
{
	uint64_t at = 0, end = j->trace.reader.off;

	if (!j->s->named)
		return copy(j, to, 0, end);
	for (size_t i = 0; i < j->n_gaps; i++) {
		if (copy(j, to, at, j->gaps[i].start))
			return -1;
		at = j->gaps[i].end;
	}
	if (copy(j, to, at, end))
		return -1;
	for (size_t i = 0; i < j->n_stacks; i++)
		write_stack(j, to, j->stacks[i]);
	return write_strings(j, to);
}

/* ---- The whole ---- */

static void job_exit(struct job *j)
{
	gt_trace_exit(&j->trace);
	free(j->gaps);
	gt_map_exit(&j->used_strings);
	gt_map_exit(&j->samples);
	free(j->stacks);
	gt_map_exit(&j->place_of);
	free(j->places);
	newnames_exit(&j->names);
	free(j->named);
	gt_map_exit(&j->unused);
}

static int run(struct job *j, const struct stat *st, const char *to)
{
	struct replace out;
	struct stat st_to;

	if (read_trace(j) || find_places(j))
		return -1;
	guess_began(j, st);
	if (name_places(j) || (j->s->named && number(j)))
		return -1;
	/* Nothing to do, and nowhere else to put it. */
	if (!j->s->named && !stat(to, &st_to) && S_ISREG(st->st_mode) &&
	    st_to.st_dev == st->st_dev && st_to.st_ino == st->st_ino)
		return 0;
	if (replace_begin(&out, j->s->cmd, to, st))
		return -1;
	if (write_trace(j, out.file)) {
		replace_abandon(&out);
		return -1;
	}
	return replace_commit(&out);
}

/* What cannot be read twice goes into a file without a name first. */
static int spool(const struct job *j, int fd)
{
	static char buf[256 * 1024];
	FILE *f = tmpfile();
	ssize_t n = 0;
	int ret = -1;

	while (f && (n = read(fd, buf, sizeof(buf))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 || fwrite(buf, 1, n, f) != (size_t)n)
			break;
	}
	if (!f || n || fflush(f))
		fail(j, strerror(errno));
	else
		ret = fcntl(fileno(f), F_DUPFD_CLOEXEC, 0);
	if (f)
		fclose(f);
	if (ret >= 0)
		lseek(ret, 0, SEEK_SET);
	return ret;
}

static int symbolize_fd(struct job *j, int fd, const char *to)
{
	struct stat st;
	int ret;

	j->fd = fd;
	j->base = lseek(fd, 0, SEEK_CUR);
	if (fstat(fd, &st))
		return fail(j, strerror(errno));
	if (j->base >= 0 && S_ISREG(st.st_mode))
		return run(j, &st, to);
	j->fd = spool(j, fd);
	if (j->fd < 0)
		return -1;
	j->base = 0;
	ret = run(j, &st, to);
	close(j->fd);
	return ret;
}

int symbolize_file(struct symbolize *s, const char *in, const char *to)
{
	/* Not on the stack: it holds the longest record. */
	static struct job j;
	int fd = STDIN_FILENO, ret;

	memset(&j, 0, sizeof(j));
	s->frames = 0;
	s->named = 0;
	j.s = s;
	j.name = in;
	if (!strcmp(in, "-")) {
		j.name = "standard input";
	} else {
		fd = open(in, O_RDONLY | O_CLOEXEC);
		if (fd < 0) {
			fprintf(stderr, "gotrace %s: cannot open %s: %s\n",
				s->cmd, in, strerror(errno));
			return -1;
		}
	}
	ret = symbolize_fd(&j, fd, to);
	job_exit(&j);
	if (fd != STDIN_FILENO)
		close(fd);
	return ret;
}
