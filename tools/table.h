/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tables on standard output: for people, as wide as their terminal; as JSON, an
 * object a line; as CSV. What the columns are is said once, for all three.
 */
#ifndef TABLE_H
#define TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/names.h"

enum cell_type {
	CELL_TEXT,
	CELL_COUNT,
	CELL_ID,	/* a count too, but the least come first */
	CELL_TIME,	/* ns; for people in a fitting unit */
	CELL_MOMENT,	/* ns since the beginning; for people in seconds */
	CELL_PERCENT,
	CELL_STACK,	/* a stack's functions, the innermost first */
};

union cell {
	struct gt_string text;
	uint64_t count;		/* also an id, also a stack's */
	int64_t ns;
	double percent;
};

/**
 * struct column - a column
 * @key:   its name in JSON and CSV, and for sorting
 * @title: for people; NULL: it is nothing for them
 * @type:  of its cells
 * @rank:  those with the greatest are left out first where the width does not
 *         do; 0: never
 */
struct column {
	const char *key;
	const char *title;
	enum cell_type type;
	unsigned int rank;
};

/* A row's cells; a cell of which nothing is known is_none. */
struct row {
	union cell *cells;
	bool *is_none;
};

/**
 * struct table - a table
 * @name:      what JSON says each row is
 * @columns:   ending with one without a key
 * @n_rows:    how many there are
 * @fill:      gives the cells of row i; false: that row is left out
 * @arg:       for it
 * @names:     for stacks
 */
struct table {
	const char *name;
	const struct column *columns;
	size_t n_rows;
	bool (*fill)(void *arg, size_t i, struct row *row);
	void *arg;
	const struct gt_names *names;
};

enum table_format {
	TABLE_TEXT,
	TABLE_JSON,
	TABLE_CSV,
};

/**
 * struct table_order - which rows come out
 * @sort: index of the column to sort by, numbers from the greatest on, ids from the
 *        least
 * @top:  how many at most, 0: all
 */
struct table_order {
	size_t sort;
	size_t top;
};

/* The index of a column, or -1. */
int table_column(const struct column *columns, const char *key);

/* Return: false without memory. */
bool table_print(const struct table *t, enum table_format format,
		 const struct table_order *order);

/* Columns that there are for text: of the terminal, or $COLUMNS; 0: any. */
size_t table_width(void);

/* "12.3ms"; out must have room for CELL_MAX. */
#define CELL_MAX 32
void table_time(char *out, int64_t ns);
void table_moment(char *out, int64_t ns);

#endif
