// SPDX-License-Identifier: GPL-2.0
/* vm: tcg=single */
/*
 * What START refuses of a filter, and with which errno; RESIZE; limits in STATUS.
 */
#include "device.h"
#include "harness.h"

FIXTURE(filter) {
	int ctl;
	struct gotrace_filter f;
	struct gotrace_start start;
};

FIXTURE_SETUP(filter)
{
	ASSERT_EQ(0, gt_reset());
	self->ctl = gt_open(O_WRONLY);
	ASSERT_GE(self->ctl, 0);
	self->f.size = sizeof(self->f);
	self->start = gt_start_args();
	self->start.filter = (uintptr_t)&self->f;
}

FIXTURE_TEARDOWN(filter)
{
	EXPECT_EQ(GOTRACE_STATE_NONE, gt_state(self->ctl));
	close(self->ctl);
}

static int start(FIXTURE_DATA(filter) *self)
{
	int err = gt_start_with(self->ctl, &self->start);

	return err ? err : gt_reset();
}

/* With a list of the filter's, which is empty again afterwards. */
static int start_with(FIXTURE_DATA(filter) *self, struct gotrace_list *l, const void *addr,
		      uint32_t len)
{
	int err;

	l->addr = (uintptr_t)addr;
	l->len = len;
	err = start(self);
	memset(l, 0, sizeof(*l));
	return err;
}

TEST_F(filter, an_empty_one_is_ok)
{
	EXPECT_EQ(0, start(self));
	self->f.flags = GOTRACE_FILTER_FOLLOW | GOTRACE_FILTER_CALLS_EXCEPT;
	EXPECT_EQ(0, start(self));
}

TEST_F(filter, bad_address_is_efault)
{
	struct gotrace_list *l = &self->f.tids;
	unsigned int i;

	self->start.filter = 8;
	EXPECT_EQ(-EFAULT, start(self));
	self->start.filter = 0xffffffff81000000UL;
	EXPECT_EQ(-EFAULT, start(self));
	self->start.filter = (uintptr_t)&self->f;
	for (i = 0; i < 7; i++) {
		EXPECT_EQ(-EFAULT, start_with(self, l + i, (void *)8, 1));
		EXPECT_EQ(-EFAULT, start_with(self, l + i, NULL, 1));
		EXPECT_EQ(-EFAULT, start_with(self, l + i, (void *)~0UL, 1));
	}
}

TEST_F(filter, sizes)
{
	char big[8192] = { 0 };

	for (self->f.size = 0; self->f.size < GOTRACE_FILTER_SIZE_VER0; self->f.size++) {
		EXPECT_EQ(-EINVAL, start(self));
	}
	self->start.filter = (uintptr_t)big;
	*(uint32_t *)big = sizeof(self->f) + 64;
	EXPECT_EQ(0, start(self));
	big[sizeof(self->f) + 63] = 1;
	EXPECT_EQ(-E2BIG, start(self));
	*(uint32_t *)big = sizeof(big);
	EXPECT_EQ(-E2BIG, start(self));
}

TEST_F(filter, unknown_flags_and_reserved_are_einval)
{
	struct gotrace_list *l = &self->f.tids;
	int i;

	for (i = 2; i < 32; i++) {
		self->f.flags = 1U << i;
		EXPECT_EQ(-EINVAL, start(self));
	}
	self->f.flags = 0;
	for (i = 0; i < 7; i++) {
		l[i].reserved = 1;
		EXPECT_EQ(-EINVAL, start(self));
		l[i].reserved = 0;
	}
}

TEST_F(filter, lists_that_are_too_long_are_einval)
{
	void *zeros = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);

	ASSERT_NE(MAP_FAILED, zeros);
	EXPECT_EQ(-EINVAL, start_with(self, &self->f.tids, zeros, GOTRACE_FILTER_IDS_MAX + 1));
	EXPECT_EQ(-EINVAL, start_with(self, &self->f.tgids, zeros, ~0U));
	EXPECT_EQ(-EINVAL, start_with(self, &self->f.uids, zeros, 1U << 31));
	EXPECT_EQ(-EINVAL, start_with(self, &self->f.comms, zeros, GOTRACE_FILTER_COMMS_MAX + 1));
	EXPECT_EQ(-EINVAL, start_with(self, &self->f.cgroups, zeros,
				      GOTRACE_FILTER_CGROUPS_MAX + 1));
	EXPECT_EQ(-EINVAL, start_with(self, &self->f.cpus, zeros, GOTRACE_FILTER_CPUS_MAX + 1));
	EXPECT_EQ(-EINVAL, start_with(self, &self->f.calls, zeros, GOTRACE_FILTER_CALLS_MAX + 1));
	/* and at the ends of their ranges */
	EXPECT_EQ(0, start_with(self, &self->f.uids, zeros, GOTRACE_FILTER_IDS_MAX));
	EXPECT_EQ(0, start_with(self, &self->f.calls, zeros, GOTRACE_FILTER_CALLS_MAX));
}

TEST_F(filter, ids_of_nobody_are_esrch)
{
	uint32_t ids[4] = { getpid(), getpid(), 1, getpid() };

	EXPECT_EQ(0, start_with(self, &self->f.tids, ids, 4));
	EXPECT_EQ(0, start_with(self, &self->f.tgids, ids, 4));
	ids[2] = 0;
	EXPECT_EQ(-ESRCH, start_with(self, &self->f.tids, ids, 4));
	ids[2] = 4194304;
	EXPECT_EQ(-ESRCH, start_with(self, &self->f.tgids, ids, 4));
	ids[2] = ~0U;
	EXPECT_EQ(-ESRCH, start_with(self, &self->f.tgids, ids, 4));
}

TEST_F(filter, patterns)
{
	char p[3][GOTRACE_FILTER_COMM_SIZE] = { "a*", "[!b]", "\\[x" };

	EXPECT_EQ(0, start_with(self, &self->f.comms, p, 3));
	memset(p[1], 0, sizeof(p[1]));
	EXPECT_EQ(-EINVAL, start_with(self, &self->f.comms, p, 3));
	memset(p[1], 'x', sizeof(p[1]));
	EXPECT_EQ(-EINVAL, start_with(self, &self->f.comms, p, 3));
	p[1][sizeof(p[1]) - 1] = 0;
	EXPECT_EQ(0, start_with(self, &self->f.comms, p, 3));
	/* no end of a class, no character after '\' */
	strcpy(p[0], "[a-");
	strcpy(p[1], "\\");
	strcpy(p[2], "[]");
	EXPECT_EQ(0, start_with(self, &self->f.comms, p, 3));
}

TEST_F(filter, cgroups_that_are_none_are_ebadf)
{
	int32_t fds[2] = { open("/", O_RDONLY), -1 };

	EXPECT_EQ(-EBADF, start_with(self, &self->f.cgroups, fds, 1));
	fds[0] = -1;
	EXPECT_EQ(-EBADF, start_with(self, &self->f.cgroups, fds, 1));
	fds[0] = self->ctl;
	EXPECT_EQ(-EBADF, start_with(self, &self->f.cgroups, fds, 2));
}

TEST_F(filter, users_and_cpus_and_calls_out_of_range_are_einval)
{
	uint8_t mask[GOTRACE_FILTER_CPUS_MAX] = { 0 };
	uint32_t n = ~0U;

	EXPECT_EQ(-EINVAL, start_with(self, &self->f.uids, &n, 1));
	EXPECT_EQ(-EINVAL, start_with(self, &self->f.cpus, mask, sizeof(mask)));
	mask[0] = 1;
	EXPECT_EQ(0, start_with(self, &self->f.cpus, mask, sizeof(mask)));
	n = GOTRACE_FILTER_CALL_MAX;
	EXPECT_EQ(-EINVAL, start_with(self, &self->f.calls, &n, 1));
	n = (GOTRACE_FILTER_CALL_MAX - 1) | GOTRACE_FILTER_COMPAT;
	EXPECT_EQ(0, start_with(self, &self->f.calls, &n, 1));
}

static int resize(int fd, uint64_t bytes)
{
	struct gotrace_resize a = { .size = sizeof(a), .buffer_bytes = bytes };

	return gt_ioctl(fd, GOTRACE_IOC_RESIZE, &a);
}

TEST_F(filter, resize)
{
	struct gotrace_resize a = { .size = sizeof(a), .buffer_bytes = 1 << 23 };
	struct gotrace_status st;

	EXPECT_EQ(-EFAULT, gt_ioctl(self->ctl, GOTRACE_IOC_RESIZE, NULL));
	EXPECT_EQ(-ENODATA, resize(self->ctl, 1 << 23));
	ASSERT_EQ(0, gt_start(self->ctl));
	EXPECT_EQ(-EINVAL, resize(self->ctl, 0));
	EXPECT_EQ(-EINVAL, resize(self->ctl, gt_min_buffer_bytes() - 1));
	EXPECT_EQ(-EINVAL, resize(self->ctl, (1ULL << 40) + 1));
	a.flags = 1;
	EXPECT_EQ(-EINVAL, gt_ioctl(self->ctl, GOTRACE_IOC_RESIZE, &a));
	a.flags = 0;
	a.size = GOTRACE_RESIZE_SIZE_VER0 - 1;
	EXPECT_EQ(-EINVAL, gt_ioctl(self->ctl, GOTRACE_IOC_RESIZE, &a));
	EXPECT_EQ(0, resize(self->ctl, gt_min_buffer_bytes()));
	ASSERT_EQ(0, gt_status(self->ctl, &st));
	EXPECT_EQ(gt_min_buffer_bytes() / GOTRACE_BUF_SIZE, st.buffers_limit);
	EXPECT_LE(st.buffers_empty + st.buffers_full + st.buffers_inuse, st.buffers_limit);
	EXPECT_EQ(0, resize(self->ctl, 1 << 23));
	ASSERT_EQ(0, gt_status(self->ctl, &st));
	EXPECT_EQ(128u, st.buffers_limit);
	ASSERT_EQ(0, gt_stop(self->ctl, 0));
	EXPECT_EQ(-ENODATA, resize(self->ctl, 1 << 23));
	ASSERT_EQ(0, gt_reset());
}

/* Of a flight recorder. */
TEST_F(filter, snapshot)
{
	struct gotrace_snapshot a = { .size = sizeof(a) };
	char *reply;

	EXPECT_EQ(-EFAULT, gt_ioctl(self->ctl, GOTRACE_IOC_SNAPSHOT, NULL));
	EXPECT_EQ(-ENODATA, gt_ioctl(self->ctl, GOTRACE_IOC_SNAPSHOT, &a));
	ASSERT_EQ(0, gt_start(self->ctl));
	EXPECT_EQ(-ENODATA, gt_ioctl(self->ctl, GOTRACE_IOC_SNAPSHOT, &a));
	ASSERT_EQ(0, gt_reset());
	self->start.flags = GOTRACE_START_OVERWRITE;
	self->start.filter = 0;
	ASSERT_EQ(0, gt_start_with(self->ctl, &self->start));
	a.flags = 1;
	EXPECT_EQ(-EINVAL, gt_ioctl(self->ctl, GOTRACE_IOC_SNAPSHOT, &a));
	a.flags = 0;
	a.size = GOTRACE_SNAPSHOT_SIZE_VER0 - 1;
	EXPECT_EQ(-EINVAL, gt_ioctl(self->ctl, GOTRACE_IOC_SNAPSHOT, &a));
	a.size = sizeof(a);
	EXPECT_EQ(-ENOSPC, gt_ioctl(self->ctl, GOTRACE_IOC_SNAPSHOT, &a));
	EXPECT_GT(a.buf_len, sizeof(struct gotrace_snap));
	a.buf_addr = 8;
	EXPECT_EQ(-EFAULT, gt_ioctl(self->ctl, GOTRACE_IOC_SNAPSHOT, &a));
	a.buf_len = 16 << 20;
	reply = malloc(a.buf_len);
	ASSERT_NE(NULL, reply);
	a.buf_addr = (uintptr_t)reply;
	EXPECT_EQ(0, gt_ioctl(self->ctl, GOTRACE_IOC_SNAPSHOT, &a));
	EXPECT_EQ(GOTRACE_SNAP_SESSION, ((struct gotrace_snap *)reply)->type);
	EXPECT_EQ(0, gt_stop(self->ctl, GOTRACE_STOP_NOWAIT));
	a.buf_len = 16 << 20;
	EXPECT_EQ(0, gt_ioctl(self->ctl, GOTRACE_IOC_SNAPSHOT, &a));
	EXPECT_EQ(0, gt_stop(self->ctl, GOTRACE_STOP_DISCARD));
	EXPECT_EQ(GOTRACE_STATE_NONE, gt_state(self->ctl));
	EXPECT_EQ(-ENODATA, gt_ioctl(self->ctl, GOTRACE_IOC_SNAPSHOT, &a));
	free(reply);
}

TEST_F(filter, status_tells)
{
	uint32_t pid = getpid();
	struct gotrace_status st;

	self->f.tgids.addr = (uintptr_t)&pid;
	self->f.tgids.len = 1;
	self->start.max_bytes = 1 << 30;
	self->start.max_ns = 3600ULL * 1000000000;
	ASSERT_EQ(0, gt_start_with(self->ctl, &self->start));
	ASSERT_EQ(0, gt_status(self->ctl, &st));
	EXPECT_EQ(GOTRACE_FILTERED_TGIDS, st.filtered);
	EXPECT_EQ(GOTRACE_STOPPED_NOT, st.stopped);
	EXPECT_EQ(self->start.max_bytes, st.max_bytes);
	EXPECT_EQ(self->start.max_ns, st.max_ns);
	/* refused, and the session's filter is as it was */
	EXPECT_EQ(-EBUSY, gt_start_with(self->ctl, &self->start));
	ASSERT_EQ(0, gt_stop(self->ctl, 0));
	ASSERT_EQ(0, gt_status(self->ctl, &st));
	EXPECT_EQ(GOTRACE_STOPPED_ASKED, st.stopped);
	EXPECT_EQ(GOTRACE_FILTERED_TGIDS, st.filtered);
	ASSERT_EQ(0, gt_reset());
}

/* The next session's limits are its own. */
TEST_F(filter, limits_are_of_their_session)
{
	struct gotrace_status st;

	self->start.max_ns = 200000000;
	ASSERT_EQ(0, gt_start_with(self->ctl, &self->start));
	ASSERT_EQ(0, gt_reset());
	ASSERT_EQ(0, gt_start(self->ctl));
	gt_sleep_ms(400);
	ASSERT_EQ(0, gt_status(self->ctl, &st));
	EXPECT_EQ(GOTRACE_STATE_TRACING, (int)st.state);
	ASSERT_EQ(0, gt_reset());
	ASSERT_EQ(0, gt_start_with(self->ctl, &self->start));
	gt_sleep_ms(600);
	ASSERT_EQ(0, gt_status(self->ctl, &st));
	EXPECT_EQ(GOTRACE_STATE_DRAINING, (int)st.state);
	EXPECT_EQ(GOTRACE_STOPPED_TIME, st.stopped);
	EXPECT_GE(st.end_mono - st.start_mono, self->start.max_ns);
	ASSERT_EQ(0, gt_reset());
}

TEST_HARNESS_MAIN
