// SPDX-License-Identifier: GPL-2.0
/* Pieces of JSON; see json.h. */
#include "view/json.h"

#include <string.h>

void json_first(const char *key)
{
	out_char('"');
	out_text(key);
	out_text("\":");
}

void json_key(const char *key)
{
	out_char(',');
	json_first(key);
}

void json_string(const char *key, struct gt_string s)
{
	json_key(key);
	out_json(s.text, s.len);
}

void json_word(const char *key, const char *word)
{
	json_string(key, gt_string_of(word));
}

void json_i64(const char *key, int64_t v)
{
	json_key(key);
	out_i64(v);
}

void json_bool(const char *key, bool v)
{
	json_key(key);
	out_text(v ? "true" : "false");
}

void json_g(const char *key, const struct view *v, uint32_t g)
{
	const struct gt_g *found = view_g(v, g);

	json_key(key);
	if (!found) {
		out_text("null");
		return;
	}
	out_char('{');
	json_first("i");
	out_u64(g);
	/* Ids may be more than a number of the browser's holds. */
	json_key("id");
	out_char('"');
	out_u64(found->id);
	out_char('"');
	json_string("name", gt_timeline_g_name(v->t, found));
	out_char('}');
}

void json_p(const char *key, const struct view *v, uint16_t p)
{
	int64_t id = view_p(v, p);

	json_key(key);
	if (id == GT_NO_P)
		out_text("null");
	else
		out_i64(id);
}

static void put_frame(const struct view *v, struct gt_frame frame)
{
	const struct gt_names *names = &v->t->trace.names;
	struct gt_string fn, file;

	gt_names_string(names, frame.fn, &fn);
	gt_names_string(names, frame.file, &file);
	out_char('{');
	json_first("fn");
	out_json(fn.text, fn.len);
	json_string("file", file);
	json_i64("line", frame.line);
	out_char('}');
}

void json_stack(const char *key, const struct view *v, uint32_t stk)
{
	const struct gt_names *names = &v->t->trace.names;
	uint64_t id = view_stack(v, stk);
	size_t n = gt_names_stack(names, id);

	json_key(key);
	out_char('[');
	for (size_t i = 0; i < n; i++) {
		if (i)
			out_char(',');
		put_frame(v, gt_names_frame(names, id, i));
	}
	out_char(']');
}
