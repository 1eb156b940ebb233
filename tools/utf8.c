// SPDX-License-Identifier: GPL-2.0
/* UTF-8; see utf8.h. */
#include "utf8.h"

#include <stdlib.h>
#include <string.h>

size_t utf8_len(const uint8_t *p, size_t len)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	uint32_t c;
	size_t n;

	if (p[0] < 0x80)
		return 1;
	if (p[0] < 0xc2 || p[0] > 0xf4)
		return 0;
	n = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	if (n > len)
		return 0;
	c = p[0] & (0x7f >> n);
	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3f);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	return n;
}

char *utf8_dup(const void *data, size_t len)
{
	static const char instead[] = "\xef\xbf\xbd";
	const uint8_t *p = data;
	char *s = malloc(len * strlen(instead) + 1);
	size_t at = 0, n;

	for (size_t i = 0; s && i < len; i += n) {
		n = p[i] ? utf8_len(p + i, len - i) : 0;
		if (n) {
			memcpy(s + at, p + i, n);
			at += n;
		} else {
			memcpy(s + at, instead, strlen(instead));
			at += strlen(instead);
			n = 1;
		}
	}
	if (s)
		s[at] = '\0';
	return s;
}
