// SPDX-License-Identifier: GPL-2.0
/* vm: timeout=3000 slow */
/*
 * Start, stop, reading, annotating, asking, loading and unloading, all at once and
 * each as fast as it can, until the module was unloaded RACES (2000) times. Whoever
 * comes when it is gone, or going, is told so. GOTRACE_KO is the module's file.
 */
#include "device.h"
#include "trace.h"
#include "harness.h"

#define RACERS	2

/* Counted by all, in memory that they share. */
struct counts {
	unsigned long opened, started, read;
	bool over;
};

static void count(unsigned long *n)
{
	__atomic_add_fetch(n, 1, __ATOMIC_RELAXED);
}

/* One thing that a user does, with a file open. -errno for what may not be. */
static int do_one(struct counts *n, int fd, unsigned int *seed)
{
	struct gotrace_start args = gt_start_args();
	struct gotrace_begin begin = {
		.size = sizeof(begin), .name = (uintptr_t)"race", .name_len = 4,
	};
	static char buf[8192];
	struct gotrace_status st;
	int ret;

	switch (rand_r(seed) % 16) {
	case 0:
		args.flags = rand_r(seed) % 4 ? GOTRACE_START_DISCARD : 0;
		args.syscalls = rand_r(seed) % 3;
		args.stacks = rand_r(seed) % 4;
		args.sample_hz = rand_r(seed) % 4 ? 0 : 500;
		args.buffer_bytes = args.table_bytes = 2 << 20;
		ret = gt_start_with(fd, &args);
		if (!ret)
			count(&n->started);
		return ret == -EBUSY ? 0 : ret;
	case 1:
		ret = gt_stop(fd, GOTRACE_STOP_NOWAIT);
		return ret;
	case 2: case 3: case 4: case 5:
		ret = gt_read(fd, buf, rand_r(seed) % sizeof(buf));
		if (ret > 0)
			count(&n->read);
		return ret == -EAGAIN || ret == -EBADF || ret > 0 ? 0 : ret;
	case 6: case 7: case 8: case 9: case 10:
		ret = gt_ioctl(fd, rand_r(seed) % 2 ? GOTRACE_IOC_TASK_CREATE :
						      GOTRACE_IOC_REGION_BEGIN, &begin);
		return ret == -EBADF || ret == -EDQUOT || ret == -E2BIG || ret == -ENOSPC ? 0 : ret;
	default:
		return gt_status(fd, &st);
	}
}

/* Returns the errno that may not be, or 0. */
static int race(struct counts *n, unsigned int seed)
{
	static const int modes[] = { O_WRONLY, O_RDWR, O_RDONLY };

	while (!__atomic_load_n(&n->over, __ATOMIC_RELAXED)) {
		int fd = gt_open(modes[rand_r(&seed) % 3] | O_NONBLOCK), turns, err = 0;

		if (fd == -ENOENT || fd == -ENODEV || fd == -ENXIO || fd == -EBUSY)
			continue;
		if (fd < 0)
			return -fd;
		count(&n->opened);
		for (turns = rand_r(&seed) % 4; turns && !err; turns--)
			err = do_one(n, fd, &seed);
		close(fd);
		if (err)
			return -err;
		/* So that there are moments when nobody holds it. */
		usleep(rand_r(&seed) % 12000);
	}
	return 0;
}

FIXTURE(races) {
	struct counts *n;
	pid_t racer[RACERS];
};

FIXTURE_SETUP(races)
{
	int i;

	ASSERT_EQ(0, gt_reset());
	self->n = mmap(NULL, sizeof(*self->n), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->n);
	for (i = 0; i < RACERS; i++) {
		self->racer[i] = gt_fork();
		if (!self->racer[i])
			_exit(race(self->n, i));
	}
}

FIXTURE_TEARDOWN(races)
{
	munmap(self->n, sizeof(*self->n));
}

TEST_F_TIMEOUT(races, loaded_and_unloaded_again_and_again, 6000)
{
	const char *wanted = getenv("RACES");
	int races = wanted ? atoi(wanted) : 2000, done = 0, err, i;
	struct gt_bytes b = { 0 };
	unsigned long refused = 0;
	int fd;

	while (done < races) {
		err = gt_unload();
		if (err == -EWOULDBLOCK || err == -EBUSY) {
			refused++;
			usleep(500);
			continue;
		}
		ASSERT_EQ(0, err) {
			TH_LOG("unloading, after %d times", done);
		}
		done++;
		ASSERT_EQ(0, gt_load(getenv("GOTRACE_KO")));
		fd = gt_open(O_WRONLY);
		ASSERT_GE(fd, 0);
		err = gt_start(fd);
		ASSERT_TRUE(err == 0 || err == -EBUSY);
		if (!err)
			count(&self->n->started);
		if (done % 4 == 0)
			gt_stop(fd, GOTRACE_STOP_NOWAIT);
		close(fd);
		usleep(done % 8 * 500);
	}
	self->n->over = true;
	for (i = 0; i < RACERS; i++) {
		EXPECT_EQ(0, gt_join(self->racer[i]));
	}
	EXPECT_GT(self->n->started, races / 2ul);
	EXPECT_GT(self->n->read, 0ul);
	gt_figure("modules unloaded", done);
	gt_figure("unloads refused", refused);
	gt_figure("sessions started and stopped", self->n->started);

	ASSERT_EQ(0, gt_reset());
	fd = gt_open(O_RDWR);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, gt_start(fd));
	gt_busy(1000);
	ASSERT_EQ(0, gt_stop(fd, 0));
	ASSERT_EQ(0, gt_drain(fd, &b));
	EXPECT_EQ(0, gt_check_whole(b.data, b.len));
	EXPECT_EQ(0, gt_save(&b, "races_after.trace"));
	close(fd);
}

TEST_HARNESS_MAIN
