// SPDX-License-Identifier: GPL-2.0
/* The strings and stacks that a part of a trace uses; see usednames.h. */
#include "usednames.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "newnames.h"
#include "putrecord.h"

enum { USED = 1, MADE_UP };

static void note(struct usednames *un, bool ok)
{
	if (!ok)
		un->no_memory = true;
}

/* Return: is it used for the first time? */
static bool first_use(struct usednames *un, struct gt_map *used, uint64_t id,
		      bool defined)
{
	uint64_t *at = gt_map_add(used, id);

	note(un, at);
	if (!at || *at)
		return false;
	*at = defined ? USED : MADE_UP;
	return true;
}

void usednames_string(struct usednames *un, uint64_t id)
{
	struct gt_string s;

	if (!id)
		return;
	if (first_use(un, &un->strings, id, gt_names_string(un->names, id, &s)))
		un->bytes += s.len + 8;
}

static void use_stack(struct usednames *un, uint64_t id)
{
	size_t n = gt_names_stack(un->names, id);

	if (!id || !first_use(un, &un->stacks, id, n))
		return;
	for (size_t i = 0; i < n; i++) {
		struct gt_frame f = gt_names_frame(un->names, id, i);

		usednames_string(un, f.fn);
		usednames_string(un, f.file);
		un->bytes += put_frames_size(&f, 1);
	}
	un->bytes += 8;
}

/* Where a G begins, which Go must know. */
uint64_t usednames_new_stack(struct usednames *un, uint64_t id)
{
	if (!id)
		id = un->lost_stack;
	use_stack(un, id);
	return id;
}

/* The stack of an event. There is one place for all that are not known. */
uint64_t usednames_event_stack(struct usednames *un, uint64_t id)
{
	if (id && !gt_names_stack(un->names, id))
		id = un->lost_stack;
	use_stack(un, id);
	return id;
}

/* The lowest that is in neither. */
static uint64_t free_id(const struct gt_map *a, const struct gt_map *b)
{
	uint64_t id = 1;

	while (gt_map_find(a, id) || gt_map_find(b, id))
		id++;
	return id;
}

static void made_up_name(char *text, size_t size, uint64_t id)
{
	snprintf(text, size, "lost.%" PRIu64, id);
}

/* What new names must not be called. */
static void take_ids(const struct usednames *un, struct newnames *nn)
{
	const struct gt_map *strings = &un->strings;
	const struct gt_map *stacks = &un->names->stacks;

	for (size_t i = 0; i < strings->size; i++)
		if (strings->entries[i].used)
			newnames_take_id(nn, strings->entries[i].key);
	for (size_t i = 0; i < stacks->size; i++) {
		const struct gt_map_entry *e = &stacks->entries[i];
		size_t n = e->used ? gt_names_stack(un->names, e->key) : 0;

		for (size_t k = 0; k < n; k++)
			newnames_take_pc(nn, gt_names_frame(un->names, e->key, k).pc);
	}
}

/* A frame for each stack that is not defined, and new strings for these. */
static void put_made_up_stacks(struct usednames *un, FILE *to)
{
	const struct gt_map *used = &un->stacks;
	struct newnames nn = { 0 };
	char text[32];

	/* No two are called the same, so their frames are in this order. */
	for (size_t i = 0; i < used->size; i++) {
		const struct gt_map_entry *e = &used->entries[i];

		if (e->value != MADE_UP)
			continue;
		made_up_name(text, sizeof(text), e->key);
		newnames_frame(&nn, e->key == un->lost_stack ? "lost" : text,
			       "?", 1);
	}
	take_ids(un, &nn);
	newnames_number(&nn);
	for (size_t i = 0; i < used->size && !nn.no_memory; i++)
		if (used->entries[i].value == MADE_UP)
			put_stack(to, used->entries[i].key,
				  &nn.frames[un->lost_stacks++], 1);
	for (size_t i = 0; i < nn.n_strings; i++)
		put_string(to, nn.strings[i].id, nn.strings[i].text,
			   nn.strings[i].len);
	note(un, !nn.no_memory);
	newnames_exit(&nn);
}

static void put_stacks(struct usednames *un, FILE *to)
{
	static struct gt_frame f[GT_FRAMES_MAX];
	const struct gt_map *used = &un->stacks;

	for (size_t i = 0; i < used->size; i++) {
		const struct gt_map_entry *e = &used->entries[i];
		size_t n;

		if (e->value != USED)
			continue;
		n = gt_names_stack(un->names, e->key);
		for (size_t k = 0; k < n; k++)
			f[k] = gt_names_frame(un->names, e->key, k);
		put_stack(to, e->key, f, n);
	}
}

static void put_strings(struct usednames *un, FILE *to)
{
	const struct gt_map *used = &un->strings;
	struct gt_string s;
	char text[32];

	for (size_t i = 0; i < used->size; i++) {
		const struct gt_map_entry *e = &used->entries[i];

		if (!e->used)
			continue;
		if (e->value == MADE_UP) {
			made_up_name(text, sizeof(text), e->key);
			put_string(to, e->key, text, strlen(text));
			un->lost_strings++;
		} else {
			gt_names_string(un->names, e->key, &s);
			put_string(to, e->key, s.text, s.len);
		}
	}
}

void usednames_put(struct usednames *un, FILE *to)
{
	put_stacks(un, to);
	put_made_up_stacks(un, to);
	put_strings(un, to);
}

void usednames_init(struct usednames *un, const struct gt_names *names)
{
	memset(un, 0, sizeof(*un));
	un->names = names;
	un->lost_stack = free_id(&names->stacks, &names->want_stacks);
}

void usednames_exit(struct usednames *un)
{
	gt_map_exit(&un->strings);
	gt_map_exit(&un->stacks);
}
