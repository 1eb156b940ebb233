// SPDX-License-Identifier: LGPL-2.1 OR MIT
/* Strings and stacks; see names.h. */
#include "names.h"

#include <stdlib.h>
#include <string.h>

void gt_names_exit(struct gt_names *names)
{
	gt_map_exit(&names->strings);
	gt_map_exit(&names->stacks);
	gt_map_exit(&names->want_strings);
	gt_map_exit(&names->want_stacks);
	free(names->text.data);
	free(names->frames.data);
	memset(names, 0, sizeof(*names));
}

/* Room for n bytes at the end, not yet taken. */
static uint8_t *arena_reserve(struct gt_arena *a, size_t n)
{
	size_t size = a->size ? a->size : 4096;
	uint8_t *data;

	while (size - a->used < n)
		size *= 2;
	if (size != a->size) {
		data = realloc(a->data, size);
		if (!data)
			return NULL;
		a->data = data;
		a->size = size;
	}
	return a->data + a->used;
}

static void no_longer_wanted(struct gt_map *want, uint64_t id)
{
	uint64_t *off = gt_map_find(want, id);

	if (off)
		*off = 0;
}

enum gt_names_result gt_names_add_string(struct gt_names *names,
					 const struct gt_record *rec)
{
	uint32_t len = rec->text_len;
	uint64_t *at;
	uint8_t *p;

	at = gt_map_add(&names->strings, rec->args[0]);
	if (!at)
		return GT_NAMES_NO_MEMORY;
	if (*at)
		return GT_NAMES_DUPLICATE;
	p = arena_reserve(&names->text, sizeof(len) + len);
	if (!p)
		return GT_NAMES_NO_MEMORY;
	memcpy(p, &len, sizeof(len));
	memcpy(p + sizeof(len), rec->text, len);
	*at = names->text.used + 1;
	names->text.used += sizeof(len) + len;
	no_longer_wanted(&names->want_strings, rec->args[0]);
	return GT_NAMES_OK;
}

/* Frame i of a Stack record. Go 1.5 wrote PCs alone. */
static struct gt_frame record_frame(const struct gt_record *rec, size_t i,
				    unsigned int version)
{
	const uint64_t *args = rec->args + 2;

	if (version < GT_V1_7)
		return (struct gt_frame){ .pc = args[i] };
	args += 4 * i;
	return (struct gt_frame){
		.pc = args[0], .fn = args[1], .file = args[2], .line = args[3],
	};
}

enum gt_names_result gt_names_add_stack(struct gt_names *names,
					const struct gt_record *rec,
					unsigned int version, uint64_t off)
{
	uint64_t id = rec->args[0], n = rec->args[1];
	enum gt_names_result ret = GT_NAMES_OK;
	struct gt_frame frame;
	uint64_t *at;
	uint8_t *p;

	/* Go ignores both, so they define nothing. */
	if (id == 0 || n == 0)
		return GT_NAMES_OK;
	p = arena_reserve(&names->frames, sizeof(n) + n * sizeof(frame));
	at = gt_map_add(&names->stacks, id);
	if (!p || !at)
		return GT_NAMES_NO_MEMORY;
	*at = names->frames.used + 1;
	memcpy(p, &n, sizeof(n));
	p += sizeof(n);
	for (size_t i = 0; i < n && ret == GT_NAMES_OK; i++) {
		frame = record_frame(rec, i, version);
		memcpy(p + i * sizeof(frame), &frame, sizeof(frame));
		ret = gt_names_want_string(names, frame.fn, off);
		if (ret == GT_NAMES_OK)
			ret = gt_names_want_string(names, frame.file, off);
	}
	names->frames.used += sizeof(n) + n * sizeof(frame);
	no_longer_wanted(&names->want_stacks, id);
	return ret;
}

static enum gt_names_result want(struct gt_map *want,
				 const struct gt_map *defined, uint64_t id,
				 uint64_t off)
{
	uint64_t *first;

	if (id == 0 || gt_map_find(defined, id))
		return GT_NAMES_OK;
	first = gt_map_add(want, id);
	if (!first)
		return GT_NAMES_NO_MEMORY;
	if (!*first)
		*first = off + 1;
	return GT_NAMES_OK;
}

enum gt_names_result gt_names_want_string(struct gt_names *names, uint64_t id,
					  uint64_t off)
{
	return want(&names->want_strings, &names->strings, id, off);
}

enum gt_names_result gt_names_want_stack(struct gt_names *names, uint64_t id,
					 uint64_t off)
{
	return want(&names->want_stacks, &names->stacks, id, off);
}

bool gt_names_string(const struct gt_names *names, uint64_t id,
		     struct gt_string *out)
{
	const uint64_t *at;
	uint32_t len;

	*out = (struct gt_string){ .text = "" };
	if (id == 0)
		return true;
	at = gt_map_find(&names->strings, id);
	if (!at || !*at)
		return false;
	memcpy(&len, names->text.data + *at - 1, sizeof(len));
	out->text = (const char *)names->text.data + *at - 1 + sizeof(len);
	out->len = len;
	return true;
}

static const uint8_t *stack(const struct gt_names *names, uint64_t id)
{
	const uint64_t *at = gt_map_find(&names->stacks, id);

	return at && *at ? names->frames.data + *at - 1 : NULL;
}

size_t gt_names_stack(const struct gt_names *names, uint64_t id)
{
	const uint8_t *p = stack(names, id);
	uint64_t n = 0;

	if (p)
		memcpy(&n, p, sizeof(n));
	return n;
}

struct gt_frame gt_names_frame(const struct gt_names *names, uint64_t id,
			       size_t i)
{
	const uint8_t *p = stack(names, id);
	struct gt_frame frame;

	memcpy(&frame, p + sizeof(uint64_t) + i * sizeof(frame),
	       sizeof(frame));
	return frame;
}

static void first_missing(const struct gt_map *want, const char *what,
			  struct gt_missing *out)
{
	for (size_t i = 0; i < want->size; i++) {
		const struct gt_map_entry *e = &want->entries[i];

		if (!e->used || !e->value)
			continue;
		if (!out->what || e->value - 1 < out->off)
			*out = (struct gt_missing){
				.what = what, .id = e->key,
				.off = e->value - 1,
			};
	}
}

bool gt_names_missing(const struct gt_names *names, struct gt_missing *out)
{
	*out = (struct gt_missing){ 0 };
	first_missing(&names->want_strings, "string", out);
	out->is_string = out->what;
	first_missing(&names->want_stacks, "stack", out);
	return out->what;
}
