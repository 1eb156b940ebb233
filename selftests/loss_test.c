// SPDX-License-Identifier: GPL-2.0
/* vm: timeout=300 */
/*
 * Losses, forced: the smallest buffers and a reader that does not read; tables
 * too small for the tasks. The trace must still be one (the host's parsers say
 * so), and what was lost must be counted, in STATUS and in the trace alike.
 */
#include "device.h"
#include "losses.h"
#include "harness.h"

#include <pthread.h>

FIXTURE(loss) {
	int ctl;
	pid_t load[2];
	struct gt_losses lost;
	struct gt_bytes got;
};

/* Calls, forks and sleeps; as fast as it can, on whatever CPU. */
static pid_t start_load(void)
{
	pid_t pid = gt_fork();

	if (pid)
		return pid;
	for (;;) {
		pid_t child = fork();

		if (!child)
			_exit(0);
		gt_busy(500);
		waitpid(child, NULL, 0);
	}
}

FIXTURE_SETUP(loss)
{
	ASSERT_EQ(0, gt_reset());
	self->ctl = gt_open(O_WRONLY);
	ASSERT_GE(self->ctl, 0);
}

/*
 * Load runs only while tracing does: QEMU, which runs CPUs side by side here,
 * does not like code to be patched that all of them are in (vm.sh --help).
 */
static int end_load(FIXTURE_DATA(loss) *self)
{
	int i;

	for (i = 0; i < 2; i++) {
		if (self->load[i] && gt_kill_and_join(self->load[i]) != 128 + SIGKILL)
			return -ECHILD;
		self->load[i] = 0;
	}
	return 0;
}

FIXTURE_TEARDOWN(loss)
{
	end_load(self);
	free(self->got.data);
	close(self->ctl);
}

static int start_smallest(FIXTURE_DATA(loss) *self)
{
	struct gotrace_start args = gt_start_args();
	int err;

	args.syscalls = GOTRACE_SYSCALLS_REGIONS;
	args.buffer_bytes = gt_min_buffer_bytes();
	err = gt_start_with(self->ctl, &args);
	self->load[0] = start_load();
	self->load[1] = start_load();
	return err;
}

/* Not for a reader: a CPU that is dark stays so until there is one. */
static int stop(FIXTURE_DATA(loss) *self)
{
	int err = end_load(self);

	return err ? err : gt_stop(self->ctl, GOTRACE_STOP_NOWAIT);
}

static int ask(FIXTURE_DATA(loss) *self)
{
	return gt_losses_ask(self->ctl, &self->lost);
}

/* Waits until more than @lost events are lost for want of a buffer. */
static int wait_lost(FIXTURE_DATA(loss) *self, uint64_t lost)
{
	int ms, err;

	for (ms = 0; ms < GT_WAIT_MS; ms += 5) {
		err = ask(self);
		if (err || self->lost.st.lost[GOTRACE_LOST_BUFFER] > lost)
			return err;
		gt_sleep_ms(5);
	}
	return -ETIMEDOUT;
}

/* Waits until every CPU writes again. */
static int wait_bright(FIXTURE_DATA(loss) *self)
{
	unsigned int i, dark = 1;
	int ms, err;

	for (ms = 0; dark && ms < GT_WAIT_MS; ms += 5) {
		err = ask(self);
		if (err)
			return err;
		for (i = dark = 0; i < self->lost.st.cpus_len; i++)
			dark |= self->lost.cpus[i].flags & 2;
		gt_sleep_ms(1);
	}
	return dark ? -ETIMEDOUT : 0;
}

static int gaps_differ(FIXTURE_DATA(loss) *self)
{
	return gt_losses_differ(&self->lost, self->got.data, self->got.len);
}

static int load_file(struct gt_bytes *b, const char *name)
{
	int fd = gt_err(open(name, O_RDONLY)), err;

	if (fd < 0)
		return fd;
	err = gt_drain(fd, b);
	close(fd);
	return err;
}

/* Every CPU fills what there is, goes dark, and stays so until STOP. */
TEST_F(loss, nobody_reads_before_stop)
{
	int fd;

	ASSERT_EQ(0, start_smallest(self));
	ASSERT_EQ(0, wait_lost(self, 10000));
	ASSERT_EQ(0, stop(self));
	ASSERT_EQ(0, ask(self));
	EXPECT_GT(self->lost.st.lost[GOTRACE_LOST_BUFFER], 10000u);
	EXPECT_LE(self->lost.st.bytes_produced,
		  gt_min_buffer_bytes() + (1 << 20));	/* and the footer */
	fd = gt_open(O_RDONLY);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, gt_drain(fd, &self->got));
	close(fd);
	EXPECT_EQ(0, gt_save(&self->got, "loss_no_reader.trace"));
	EXPECT_EQ(0, gt_check_whole(self->got.data, self->got.len));
	EXPECT_EQ(0, gaps_differ(self));
}

/* A reader in its own process, who is stopped and goes on, several times. */
TEST_F_TIMEOUT(loss, reader_is_stopped_again_and_again, 100)
{
	pid_t reader = gt_fork();
	uint64_t lost = 0;
	int round;

	if (!reader) {
		execl("/bin/sh", "sh", "-c",
		      "exec cat " GOTRACE_DEVICE " > loss_stopped.trace", NULL);
		_exit(127);
	}
	ASSERT_EQ(0, start_smallest(self));
	for (round = 0; round < 4; round++) {
		ASSERT_EQ(0, kill(reader, SIGSTOP));
		ASSERT_EQ(0, wait_lost(self, lost));
		gt_sleep_ms(20);
		if (round == 3)
			break;
		ASSERT_EQ(0, kill(reader, SIGCONT));
		ASSERT_EQ(0, wait_bright(self));
		ASSERT_EQ(0, ask(self));
		lost = self->lost.st.lost[GOTRACE_LOST_BUFFER];
	}
	/* the last gap is open when tracing stops */
	ASSERT_EQ(0, stop(self));
	ASSERT_EQ(0, ask(self));
	ASSERT_EQ(0, kill(reader, SIGCONT));
	ASSERT_EQ(0, gt_join(reader));
	ASSERT_EQ(0, load_file(&self->got, "loss_stopped.trace"));
	EXPECT_EQ(0, gt_check_whole(self->got.data, self->got.len));
	EXPECT_GT(self->lost.st.lost[GOTRACE_LOST_BUFFER], lost);
	EXPECT_GE(self->lost.cpus[0].dark + self->lost.cpus[1].dark, 4u);
	EXPECT_EQ(0, gaps_differ(self));
}

/* A slow reader: CPUs go dark and come back all the time, one by one. */
TEST_F_TIMEOUT(loss, reader_is_always_late, 100)
{
	int fd = gt_open(O_RDONLY), i;

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, start_smallest(self));
	for (i = 0; i < 60; i++) {
		ASSERT_GT(gt_take(fd, &self->got, 16384), 0);
		gt_sleep_ms(10);
		/* where writers are slower still */
		if (i % 10 == 9) {
			ASSERT_EQ(0, wait_lost(self, self->lost.st.lost[GOTRACE_LOST_BUFFER]));
		}
	}
	ASSERT_EQ(0, stop(self));
	ASSERT_EQ(0, ask(self));
	ASSERT_EQ(0, gt_drain(fd, &self->got));
	close(fd);
	EXPECT_EQ(0, gt_save(&self->got, "loss_late.trace"));
	EXPECT_EQ(0, gt_check_whole(self->got.data, self->got.len));
	EXPECT_GT(self->lost.st.lost[GOTRACE_LOST_BUFFER], 0u);
	EXPECT_EQ(0, gaps_differ(self));
}

/*
 * Readers that are stopped, go on, are killed wherever they are, and replaced: what
 * they got is one trace, to the byte. The last one gets the end of file.
 */
TEST_F_TIMEOUT(loss, readers_die_at_random, 100)
{
	const int deaths = 50;
	unsigned int seed = 1;
	struct gt_shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid;
	int i;

	ASSERT_NE(MAP_FAILED, shared);
	ASSERT_EQ(0, start_smallest(self));
	for (i = 0; i <= deaths; i++) {
		pid = gt_fork();
		if (!pid)
			gt_read_at_random(self->ctl, shared, i);
		if (i == deaths)
			break;
		usleep(rand_r(&seed) % 15000);
		if (i % 3 == 0) {
			ASSERT_EQ(0, kill(pid, SIGSTOP));
			usleep(i == 30 ? 2000000 : rand_r(&seed) % 50000);
			ASSERT_EQ(0, kill(pid, SIGCONT));
			usleep(rand_r(&seed) % 5000);
		}
		ASSERT_EQ(128 + SIGKILL, gt_kill_and_join(pid));
	}
	ASSERT_EQ(0, stop(self));
	ASSERT_EQ(0, ask(self));
	ASSERT_EQ(0, gt_join(pid));
	gt_bytes_add(&self->got, shared->data, shared->len);
	munmap(shared, sizeof(*shared));
	EXPECT_EQ(0, gt_check_whole(self->got.data, self->got.len));
	EXPECT_GT(self->lost.st.lost[GOTRACE_LOST_BUFFER], 0u);
	EXPECT_EQ(0, gaps_differ(self));
	EXPECT_EQ(0, gt_save(&self->got, "loss_deaths.trace"));
	gt_figure("readers killed", deaths);
}

static int plug(const char *to)
{
	int fd = gt_err(open("/sys/devices/system/cpu/cpu1/online", O_WRONLY)), err;

	if (fd < 0)
		return fd;
	err = gt_err(write(fd, to, 1));
	close(fd);
	return err < 0 ? err : 0;
}

/* It goes, and comes back, while there is no buffer for it: that is one gap. */
TEST_F_TIMEOUT(loss, a_dark_cpu_goes_offline, 100)
{
	int fd = gt_open(O_RDONLY), i;

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, start_smallest(self));
	ASSERT_EQ(0, wait_lost(self, 10000));
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, plug("0"));
		ASSERT_EQ(0, plug("1"));
	}
	ASSERT_EQ(0, ask(self));
	ASSERT_EQ(0, wait_lost(self, self->lost.st.lost[GOTRACE_LOST_BUFFER] + 1000));
	ASSERT_EQ(0, stop(self));
	ASSERT_EQ(0, ask(self));
	ASSERT_EQ(0, gt_drain(fd, &self->got));
	close(fd);
	EXPECT_EQ(0, gt_check_whole(self->got.data, self->got.len));
	EXPECT_EQ(0, gaps_differ(self));
	EXPECT_EQ(0, gt_save(&self->got, "loss_offline.trace"));
}

/* What is lost is lost; the next session knows nothing of it. */
TEST_F(loss, next_session_begins_without)
{
	int fd = gt_open(O_RDWR);

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, start_smallest(self));
	ASSERT_EQ(0, wait_lost(self, 0));
	ASSERT_EQ(0, stop(self));
	ASSERT_EQ(0, gt_drain(fd, &self->got));
	ASSERT_EQ(0, gt_start(fd));
	gt_sleep_ms(20);
	ASSERT_EQ(0, gt_stop(fd, 0));
	ASSERT_EQ(0, ask(self));
	EXPECT_EQ(0u, self->lost.st.lost[GOTRACE_LOST_BUFFER]);
	EXPECT_EQ(0u, self->lost.cpus[0].dark + self->lost.cpus[1].dark);
	self->got.len = 0;
	ASSERT_EQ(0, gt_drain(fd, &self->got));
	EXPECT_EQ(0, gt_check_whole(self->got.data, self->got.len));
	EXPECT_EQ(0, gt_save(&self->got, "loss_after.trace"));
	close(fd);
}

static struct gotrace_begin task_begin = {
	.size = sizeof(task_begin), .name = (uintptr_t)"lost", .name_len = 4,
};

/* Ends each task that another thread makes, as soon as its id can be seen. */
static void *end_tasks(void *ctl)
{
	struct gotrace_end end = { .size = sizeof(end) };
	uint64_t id;

	do {
		id = __atomic_load_n(&task_begin.id, __ATOMIC_RELAXED);
		if (id != end.id) {
			end.id = id;
			gt_ioctl(*(int *)ctl, GOTRACE_IOC_TASK_END, &end);
		}
	} while (id != UINT64_MAX);
	return NULL;
}

/* A user's task whose start is lost, and which is ended meanwhile, goes once. */
TEST_F_TIMEOUT(loss, a_lost_task_is_ended_by_another_thread, 60)
{
	cpu_set_t first;
	pthread_t other;
	int i, err = 0;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	ASSERT_EQ(0, start_smallest(self));
	ASSERT_EQ(0, wait_lost(self, 10000));
	ASSERT_EQ(0, end_load(self));
	ASSERT_EQ(0, pthread_create(&other, NULL, end_tasks, &self->ctl));
	ASSERT_EQ(0, sched_setaffinity(0, sizeof(first), &first));
	for (i = 0; i < 20000 && !err; i++)
		err = gt_ioctl(self->ctl, GOTRACE_IOC_TASK_CREATE, &task_begin);
	__atomic_store_n(&task_begin.id, UINT64_MAX, __ATOMIC_RELAXED);
	ASSERT_EQ(0, pthread_join(other, NULL));
	/* What is given back twice is beyond every limit. */
	EXPECT_EQ(0, err) {
		TH_LOG("after %d tasks", i);
	}
	ASSERT_EQ(0, stop(self));
}

static void *be_named(void *arg)
{
	char name[16];

	snprintf(name, sizeof(name), "t%ld", (long)arg);
	prctl(PR_SET_NAME, name);
	return NULL;
}

/* Threads with a name each, until the tables hold no more. */
TEST_F_TIMEOUT(loss, tables_are_full, 100)
{
	struct gotrace_start args = gt_start_args();
	int fd = gt_open(O_RDWR);
	uint64_t lost = 0;
	long i;

	ASSERT_GE(fd, 0);
	args.syscalls = GOTRACE_SYSCALLS_OFF;
	args.table_bytes = 1 << 20;
	ASSERT_EQ(0, gt_start_with(fd, &args));
	for (i = 0; lost < 100 && i < 60000; i++) {
		pthread_t t;

		ASSERT_EQ(0, pthread_create(&t, NULL, be_named, (void *)i));
		ASSERT_EQ(0, pthread_join(t, NULL));
		if (i % 256 == 0) {
			ASSERT_EQ(0, ask(self));
			lost = self->lost.st.lost[GOTRACE_LOST_TASK] +
			       self->lost.st.lost[GOTRACE_LOST_STACK];
		}
	}
	ASSERT_EQ(0, gt_stop(fd, 0));
	ASSERT_EQ(0, ask(self));
	EXPECT_LE(self->lost.st.table_bytes, 1u << 20);
	EXPECT_GE(lost, 100u) {
		TH_LOG("after %ld threads", i);
	}
	ASSERT_EQ(0, gt_drain(fd, &self->got));
	EXPECT_EQ(0, gt_check_whole(self->got.data, self->got.len));
	EXPECT_EQ(0, gt_save(&self->got, "loss_tables.trace"));
	close(fd);
}

TEST_HARNESS_MAIN
