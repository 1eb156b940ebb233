// SPDX-License-Identifier: GPL-2.0
/*
 * The encoder of the module, byte by byte against what the format says, at the
 * borders of its varints and lengths.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef unsigned long long u64;

#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif
#include "../../kmod/encode.h"

static int points, failures;

static void check(const char *name, const u8 *start, const u8 *end, const char *want)
{
	char got[3 * 256] = "", *s = got;
	const u8 *p;

	for (p = start; p < end && s < got + sizeof(got) - 4; p++)
		s += sprintf(s, "%s%02x", p > start ? " " : "", *p);
	points++;
	if (strcmp(got, want)) {
		failures++;
		printf("# got  %s\n# want %s\nnot ", got, want);
	}
	printf("ok %d - %s\n", points, name);
}

static void check_true(const char *name, bool ok)
{
	points++;
	failures += !ok;
	printf("%sok %d - %s\n", ok ? "" : "not ", points, name);
}

static void varints(void)
{
	static const struct {
		u64 v;
		const char *want;
	} rows[] = {
		{ 0, "00" },
		{ 0x7f, "7f" },
		{ 0x80, "80 01" },
		{ 0x3fff, "ff 7f" },
		{ 0x4000, "80 80 01" },
		{ 0xffffffff, "ff ff ff ff 0f" },
		{ ~0ULL, "ff ff ff ff ff ff ff ff ff 01" },
	};
	char name[64];
	u8 b[16];
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		sprintf(name, "varint %#llx", rows[i].v);
		check(name, b, gt_put_varint(b, rows[i].v), rows[i].want);
	}
}

static void events(void)
{
	u8 b[256];

	check("no argument: type, time", b, gt_put_ev0(b, EV_GO_END, 5), "0f 05");
	check("one argument", b, gt_put_ev1(b, EV_GO_START_LOCAL, 0, 300), "66 00 ac 02");
	check("two arguments", b, gt_put_ev2(b, EV_GO_START, 1, 2, 3), "8e 01 02 03");
	check("three arguments have a length", b, gt_put_ev3(b, EV_GO_UNBLOCK, 1, 2, 3, 4),
	      "d5 04 01 02 03 04");
	check("four arguments", b, gt_put_ev4(b, EV_USER_REGION, 0x80, 0, 1, 9, 0),
	      "ef 06 80 01 00 01 09 00");
	check("the longest record fits its reserve", b,
	      gt_put_ev4(b, EV_USER_REGION, ~0ULL, ~0ULL, ~0ULL, ~0ULL, ~0ULL),
	      "ef 32"
	      " ff ff ff ff ff ff ff ff ff 01 ff ff ff ff ff ff ff ff ff 01"
	      " ff ff ff ff ff ff ff ff ff 01 ff ff ff ff ff ff ff ff ff 01"
	      " ff ff ff ff ff ff ff ff ff 01");
	check("batch", b, gt_put_batch(b, 3, 0x80), "41 03 80 01");
	check("frequency", b, gt_put_frequency(b, 62500000), "02 a0 d9 e6 1d");
	check("string", b, gt_put_string(b, 200, "ab", 2), "25 c8 01 02 61 62");
	check("log: the text stands outside the length", b,
	      gt_put_user_log(b, 1, 0, 2, 0, "hi", 2), "f0 04 01 00 02 00 02 68 69");
}

static void stacks(void)
{
	static u8 b[GT_STACK_BYTES_MAX + GT_RECORD_MAX + 4 * GT_VARINT_MAX];
	static struct gt_put_frame many[1000];
	struct gt_put_frame two[] = { { 7, 7, 1, 1 }, { 300, 200, 1, 2 } };
	u8 *end;
	u32 n;

	check("stack: two bytes of length", b, gt_put_stack(b, 5, two, 2),
	      "c3 8c 00 05 02 07 07 01 01 ac 02 c8 01 01 02");
	for (n = 0; n < 1000; n++)
		many[n] = (struct gt_put_frame){ 1 << 20, 1 << 20, 1, 1 };
	/* 8 bytes a frame, 3 before them: the id, and the number of frames in two. */
	n = (GT_STACK_BYTES_MAX - 3) / 8;
	end = gt_put_stack(b, 5, many, n);
	check_true("the longest stack that Go reads", end && end - b == 3 + 3 + (long)n * 8);
	check_true("a longer one is refused", !gt_put_stack(b, 5, many, n + 1));
}

int main(void)
{
	varints();
	events();
	stacks();
	printf("1..%d\n", points);
	return failures != 0;
}
