/* SPDX-License-Identifier: GPL-2.0 */
/* The page, its style and its program, bundled from web/ into the command. */
#ifndef VIEW_ASSETS_H
#define VIEW_ASSETS_H

#include <stdbool.h>
#include <stddef.h>

struct view_asset {
	const char *name;	/* its path; "" is the page */
	const char *type;
	const void *data;
	size_t len;
};

/* Is there a page? It is bundled with npm, which not every machine has. */
bool view_has_assets(void);

/* NULL: there is none of that name. */
const struct view_asset *view_asset(const char *name);

#endif
