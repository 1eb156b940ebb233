// SPDX-License-Identifier: GPL-2.0
/* Tables; see table.h. */
#include "table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lib/array.h"
#include "csv.h"
#include "out.h"

/* The least that a text or a stack is cut to. */
#define TEXT_LEAST 12

/* A row that comes out, and the cell that it is sorted by. */
struct pick {
	size_t row;
	union cell by;
	bool none;
};

static size_t count_columns(const struct column *c)
{
	size_t n = 0;

	while (c[n].key)
		n++;
	return n;
}

int table_column(const struct column *columns, const char *key)
{
	for (int i = 0; columns[i].key; i++)
		if (!strcmp(columns[i].key, key))
			return i;
	return -1;
}

static bool row_init(struct row *row, const struct table *t)
{
	size_t n = count_columns(t->columns);

	row->cells = calloc(n, sizeof(*row->cells));
	row->is_none = calloc(n, sizeof(*row->is_none));
	return row->cells && row->is_none;
}

static void row_exit(struct row *row)
{
	free(row->cells);
	free(row->is_none);
}

static bool fill(const struct table *t, size_t i, struct row *row)
{
	size_t n = count_columns(t->columns);

	memset(row->cells, 0, n * sizeof(*row->cells));
	memset(row->is_none, 0, n * sizeof(*row->is_none));
	return t->fill(t->arg, i, row);
}

/* ---- Order ---- */

/* For qsort(), which takes no argument. */
static enum cell_type sort_type;

static int compare_text(struct gt_string a, struct gt_string b)
{
	size_t len = a.len < b.len ? a.len : b.len;
	int ret = memcmp(a.text, b.text, len);

	return ret ? ret : (a.len > b.len) - (a.len < b.len);
}

/* Numbers from the greatest on, texts in their order, nothing last. */
static int compare(const void *a, const void *b)
{
	const struct pick *x = a, *y = b;
	int ret;

	if (x->none || y->none) {
		ret = x->none - y->none;
	} else {
		switch (sort_type) {
		case CELL_TEXT:
			ret = compare_text(x->by.text, y->by.text);
			break;
		case CELL_PERCENT:
			ret = (x->by.percent < y->by.percent) -
			      (x->by.percent > y->by.percent);
			break;
		case CELL_TIME:
		case CELL_MOMENT:
			ret = (x->by.ns < y->by.ns) - (x->by.ns > y->by.ns);
			break;
		default:
			ret = (x->by.count < y->by.count) -
			      (x->by.count > y->by.count);
			if (sort_type == CELL_ID)
				ret = -ret;
			break;
		}
	}
	return ret ? ret : (x->row > y->row) - (x->row < y->row);
}

struct picks {
	struct pick *all;
	size_t n, size;
	size_t left_out;
};

static bool pick_rows(const struct table *t, const struct table_order *order,
		      struct row *row, struct picks *picks)
{
	for (size_t i = 0; i < t->n_rows; i++) {
		if (!fill(t, i, row))
			continue;
		if (!array_reserve(&picks->all, picks->n, &picks->size,
				   sizeof(*picks->all)))
			return false;
		picks->all[picks->n++] = (struct pick){
			i, row->cells[order->sort], row->is_none[order->sort],
		};
	}
	sort_type = t->columns[order->sort].type;
	if (picks->n)
		qsort(picks->all, picks->n, sizeof(*picks->all), compare);
	if (order->top && picks->n > order->top) {
		picks->left_out = picks->n - order->top;
		picks->n = order->top;
	}
	return true;
}

/* ---- Stacks ---- */

static bool stack_function(const struct table *t, uint64_t stk, size_t i,
			   struct gt_string *fn)
{
	if (i >= gt_names_stack(t->names, stk))
		return false;
	gt_names_string(t->names, gt_names_frame(t->names, stk, i).fn, fn);
	return true;
}

/* ---- For people ---- */

void table_time(char *out, int64_t ns)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = { { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
	size_t i = 0;
	double v;

	if (ns < 1000 && ns > -1000) {
		snprintf(out, CELL_MAX, "%" PRId64 "ns", ns);
		return;
	}
	/* What would be rounded to 1000 has the next unit. */
	for (v = (double)ns / units[0].ns; v >= 999.5 && i < 2; i++)
		v = (double)ns / units[i + 1].ns;
	snprintf(out, CELL_MAX, "%.*f%s", v < 9.995 ? 2 : v < 99.95 ? 1 : 0, v,
		 units[i].unit);
}

void table_moment(char *out, int64_t ns)
{
	snprintf(out, CELL_MAX, "%.6fs", (double)ns / 1e9);
}

size_t table_width(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize ws;
	long n = columns ? strtol(columns, NULL, 10) : 0;

	if (n > 0)
		return n;
	if (isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws))
		return ws.ws_col;
	return 0;
}

static bool is_wide(enum cell_type type)
{
	return type == CELL_TEXT || type == CELL_STACK;
}

/* Everything but texts and stacks, which may be long. */
static void format_number(char *out, enum cell_type type, union cell c)
{
	switch (type) {
	case CELL_TIME:
		table_time(out, c.ns);
		break;
	case CELL_MOMENT:
		table_moment(out, c.ns);
		break;
	case CELL_PERCENT:
		snprintf(out, CELL_MAX, "%.1f%%", c.percent);
		break;
	default:
		snprintf(out, CELL_MAX, "%" PRIu64, c.count);
		break;
	}
}

/* How many characters there are: bytes that do not go on with one. */
static size_t text_width(struct gt_string s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.len; i++)
		n += ((uint8_t)s.text[i] & 0xc0) != 0x80;
	return n;
}

static size_t cell_width(const struct table *t, enum cell_type type,
			 union cell c, bool none)
{
	char text[CELL_MAX];
	struct gt_string fn;
	size_t n = 0;

	if (none)
		return 1;
	if (type == CELL_TEXT)
		return text_width(c.text);
	if (type == CELL_STACK) {
		for (size_t i = 0; stack_function(t, c.count, i, &fn); i++)
			n += text_width(fn) + (i > 0);
		return n ? n : 1;
	}
	format_number(text, type, c);
	return strlen(text);
}

/* What does not go in is cut, and shows it; nothing moves the cursor. */
struct line {
	size_t left;
};

static void put_text(struct line *line, struct gt_string s)
{
	for (size_t i = 0; i < s.len; i++) {
		uint8_t c = s.text[i];

		if ((c & 0xc0) != 0x80) {
			if (!line->left)
				return;
			line->left--;
		}
		out_char(c < ' ' || c == 0x7f ? '?' : c);
	}
}

static void put_stack(const struct table *t, struct line *line, uint64_t stk)
{
	struct gt_string fn;

	if (!stack_function(t, stk, 0, &fn))
		put_text(line, gt_string_of("-"));
	for (size_t i = 0; line->left && stack_function(t, stk, i, &fn); i++) {
		if (i)
			put_text(line, gt_string_of(";"));
		put_text(line, fn);
	}
}

static void put_blanks(size_t n)
{
	while (n--)
		out_char(' ');
}

static void put_cell(const struct table *t, enum cell_type type, union cell c,
		     bool none, size_t width, bool last)
{
	struct line line = { width };
	char text[CELL_MAX];
	size_t needs = cell_width(t, type, c, none);
	bool cut = needs > width;

	if (!is_wide(type)) {
		if (none)
			strcpy(text, "-");
		else
			format_number(text, type, c);
		put_blanks(width - strlen(text));
		out_text(text);
		return;
	}
	line.left -= cut;
	if (none)
		put_text(&line, gt_string_of("-"));
	else if (type == CELL_STACK)
		put_stack(t, &line, c.count);
	else
		put_text(&line, c.text);
	if (cut)
		out_text("+");
	else if (!last)
		put_blanks(line.left);
}

/* Which columns there is room for, and how wide they are. */
struct layout {
	size_t *width;		/* 0: left out */
	size_t n;
};

static void measure(const struct table *t, const struct picks *picks,
		    struct row *row, struct layout *l)
{
	const struct column *c = t->columns;
	size_t w;

	for (size_t k = 0; k < l->n; k++)
		l->width[k] = c[k].title ? strlen(c[k].title) : 0;
	for (size_t i = 0; i < picks->n; i++) {
		fill(t, picks->all[i].row, row);
		for (size_t k = 0; k < l->n; k++) {
			if (!c[k].title)
				continue;
			w = cell_width(t, c[k].type, row->cells[k],
				       row->is_none[k]);
			if (w > l->width[k])
				l->width[k] = w;
		}
	}
}

static size_t total(const struct layout *l)
{
	size_t n = 0;

	for (size_t k = 0; k < l->n; k++)
		n += l->width[k] ? l->width[k] + 2 : 0;
	return n ? n - 2 : 0;
}

/* The column to make room with: the longest text, else the last in rank. */
static size_t widest(const struct table *t, const struct layout *l)
{
	size_t at = l->n;

	for (size_t k = 0; k < l->n; k++)
		if (is_wide(t->columns[k].type) && l->width[k] > TEXT_LEAST &&
		    (at == l->n || l->width[k] > l->width[at]))
			at = k;
	return at;
}

static size_t least_wanted(const struct table *t, const struct layout *l,
			   size_t sort)
{
	size_t at = l->n;
	unsigned int rank = 0;

	for (size_t k = 0; k < l->n; k++) {
		if (l->width[k] && k != sort && t->columns[k].rank > rank) {
			rank = t->columns[k].rank;
			at = k;
		}
	}
	return at;
}

static void fit(const struct table *t, struct layout *l, size_t width,
		size_t sort)
{
	size_t at, over;

	while (width && total(l) > width) {
		over = total(l) - width;
		at = widest(t, l);
		if (at < l->n) {
			l->width[at] = l->width[at] > TEXT_LEAST + over ?
				l->width[at] - over : TEXT_LEAST;
			continue;
		}
		at = least_wanted(t, l, sort);
		if (at == l->n)
			return;
		l->width[at] = 0;
	}
}

static void put_row(const struct table *t, const struct layout *l,
		    const struct row *row)
{
	size_t last = l->n;
	bool first = true;

	for (size_t k = 0; k < l->n; k++)
		if (l->width[k])
			last = k;
	for (size_t k = 0; k < l->n; k++) {
		if (!l->width[k])
			continue;
		if (!first)
			out_text("  ");
		first = false;
		put_cell(t, t->columns[k].type, row->cells[k], row->is_none[k],
			 l->width[k], k == last);
	}
	out_char('\n');
}

static void put_titles(const struct table *t, const struct layout *l)
{
	size_t pad = 0;
	bool first = true;

	for (size_t k = 0; k < l->n; k++) {
		const struct column *c = &t->columns[k];
		size_t len;

		if (!l->width[k])
			continue;
		len = strlen(c->title);
		if (!first)
			pad += 2;
		first = false;
		put_blanks(pad + (is_wide(c->type) ? 0 : l->width[k] - len));
		out_text(c->title);
		pad = is_wide(c->type) ? l->width[k] - len : 0;
	}
	out_char('\n');
}

static bool print_text(const struct table *t, const struct picks *picks,
		       struct row *row, size_t sort)
{
	struct layout l = { .n = count_columns(t->columns) };

	l.width = calloc(l.n, sizeof(*l.width));
	if (!l.width)
		return false;
	measure(t, picks, row, &l);
	fit(t, &l, table_width(), sort);
	put_titles(t, &l);
	for (size_t i = 0; i < picks->n; i++) {
		fill(t, picks->all[i].row, row);
		put_row(t, &l, row);
	}
	if (picks->left_out) {
		out_text("and ");
		out_u64(picks->left_out);
		out_text(" more\n");
	}
	free(l.width);
	return true;
}

/* ---- For programs ---- */

static void out_percent(double v)
{
	char text[CELL_MAX];

	snprintf(text, sizeof(text), "%.3f", v);
	out_text(text);
}

static void put_number(enum cell_type type, union cell c)
{
	if (type == CELL_PERCENT)
		out_percent(c.percent);
	else if (type == CELL_COUNT || type == CELL_ID)
		out_u64(c.count);
	else
		out_i64(c.ns);
}

static void json_stack(const struct table *t, uint64_t stk)
{
	struct gt_string fn;

	out_char('[');
	for (size_t i = 0; stack_function(t, stk, i, &fn); i++) {
		if (i)
			out_char(',');
		out_json(fn.text, fn.len);
	}
	out_char(']');
}

static void print_json(const struct table *t, const struct row *row)
{
	out_text("{\"row\":\"");
	out_text(t->name);
	out_char('"');
	for (size_t k = 0; t->columns[k].key; k++) {
		const struct column *c = &t->columns[k];

		out_text(",\"");
		out_text(c->key);
		out_text("\":");
		if (row->is_none[k])
			out_text("null");
		else if (c->type == CELL_TEXT)
			out_json(row->cells[k].text.text,
				 row->cells[k].text.len);
		else if (c->type == CELL_STACK)
			json_stack(t, row->cells[k].count);
		else
			put_number(c->type, row->cells[k]);
	}
	out_text("}\n");
}

static void print_csv(const struct table *t, const struct row *row)
{
	for (size_t k = 0; t->columns[k].key; k++) {
		enum cell_type type = t->columns[k].type;

		if (k)
			out_char(',');
		if (row->is_none[k])
			continue;
		if (type == CELL_TEXT)
			csv_text(row->cells[k].text);
		else if (type == CELL_STACK)
			csv_stack(t->names, row->cells[k].count);
		else
			put_number(type, row->cells[k]);
	}
	out_char('\n');
}

static void csv_titles(const struct table *t)
{
	for (size_t k = 0; t->columns[k].key; k++) {
		if (k)
			out_char(',');
		out_text(t->columns[k].key);
	}
	out_char('\n');
}

static bool print(const struct table *t, enum table_format format,
		  const struct table_order *order, struct row *row,
		  struct picks *picks)
{
	if (!pick_rows(t, order, row, picks))
		return false;
	if (format == TABLE_TEXT)
		return print_text(t, picks, row, order->sort);
	if (format == TABLE_CSV)
		csv_titles(t);
	for (size_t i = 0; i < picks->n; i++) {
		fill(t, picks->all[i].row, row);
		if (format == TABLE_CSV)
			print_csv(t, row);
		else
			print_json(t, row);
	}
	return true;
}

bool table_print(const struct table *t, enum table_format format,
		 const struct table_order *order)
{
	struct picks picks = { 0 };
	struct row row;
	bool done = row_init(&row, t) && print(t, format, order, &row, &picks);

	free(picks.all);
	row_exit(&row);
	return done;
}
