// SPDX-License-Identifier: GPL-2.0
/* vm: timeout=200 */
/*
 * The initial state about the point where it fills a trace buffer: with every
 * number of tasks from some before it to some after it, all are in the trace,
 * once. Go's tracer has such a test, TestEventBatch.
 */
#include "crowd.h"
#include "device.h"
#include "trace.h"
#include "harness.h"

#define AROUND		20	/* numbers of tasks on each side of the point */
#define TASK_BYTES_MAX	20	/* of one waiting task: GoCreate, GoWaiting */
#define THREADS_MAX	7000
#define TIDS		(1 << 22)

static struct gt_bytes trace;
static unsigned char created[TIDS], waiting[TIDS];

/* What a session begins with: its batches, and what is in them. */
struct initial {
	unsigned int batches;
	size_t	bytes;
};

static int look(struct initial *in)
{
	struct gt_record r;
	struct gt_walk w;
	int ret;

	memset(created, 0, sizeof(created));
	memset(waiting, 0, sizeof(waiting));
	*in = (struct initial){ 0 };
	ret = gt_walk_init(&w, trace.data, trace.len);
	while (!ret && (ret = gt_walk_next(&w, &r)) > 0 && r.type != GT_GOMAXPROCS) {
		in->bytes = (char *)w.pos - trace.data;
		in->batches += r.type == GT_BATCH;
		if (r.type == GT_GO_CREATE)
			created[r.args[1] % TIDS]++;
		if (r.type == GT_GO_WAITING)
			waiting[r.args[1] % TIDS]++;
		ret = 0;
	}
	return ret < 0 ? ret : 0;
}

/* A session with some system calls, into @trace. */
static int record(int fd, long calls)
{
	int err = gt_start(fd);

	trace.len = 0;
	gt_busy(calls);
	if (!err)
		err = gt_stop(fd, 0);
	if (!err)
		err = gt_drain(fd, &trace);
	return err ? err : gt_check_whole(trace.data, trace.len);
}

/* The bytes of a full buffer, which is the longest there is. */
static size_t full_buffer(void)
{
	const unsigned char *batch = NULL, *at;
	struct gt_record r;
	struct gt_walk w;
	size_t most = 0;

	if (gt_walk_init(&w, trace.data, trace.len))
		return 0;
	for (at = w.pos; gt_walk_next(&w, &r) > 0; at = w.pos) {
		if (r.type != GT_BATCH)
			continue;
		if (batch && (size_t)(at - batch) > most)
			most = at - batch;
		batch = at;
	}
	return most;
}

FIXTURE(start) {
};

FIXTURE_SETUP(start)
{
	ASSERT_EQ(0, gt_reset());
}

FIXTURE_TEARDOWN(start)
{
}

TEST_F_TIMEOUT(start, every_number_of_tasks_about_a_full_buffer, 180)
{
	unsigned int before = 0, after = 0;
	struct initial in;
	struct crowd crowd = { 0 };
	size_t full;
	long room;
	int fd;

	fd = gt_open(O_RDWR);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, record(fd, GT_BUSY_BUFFERS));
	full = full_buffer();
	ASSERT_LE(GOTRACE_BUF_SIZE / 2, full);

	/* Up to a few tasks before the point, from below. */
	ASSERT_EQ(0, crowd_start(&crowd, THREADS_MAX));
	do {
		ASSERT_EQ(0, record(fd, 0));
		ASSERT_EQ(0, look(&in));
		ASSERT_EQ(1, in.batches);
		room = ((long)full - (long)in.bytes) / TASK_BYTES_MAX - 2 * AROUND;
		if (room > 0)
			ASSERT_EQ(0, crowd_grow(&crowd, room));
	} while (room > 0);
	while (after < AROUND) {
		char name[40];
		long i;

		ASSERT_EQ(0, crowd_grow(&crowd, 1));
		ASSERT_EQ(0, record(fd, 0));
		ASSERT_EQ(0, look(&in));
		ASSERT_GE(2, in.batches);
		if (in.batches == 1) {
			ASSERT_EQ(0, after);
			before++;
		} else {
			after++;
		}
		for (i = 0; i < crowd.count; i++)
			if (created[crowd.tids[i]] != 1 || waiting[crowd.tids[i]] != 1)
				break;
		ASSERT_EQ(crowd.count, i) {
			TH_LOG("with %ld threads, task %d is created %d times, waits %d times",
			       crowd.count, crowd.tids[i], created[crowd.tids[i]],
			       waiting[crowd.tids[i]]);
		}
		snprintf(name, sizeof(name), "batch_%ld.trace", crowd.count);
		ASSERT_EQ(0, gt_save(&trace, name));
	}
	ASSERT_LE(AROUND, before);
	EXPECT_EQ(128 + SIGKILL, crowd_end(&crowd));
	close(fd);
}

TEST_HARNESS_MAIN
