// SPDX-License-Identifier: GPL-2.0
/* Records to bytes; see putrecord.h. */
#include "putrecord.h"

#include <string.h>

static uint8_t *number(uint8_t *p, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*p++ = 0x80 | (v & 0x7f);
	*p++ = v;
	return p;
}

static void put_number(FILE *to, uint64_t v)
{
	uint8_t bytes[10];

	fwrite(bytes, 1, number(bytes, v) - bytes, to);
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

void put_header(FILE *to, unsigned int version)
{
	char header[32] = { 0 };

	snprintf(header, sizeof(header), "go %u.%u trace", version / 1000,
		 version % 1000);
	fwrite(header, 1, GT_HEADER_SIZE, to);
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

size_t put_record(uint8_t *to, unsigned int type, const uint64_t *args,
		  size_t n)
{
	/* With more arguments than two bits can count, their length is there. */
	uint8_t *p = to + (n > 3 ? 2 : 1);

	for (size_t i = 0; i < n; i++)
		p = number(p, args[i]);
	to[0] = type | (n > 3 ? 3 : n - 1) << 6;
	if (n > 3)
		to[1] = p - (to + 2);
	return p - to;
}

size_t put_event(uint8_t *to, const struct gt_event *ev, unsigned int version,
		 uint64_t ticks)
{
	unsigned int nargs = gt_event_nargs(ev->desc, version);
	uint64_t args[GT_EVENT_ARGS_MAX + 2] = { ticks };
	uint8_t *p;
	size_t n = 1;

	while (n <= nargs) {
		args[n] = ev->args[n - 1];
		n++;
	}
	if (ev->desc->stack)
		args[n++] = ev->stk;
	p = to + put_record(to, ev->type, args, n);
	if (ev->type == GT_EV_USER_LOG) {
		p = number(p, ev->text_len);
		if (ev->text_len)
			memcpy(p, ev->text, ev->text_len);
		p += ev->text_len;
	}
	return p - to;
}
