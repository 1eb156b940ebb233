/* SPDX-License-Identifier: GPL-2.0 */
/* What the page asks for; no HTTP here. */
#ifndef VIEW_API_H
#define VIEW_API_H

#include <stddef.h>

#include "view/trace.h"

/* A question: its name, and the values of its parameters, NULL if not given. */
struct view_query {
	const char *name;
	const char *(*get)(void *arg, const char *key);
	void *arg;
};

struct view_answer {
	unsigned int status;	/* as HTTP has them: 200, 400, 404, 500 */
	const char *type;
	char *data;		/* the caller's to free */
	size_t len;
};

void view_api(struct view *v, const struct view_query *q,
	      struct view_answer *a);

#endif
