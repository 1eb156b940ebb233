// SPDX-License-Identifier: GPL-2.0
/* vm: tcg=single */
/*
 * Who may trace: CAP_PERFMON or CAP_SYS_ADMIN in the initial user namespace,
 * asked at open and at every ioctl. The file's mode is made 0666 first, so that
 * only the capability is in the way.
 */
#include "device.h"
#include "harness.h"

#include <grp.h>
#include <linux/capability.h>
#include <sched.h>

#define NOBODY		65534
#ifndef CAP_PERFMON
#define CAP_PERFMON	38
#endif

FIXTURE(rights) {
	int ctl;
};

FIXTURE_SETUP(rights)
{
	ASSERT_EQ(0, gt_reset());
	ASSERT_EQ(0, chmod(GOTRACE_DEVICE, 0666));
	self->ctl = gt_open(O_WRONLY);
	ASSERT_GE(self->ctl, 0);
}

FIXTURE_TEARDOWN(rights)
{
	EXPECT_EQ(0, chmod(GOTRACE_DEVICE, 0600));
	EXPECT_EQ(GOTRACE_STATE_NONE, gt_state(self->ctl));
	close(self->ctl);
}

static int set_caps(uint64_t caps)
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[2] = {
		{ .effective = caps, .permitted = caps },
		{ .effective = caps >> 32, .permitted = caps >> 32 },
	};

	return gt_err(syscall(SYS_capset, &head, data));
}

/* Becomes nobody with just @caps. */
static int become_nobody(uint64_t caps)
{
	int err = gt_err(prctl(PR_SET_KEEPCAPS, 1));

	if (!err)
		err = gt_err(setgroups(0, NULL));
	if (!err)
		err = gt_err(setresgid(NOBODY, NOBODY, NOBODY));
	if (!err)
		err = gt_err(setresuid(NOBODY, NOBODY, NOBODY));
	return err ? err : set_caps(caps);
}

/* Every ioctl through @fd gives @want. */
static int ioctls_give(int fd, int want)
{
	struct gotrace_start start = gt_start_args();
	struct gotrace_status st;
	/* The buffer is too small; without rights this is not even looked at. */
	struct gotrace_traceback tb = { .size = sizeof(tb) };
	struct gotrace_snapshot snap = { .size = sizeof(snap) };
	struct gotrace_resize resize = { .size = sizeof(resize), .buffer_bytes = 64 << 20 };

	if (gt_ioctl(fd, GOTRACE_IOC_SNAPSHOT, &snap) != (want ? want : -ENODATA))
		return 6;
	if (gt_ioctl(fd, GOTRACE_IOC_RESIZE, &resize) != (want ? want : -ENODATA))
		return 7;
	if (gt_ioctl(fd, GOTRACE_IOC_TRACEBACK, &tb) != (want ? want : -ENOSPC))
		return 5;
	if (gt_status(fd, &st) != want)
		return 1;
	if (gt_start_with(fd, &start) != want)
		return 2;
	if (gt_stop(fd, GOTRACE_STOP_NOWAIT) != want)
		return 3;
	return gt_ioctl(fd, GOTRACE_IOC_STOP, NULL) == want ? 0 : 4;
}

/* The last line is the annotations' way in, and then every ioctl here says no. */
TEST_F(rights, open_for_reading_without_capability_is_eacces)
{
	pid_t child = gt_fork();

	if (!child) {
		if (become_nobody(0))
			_exit(100);
		if (gt_open(O_RDONLY) != -EACCES || gt_open(O_RDWR) != -EACCES)
			_exit(101);
		_exit(ioctls_give(gt_open(O_WRONLY), -EACCES));
	}
	EXPECT_EQ(0, gt_join(child));
}

/* The refused open leaves the reader's place free. */
TEST_F(rights, refused_open_does_not_hold_the_device)
{
	pid_t child = gt_fork();
	int fd;

	if (!child) {
		if (become_nobody(0))
			_exit(1);
		_exit(gt_open(O_RDONLY) == -EACCES ? 0 : 2);
	}
	ASSERT_EQ(0, gt_join(child));
	fd = gt_open(O_RDONLY);
	EXPECT_GE(fd, 0);
	close(fd);
}

TEST_F(rights, ioctl_on_an_inherited_descriptor_is_eacces)
{
	int fd = gt_open(O_RDWR);
	pid_t child;

	ASSERT_GE(fd, 0);
	child = gt_fork();
	if (!child) {
		if (become_nobody(0))
			_exit(100);
		_exit(ioctls_give(fd, -EACCES) ?: ioctls_give(self->ctl, -EACCES));
	}
	EXPECT_EQ(0, gt_join(child));
	close(fd);
}

/* All others are no help. */
TEST_F(rights, all_capabilities_but_the_two_are_eacces)
{
	pid_t child = gt_fork();

	if (!child) {
		uint64_t caps = (1ULL << (CAP_PERFMON + 1)) - 1;

		caps &= ~(1ULL << CAP_PERFMON | 1ULL << CAP_SYS_ADMIN);
		if (set_caps(caps))
			_exit(100);
		if (gt_open(O_RDONLY) != -EACCES)
			_exit(101);
		_exit(ioctls_give(self->ctl, -EACCES));
	}
	EXPECT_EQ(0, gt_join(child));
}

static int one_capability_is_enough(uint64_t cap)
{
	pid_t child = gt_fork();

	if (!child) {
		struct gt_bytes b = { 0 };
		int fd;

		if (become_nobody(1ULL << cap))
			_exit(100);
		fd = gt_open(O_RDWR);
		if (fd < 0)
			_exit(101);
		if (gt_start(fd) || gt_stop(fd, 0) || gt_drain(fd, &b))
			_exit(102);
		_exit(gt_state(fd) == GOTRACE_STATE_NONE ? 0 : 103);
	}
	return gt_join(child);
}

TEST_F(rights, cap_perfmon_alone_is_enough)
{
	EXPECT_EQ(0, one_capability_is_enough(CAP_PERFMON));
}

TEST_F(rights, cap_sys_admin_alone_is_enough)
{
	EXPECT_EQ(0, one_capability_is_enough(CAP_SYS_ADMIN));
}

/* Kernel addresses: to start such a session, to read it, and to look into it. */
static int raw_addresses(int ctl, uint32_t flags, uint64_t caps)
{
	struct gotrace_start args = gt_start_args();
	pid_t child;

	args.flags = GOTRACE_START_RAW | flags;
	if (gt_start_with(ctl, &args))
		return 1;
	child = gt_fork();
	if (!child) {
		bool may = caps & 1ULL << CAP_SYSLOG;
		struct gotrace_snapshot snap = { .size = sizeof(snap) };
		char c;
		int fd;

		if (become_nobody(caps))
			_exit(100);
		fd = gt_open(O_RDWR);
		if (fd < 0)
			_exit(101);
		if (gt_start_with(fd, &args) != (may ? -EBUSY : -EPERM))
			_exit(102);
		if (flags & GOTRACE_START_OVERWRITE)
			_exit(gt_ioctl(fd, GOTRACE_IOC_SNAPSHOT, &snap) == (may ? -ENOSPC : -EPERM) ?
			      0 : 103);
		_exit(gt_read(fd, &c, 1) == (may ? 1 : -EPERM) ? 0 : 104);
	}
	return gt_join(child) ?: gt_stop(ctl, GOTRACE_STOP_DISCARD);
}

TEST_F(rights, raw_addresses_need_cap_syslog)
{
	uint64_t perfmon = 1ULL << CAP_PERFMON, both = perfmon | 1ULL << CAP_SYSLOG;

	EXPECT_EQ(0, raw_addresses(self->ctl, 0, perfmon));
	EXPECT_EQ(0, raw_addresses(self->ctl, 0, both));
	EXPECT_EQ(0, raw_addresses(self->ctl, GOTRACE_START_OVERWRITE, perfmon));
	EXPECT_EQ(0, raw_addresses(self->ctl, GOTRACE_START_OVERWRITE, both));
}

/* root of a user namespace of its own has every capability there, none here. */
TEST_F(rights, capabilities_in_another_user_namespace_are_eacces)
{
	pid_t child = gt_fork();

	if (!child) {
		if (unshare(CLONE_NEWUSER))
			_exit(100);
		if (gt_open(O_RDONLY) != -EACCES)
			_exit(101);
		_exit(ioctls_give(self->ctl, -EACCES));
	}
	EXPECT_EQ(0, gt_join(child));
}

/* Without the file's permission even the writer's way is shut. */
TEST_F(rights, mode_0600_keeps_nobody_out)
{
	pid_t child;

	ASSERT_EQ(0, chmod(GOTRACE_DEVICE, 0600));
	child = gt_fork();
	if (!child) {
		if (become_nobody(1ULL << CAP_PERFMON))
			_exit(100);
		_exit(gt_open(O_RDONLY) == -EACCES &&
		      gt_open(O_WRONLY) == -EACCES ? 0 : 1);
	}
	EXPECT_EQ(0, gt_join(child));
}

TEST_HARNESS_MAIN
