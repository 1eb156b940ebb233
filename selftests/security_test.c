// SPDX-License-Identifier: GPL-2.0
/*
 * What must not get out of the kernel, whoever reads: addresses that nobody asked
 * for, and bytes that nobody wrote. docs/security.md says what else is tested where.
 */
#include "device.h"
#include "trace.h"
#include "harness.h"

#include <stddef.h>

FIXTURE(security) {
	int fd;
	struct gt_bytes got;
};

FIXTURE_SETUP(security)
{
	ASSERT_EQ(0, gt_reset());
	self->fd = gt_open(O_RDWR);
	ASSERT_GE(self->fd, 0);
}

FIXTURE_TEARDOWN(security)
{
	free(self->got.data);
	close(self->fd);
}

/* Of the kernel's half: text, modules, heap, stacks, per-CPU memory. */
static bool is_kernel_address(uint64_t v)
{
	return v >= 0xff00000000000000 && v < 0xfffffffffffff000;
}

/* As %px would print one: 16 digits, not the 40 of a build id. */
static bool has_address(const char *s, size_t len)
{
	size_t i, run = 0;

	for (i = 0; i <= len; i++) {
		if (i < len && s[i] && strchr("0123456789abcdef", s[i])) {
			run++;
			continue;
		}
		if (run == 16 && !memcmp(s + i - 16, "ff", 2))
			return true;
		run = 0;
	}
	return false;
}

static pid_t start_storm(void)
{
	pid_t pid = gt_fork();

	if (!pid) {
		execlp("storm", "storm", "-w", "2", "fork", "exec", "thread", "signal", NULL);
		_exit(127);
	}
	return pid;
}

/* Records with a kernel address among their numbers or in their text. */
static int addresses_in(const struct gt_bytes *b)
{
	struct gt_record r;
	struct gt_walk w;
	int ret = gt_walk_init(&w, b->data, b->len), n = 0;
	unsigned int i;

	while (!ret && (ret = gt_walk_next(&w, &r)) > 0) {
		ret = 0;
		for (i = 0; i < r.nargs && i < GT_ARGS; i++)
			n += is_kernel_address(r.args[i]);
		n += r.text && has_address(r.text, r.text_len);
	}
	return ret ? ret : n;
}

static int record_all(FIXTURE_DATA(security) *self, unsigned int flags)
{
	struct gotrace_start args = gt_start_args();
	pid_t storm;
	int err;

	args.syscalls = GOTRACE_SYSCALLS_REGIONS;
	args.stacks = GOTRACE_STACKS_KERNEL | GOTRACE_STACKS_USER;
	/* Few enough that a stack's record shows all of its frames (trace.h). */
	args.depth = 4;
	args.flags = GOTRACE_START_MEMORY | GOTRACE_START_IDLE | flags;
	args.sample_hz = 200;
	err = gt_start_with(self->fd, &args);
	storm = start_storm();
	gt_sleep_ms(500);
	gt_kill_and_join(storm);
	if (!err)
		err = gt_stop(self->fd, 0);
	self->got.len = 0;
	if (!err)
		err = gt_drain(self->fd, &self->got);
	return err ? err : gt_check_whole(self->got.data, self->got.len);
}

TEST_F(security, a_trace_has_no_address_of_the_kernels)
{
	ASSERT_EQ(0, record_all(self, 0));
	EXPECT_EQ(0, addresses_in(&self->got));
	EXPECT_EQ(0, gt_save(&self->got, "security.trace"));
	/* They would have been found. */
	ASSERT_EQ(0, record_all(self, GOTRACE_START_RAW));
	EXPECT_GT(addresses_in(&self->got), 0);
}

/* Words of a traceback that look like one, with or without the flag for them. */
static int addresses_of_all(int fd, unsigned int flags)
{
	static uint64_t reply[1 << 18];
	struct gotrace_traceback tb = {
		.size = sizeof(tb), .flags = GOTRACE_TRACEBACK_KTHREADS | flags,
		.buf_addr = (uintptr_t)reply, .buf_len = sizeof(reply),
	};
	int n = 0, err;
	size_t i;

	memset(reply, 0, sizeof(reply));
	err = gt_ioctl(fd, GOTRACE_IOC_TRACEBACK, &tb);
	for (i = 0; !err && i < tb.buf_len / 8; i++)
		n += is_kernel_address(reply[i]);
	return err ? err : n;
}

TEST_F(security, nor_has_a_traceback)
{
	EXPECT_EQ(0, addresses_of_all(self->fd, 0));
	EXPECT_GT(addresses_of_all(self->fd, GOTRACE_TRACEBACK_DEBUG), 0);
}

static bool is_all(const void *p, unsigned char c, size_t len)
{
	const unsigned char *b = p;

	while (len && *b == c) {
		b++;
		len--;
	}
	return !len;
}

/*
 * Nothing but what the contract names is written: without a session that is 0, and
 * behind a reply nothing is touched.
 */
TEST_F(security, replies_have_no_byte_that_nobody_wrote)
{
	struct { struct gotrace_status st; char behind[64]; } a;
	struct { struct gotrace_cpu_status cpu[64]; char behind[64]; } c;
	unsigned int i, cpus = gt_possible_cpus();

	memset(&a, 0x55, sizeof(a));
	memset(&c, 0x55, sizeof(c));
	memset(&a.st, 0, sizeof(a.st));
	a.st.size = sizeof(a.st);
	a.st.cpus_addr = (uintptr_t)c.cpu;
	a.st.cpus_len = 64;
	a.st.cpu_size = sizeof(c.cpu[0]);
	ASSERT_EQ(0, gt_ioctl(self->fd, GOTRACE_IOC_STATUS, &a.st));
	EXPECT_TRUE(is_all(a.behind, 0x55, sizeof(a.behind)));
	EXPECT_TRUE(is_all(&a.st.flags, 0, sizeof(a.st) - offsetof(struct gotrace_status, flags)));
	for (i = 0; i < cpus; i++) {
		EXPECT_EQ(i, c.cpu[i].cpu);
		EXPECT_TRUE(is_all(&c.cpu[i].events, 0, sizeof(c.cpu[i]) -
				   offsetof(struct gotrace_cpu_status, events)));
	}
	EXPECT_TRUE(is_all(&c.cpu[cpus], 0x55, (64 - cpus) * sizeof(c.cpu[0])));
}

TEST_HARNESS_MAIN
