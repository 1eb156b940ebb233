// SPDX-License-Identifier: GPL-2.0
/*
 * Folded stacks, as flamegraph.pl and speedscope read them: the outermost frame
 * first, then how many ns. A sleep's reason is its innermost frame.
 */
#include "export.h"

#include <stdlib.h>
#include <string.h>

#include "out.h"
#include "utf8.h"

static bool put_frame(struct export *e, struct gt_string fn)
{
	char *text = utf8_dup(fn.text, fn.len);

	if (!text)
		return export_fail(e);
	out_field(*text ? text : "?", *text ? strlen(text) : 1, ";");
	free(text);
	return true;
}

static void put_sum(struct export *e, const struct export_sum *sum)
{
	const struct gt_names *names = &e->t->trace.names;
	size_t n = gt_names_stack(names, sum->stk);
	struct gt_string fn;

	for (size_t i = n; i; i--) {
		gt_names_string(names, gt_names_frame(names, sum->stk, i - 1).fn,
				&fn);
		if (i < n)
			out_char(';');
		if (!put_frame(e, fn))
			return;
	}
	if (!n)
		out_char('?');
	if (sum->reason != REPORT_REASONS) {
		out_text(";[");
		out_text(report_reason_word(sum->reason));
		out_char(']');
	}
	out_char(' ');
	out_i64(sum->ns);
	out_char('\n');
}

static void finish(struct export *e)
{
	for (size_t i = 0; i < e->sums.n; i++)
		if (e->sums.all[i].ns)
			put_sum(e, &e->sums.all[i]);
}

const struct export_format export_folded = {
	.name = "folded",
	.profiles = true,
	.take = export_sums_take,
	.event = export_sums_event,
	.finish = finish,
	.exit = export_sums_exit,
};
