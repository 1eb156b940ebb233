// SPDX-License-Identifier: GPL-2.0
/* vm: alone */
/*
 * Confidentiality lockdown. It cannot be taken back before the next boot, so
 * this is a test of its own, with one order.
 */
#include "device.h"
#include "harness.h"

#include <sys/mount.h>

#define LOCKDOWN	"/sys/kernel/security/lockdown"

static int lock_down(const char *level)
{
	int fd, err;

	if (access(LOCKDOWN, F_OK) &&
	    mount("securityfs", "/sys/kernel/security", "securityfs", 0, NULL))
		return -errno;
	fd = gt_err(open(LOCKDOWN, O_WRONLY | O_CLOEXEC));
	if (fd < 0)
		return fd;
	err = gt_err(write(fd, level, strlen(level)));
	close(fd);
	return err < 0 ? err : 0;
}

/* Integrity is not in the way, confidentiality is: at open, and at each ioctl. */
TEST(confidentiality_is_eperm)
{
	struct gotrace_status st;
	int fd;

	ASSERT_EQ(0, gt_reset());
	ASSERT_EQ(0, lock_down("integrity"));
	fd = gt_open(O_RDWR);
	ASSERT_GE(fd, 0);
	EXPECT_EQ(0, gt_start(fd));
	EXPECT_EQ(0, gt_stop(fd, 0));
	ASSERT_EQ(0, lock_down("confidentiality"));
	EXPECT_EQ(-EPERM, gt_status(fd, &st));
	EXPECT_EQ(-EPERM, gt_start(fd));
	EXPECT_EQ(-EPERM, gt_stop(fd, 0));
	close(fd);
	EXPECT_EQ(-EPERM, gt_open(O_RDONLY));
	EXPECT_EQ(-EPERM, gt_open(O_RDWR));
}

TEST_HARNESS_MAIN
