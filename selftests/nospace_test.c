// SPDX-License-Identifier: GPL-2.0
/* vm: mem=2G timeout=300 */
/*
 * START where the initial state does not fit: so many threads that a dozen
 * bytes each are more than the smallest buffers hold.
 */
#include "crowd.h"
#include "device.h"
#include "trace.h"
#include "harness.h"

#include <sys/resource.h>

FIXTURE(start) {
};

FIXTURE_SETUP(start)
{
	ASSERT_EQ(0, gt_reset());
	ASSERT_EQ(0, gt_write_text("/proc/sys/kernel/threads-max", "200000"));
	ASSERT_EQ(0, gt_write_text("/proc/sys/kernel/pid_max", "4000000"));
}

FIXTURE_TEARDOWN(start)
{
}

TEST_F_TIMEOUT(start, initial_state_beyond_the_limit_is_enospc, 240)
{
	struct gotrace_start args = gt_start_args();
	long threads = gt_min_buffer_bytes() / 10;
	struct gotrace_status before, after;
	struct gt_bytes b = { 0 };
	struct crowd crowd = { 0 };
	int fd;

	ASSERT_EQ(0, crowd_start(&crowd, threads));
	ASSERT_EQ(0, crowd_grow(&crowd, threads)) {
		TH_LOG("%ld threads cannot be made", threads);
	}
	fd = gt_open(O_RDWR);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, gt_status(fd, &before));
	args.buffer_bytes = gt_min_buffer_bytes();
	EXPECT_EQ(-ENOSPC, gt_start_with(fd, &args));
	ASSERT_EQ(0, gt_status(fd, &after));
	EXPECT_EQ(0, memcmp(&before, &after, sizeof(before)));
	EXPECT_EQ(GOTRACE_STATE_NONE, (int)after.state);

	/* the tables' limit is one, too */
	args = gt_start_args();
	args.table_bytes = 1 << 20;
	EXPECT_EQ(-ENOSPC, gt_start_with(fd, &args));
	ASSERT_EQ(0, gt_status(fd, &after));
	EXPECT_EQ(0, memcmp(&before, &after, sizeof(before)));

	/* with room for them all it goes, and all of them are in it */
	ASSERT_EQ(0, gt_start(fd));
	ASSERT_EQ(0, gt_stop(fd, 0));

	/* a START that fails drops nothing, though it was allowed to */
	ASSERT_EQ(0, gt_status(fd, &before));
	args.flags = GOTRACE_START_DISCARD;
	EXPECT_EQ(-ENOSPC, gt_start_with(fd, &args));
	ASSERT_EQ(0, gt_status(fd, &after));
	EXPECT_EQ(0, memcmp(&before, &after, sizeof(before)));
	ASSERT_EQ(GOTRACE_STATE_DRAINING, (int)after.state);
	args.flags = 0;
	ASSERT_EQ(0, gt_status(fd, &after));
	EXPECT_GE(after.tasks, (unsigned long)threads);
	ASSERT_EQ(0, gt_drain(fd, &b));
	EXPECT_EQ(0, gt_check_whole(b.data, b.len));
	EXPECT_EQ(0, gt_save(&b, "nospace_all.trace"));

	/* and once they are gone the small limits do again */
	EXPECT_EQ(128 + SIGKILL, crowd_end(&crowd));
	args.buffer_bytes = gt_min_buffer_bytes();
	ASSERT_EQ(0, gt_start_with(fd, &args));
	ASSERT_EQ(0, gt_stop(fd, 0));
	b.len = 0;
	ASSERT_EQ(0, gt_drain(fd, &b));
	EXPECT_EQ(0, gt_check_whole(b.data, b.len));
	EXPECT_EQ(0, gt_save(&b, "nospace_after.trace"));
	close(fd);
}

TEST_HARNESS_MAIN
