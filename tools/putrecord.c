// SPDX-License-Identifier: GPL-2.0
/* Records to bytes; see putrecord.h. */
#include "putrecord.h"

static void put_number(FILE *to, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		putc(0x80 | (v & 0x7f), to);
	putc(v, to);
}

size_t put_number_size(uint64_t v)
{
	size_t n = 1;

	for (; v >= 0x80; v >>= 7)
		n++;
	return n;
}

size_t put_frames_size(const struct gt_frame *f, size_t n)
{
	size_t size = 0;

	for (size_t i = 0; i < n; i++)
		size += put_number_size(f[i].pc) + put_number_size(f[i].fn) +
			put_number_size(f[i].file) + put_number_size(f[i].line);
	return size;
}

void put_string(FILE *to, uint64_t id, const char *text, size_t len)
{
	putc(GT_EV_STRING, to);
	put_number(to, id);
	put_number(to, len);
	fwrite(text, 1, len, to);
}

void put_stack(FILE *to, uint64_t id, const struct gt_frame *f, size_t n)
{
	putc(3 << 6 | GT_EV_STACK, to);
	put_number(to, put_number_size(id) + put_number_size(n) +
		       put_frames_size(f, n));
	put_number(to, id);
	put_number(to, n);
	for (size_t i = 0; i < n; i++) {
		put_number(to, f[i].pc);
		put_number(to, f[i].fn);
		put_number(to, f[i].file);
		put_number(to, f[i].line);
	}
}
