// SPDX-License-Identifier: GPL-2.0
/* vm: timeout=300 tcg=single */
/*
 * Unloading in every state of a session, and loading again. GOTRACE_KO is the
 * module's file.
 */
#include "device.h"
#include "trace.h"
#include "harness.h"

static int load(void)
{
	const char *path = getenv("GOTRACE_KO");

	return gt_load(path ? path : "gotrace.ko");
}

/* These tests hold no descriptor that would keep the module. */
static int start(void)
{
	int ctl = gt_open(O_WRONLY), err = ctl < 0 ? ctl : gt_start(ctl);

	close(ctl);
	return err;
}

static int stop(void)
{
	int ctl = gt_open(O_WRONLY), err = ctl < 0 ? ctl : gt_stop(ctl, 0);

	close(ctl);
	return err;
}

static int state(void)
{
	int ctl = gt_open(O_WRONLY), ret = ctl < 0 ? ctl : gt_state(ctl);

	close(ctl);
	return ret;
}

FIXTURE(module) {
};

FIXTURE_SETUP(module)
{
	int err = load();

	ASSERT_TRUE(err == 0 || err == -EEXIST);
	ASSERT_EQ(0, gt_reset());
}

FIXTURE_TEARDOWN(module)
{
	int err = load();

	EXPECT_TRUE(err == 0 || err == -EEXIST);
}

TEST_F(module, unloads_and_the_device_goes)
{
	ASSERT_EQ(0, gt_unload());
	EXPECT_EQ(-ENOENT, gt_open(O_RDONLY));
	ASSERT_EQ(0, load());
	EXPECT_EQ(GOTRACE_STATE_NONE, state());
}

TEST_F(module, unloads_while_tracing)
{
	ASSERT_EQ(0, start());
	gt_busy(GT_BUSY_BUFFERS);
	EXPECT_EQ(GOTRACE_STATE_TRACING, state());
	ASSERT_EQ(0, gt_unload());
	gt_busy(1000);		/* any probe left behind would be run now */
	gt_sleep_ms(100);
	ASSERT_EQ(0, load());
	EXPECT_EQ(GOTRACE_STATE_NONE, state());
}

TEST_F(module, unloads_with_unread_data)
{
	ASSERT_EQ(0, start());
	gt_busy(GT_BUSY_BUFFERS);
	ASSERT_EQ(0, stop());
	EXPECT_EQ(GOTRACE_STATE_DRAINING, state());
	ASSERT_EQ(0, gt_unload());
	ASSERT_EQ(0, load());
	EXPECT_EQ(GOTRACE_STATE_NONE, state());
}

/* A half-read buffer belongs to the session, and goes with it. */
TEST_F(module, unloads_after_a_reader_left_in_the_middle)
{
	struct gt_bytes b = { 0 };
	int fd = gt_open(O_RDWR);

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, gt_start(fd));
	gt_busy(GT_BUSY_BUFFERS);
	ASSERT_GT(gt_take(fd, &b, GT_HEADER_SIZE), 0);
	ASSERT_GT(gt_take(fd, &b, 1001), 0);
	close(fd);
	ASSERT_EQ(0, gt_unload());
	ASSERT_EQ(0, load());
}

TEST_F(module, open_reader_keeps_it)
{
	int fd = gt_open(O_RDONLY);

	ASSERT_GE(fd, 0);
	EXPECT_EQ(-EWOULDBLOCK, gt_unload());
	ASSERT_EQ(0, start());
	EXPECT_EQ(-EWOULDBLOCK, gt_unload());
	close(fd);
	EXPECT_EQ(GOTRACE_STATE_TRACING, state());	/* refused is refused */
	EXPECT_EQ(0, gt_unload());
}

TEST_F(module, open_control_descriptor_keeps_it)
{
	int ctl = gt_open(O_WRONLY);

	ASSERT_GE(ctl, 0);
	EXPECT_EQ(-EWOULDBLOCK, gt_unload());
	ASSERT_EQ(0, gt_start(ctl));
	EXPECT_EQ(-EWOULDBLOCK, gt_unload());
	close(ctl);
	EXPECT_EQ(0, gt_unload());
}

TEST_F(module, blocked_reader_keeps_it)
{
	pid_t child = gt_fork();

	if (!child) {
		char c;
		int fd = gt_open(O_RDONLY);

		_exit(gt_read(fd, &c, 1) == 1 && c == 'g' ? 0 : 1);
	}
	ASSERT_EQ(0, gt_wait_syscall(child, SYS_read));
	EXPECT_EQ(-EWOULDBLOCK, gt_unload());
	ASSERT_EQ(0, gt_stays_in_syscall(child, SYS_read));
	ASSERT_EQ(0, start());
	EXPECT_EQ(0, gt_join(child));
}

TEST_F(module, loaded_again_it_begins_anew)
{
	struct gotrace_status st;
	struct gt_bytes b = { 0 };
	int fd;

	ASSERT_EQ(0, start());
	ASSERT_EQ(0, gt_unload());
	ASSERT_EQ(0, load());
	fd = gt_open(O_RDWR);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, gt_status(fd, &st));
	EXPECT_EQ(0u, st.session);
	ASSERT_EQ(0, gt_start(fd));
	ASSERT_EQ(0, gt_status(fd, &st));
	EXPECT_EQ(1u, st.session);
	gt_busy(1000);
	ASSERT_EQ(0, gt_stop(fd, 0));
	ASSERT_EQ(0, gt_drain(fd, &b));
	EXPECT_EQ(0, gt_check_whole(b.data, b.len));
	EXPECT_EQ(0, gt_save(&b, "module_again.trace"));
	close(fd);
}

/* Again and again, with other tasks forking, switching and exiting meanwhile. */
TEST_F(module, unloads_while_tracing_under_load)
{
	pid_t load_pid[2];
	int i;

	for (i = 0; i < 2; i++) {
		load_pid[i] = gt_fork();
		if (!load_pid[i]) {
			for (;;) {
				pid_t pid = fork();

				if (!pid)
					_exit(0);
				waitpid(pid, NULL, 0);
			}
		}
	}
	for (i = 0; i < 10; i++) {
		ASSERT_EQ(0, start());
		gt_busy(i * 1000);
		if (i % 3 == 2) {
			ASSERT_EQ(0, stop());
		}
		ASSERT_EQ(0, gt_unload());
		ASSERT_EQ(0, load());
	}
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(128 + SIGKILL, gt_kill_and_join(load_pid[i]));
	}
}

TEST_HARNESS_MAIN
