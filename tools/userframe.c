// SPDX-License-Identifier: GPL-2.0
/* A program's frame; see userframe.h. */
#include "userframe.h"

#include <stdlib.h>
#include <string.h>

struct userframe_file userframe_file(struct gt_string file)
{
	static const char mark[] = " [build-id ";
	const size_t n = sizeof(mark) - 1;
	struct userframe_file out = { .path = file };

	if (file.len < n || file.text[file.len - 1] != ']')
		return out;
	/* The last one: the path may have anything in it. */
	for (size_t at = file.len - n; at > 0; at--) {
		if (memcmp(file.text + at, mark, n))
			continue;
		out.has_id = true;
		out.id.text = file.text + at + n;
		out.id.len = file.len - 1 - (at + n);
		out.path.len = at;
		break;
	}
	return out;
}

/* 1 to 16 digits, in small letters. */
static bool parse_hex(const char *text, size_t len, uint64_t *out)
{
	char digits[17];

	if (!len || len >= sizeof(digits))
		return false;
	memcpy(digits, text, len);
	digits[len] = '\0';
	*out = strtoull(digits, NULL, 16);
	return strspn(digits, "0123456789abcdef") == len;
}

bool userframe_parse(struct gt_string fn, struct userframe_file file,
		     uint64_t *offset)
{
	struct gt_string path = file.path;
	const char *slash, *plus;
	size_t base;

	if (!path.len || path.text[0] != '/' || !fn.len)
		return false;
	slash = memrchr(path.text, '/', path.len);
	plus = memrchr(fn.text, '+', fn.len);
	base = plus ? plus - fn.text : 0;
	if (!base || base > path.len - (slash + 1 - path.text) ||
	    memcmp(slash + 1, fn.text, base))
		return false;
	return fn.len - base > 3 && !memcmp(plus, "+0x", 3) &&
	       parse_hex(plus + 3, fn.len - base - 3, offset);
}
