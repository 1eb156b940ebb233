// SPDX-License-Identifier: GPL-2.0
/* vm: tcg=single */
/*
 * /dev/gotrace as a file: who may hold it open, what it does and does not do.
 * What read() delivers is read_test.c; START and STOP are session_test.c.
 */
#include "device.h"
#include "trace.h"
#include "harness.h"

#include <sys/uio.h>

FIXTURE(device) {
	int ctl;
};

FIXTURE_SETUP(device)
{
	ASSERT_EQ(0, gt_reset());
	self->ctl = gt_open(O_WRONLY);
	ASSERT_GE(self->ctl, 0);
}

FIXTURE_TEARDOWN(device)
{
	close(self->ctl);
}

TEST_F(device, is_a_character_device_of_mode_0600)
{
	struct stat st;

	ASSERT_EQ(0, stat(GOTRACE_DEVICE, &st));
	EXPECT_TRUE(S_ISCHR(st.st_mode));
	EXPECT_EQ(0600u, st.st_mode & 07777);
	EXPECT_EQ(0u, st.st_uid);
}

TEST_F(device, second_reader_is_ebusy)
{
	int fd = gt_open(O_RDONLY);

	ASSERT_GE(fd, 0);
	EXPECT_EQ(-EBUSY, gt_open(O_RDONLY));
	EXPECT_EQ(-EBUSY, gt_open(O_RDWR));
	EXPECT_EQ(-EBUSY, gt_open(O_RDONLY | O_NONBLOCK));
	close(fd);
	fd = gt_open(O_RDWR);
	ASSERT_GE(fd, 0);
	EXPECT_EQ(-EBUSY, gt_open(O_RDONLY));
	close(fd);
	fd = gt_open(O_RDONLY);
	EXPECT_GE(fd, 0);
	close(fd);
}

TEST_F(device, write_only_opens_beside_a_reader_and_each_other)
{
	int fd = gt_open(O_RDONLY), other = gt_open(O_WRONLY);

	ASSERT_GE(fd, 0);
	ASSERT_GE(other, 0);
	EXPECT_EQ(GOTRACE_STATE_NONE, gt_state(other));
	EXPECT_EQ(GOTRACE_STATE_NONE, gt_state(self->ctl));
	close(other);
	close(fd);
}

TEST_F(device, reader_is_gone_when_the_last_copy_of_its_descriptor_is)
{
	int fd = gt_open(O_RDONLY), copy;
	pid_t child;

	ASSERT_GE(fd, 0);
	copy = dup(fd);
	child = gt_fork();
	if (!child) {
		pause();
		_exit(0);
	}
	close(fd);
	EXPECT_EQ(-EBUSY, gt_open(O_RDONLY));
	close(copy);
	EXPECT_EQ(-EBUSY, gt_open(O_RDONLY));
	ASSERT_EQ(128 + SIGKILL, gt_kill_and_join(child));
	fd = gt_open(O_RDONLY);
	EXPECT_GE(fd, 0);
	close(fd);
}

TEST_F(device, has_no_position)
{
	int fd = gt_open(O_RDONLY);
	char c;

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, gt_start(self->ctl));
	EXPECT_EQ(-ESPIPE, gt_err(lseek(fd, 0, SEEK_SET)));
	EXPECT_EQ(-ESPIPE, gt_err(lseek(fd, 0, SEEK_CUR)));
	EXPECT_EQ(-ESPIPE, gt_err(lseek(fd, 0, SEEK_END)));
	EXPECT_EQ(-ESPIPE, gt_err(lseek(self->ctl, 0, SEEK_SET)));
	EXPECT_EQ(-ESPIPE, gt_err(pread(fd, &c, 1, 0)));
	close(fd);
}

TEST_F(device, cannot_be_written)
{
	int fd = gt_open(O_RDONLY);
	struct iovec v = { "x", 1 };

	ASSERT_GE(fd, 0);
	EXPECT_EQ(-EBADF, gt_err(write(fd, "x", 1)));
	EXPECT_EQ(-EINVAL, gt_err(write(self->ctl, "x", 1)));
	EXPECT_EQ(-EINVAL, gt_err(writev(self->ctl, &v, 1)));
	close(fd);
}

TEST_F(device, write_only_cannot_be_read)
{
	char c;

	ASSERT_EQ(0, gt_start(self->ctl));
	EXPECT_EQ(-EBADF, gt_read(self->ctl, &c, 1));
}

TEST_F(device, cannot_be_mapped)
{
	int fd = gt_open(O_RDWR);
	void *p;

	ASSERT_GE(fd, 0);
	p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	EXPECT_EQ(MAP_FAILED, p);
	EXPECT_EQ(ENODEV, errno);
	p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	EXPECT_EQ(MAP_FAILED, p);
	EXPECT_EQ(ENODEV, errno);
	close(fd);
}

/* Every descriptor that the recorded command has, by name. */
TEST(recorded_command_inherits_no_descriptor)
{
	char line[256];
	bool seen_any = false, seen_device = false;
	FILE *f;

	ASSERT_EQ(0, gt_reset());
	f = popen("gotrace record -o device_inherit.trace -- "
		  "ls -l /proc/self/fd 2>/dev/null", "r");
	ASSERT_NE(NULL, f);
	while (fgets(line, sizeof(line), f)) {
		seen_any |= strstr(line, " -> ") != NULL;
		seen_device |= strstr(line, GOTRACE_DEVICE) != NULL;
		seen_device |= strstr(line, "device_inherit.trace") != NULL;
	}
	EXPECT_EQ(0, pclose(f));
	EXPECT_TRUE(seen_any);
	EXPECT_FALSE(seen_device);
}

TEST_HARNESS_MAIN
