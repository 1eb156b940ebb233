// SPDX-License-Identifier: GPL-2.0
/* vm: tcg=single */
/*
 * What every ioctl refuses, and with which errno; how the structs grow.
 */
#include "device.h"
#include "harness.h"

FIXTURE(ioctl) {
	int ctl;
	char *page;	/* two; the second is not there */
	size_t size;
};

FIXTURE_SETUP(ioctl)
{
	ASSERT_EQ(0, gt_reset());
	self->ctl = gt_open(O_WRONLY);
	ASSERT_GE(self->ctl, 0);
	self->size = sysconf(_SC_PAGESIZE);
	self->page = mmap(NULL, 2 * self->size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->page);
	ASSERT_EQ(0, mprotect(self->page + self->size, self->size, PROT_NONE));
}

/* Whatever was refused has changed nothing: all these tests end without session. */
FIXTURE_TEARDOWN(ioctl)
{
	EXPECT_EQ(GOTRACE_STATE_NONE, gt_state(self->ctl));
	close(self->ctl);
}

/* @args at the very end of the page before the hole. */
static void *at_edge(char *page, size_t size, const void *args, size_t len)
{
	return memcpy(page + size - len, args, len);
}

static int start_and_stop(int ctl, const void *args)
{
	int err = gt_ioctl(ctl, GOTRACE_IOC_START, args);

	return err ? err : gt_reset();
}

TEST_F(ioctl, unknown_command_is_enotty)
{
	struct gotrace_status st = { .size = sizeof(st) };

	EXPECT_EQ(-ENOTTY, gt_ioctl(self->ctl, _IO(GOTRACE_IOC_MAGIC, 0), &st));
	EXPECT_EQ(-ENOTTY, gt_ioctl(self->ctl, _IO(GOTRACE_IOC_MAGIC, 200), &st));
	EXPECT_EQ(-ENOTTY, gt_ioctl(self->ctl, _IO('T', 3), &st));
	EXPECT_EQ(-ENOTTY, gt_ioctl(self->ctl,
				    _IOWR(GOTRACE_IOC_MAGIC, 3, int), &st));
	EXPECT_EQ(-ENOTTY, gt_ioctl(self->ctl, TIOCGWINSZ, &st));
}

TEST_F(ioctl, bad_address_is_efault)
{
	struct gotrace_start start = gt_start_args();
	struct gotrace_stop stop = { .size = sizeof(stop) };
	struct gotrace_status status = { .size = sizeof(status) };
	const unsigned long cmds[] = {
		GOTRACE_IOC_START, GOTRACE_IOC_STOP, GOTRACE_IOC_STATUS
	};
	char *hole = self->page + self->size;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cmds); i++) {
		EXPECT_EQ(-EFAULT, gt_ioctl(self->ctl, cmds[i], hole));
		EXPECT_EQ(-EFAULT, gt_ioctl(self->ctl, cmds[i], (void *)8));
		EXPECT_EQ(-EFAULT, gt_ioctl(self->ctl, cmds[i],
					    (void *)0xffffffff81000000UL));
	}
	EXPECT_EQ(-EFAULT, gt_ioctl(self->ctl, GOTRACE_IOC_START, NULL));
	EXPECT_EQ(-EFAULT, gt_ioctl(self->ctl, GOTRACE_IOC_STATUS, NULL));
	/* the head is there, the tail is not */
	memcpy(hole - 16, &start, 16);
	EXPECT_EQ(-EFAULT, gt_ioctl(self->ctl, GOTRACE_IOC_START, hole - 16));
	memcpy(hole - 4, &stop, 4);
	EXPECT_EQ(-EFAULT, gt_ioctl(self->ctl, GOTRACE_IOC_STOP, hole - 4));
	memcpy(hole - 16, &status, 16);
	EXPECT_EQ(-EFAULT, gt_ioctl(self->ctl, GOTRACE_IOC_STATUS, hole - 16));
}

TEST_F(ioctl, status_into_read_only_memory_is_efault)
{
	struct gotrace_status *st = (void *)self->page;

	st->size = sizeof(*st);
	st->cpu_size = sizeof(struct gotrace_cpu_status);
	ASSERT_EQ(0, mprotect(self->page, self->size, PROT_READ));
	EXPECT_EQ(-EFAULT, gt_ioctl(self->ctl, GOTRACE_IOC_STATUS, st));
}

TEST_F(ioctl, structs_may_end_at_the_edge_of_memory)
{
	struct gotrace_start start = gt_start_args();
	struct gotrace_stop stop = { .size = sizeof(stop) };
	struct gotrace_status st = {
		.size = sizeof(st),
		.cpu_size = sizeof(struct gotrace_cpu_status),
	};

	EXPECT_EQ(0, gt_ioctl(self->ctl, GOTRACE_IOC_STATUS,
			      at_edge(self->page, self->size, &st, sizeof(st))));
	EXPECT_EQ(0, start_and_stop(self->ctl,
				    at_edge(self->page, self->size, &start,
					    sizeof(start))));
	EXPECT_EQ(0, gt_ioctl(self->ctl, GOTRACE_IOC_STOP,
			      at_edge(self->page, self->size, &stop,
				      sizeof(stop))));
}

TEST_F(ioctl, unknown_flags_are_einval)
{
	struct gotrace_start start = gt_start_args();
	int bit;

	for (bit = 0; bit < 32; bit++) {
		start.flags = 1U << bit;
		if (!(start.flags & (GOTRACE_START_DISCARD |
				     GOTRACE_START_IDLE | GOTRACE_START_RAW |
				     GOTRACE_START_IN_SYSCALL |
				     GOTRACE_START_MEMORY |
				     GOTRACE_START_NO_SCHED |
				     GOTRACE_START_OVERWRITE |
				     GOTRACE_START_NO_ANNOTATIONS))) {
			EXPECT_EQ(-EINVAL, gt_start_with(self->ctl, &start));
		}
		if (bit > 1) {
			EXPECT_EQ(-EINVAL, gt_stop(self->ctl, 1U << bit));
		}
	}
	start.flags = GOTRACE_START_IDLE | 1U << 31;
	EXPECT_EQ(-EINVAL, gt_start_with(self->ctl, &start));
}

TEST_F(ioctl, reserved_not_zero_is_einval)
{
	struct gotrace_start start = gt_start_args();
	struct gotrace_status st = {
		.size = sizeof(st),
		.cpu_size = sizeof(struct gotrace_cpu_status),
		.reserved = 1,
	};

	start.reserved = 1;
	EXPECT_EQ(-EINVAL, gt_start_with(self->ctl, &start));
	start.reserved = 1U << 31;
	EXPECT_EQ(-EINVAL, gt_start_with(self->ctl, &start));
	EXPECT_EQ(-EINVAL, gt_ioctl(self->ctl, GOTRACE_IOC_STATUS, &st));
}

TEST_F(ioctl, size_less_than_the_first_struct_is_einval)
{
	struct gotrace_start start = gt_start_args();
	struct gotrace_stop stop = { 0 };
	struct gotrace_status st = {
		.cpu_size = sizeof(struct gotrace_cpu_status),
	};

	for (start.size = 0; start.size < GOTRACE_START_SIZE_VER0; start.size++) {
		EXPECT_EQ(-EINVAL, gt_start_with(self->ctl, &start));
	}
	for (stop.size = 0; stop.size < GOTRACE_STOP_SIZE_VER0; stop.size++) {
		EXPECT_EQ(-EINVAL, gt_ioctl(self->ctl, GOTRACE_IOC_STOP, &stop));
	}
	for (st.size = 0; st.size < GOTRACE_STATUS_SIZE_VER0; st.size++) {
		EXPECT_EQ(-EINVAL, gt_ioctl(self->ctl, GOTRACE_IOC_STATUS, &st));
	}
}

/* A newer program on this kernel. */
TEST_F(ioctl, longer_struct_with_zero_tail_is_ok)
{
	struct { struct gotrace_start s; char tail[72]; } start = {
		.s = gt_start_args(),
	};
	struct { struct gotrace_stop s; char tail[72]; } stop = { 0 };
	struct { struct gotrace_status s; char tail[72]; } st = {
		.s.cpu_size = sizeof(struct gotrace_cpu_status),
	};

	start.s.size = sizeof(start);
	stop.s.size = sizeof(stop);
	st.s.size = sizeof(st);
	EXPECT_EQ(0, gt_ioctl(self->ctl, GOTRACE_IOC_STATUS, &st));
	EXPECT_EQ(sizeof(st.s), st.s.size);	/* "bytes filled in" */
	EXPECT_EQ(0, start_and_stop(self->ctl, &start));
	EXPECT_EQ(0, gt_ioctl(self->ctl, GOTRACE_IOC_STOP, &stop));
	start.s.size = self->size;
	memset(self->page, 0, self->size);
	memcpy(self->page, &start, sizeof(start));
	EXPECT_EQ(0, start_and_stop(self->ctl, self->page));
}

TEST_F(ioctl, longer_struct_with_other_tail_is_e2big)
{
	struct { struct gotrace_start s; char tail[72]; } start = {
		.s = gt_start_args(),
	};
	struct { struct gotrace_stop s; char tail[72]; } stop = { 0 };
	struct { struct gotrace_status s; char tail[72]; } st = {
		.s.cpu_size = sizeof(struct gotrace_cpu_status),
	};

	start.s.size = sizeof(start);
	start.tail[71] = 1;
	EXPECT_EQ(-E2BIG, gt_ioctl(self->ctl, GOTRACE_IOC_START, &start));
	stop.s.size = sizeof(stop);
	stop.tail[0] = 1;
	EXPECT_EQ(-E2BIG, gt_ioctl(self->ctl, GOTRACE_IOC_STOP, &stop));
	st.s.size = sizeof(st);
	st.tail[40] = 1;
	EXPECT_EQ(-E2BIG, gt_ioctl(self->ctl, GOTRACE_IOC_STATUS, &st));
}

/* More than a page: no struct will be that long, so not even zeros are read. */
TEST_F(ioctl, huge_size_is_e2big)
{
	const __u32 sizes[] = { self->size + 1, 1U << 20, ~0U };
	char *zeros = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned int i;

	ASSERT_NE(MAP_FAILED, zeros);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		memcpy(zeros, &sizes[i], sizeof(sizes[i]));
		EXPECT_EQ(-E2BIG, gt_ioctl(self->ctl, GOTRACE_IOC_START, zeros));
		EXPECT_EQ(-E2BIG, gt_ioctl(self->ctl, GOTRACE_IOC_STOP, zeros));
		EXPECT_EQ(-E2BIG, gt_ioctl(self->ctl, GOTRACE_IOC_STATUS, zeros));
	}
}

TEST_F(ioctl, values_out_of_range_are_einval)
{
	struct gotrace_start good = gt_start_args(), bad;

	bad = good;
	bad.syscalls = GOTRACE_SYSCALLS_REGIONS + 1;
	EXPECT_EQ(-EINVAL, gt_start_with(self->ctl, &bad));
	bad.syscalls = ~0U;
	EXPECT_EQ(-EINVAL, gt_start_with(self->ctl, &bad));
	bad = good;
	bad.clock = GOTRACE_CLOCK_BOOT + 1;
	EXPECT_EQ(-EINVAL, gt_start_with(self->ctl, &bad));
	bad.clock = ~0U;
	EXPECT_EQ(-EINVAL, gt_start_with(self->ctl, &bad));
	bad = good;
	bad.format = GOTRACE_FORMAT_1_19 + 1;
	EXPECT_EQ(-EINVAL, gt_start_with(self->ctl, &bad));
	bad.format = ~0U;
	EXPECT_EQ(-EINVAL, gt_start_with(self->ctl, &bad));
	bad = good;
	bad.stacks = (GOTRACE_STACKS_KERNEL | GOTRACE_STACKS_USER) + 1;
	EXPECT_EQ(-EINVAL, gt_start_with(self->ctl, &bad));
	bad = good;
	bad.depth = 3;
	EXPECT_EQ(-EINVAL, gt_start_with(self->ctl, &bad));
	bad.depth = GOTRACE_DEPTH_MAX + 1;
	EXPECT_EQ(-EINVAL, gt_start_with(self->ctl, &bad));
	bad = good;
	bad.sample_hz = GOTRACE_SAMPLE_HZ_MAX + 1;
	EXPECT_EQ(-EINVAL, gt_start_with(self->ctl, &bad));
	bad.sample_hz = ~0U;
	EXPECT_EQ(-EINVAL, gt_start_with(self->ctl, &bad));
	bad = good;
	bad.sample_event = GOTRACE_SAMPLE_CYCLES + 1;
	EXPECT_EQ(-EINVAL, gt_start_with(self->ctl, &bad));
	bad = good;
	bad.max_ns = (1ULL << 62) + 1;
	EXPECT_EQ(-EINVAL, gt_start_with(self->ctl, &bad));
	bad.max_ns = ~0ULL;
	EXPECT_EQ(-EINVAL, gt_start_with(self->ctl, &bad));
}

TEST_F(ioctl, limits_out_of_range_are_einval)
{
	const __u64 tebi = 1ULL << 40, min = gt_min_buffer_bytes();
	const __u64 bad_buffers[] = {
		1, GOTRACE_BUF_SIZE, min - 1, tebi + 1, 1ULL << 63, ~0ULL
	};
	const __u64 bad_tables[] = {
		1, (1 << 20) - 1, tebi + 1, 1ULL << 63, ~0ULL
	};
	struct gotrace_start args;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad_buffers); i++) {
		args = gt_start_args();
		args.buffer_bytes = bad_buffers[i];
		EXPECT_EQ(-EINVAL, gt_start_with(self->ctl, &args)) {
			TH_LOG("buffer_bytes %llu", bad_buffers[i]);
		}
	}
	for (i = 0; i < ARRAY_SIZE(bad_tables); i++) {
		args = gt_start_args();
		args.table_bytes = bad_tables[i];
		EXPECT_EQ(-EINVAL, gt_start_with(self->ctl, &args)) {
			TH_LOG("table_bytes %llu", bad_tables[i]);
		}
	}
}

/* A program from before there were filters. */
TEST_F(ioctl, first_published_start_is_ok)
{
	struct gotrace_start args = gt_start_args();

	args.size = GOTRACE_START_SIZE_VER0;
	args.filter = 8;	/* not looked at */
	EXPECT_EQ(0, start_and_stop(self->ctl, &args));
}

TEST_F(ioctl, limits_at_the_ends_of_their_range_are_ok)
{
	const __u64 tebi = 1ULL << 40;
	struct gotrace_start args = gt_start_args();

	args.buffer_bytes = gt_min_buffer_bytes();
	args.table_bytes = 1 << 20;
	EXPECT_EQ(0, start_and_stop(self->ctl, &args));
	args.buffer_bytes = tebi;
	args.table_bytes = tebi;
	args.max_ns = 1ULL << 62;
	args.max_bytes = ~0ULL;
	EXPECT_EQ(0, start_and_stop(self->ctl, &args));
}

TEST_F(ioctl, cpu_array_at_a_bad_address_is_efault)
{
	struct gotrace_status st = {
		.size = sizeof(st),
		.cpu_size = sizeof(struct gotrace_cpu_status),
		.cpus_addr = (uintptr_t)self->page + self->size,
		.cpus_len = 1,
	};

	EXPECT_EQ(-EFAULT, gt_ioctl(self->ctl, GOTRACE_IOC_STATUS, &st));
	st.cpus_addr = 8;
	EXPECT_EQ(-EFAULT, gt_ioctl(self->ctl, GOTRACE_IOC_STATUS, &st));
	st.cpus_addr = ~0ULL - 4096;
	EXPECT_EQ(-EFAULT, gt_ioctl(self->ctl, GOTRACE_IOC_STATUS, &st));
}

TEST_F(ioctl, cpu_size_less_than_the_first_struct_is_einval)
{
	struct gotrace_cpu_status cpu;
	struct gotrace_status st = {
		.size = sizeof(st),
		.cpus_addr = (uintptr_t)&cpu,
		.cpus_len = 1,
	};

	EXPECT_EQ(-EINVAL, gt_ioctl(self->ctl, GOTRACE_IOC_STATUS, &st));
	st.cpu_size = GOTRACE_CPU_STATUS_SIZE_VER0 - 1;
	EXPECT_EQ(-EINVAL, gt_ioctl(self->ctl, GOTRACE_IOC_STATUS, &st));
}

/*
 * The 32-bit entry, taken with int 0x80 by a 64-bit program: the kernel calls
 * the device's compat_ioctl. Addresses must be below 4 GiB.
 */
#ifdef __x86_64__
static int compat_ioctl(int fd, unsigned int cmd, void *low)
{
	int ret;

	asm volatile("int $0x80" : "=a" (ret)
		     : "a" (54), "b" (fd), "c" (cmd), "d" ((uint32_t)(uintptr_t)low)
		     : "memory", "r8", "r9", "r10", "r11");
	return ret;
}

TEST_F(ioctl, thirty_two_bit_callers_get_the_same)
{
	char *low = mmap(NULL, 65536, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	struct gotrace_start *start = (void *)low;
	struct gotrace_stop *stop = (void *)(low + 4096);
	struct gotrace_status *st = (void *)(low + 8192);
	struct gotrace_cpu_status *cpus = (void *)(low + 16384);
	struct gotrace_begin *task = (void *)(low + 32768);
	struct gotrace_end *end = (void *)(low + 36864);
	struct gotrace_log *log = (void *)(low + 40960);

	ASSERT_NE(MAP_FAILED, low);
	task->size = sizeof(*task);
	task->name = (uintptr_t)strcpy(low + 45056, "name");
	task->name_len = 4;
	end->size = sizeof(*end);
	log->size = sizeof(*log);
	log->message = log->category = task->name;
	log->message_len = log->category_len = 4;
	*start = gt_start_args();
	stop->size = sizeof(*stop);
	st->size = sizeof(*st);
	st->cpu_size = sizeof(*cpus);
	st->cpus_addr = (uintptr_t)cpus;
	st->cpus_len = 4;
	EXPECT_EQ(0, compat_ioctl(self->ctl, GOTRACE_IOC_START, start));
	EXPECT_EQ(-EBUSY, compat_ioctl(self->ctl, GOTRACE_IOC_START, start));
	gt_busy(100);
	EXPECT_EQ(0, compat_ioctl(self->ctl, GOTRACE_IOC_STATUS, st));
	EXPECT_EQ(GOTRACE_STATE_TRACING, st->state);
	EXPECT_EQ(gt_possible_cpus(), st->cpus_len);
	EXPECT_GT(cpus[0].events + cpus[1].events, 0u);
	EXPECT_EQ(1, compat_ioctl(self->ctl, GOTRACE_IOC_ENABLED, NULL));
	EXPECT_EQ(0, compat_ioctl(self->ctl, GOTRACE_IOC_TASK_CREATE, task));
	EXPECT_GT(task->id, 0u);
	end->id = log->task = task->id;
	EXPECT_EQ(0, compat_ioctl(self->ctl, GOTRACE_IOC_LOG, log));
	EXPECT_EQ(0, compat_ioctl(self->ctl, GOTRACE_IOC_TASK_END, end));
	EXPECT_EQ(0, compat_ioctl(self->ctl, GOTRACE_IOC_REGION_BEGIN, task));
	end->id = task->id;
	EXPECT_EQ(0, compat_ioctl(self->ctl, GOTRACE_IOC_REGION_END, end));
	EXPECT_EQ(-ENOTTY, compat_ioctl(self->ctl,
					_IO(GOTRACE_IOC_MAGIC, 200), st));
	EXPECT_EQ(-EFAULT, compat_ioctl(self->ctl, GOTRACE_IOC_START, NULL));
	stop->flags = 1U << 31;
	EXPECT_EQ(-EINVAL, compat_ioctl(self->ctl, GOTRACE_IOC_STOP, stop));
	stop->flags = 0;
	EXPECT_EQ(0, compat_ioctl(self->ctl, GOTRACE_IOC_STOP, stop));
	EXPECT_EQ(0, compat_ioctl(self->ctl, GOTRACE_IOC_STOP, NULL));
	EXPECT_EQ(0, gt_reset());
}
#endif

TEST_HARNESS_MAIN
