// SPDX-License-Identifier: GPL-2.0
/* Standard output; see out.h. */
#include "out.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "utf8.h"

static char buf[64 * 1024];
static size_t used;
static int error;
static FILE *to;		/* NULL: standard output */

void out_to(FILE *file)
{
	to = file;
	used = 0;
	error = 0;
}

int out_flush(void)
{
	size_t done = 0;
	ssize_t n;

	if (to) {
		if (fwrite(buf, 1, used, to) != used && !error)
			error = errno ? -errno : -EIO;
		used = 0;
		return error;
	}
	while (done < used && !error) {
		n = write(STDOUT_FILENO, buf + done, used - done);
		if (n >= 0)
			done += n;
		else if (errno != EINTR)
			error = -errno;
	}
	used = 0;
	return error;
}

void out_char(char c)
{
	if (used == sizeof(buf))
		out_flush();
	buf[used++] = c;
}

void out_bytes(const void *data, size_t len)
{
	const char *p = data;
	size_t n;

	while (len) {
		if (used == sizeof(buf))
			out_flush();
		n = sizeof(buf) - used < len ? sizeof(buf) - used : len;
		memcpy(buf + used, p, n);
		used += n;
		p += n;
		len -= n;
	}
}

void out_text(const char *s)
{
	out_bytes(s, strlen(s));
}

void out_u64(uint64_t v)
{
	char digits[20];
	size_t at = sizeof(digits);

	do
		digits[--at] = '0' + v % 10;
	while (v /= 10);
	out_bytes(digits + at, sizeof(digits) - at);
}

void out_i64(int64_t v)
{
	if (v < 0)
		out_char('-');
	out_u64(v < 0 ? -(uint64_t)v : (uint64_t)v);
}

static void out_hex(uint8_t c)
{
	static const char hex[] = "0123456789abcdef";

	out_char(hex[c >> 4]);
	out_char(hex[c & 15]);
}

void out_field(const void *data, size_t len, const char *also)
{
	const uint8_t *p = data;

	for (size_t i = 0; i < len; i++) {
		if (p[i] <= ' ' || p[i] == 0x7f || p[i] == '\\' ||
		    strchr(also, p[i]) || (i == 0 && p[i] == '#')) {
			out_text("\\x");
			out_hex(p[i]);
		} else {
			out_char(p[i]);
		}
	}
}

void out_json(const void *data, size_t len)
{
	const uint8_t *p = data;
	size_t n;

	out_char('"');
	for (size_t i = 0; i < len; i += n) {
		n = utf8_len(p + i, len - i);
		if (n == 0) {
			out_text("\\ufffd");
			n = 1;
		} else if (p[i] < ' ' || p[i] == 0x7f) {
			out_text("\\u00");
			out_hex(p[i]);
		} else {
			if (p[i] == '"' || p[i] == '\\')
				out_char('\\');
			out_bytes(p + i, n);
		}
	}
	out_char('"');
}
