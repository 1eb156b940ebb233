// SPDX-License-Identifier: GPL-2.0
/* vm: timeout=600 tcg=single append=panic_on_warn=0 only=-kasan */
/*
 * Every allocation that loading, START, what a program does meanwhile, STOP and
 * reading make, and every access to user memory, fails in turn: the Nth of them, for
 * N from 1 until there is none any more. Each call then says so by an errno of its
 * contract, or does without; afterwards all works as before.
 *
 * Needs fault injection (CONFIG_FAILSLAB and the like), which Debian's kernels have
 * not. GOTRACE_KO is the module's file.
 */
#include "device.h"
#include "trace.h"
#include "harness.h"

#include <dirent.h>
#include <sys/mount.h>

#define INJECTORS	"/sys/kernel/debug/"
#define MANY		5000

FIXTURE(failnth) {
	int nth;		/* /proc/thread-self/fail-nth */
	int ctl;
	unsigned int injected;
	struct gt_bytes got;
};

/* Also what may sleep, and without a word in the log. */
static int set_injectors(void)
{
	static const char *const what[][2] = {
		{ "failslab/ignore-gfp-wait", "N" }, { "failslab/verbose", "0" },
		{ "fail_page_alloc/ignore-gfp-wait", "N" }, { "fail_page_alloc/verbose", "0" },
		{ "fail_page_alloc/ignore-gfp-highmem", "N" },
		{ "fail_page_alloc/min-order", "0" }, { "fail_usercopy/verbose", "0" },
	};
	char path[128];
	unsigned int i;
	int err = 0;

	for (i = 0; i < ARRAY_SIZE(what) && !err; i++) {
		snprintf(path, sizeof(path), INJECTORS "%s", what[i][0]);
		err = gt_write_text(path, what[i][1]);
	}
	return err;
}

FIXTURE_SETUP(failnth)
{
	ASSERT_EQ(0, gt_reset());
	ASSERT_EQ(0, set_injectors());
	self->nth = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->nth, 0);
	self->ctl = gt_open(O_WRONLY);
	ASSERT_GE(self->ctl, 0);
}

FIXTURE_TEARDOWN(failnth)
{
	gt_figure("faults injected", self->injected);
	free(self->got.data);
	close(self->ctl);
	close(self->nth);
}

static void fail_at(FIXTURE_DATA(failnth) *self, int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%d", n);

	/* What is still to fail may be this; then the next does not. */
	if (pwrite(self->nth, text, len, 0) != len && pwrite(self->nth, text, len, 0) != len)
		abort();
}

/* Whether it did; from then on nothing fails. */
static bool has_failed(FIXTURE_DATA(failnth) *self)
{
	char text[16] = "";
	/* Reading it may be what fails. */
	bool did = pread(self->nth, text, sizeof(text) - 1, 0) > 0 && atoi(text) == 0;

	fail_at(self, 0);
	self->injected += did;
	return did;
}

/* ---- What is done. Each: 0 or -errno ---- */

/* Read from memory: where files come from the host, that is what fails for good. */
#define COPY	"gotrace.ko"

static int copy_module(void)
{
	struct gt_bytes b = { 0 };
	int fd = gt_err(open(getenv("GOTRACE_KO"), O_RDONLY | O_CLOEXEC)), err;

	if (fd < 0)
		return fd;
	err = gt_drain(fd, &b);
	close(fd);
	if (!err)
		err = gt_save(&b, COPY);
	free(b.data);
	return err;
}

static int load(FIXTURE_DATA(failnth) *self)
{
	return gt_load(COPY);
}

static struct gotrace_start args;

static int start(FIXTURE_DATA(failnth) *self)
{
	return gt_start_with(self->ctl, &args);
}

static int stop(FIXTURE_DATA(failnth) *self)
{
	return gt_stop(self->ctl, GOTRACE_STOP_NOWAIT);
}

static int status(FIXTURE_DATA(failnth) *self)
{
	struct gotrace_status st;

	return gt_status(self->ctl, &st);
}

static int open_and_close(FIXTURE_DATA(failnth) *self)
{
	int fd = gt_open(O_RDONLY | O_NONBLOCK);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

/* A new name each time, so that the tables grow. */
static char name[64];
static uint64_t id;

static int begin(FIXTURE_DATA(failnth) *self, unsigned long cmd)
{
	struct gotrace_begin b = {
		.size = sizeof(b), .name = (uintptr_t)name, .name_len = sizeof(name),
	};
	static unsigned int turn;
	int err;

	snprintf(name, sizeof(name), "name %u", turn++);
	err = gt_ioctl(self->ctl, cmd, &b);
	if (!err)
		id = b.id;
	return err;
}

static int end(FIXTURE_DATA(failnth) *self, unsigned long cmd)
{
	struct gotrace_end e = { .size = sizeof(e), .id = id };

	return gt_ioctl(self->ctl, cmd, &e);
}

static int task(FIXTURE_DATA(failnth) *self)
{
	int err = begin(self, GOTRACE_IOC_TASK_CREATE);

	return err ? err : end(self, GOTRACE_IOC_TASK_END);
}

static int region(FIXTURE_DATA(failnth) *self)
{
	int err = begin(self, GOTRACE_IOC_REGION_BEGIN);

	return err ? err : end(self, GOTRACE_IOC_REGION_END);
}

static int message(FIXTURE_DATA(failnth) *self)
{
	struct gotrace_log l = {
		.size = sizeof(l), .category = (uintptr_t)name, .category_len = sizeof(name),
		.message = (uintptr_t)name, .message_len = sizeof(name),
	};
	static unsigned int turn;

	snprintf(name, sizeof(name), "message %u", turn++);
	return gt_ioctl(self->ctl, GOTRACE_IOC_LOG, &l);
}

static int traceback(FIXTURE_DATA(failnth) *self)
{
	static char reply[1 << 20];
	uint32_t pids[] = { getpid(), 1, 2 };
	struct gotrace_traceback tb = {
		.size = sizeof(tb), .buf_addr = (uintptr_t)reply, .buf_len = sizeof(reply),
		.pids_addr = (uintptr_t)pids, .pids_len = ARRAY_SIZE(pids),
		.flags = GOTRACE_TRACEBACK_DEBUG,
	};

	return gt_ioctl(self->ctl, GOTRACE_IOC_TRACEBACK, &tb);
}

/* A child, which the trace gets to know. */
static int make_child(FIXTURE_DATA(failnth) *self)
{
	pid_t pid = gt_err(fork());

	if (!pid)
		_exit(0);
	return pid < 0 ? pid : waitpid(pid, NULL, 0) == pid ? 0 : -errno;
}

/* ---- The Nth of them fails ---- */

typedef int (*what_t)(FIXTURE_DATA(failnth) *self);

/*
 * @what, with all that may fail in it failing, and @undo after each time it went
 * well. 0 when each errno is -ENOMEM or one of @others.
 */
static int sweep(FIXTURE_DATA(failnth) *self, what_t what, what_t undo, const int *others)
{
	int n, err, i;
	bool did;

	for (n = 1; n < MANY; n++) {
		fail_at(self, n);
		err = what(self);
		did = has_failed(self);
		for (i = 0; others && others[i] && others[i] != err; i++)
			;
		if (err && (!did || (err != -ENOMEM && !(others && others[i])))) {
			printf("# %d of %d: %s\n", n, self->injected, strerror(-err));
			return err;
		}
		if (!err && undo) {
			err = undo(self);
			if (err) {
				printf("# undoing %d: %s\n", n, strerror(-err));
				return err;
			}
		}
		if (!did)
			return n > 1 ? 0 : -ENODATA;	/* nothing could fail */
	}
	return -ERANGE;
}

static const int user_memory[] = { -EFAULT, 0 };

/* Of user memory, too, in any of the file's system calls on the way. */
static int stop_and_read(FIXTURE_DATA(failnth) *self)
{
	int fd, err = stop(self);

	if (err)
		return err;
	fd = gt_open(O_RDONLY);
	if (fd < 0)
		return fd;
	self->got.len = 0;
	err = gt_drain(fd, &self->got);
	close(fd);
	return err ? err : gt_check_whole(self->got.data, self->got.len);
}

static int unload_again(FIXTURE_DATA(failnth) *self)
{
	return gt_unload();
}

/* All that a filter can have, which leaves us and our children in. */
static struct gotrace_filter filter;

static int choose_filter(void)
{
	static uint32_t tids[1], uids[] = { 0 }, calls[] = { SYS_getppid };
	static char comms[][GOTRACE_FILTER_COMM_SIZE] = { "nobody's", "*" };
	static uint8_t cpus[8];
	static int32_t cgroup = -1;

	tids[0] = getpid();
	memset(cpus, 0xff, sizeof(cpus));
	if (cgroup < 0) {
		mkdir("cgroup", 0700);
		if (mount("none", "cgroup", "cgroup2", 0, NULL))
			return -errno;
		cgroup = gt_err(open("cgroup", O_RDONLY | O_CLOEXEC));
		if (cgroup < 0)
			return cgroup;
		umount2("cgroup", MNT_DETACH);
	}
	filter = (struct gotrace_filter){
		.size = sizeof(filter),
		.flags = GOTRACE_FILTER_FOLLOW | GOTRACE_FILTER_CALLS_EXCEPT,
		.tids = { (uintptr_t)tids, ARRAY_SIZE(tids) },
		.tgids = { (uintptr_t)tids, ARRAY_SIZE(tids) },
		.comms = { (uintptr_t)comms, ARRAY_SIZE(comms) },
		.cgroups = { (uintptr_t)&cgroup, 1 },
		.uids = { (uintptr_t)uids, ARRAY_SIZE(uids) },
		.cpus = { (uintptr_t)cpus, sizeof(cpus) },
		.calls = { (uintptr_t)calls, ARRAY_SIZE(calls) },
	};
	args.filter = (uintptr_t)&filter;
	return 0;
}

/* As little memory as there may be, which is quick to count through. */
static void choose(bool all)
{
	args = gt_start_args();
	args.buffer_bytes = gt_min_buffer_bytes();
	args.table_bytes = 1 << 20;
	if (!all)
		return;
	args.stacks = GOTRACE_STACKS_KERNEL | GOTRACE_STACKS_USER;
	args.flags = GOTRACE_START_MEMORY | GOTRACE_START_DISCARD;
	args.sample_hz = 100;
	args.depth = 8;
}

TEST_F_TIMEOUT(failnth, loading, 1500)
{
	close(self->ctl);
	ASSERT_EQ(0, copy_module());
	ASSERT_EQ(0, gt_unload());
	EXPECT_EQ(0, sweep(self, load, unload_again, user_memory));
	ASSERT_EQ(0, load(self));
	unlink(COPY);
	choose(false);
	self->ctl = gt_open(O_WRONLY);
	ASSERT_GE(self->ctl, 0);
	ASSERT_EQ(0, start(self));
	EXPECT_EQ(0, stop_and_read(self));
}

/* After one that failed the next works: it is tried with the next number. */
TEST_F_TIMEOUT(failnth, starting, 1500)
{
	choose(false);
	EXPECT_EQ(0, sweep(self, start, stop_and_read, user_memory));
	EXPECT_EQ(0, gt_save(&self->got, "failnth_start.trace"));
	EXPECT_EQ(GOTRACE_STATE_NONE, gt_state(self->ctl));
}

TEST_F_TIMEOUT(failnth, starting_with_all_there_is, 1500)
{
	/* Which of its ways to say no perf takes. */
	static const int errors[] = { -EFAULT, -EOPNOTSUPP, 0 };

	choose(true);
	EXPECT_EQ(0, sweep(self, start, stop_and_read, errors));
	EXPECT_EQ(0, gt_save(&self->got, "failnth_start_all.trace"));
	EXPECT_EQ(GOTRACE_STATE_NONE, gt_state(self->ctl));
}

TEST_F_TIMEOUT(failnth, starting_with_a_filter, 1500)
{
	choose(false);
	ASSERT_EQ(0, choose_filter());
	EXPECT_EQ(0, sweep(self, start, stop_and_read, user_memory));
	EXPECT_EQ(0, gt_save(&self->got, "failnth_start_filter.trace"));
	EXPECT_EQ(GOTRACE_STATE_NONE, gt_state(self->ctl));
}

static int discard(FIXTURE_DATA(failnth) *self)
{
	return gt_stop(self->ctl, GOTRACE_STOP_DISCARD);
}

static int snapshot(FIXTURE_DATA(failnth) *self)
{
	static char reply[8 << 20];
	struct gotrace_snapshot a = {
		.size = sizeof(a), .buf_addr = (uintptr_t)reply, .buf_len = sizeof(reply),
	};
	int err = gt_ioctl(self->ctl, GOTRACE_IOC_SNAPSHOT, &a);

	return err ? err : a.buf_len > 1000 ? 0 : -ENODATA;
}

/* More, and less. */
static int resize(FIXTURE_DATA(failnth) *self)
{
	struct gotrace_resize a = {
		.size = sizeof(a), .buffer_bytes = 2 * args.buffer_bytes,
	};
	int err = gt_ioctl(self->ctl, GOTRACE_IOC_RESIZE, &a);

	a.buffer_bytes = args.buffer_bytes;
	return err ? err : gt_ioctl(self->ctl, GOTRACE_IOC_RESIZE, &a);
}

TEST_F_TIMEOUT(failnth, flight_recorder, 1500)
{
	choose(true);
	args.sample_hz = 0;
	args.flags |= GOTRACE_START_OVERWRITE;
	EXPECT_EQ(0, sweep(self, start, discard, user_memory));
	ASSERT_EQ(0, start(self));
	EXPECT_EQ(0, sweep(self, resize, NULL, user_memory));
	EXPECT_EQ(0, sweep(self, snapshot, NULL, user_memory));
	/* And as if nothing had been. */
	EXPECT_EQ(0, snapshot(self));
	EXPECT_EQ(0, discard(self));
	EXPECT_EQ(GOTRACE_STATE_NONE, gt_state(self->ctl));
}

TEST_F_TIMEOUT(failnth, running, 1500)
{
	static const int busy[] = { -EFAULT, -EAGAIN, 0 };
	static const struct {
		what_t what;
		const int *others;
	} calls[] = {
		{ open_and_close, user_memory }, { status, user_memory }, { task, user_memory },
		{ region, user_memory }, { message, user_memory }, { traceback, user_memory },
		{ make_child, busy },
	};
	unsigned int i;

	choose(true);
	args.buffer_bytes = args.table_bytes = 0;
	ASSERT_EQ(0, start(self));
	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		EXPECT_EQ(0, sweep(self, calls[i].what, NULL, calls[i].others)) {
			TH_LOG("call %u", i);
		}
		/* And as if nothing had been. */
		EXPECT_EQ(0, calls[i].what(self));
	}
	EXPECT_EQ(0, stop_and_read(self));
	EXPECT_EQ(0, gt_save(&self->got, "failnth_running.trace"));
}

/* A stop has stopped whatever fails. */
TEST_F_TIMEOUT(failnth, stopping, 1500)
{
	int n, err;
	bool did;

	choose(true);
	for (n = 1, did = true; did; n++) {
		struct gotrace_stop none = { .size = sizeof(none), .flags = GOTRACE_STOP_NOWAIT };

		ASSERT_EQ(0, start(self));
		make_child(self);
		fail_at(self, n);
		err = gt_ioctl(self->ctl, GOTRACE_IOC_STOP, &none);
		did = has_failed(self);
		if (err == -EFAULT && did) {	/* the argument */
			ASSERT_EQ(GOTRACE_STATE_TRACING, gt_state(self->ctl));
		} else {
			ASSERT_EQ(0, err);
			ASSERT_EQ(GOTRACE_STATE_DRAINING, gt_state(self->ctl));
		}
		ASSERT_EQ(0, stop_and_read(self));
	}
	EXPECT_EQ(0, gt_save(&self->got, "failnth_stop.trace"));
}

/* A read that fails loses no byte: what is read at last is whole. */
TEST_F_TIMEOUT(failnth, reading, 1500)
{
	int fd, n = 1;
	long got;

	choose(true);
	ASSERT_EQ(0, start(self));
	ASSERT_EQ(0, make_child(self));
	ASSERT_EQ(0, stop(self));
	fd = gt_open(O_RDONLY);
	ASSERT_GE(fd, 0);
	do {
		gt_bytes_room(&self->got, 4096);
		fail_at(self, n);
		got = gt_take(fd, &self->got, 997);
		n = has_failed(self) ? n % 7 + 1 : 1;
		ASSERT_TRUE(got >= 0 || got == -EFAULT || got == -ENOMEM);
	} while (got);
	close(fd);
	EXPECT_GT(self->injected, 0u);
	EXPECT_EQ(0, gt_check_whole(self->got.data, self->got.len));
	EXPECT_EQ(0, gt_save(&self->got, "failnth_read.trace"));
}

/* Each of the kernel's unbound workers, the tracer's among them. */
static unsigned int fail_workers(unsigned int *seed)
{
	unsigned int n = 0;
	struct dirent *d;
	DIR *proc = opendir("/proc");

	while (proc && (d = readdir(proc))) {
		char path[300], comm[32] = "", text[16];
		int fd;

		snprintf(path, sizeof(path), "/proc/%s/comm", d->d_name);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0 || read(fd, comm, sizeof(comm) - 1) < 0)
			comm[0] = 0;
		close(fd);
		if (strncmp(comm, "kworker/u", 9))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/fail-nth", d->d_name);
		snprintf(text, sizeof(text), "%d", rand_r(seed) % 8 + 1);
		n += !gt_write_text(path, text);
	}
	closedir(proc);
	return n;
}

/* The worker brings buffers and tables later, and what is lost meanwhile is counted. */
TEST_F_TIMEOUT(failnth, worker, 300)
{
	unsigned int seed = 1, workers = 0;
	int fd = gt_open(O_RDONLY), i;

	ASSERT_GE(fd, 0);
	choose(true);
	args.syscalls = GOTRACE_SYSCALLS_REGIONS;
	args.buffer_bytes = args.table_bytes = 16 << 20;
	ASSERT_EQ(0, start(self));
	for (i = 0; i < 50; i++) {
		workers += fail_workers(&seed);
		ASSERT_EQ(0, make_child(self));
		gt_busy(2000);
		if (i % 10 == 9) {
			ASSERT_GT(gt_take(fd, &self->got, 1 << 20), 0);
		}
	}
	EXPECT_GT(workers, 0u);
	self->injected += workers;
	ASSERT_EQ(0, stop(self));
	ASSERT_EQ(0, gt_drain(fd, &self->got));
	close(fd);
	EXPECT_EQ(0, gt_check_whole(self->got.data, self->got.len));
	EXPECT_EQ(0, gt_save(&self->got, "failnth_worker.trace"));
}

TEST_HARNESS_MAIN
