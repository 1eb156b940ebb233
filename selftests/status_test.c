// SPDX-License-Identifier: GPL-2.0
/* vm: tcg=single */
/*
 * STATUS: what it says in each state of a session, and to whom it writes.
 */
#include "device.h"
#include "trace.h"
#include "harness.h"

#define MAX_CPUS	64
#define CANARY		0xa5

FIXTURE(status) {
	int ctl;
	unsigned int possible;
	struct gotrace_status st;
	struct gotrace_cpu_status cpus[MAX_CPUS + 1];
	struct gt_bytes got;
};

FIXTURE_SETUP(status)
{
	ASSERT_EQ(0, gt_reset());
	self->ctl = gt_open(O_WRONLY);
	ASSERT_GE(self->ctl, 0);
	self->possible = gt_possible_cpus();
	ASSERT_LE(self->possible, (unsigned int)MAX_CPUS);
}

FIXTURE_TEARDOWN(status)
{
	free(self->got.data);
	close(self->ctl);
}

static int ask(FIXTURE_DATA(status) *self, unsigned int entries,
	       unsigned int cpu_size)
{
	memset(self->cpus, CANARY, sizeof(self->cpus));
	memset(&self->st, 0, sizeof(self->st));
	self->st.size = sizeof(self->st);
	self->st.cpus_addr = (uintptr_t)self->cpus;
	self->st.cpus_len = entries;
	self->st.cpu_size = cpu_size;
	return gt_ioctl(self->ctl, GOTRACE_IOC_STATUS, &self->st);
}

static int ask_all(FIXTURE_DATA(status) *self)
{
	return ask(self, MAX_CPUS, sizeof(self->cpus[0]));
}

static bool all_bytes(const void *p, int value, size_t len)
{
	const unsigned char *c = p;

	while (len && *c == value) {
		c++;
		len--;
	}
	return !len;
}

static uint64_t now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

TEST_F(status, without_session_all_is_zero_but_state_and_session)
{
	struct gotrace_status zero = { 0 };

	ASSERT_EQ(0, ask_all(self));
	EXPECT_EQ(sizeof(self->st), self->st.size);
	EXPECT_EQ(GOTRACE_STATE_NONE, (int)self->st.state);
	zero.size = self->st.size;
	zero.session = self->st.session;
	zero.cpus_addr = self->st.cpus_addr;
	zero.cpus_len = self->st.cpus_len;
	zero.cpu_size = self->st.cpu_size;
	EXPECT_EQ(0, memcmp(&zero, &self->st, sizeof(zero)));
}

TEST_F(status, while_tracing)
{
	struct gotrace_start args = gt_start_args();
	uint64_t mono = now(CLOCK_MONOTONIC), real = now(CLOCK_REALTIME);
	uint64_t mono_after, real_after, events;

	args.buffer_bytes = 3 << 20;
	args.flags = GOTRACE_START_IDLE;
	ASSERT_EQ(0, gt_start_with(self->ctl, &args));
	mono_after = now(CLOCK_MONOTONIC);
	real_after = now(CLOCK_REALTIME);
	gt_busy(5000);
	ASSERT_EQ(0, ask_all(self));
	EXPECT_EQ(GOTRACE_STATE_TRACING, (int)self->st.state);
	EXPECT_EQ((unsigned int)GOTRACE_START_IDLE, self->st.flags);
	EXPECT_EQ((unsigned int)GOTRACE_SYSCALLS_CALLS, self->st.syscalls);
	EXPECT_TRUE(self->st.clock == GOTRACE_CLOCK_TSC ||
		    self->st.clock == GOTRACE_CLOCK_MONO);
	EXPECT_EQ(0u, self->st.reserved);
	EXPECT_GT(self->st.frequency, 1000000u);
	EXPECT_NE(0u, self->st.start_ticks);
	EXPECT_LE(mono, self->st.start_mono);
	EXPECT_GE(mono_after, self->st.start_mono);
	EXPECT_LE(real, self->st.start_real);
	EXPECT_GE(real_after, self->st.start_real);
	EXPECT_EQ(0u, self->st.end_ticks);
	EXPECT_EQ(0u, self->st.end_mono);
	EXPECT_EQ(0u, self->st.end_real);
	EXPECT_GT(self->st.events, 5000u);
	EXPECT_GT(self->st.bytes_produced, 5000u);
	EXPECT_EQ(0u, self->st.bytes_read);
	EXPECT_TRUE(all_bytes(self->st.lost, 0, sizeof(self->st.lost)));
	EXPECT_EQ(48u, self->st.buffers_limit);
	EXPECT_GT(self->st.buffers_inuse, 0u);
	EXPECT_LE(self->st.buffers_empty + self->st.buffers_full +
		  self->st.buffers_inuse, 48u);
	EXPECT_GT(self->st.table_bytes, 0u);
	EXPECT_GT(self->st.tasks, 10u);
	EXPECT_GT(self->st.stacks, 0u);
	EXPECT_GT(self->st.strings, 0u);
	events = self->st.events;
	gt_busy(1000);
	ASSERT_EQ(0, ask_all(self));
	EXPECT_GE(self->st.events, events + 1000);
}

TEST_F(status, while_draining)
{
	uint64_t mono, real, read, sum = 0, bytes = 0;
	struct gotrace_status before;
	double ticks_s, mono_s;
	unsigned int i;
	int fd;

	ASSERT_EQ(0, gt_start(self->ctl));
	gt_busy(GT_BUSY_BUFFERS);
	gt_sleep_ms(500);
	ASSERT_EQ(0, gt_status(self->ctl, &before));
	mono = now(CLOCK_MONOTONIC);
	real = now(CLOCK_REALTIME);
	ASSERT_EQ(0, gt_stop(self->ctl, 0));
	ASSERT_EQ(0, ask_all(self));
	EXPECT_EQ(GOTRACE_STATE_DRAINING, (int)self->st.state);
	EXPECT_EQ(before.session, self->st.session);
	EXPECT_EQ(before.start_ticks, self->st.start_ticks);
	EXPECT_EQ(before.start_mono, self->st.start_mono);
	EXPECT_EQ(before.start_real, self->st.start_real);
	EXPECT_LE(mono, self->st.end_mono);
	EXPECT_GE(now(CLOCK_MONOTONIC), self->st.end_mono);
	EXPECT_LE(real, self->st.end_real);
	EXPECT_GE(now(CLOCK_REALTIME), self->st.end_real);
	EXPECT_GE(self->st.events, before.events);
	EXPECT_GE(self->st.bytes_produced, before.bytes_produced);

	/* the frequency is what both clocks say, to a thousandth */
	ticks_s = (double)(self->st.end_ticks - self->st.start_ticks) /
		  self->st.frequency;
	mono_s = (self->st.end_mono - self->st.start_mono) / 1e9;
	EXPECT_LT(ticks_s, mono_s * 1.001);
	EXPECT_GT(ticks_s, mono_s * 0.999);

	for (i = 0; i < self->possible; i++) {
		sum += self->cpus[i].events;
		bytes += self->cpus[i].bytes;
		EXPECT_EQ(0u, self->cpus[i].flags);
	}
	EXPECT_GE(self->st.events, sum);	/* the rest: the initial state */
	EXPECT_GT(sum, (unsigned int)GT_BUSY_BUFFERS);
	EXPECT_LE(bytes, self->st.bytes_produced);
	EXPECT_GT(bytes, self->st.bytes_produced / 2);

	fd = gt_open(O_RDONLY);
	ASSERT_GE(fd, 0);
	read = gt_take(fd, &self->got, 12345);
	ASSERT_EQ(0, ask_all(self));
	EXPECT_EQ(read, self->st.bytes_read);
	ASSERT_EQ(0, gt_drain(fd, &self->got));
	EXPECT_EQ(0, gt_check_whole(self->got.data, self->got.len));
	EXPECT_EQ(0, gt_save(&self->got, "status_draining.trace"));
	close(fd);
}

/* Timed records: all of them, and those up to the second Gomaxprocs. */
struct tally {
	unsigned long timed, initial, created, stacks, strings, processes;
};

/* Is @id new in @set? A stack may be written twice. */
static bool is_new(uint64_t *set, unsigned long len, uint64_t id)
{
	while (len && set[len - 1] != id)
		len--;
	return !len;
}

static int tally(const struct gt_bytes *b, struct tally *t)
{
	static uint64_t stacks[4096];
	unsigned int procs = 0;
	struct gt_record r;
	struct gt_walk w;
	int ret = gt_walk_init(&w, b->data, b->len);

	memset(t, 0, sizeof(*t));
	while (!ret && (ret = gt_walk_next(&w, &r)) > 0) {
		ret = 0;
		if (r.type == GT_STRING && r.args[0] >= GT_STRING_PROCESSES) {
			t->processes++;		/* made at the end, of no table */
		} else if (r.type == GT_STRING) {
			t->strings++;
		} else if (r.type == GT_STACK) {
			if (t->stacks == ARRAY_SIZE(stacks))
				return -E2BIG;
			if (is_new(stacks, t->stacks, r.args[0]))
				stacks[t->stacks++] = r.args[0];
		} else if (r.type >= GT_GOMAXPROCS) {
			t->timed++;
			t->created += r.type == GT_GO_CREATE;
			procs += r.type == GT_GOMAXPROCS;
			if (procs == 2 && !t->initial)
				t->initial = t->timed;
		}
	}
	return ret;
}

/* What is counted is what is in the file. */
TEST_F(status, counts_the_events_of_the_trace)
{
	int fd = gt_open(O_RDWR);
	unsigned long sum = 0;
	struct tally t;
	unsigned int i;

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, gt_start(fd));
	gt_busy(20000);
	ASSERT_EQ(0, gt_stop(fd, 0));
	ASSERT_EQ(0, ask_all(self));
	ASSERT_EQ(0, gt_drain(fd, &self->got));
	EXPECT_EQ(0, gt_save(&self->got, "status_counts.trace"));
	ASSERT_EQ(0, tally(&self->got, &t));
	for (i = 0; i < self->possible; i++) {
		sum += self->cpus[i].events;
	}
	EXPECT_EQ(t.timed, self->st.events);
	EXPECT_EQ(t.timed, sum + t.initial);	/* no CPU writes those */
	EXPECT_EQ(t.created, self->st.tasks);
	EXPECT_EQ(t.stacks, self->st.stacks);
	EXPECT_EQ(t.strings, self->st.strings);
	EXPECT_EQ(t.processes, t.created);
	close(fd);
}

TEST_F(status, fills_as_many_cpus_as_there_are_and_no_more)
{
	unsigned int i;

	ASSERT_EQ(0, gt_start(self->ctl));
	gt_busy(1000);
	ASSERT_EQ(0, ask_all(self));
	EXPECT_EQ(self->possible, self->st.cpus_len);
	EXPECT_EQ(sizeof(self->cpus[0]), self->st.cpu_size);
	for (i = 0; i < self->possible; i++) {
		EXPECT_EQ(i, self->cpus[i].cpu);
		EXPECT_EQ(1u, self->cpus[i].flags);
		EXPECT_GT(self->cpus[i].events, 0u);
		EXPECT_GT(self->cpus[i].bytes, 0u);
		EXPECT_TRUE(all_bytes(self->cpus[i].lost, 0,
				      sizeof(self->cpus[i].lost)));
		EXPECT_EQ(0u, self->cpus[i].dark);
		EXPECT_LE(self->cpus[i].adjusted, self->cpus[i].events);
	}
	EXPECT_TRUE(all_bytes(&self->cpus[self->possible], CANARY,
			      sizeof(self->cpus[0])));
}

TEST_F(status, fills_a_shorter_array_and_says_how_many_there_are)
{
	ASSERT_EQ(0, gt_start(self->ctl));
	gt_busy(1000);
	ASSERT_EQ(0, ask(self, 1, sizeof(self->cpus[0])));
	EXPECT_EQ(self->possible, self->st.cpus_len);
	EXPECT_EQ(0u, self->cpus[0].cpu);
	EXPECT_TRUE(all_bytes(&self->cpus[1], CANARY, sizeof(self->cpus[1])));
	ASSERT_EQ(0, ask(self, 0, sizeof(self->cpus[0])));
	EXPECT_EQ(self->possible, self->st.cpus_len);
	EXPECT_TRUE(all_bytes(self->cpus, CANARY, sizeof(self->cpus)));
}

/* A newer program's longer entries: the part that this kernel knows, then 0. */
TEST_F(status, zeroes_what_it_does_not_know_of_a_longer_cpu_entry)
{
	const size_t known = sizeof(self->cpus[0]), longer = known + 40;
	unsigned char *bytes = (unsigned char *)self->cpus;
	unsigned int i;

	ASSERT_EQ(0, gt_start(self->ctl));
	ASSERT_EQ(0, ask(self, self->possible, longer));
	EXPECT_EQ(known, self->st.cpu_size);
	for (i = 0; i < self->possible; i++) {
		__u32 cpu;

		memcpy(&cpu, bytes + i * longer, sizeof(cpu));
		EXPECT_EQ(i, cpu);
		EXPECT_TRUE(all_bytes(bytes + i * longer + known, 0, 40));
	}
	EXPECT_TRUE(all_bytes(bytes + self->possible * longer, CANARY, 40));
}

TEST_F(status, can_be_asked_again_with_its_own_answer)
{
	ASSERT_EQ(0, gt_start(self->ctl));
	ASSERT_EQ(0, ask_all(self));
	EXPECT_EQ(0, gt_ioctl(self->ctl, GOTRACE_IOC_STATUS, &self->st));
	EXPECT_EQ(self->possible, self->st.cpus_len);
}

TEST_F(status, needs_no_cpu_array)
{
	struct gotrace_status st = {
		.size = sizeof(st),
		.cpu_size = sizeof(struct gotrace_cpu_status),
	};

	ASSERT_EQ(0, gt_start(self->ctl));
	EXPECT_EQ(0, gt_ioctl(self->ctl, GOTRACE_IOC_STATUS, &st));
	EXPECT_EQ(self->possible, st.cpus_len);
}

/* The default limits, and that a limit is rounded down to whole buffers. */
TEST_F(status, shows_the_limit_in_buffers)
{
	struct gotrace_start args = gt_start_args();

	ASSERT_EQ(0, gt_start(self->ctl));
	ASSERT_EQ(0, ask_all(self));
	EXPECT_EQ((64u << 20) / GOTRACE_BUF_SIZE, self->st.buffers_limit);
	ASSERT_EQ(0, gt_reset());
	args.buffer_bytes = gt_min_buffer_bytes() + GOTRACE_BUF_SIZE - 1;
	ASSERT_EQ(0, gt_start_with(self->ctl, &args));
	ASSERT_EQ(0, ask_all(self));
	EXPECT_EQ(self->possible + 2, self->st.buffers_limit);
}

/* "tsc" is on the list only while the kernel trusts it. */
static bool kernel_trusts_tsc(void)
{
	char line[256] = "";
	FILE *f = fopen("/sys/devices/system/clocksource/clocksource0/"
			"available_clocksource", "r");

	if (f) {
		if (!fgets(line, sizeof(line), f))
			line[0] = 0;
		fclose(f);
	}
	return strncmp(line, "tsc ", 4) == 0 || strstr(line, " tsc ");
}

TEST_F(status, clock_is_the_one_asked_for)
{
	const uint64_t ns_per_tick = 16;
	struct gotrace_start args = gt_start_args();
	__u32 clock;

	for (clock = GOTRACE_CLOCK_MONO; clock <= GOTRACE_CLOCK_BOOT; clock++) {
		char name[32];
		int fd;

		args.clock = clock;
		ASSERT_EQ(0, gt_start_with(self->ctl, &args));
		gt_busy(1000);
		ASSERT_EQ(0, ask_all(self));
		EXPECT_EQ(clock, self->st.clock);
		EXPECT_EQ(1000000000 / ns_per_tick, self->st.frequency);
		EXPECT_LE(self->st.start_ticks, now(clock == GOTRACE_CLOCK_MONO ?
				CLOCK_MONOTONIC : CLOCK_BOOTTIME) / ns_per_tick);
		ASSERT_EQ(0, gt_stop(self->ctl, 0));
		fd = gt_open(O_RDONLY);
		self->got.len = 0;
		ASSERT_EQ(0, gt_drain(fd, &self->got));
		close(fd);
		snprintf(name, sizeof(name), "status_clock_%u.trace", clock);
		EXPECT_EQ(0, gt_save(&self->got, name));
	}
}

TEST_F(status, tsc_where_it_is_trusted_else_enodev)
{
	struct gotrace_start args = gt_start_args();
	bool trusted = kernel_trusts_tsc();

	args.clock = GOTRACE_CLOCK_TSC;
	EXPECT_EQ(trusted ? 0 : -ENODEV, gt_start_with(self->ctl, &args));
	ASSERT_EQ(0, ask_all(self));
	EXPECT_EQ(trusted ? GOTRACE_STATE_TRACING : GOTRACE_STATE_NONE,
		  (int)self->st.state);
	ASSERT_EQ(0, gt_reset());
	ASSERT_EQ(0, gt_start(self->ctl));
	ASSERT_EQ(0, ask_all(self));
	EXPECT_EQ((unsigned int)(trusted ? GOTRACE_CLOCK_TSC : GOTRACE_CLOCK_MONO),
		  self->st.clock);
}

TEST_HARNESS_MAIN
