// SPDX-License-Identifier: GPL-2.0
/* vm: timeout=300 tcg=single */
/*
 * Session after session, while tasks are born and die: each is whole, ends
 * where it should, and leaves nothing behind.
 */
#include "device.h"
#include "trace.h"
#include "harness.h"

#define CYCLES	200
#define WARM	20	/* after so many, caches are as full as they get */

FIXTURE(cycles) {
	pid_t storm;
	struct gt_bytes got;
};

static pid_t start_storm(void)
{
	pid_t pid = gt_fork();

	if (!pid) {
		execlp("storm", "storm", "-w", "2", "fork", "exec", "thread",
		       "vfork", "crowd", "signal", "orphan", NULL);
		_exit(127);
	}
	return pid;
}

/* Its workers die with it; they are children of a group leader of our own. */
static int stop_storm(pid_t pid)
{
	int code = gt_kill_and_join(pid);

	return code == 128 + SIGKILL ? 0 : code;
}

FIXTURE_SETUP(cycles)
{
	ASSERT_EQ(0, gt_reset());
	self->storm = start_storm();
	ASSERT_GT(self->storm, 0);
}

FIXTURE_TEARDOWN(cycles)
{
	if (self->storm > 0)
		stop_storm(self->storm);
	free(self->got.data);
}

/* Each cycle has another mixture of what can be chosen. */
static struct gotrace_start options(int i)
{
	struct gotrace_start args = gt_start_args();

	args.syscalls = i % 3;
	args.flags = i % 5 ? 0 : GOTRACE_START_IDLE;
	args.clock = i % 7 ? GOTRACE_CLOCK_AUTO : GOTRACE_CLOCK_MONO;
	return args;
}

/* Drains to the end of file; what STATUS counted must have come. */
static int drain_counting(int fd, struct gt_bytes *b)
{
	struct gotrace_status st = { 0 }, last;
	long n;

	b->len = 0;
	do {
		last = st;
		n = gt_take(fd, b, 65536);
		if (n < 0 || gt_status(fd, &st))
			return n < 0 ? n : -EIO;
	} while (n);
	if (last.bytes_read != b->len || last.bytes_produced != b->len ||
	    last.lost[GOTRACE_LOST_BUFFER] || last.lost[GOTRACE_LOST_TASK])
		return -EILSEQ;
	return st.state == GOTRACE_STATE_NONE ? 0 : -EBUSY;
}

static int one_cycle(int fd, int i, struct gt_bytes *b)
{
	struct gotrace_start args = options(i);
	char name[32], c;
	int err = gt_start_with(fd, &args);

	if (err)
		return err;
	gt_sleep_ms(i % 8 * 5);
	err = gt_stop(fd, 0);
	if (!err)
		err = drain_counting(fd, b);
	if (!err && gt_read(fd, &c, 1) != 0)
		err = -ENODATA;
	if (!err)
		err = gt_check_whole(b->data, b->len);
	if (!err && (i < 3 || i >= CYCLES - 3 || i % 33 == 0)) {
		snprintf(name, sizeof(name), "cycles_%03d.trace", i);
		err = gt_save(b, name);
	}
	return err;
}

/* A line of /proc/meminfo, in KiB. */
static long meminfo(const char *key)
{
	FILE *f = fopen("/proc/meminfo", "r");
	char line[128];
	long kib = -1;

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, key, strlen(key)))
			kib = atol(line + strlen(key));
	if (f)
		fclose(f);
	return kib;
}

struct memory {
	long vmalloc, slab;
};

/* When all is quiet, and what is freed late has been freed. */
static struct memory memory_now(void)
{
	gt_sleep_ms(500);
	return (struct memory){ meminfo("VmallocUsed:"), meminfo("SUnreclaim:") };
}

TEST_F_TIMEOUT(cycles, two_hundred_sessions, 200)
{
	struct memory before, after;
	int fd = gt_open(O_RDWR), i;

	ASSERT_GE(fd, 0);
	for (i = 0; i < CYCLES; i++) {
		if (i == WARM) {
			ASSERT_EQ(0, stop_storm(self->storm));
			before = memory_now();
			self->storm = start_storm();
		}
		ASSERT_EQ(0, one_cycle(fd, i, &self->got)) {
			gt_save(&self->got, "cycles_bad.bin");
			TH_LOG("cycle %d", i);
		}
	}
	EXPECT_EQ(GOTRACE_STATE_NONE, gt_state(fd));
	close(fd);
	ASSERT_EQ(0, stop_storm(self->storm));
	self->storm = 0;
	after = memory_now();
	/* a page a session would be 720 KiB */
	EXPECT_LT(after.vmalloc - before.vmalloc, 512);
	EXPECT_LT(after.slab - before.slab, 700);
	gt_figure("sessions started and stopped", CYCLES);
}

/*
 * A reader that knows nothing of the sessions: a file for each end of file.
 * Closes @ready when it has the device open.
 */
static int read_sessions(int sessions, int ready)
{
	struct gt_bytes b = { 0 };
	int fd = gt_open(O_RDONLY), i, err;
	char name[32];

	if (fd < 0)
		return 1;
	close(ready);
	for (i = 0; i < sessions; i++) {
		b.len = 0;
		/* the end of the last file is there until the next begins */
		while (!b.len)
			if (gt_poll(fd, -1) < 0 || gt_drain(fd, &b))
				return 2;
		err = gt_check_whole(b.data, b.len);
		snprintf(name, sizeof(name), "cycles_reader_%02d.trace", i);
		if (err || (i % 8 == 0 && gt_save(&b, name)))
			return 3;
	}
	return 0;
}

TEST_F_TIMEOUT(cycles, reader_of_its_own_gets_every_session, 100)
{
	const int sessions = 40;
	int ctl = gt_open(O_WRONLY), i, ready[2];
	pid_t reader;
	char c;

	ASSERT_GE(ctl, 0);
	ASSERT_EQ(0, pipe(ready));
	reader = gt_fork();
	if (!reader) {
		close(ready[0]);
		_exit(read_sessions(sessions, ready[1]));
	}
	close(ready[1]);
	ASSERT_EQ(0, read(ready[0], &c, 1));
	for (i = 0; i < sessions; i++) {
		struct gotrace_start args = options(i);

		ASSERT_EQ(0, gt_start_with(ctl, &args));
		gt_sleep_ms(i % 10 * 3);
		ASSERT_EQ(0, gt_stop(ctl, 0));
		ASSERT_EQ(0, gt_wait_state(ctl, GOTRACE_STATE_NONE));
	}
	EXPECT_EQ(0, gt_join(reader));
	close(ctl);
	gt_figure("sessions started and stopped", sessions);
}

/* Nobody ever reads: each START drops what the one before left. */
TEST_F_TIMEOUT(cycles, discarded_without_being_read, 100)
{
	struct gotrace_start args;
	struct gotrace_status st;
	int ctl = gt_open(O_RDWR), i;

	ASSERT_GE(ctl, 0);
	for (i = 0; i < 50; i++) {
		args = options(i);
		args.flags |= GOTRACE_START_DISCARD;
		ASSERT_EQ(0, gt_start_with(ctl, &args));
		ASSERT_EQ(0, gt_status(ctl, &st));
		ASSERT_EQ(0u, st.bytes_read);
		ASSERT_EQ(0, gt_stop(ctl, 0));
	}
	ASSERT_EQ(0, drain_counting(ctl, &self->got));
	EXPECT_EQ(0, gt_check_whole(self->got.data, self->got.len));
	EXPECT_EQ(0, gt_save(&self->got, "cycles_discard.trace"));
	close(ctl);
	gt_figure("sessions started and stopped", i);
}

TEST_HARNESS_MAIN
