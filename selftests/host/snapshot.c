// SPDX-License-Identifier: GPL-2.0
/*
 * Snapshots of a flight recorder whose tasks do several things in one tick, on one
 * CPU and on two: from replies of the module made here come traces that are valid.
 * How the module's own are is seen by snapshot_test.sh.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/gotrace.h>

#include "lib/event.h"
#include "putrecord.h"
#include "snapshot.h"

#define CUT	1000	/* where the batches begin */
#define END	2000
#define NAME	1	/* the stack with the name of all tasks, and its string */

static uint64_t room[8192];	/* the reply */
static size_t len;
static struct gotrace_snap *snap;	/* the record that is being made */

static void begin(struct gotrace_snap head)
{
	snap = (struct gotrace_snap *)((char *)room + len);
	*snap = head;
}

static void put(unsigned int type, const uint64_t *args, size_t n)
{
	snap->bytes += put_record((uint8_t *)(snap + 1) + snap->bytes, type, args, n);
}

#define PUT(type, ...) do {							\
	const uint64_t args_[] = { __VA_ARGS__ };				\
	put(type, args_, sizeof(args_) / sizeof(args_[0]));			\
} while (0)

static void end(void)
{
	snap->len = (sizeof(*snap) + snap->bytes + 7) / 8 * 8;
	len += snap->len;
}

/* A CPU's only batch, of which older ones are gone; @g runs on it. */
static void batch(uint32_t cpu, uint64_t g)
{
	begin((struct gotrace_snap){
		.type = GOTRACE_SNAP_BATCH, .cpu = cpu, .kind = GOTRACE_SNAP_OF_CPU,
		.thread = cpu + 1, .number = 7, .ticks = CUT, .goid = g,
	});
	PUT(GT_EV_BATCH, cpu, CUT);
}

static void task(uint64_t g, uint32_t state)
{
	begin((struct gotrace_snap){
		.type = GOTRACE_SNAP_TASK, .state = state, .stack = NAME, .goid = g,
	});
	end();
}

static void put_name(void)
{
	const struct gt_frame frame = { .pc = 1, .fn = NAME, .file = NAME, .line = 1 };
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		abort();
	put_string(f, NAME, "task", 4);
	put_stack(f, NAME, &frame, 1);
	fclose(f);
	memcpy((char *)(snap + 1) + snap->bytes, text, n);
	snap->bytes += n;
	free(text);
}

static void finish(void)
{
	begin((struct gotrace_snap){ .type = GOTRACE_SNAP_SESSION, .stack = NAME, .ticks = CUT });
	end();
	for (uint32_t cpu = 0; cpu < 2; cpu++) {
		begin((struct gotrace_snap){ .type = GOTRACE_SNAP_CPU, .cpu = cpu, .ticks = END });
		end();
	}
	begin((struct gotrace_snap){ .type = GOTRACE_SNAP_NAMES });
	PUT(GT_EV_BATCH, 0, 0);
	PUT(GT_EV_FREQUENCY, 1000000000);
	put_name();
	end();
}

static void check(const char *name)
{
	static int points;
	struct snapshot_result result = { 0 };
	FILE *f = fopen("made.trace", "w");
	bool good;

	finish();
	good = f && !snapshot_write(room, len, 1021, f, &result);
	if (!good)
		printf("# %s\n", result.error ? result.error : "no file");
	good = f && !fclose(f) && good && !system("gotrace validate made.trace");
	printf("%sok %d - %s\n", good ? "" : "not ", ++points, name);
	len = 0;
	memset(room, 0, sizeof(room));
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);

	/* Goes to sleep, is woken by an interrupt, and runs, all in one tick. */
	task(10, GOTRACE_SNAP_RUNNING);
	batch(0, 0);
	end();
	batch(1, 10);
	PUT(GT_EV_GO_BLOCK, 50, 0);
	PUT(GT_EV_GO_UNBLOCK_LOCAL, 0, 10, 0);
	PUT(GT_EV_GO_START_LOCAL, 0, 10);
	end();
	check("runs, and is woken on the same CPU in the tick in which it sleeps");

	task(10, GOTRACE_SNAP_RUNNING);
	batch(0, 0);
	PUT(GT_EV_GO_UNBLOCK, 50, 10, 4, 0);
	PUT(GT_EV_GO_START, 5, 10, 5);
	end();
	batch(1, 10);
	PUT(GT_EV_GO_BLOCK, 50, 0);
	end();
	check("runs, and is woken by another CPU in the tick in which it sleeps");

	task(10, GOTRACE_SNAP_WAITING);
	batch(0, 0);
	PUT(GT_EV_GO_UNBLOCK, 50, 10, 6, 0);
	PUT(GT_EV_GO_UNBLOCK, 0, 11, 3, 0);
	end();
	batch(1, 0);
	PUT(GT_EV_GO_START, 50, 10, 5);
	PUT(GT_EV_GO_BLOCK, 0, 0);
	PUT(GT_EV_GO_START, 0, 11, 4);
	end();
	check("is runnable, and runs, sleeps and is woken in one tick; another is woken and runs");

	task(10, GOTRACE_SNAP_WAITING);
	batch(0, 0);
	PUT(GT_EV_GO_UNBLOCK, 50, 10, 4, 0);
	end();
	batch(1, 0);
	PUT(GT_EV_GO_START, 50, 10, 5);
	PUT(GT_EV_GO_BLOCK, 0, 0);
	PUT(GT_EV_GO_UNBLOCK_LOCAL, 0, 10, 0);
	PUT(GT_EV_GO_START_LOCAL, 0, 10);
	PUT(GT_EV_GO_BLOCK, 0, 0);
	end();
	check("is woken, runs, sleeps, is woken by an interrupt, and so on, in one tick");
	printf("1..4\n");
	return 0;
}
