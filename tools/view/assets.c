// SPDX-License-Identifier: GPL-2.0
/* The page's files; see assets.h. VIEW_ASSETS is the folder where web/build.sh left them. */
#include "view/assets.h"

#include <string.h>

#ifdef VIEW_ASSETS

#define EMBED(name, file) \
	__asm__(".section .rodata\n" \
		"view_" #name ": .incbin \"" VIEW_ASSETS "/" file "\"\n" \
		"view_" #name "_end: .byte 0\n" \
		".previous\n"); \
	extern const char view_##name[], view_##name##_end[]

EMBED(html, "index.html");
EMBED(js, "view.js");
EMBED(css, "view.css");
EMBED(licenses, "licenses.txt");

const struct view_asset *view_asset(const char *name)
{
	static struct view_asset asset;
	static const struct {
		const char *name, *type, *data, *end;
	} all[] = {
		{ "", "text/html; charset=utf-8", view_html, view_html_end },
		{ "view.js", "text/javascript; charset=utf-8", view_js, view_js_end },
		{ "view.css", "text/css; charset=utf-8", view_css, view_css_end },
		{ "licenses.txt", "text/plain; charset=utf-8", view_licenses,
		  view_licenses_end },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (strcmp(name, all[i].name))
			continue;
		asset = (struct view_asset){
			all[i].name, all[i].type, all[i].data,
			all[i].end - all[i].data,
		};
		return &asset;
	}
	return NULL;
}

bool view_has_assets(void)
{
	return true;
}

#else

const struct view_asset *view_asset(const char *name)
{
	(void)name;
	return NULL;
}

bool view_has_assets(void)
{
	return false;
}

#endif
