// SPDX-License-Identifier: GPL-2.0
/* Comma-separated values; see csv.h. */
#include "csv.h"

#include "out.h"
#include "utf8.h"

static void put_bytes(struct gt_string s)
{
	const uint8_t *p = (const uint8_t *)s.text;
	size_t n;

	for (size_t i = 0; i < s.len; i += n ? n : 1) {
		n = p[i] ? utf8_len(p + i, s.len - i) : 0;
		if (p[i] == '"')
			out_char('"');
		if (n)
			out_bytes(p + i, n);
		else
			out_text("\xef\xbf\xbd");
	}
}

void csv_text(struct gt_string s)
{
	out_char('"');
	put_bytes(s);
	out_char('"');
}

void csv_stack(const struct gt_names *names, uint64_t stk)
{
	size_t n = gt_names_stack(names, stk);
	struct gt_string fn;

	out_char('"');
	for (size_t i = 0; i < n; i++) {
		if (i)
			out_char(';');
		if (gt_names_string(names, gt_names_frame(names, stk, i).fn,
				    &fn))
			put_bytes(fn);
	}
	out_char('"');
}
