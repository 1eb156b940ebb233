// SPDX-License-Identifier: GPL-2.0
/* Strings and frames; see newnames.h. */
#include "newnames.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"

/* A C++ name can be a page of templates. */
#define TEXT_MAX 4096

void newnames_exit(struct newnames *nn)
{
	gt_map_exit(&nn->taken_ids);
	gt_map_exit(&nn->taken_pcs);
	gt_map_exit(&nn->by_text);
	gt_map_exit(&nn->by_frame);
	for (size_t i = 0; i < nn->n_strings; i++)
		free(nn->strings[i].text);
	free(nn->strings);
	free(nn->frames);
	memset(nn, 0, sizeof(*nn));
}

static void take(struct newnames *nn, struct gt_map *taken, uint64_t v)
{
	uint64_t *at = gt_map_add(taken, v);

	if (at)
		*at = 1;
	else
		nn->no_memory = true;
}

void newnames_take_id(struct newnames *nn, uint64_t id)
{
	take(nn, &nn->taken_ids, id);
}

void newnames_take_pc(struct newnames *nn, uint64_t pc)
{
	take(nn, &nn->taken_pcs, pc);
}

/* FNV-1a. */
static uint64_t hash(uint64_t h, const void *data, size_t len)
{
	const uint8_t *p = data;

	for (size_t i = 0; i < len; i++)
		h = (h ^ p[i]) * 0x100000001b3u;
	return h;
}

#define HASH_INIT 0xcbf29ce484222325u

static bool add_string(struct newnames *nn, const char *text, size_t len)
{
	struct newnames_string s = { .len = len };

	if (!array_reserve(&nn->strings, nn->n_strings, &nn->size_strings,
		     sizeof(s)))
		return false;
	s.text = malloc(len);
	if (!s.text)
		return false;
	memcpy(s.text, text, len);
	nn->strings[nn->n_strings++] = s;
	return true;
}

/* Two texts with one hash: the other has the next hash that is free. */
static size_t string_index(struct newnames *nn, const char *text)
{
	size_t len = strnlen(text, TEXT_MAX);
	uint64_t h = hash(HASH_INIT, text, len), *at;

	for (;; h++) {
		at = gt_map_add(&nn->by_text, h);
		if (!at)
			break;
		if (!*at) {
			if (!add_string(nn, text, len))
				break;
			*at = nn->n_strings;
		}
		if (nn->strings[*at - 1].len == len &&
		    !memcmp(nn->strings[*at - 1].text, text, len))
			return *at - 1;
	}
	nn->no_memory = true;
	return 0;
}

size_t newnames_frame(struct newnames *nn, const char *fn, const char *file,
		      unsigned int line)
{
	struct gt_frame f = {
		.fn = string_index(nn, fn), .file = string_index(nn, file),
		.line = line,
	};
	uint64_t h = hash(HASH_INIT, &f, sizeof(f)), *at;

	for (;; h++) {
		at = gt_map_add(&nn->by_frame, h);
		if (!at)
			break;
		if (!*at) {
			if (!array_reserve(&nn->frames, nn->n_frames,
				     &nn->size_frames, sizeof(f)))
				break;
			nn->frames[nn->n_frames++] = f;
			*at = nn->n_frames;
		}
		if (!memcmp(&nn->frames[*at - 1], &f, sizeof(f)))
			return *at - 1;
	}
	nn->no_memory = true;
	return 0;
}

/* The next that is not taken, from 1 on. */
static uint64_t next_free(uint64_t at, const struct gt_map *taken)
{
	do
		at++;
	while (gt_map_find(taken, at));
	return at;
}

void newnames_number(struct newnames *nn)
{
	uint64_t id = 0, pc = 0;

	if (nn->no_memory)
		return;
	for (size_t i = 0; i < nn->n_strings; i++) {
		id = next_free(id, &nn->taken_ids);
		nn->strings[i].id = id;
	}
	for (size_t i = 0; i < nn->n_frames; i++) {
		struct gt_frame *f = &nn->frames[i];

		pc = next_free(pc, &nn->taken_pcs);
		f->pc = pc;
		f->fn = nn->strings[f->fn].id;
		f->file = nn->strings[f->file].id;
	}
}
