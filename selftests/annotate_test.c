// SPDX-License-Identifier: GPL-2.0
/* vm: timeout=300 tcg=single */
/*
 * The annotations' ioctls: what they take, refuse and limit, and who may. What
 * the trace shows of them is annotations_test.sh's matter.
 */
#include "device.h"
#include "trace.h"
#include "harness.h"

#include <grp.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sched.h>

#define NOBODY	65534

FIXTURE(annotate) {
	int ctl;		/* root's */
	char *page;		/* two; the second is not there */
	size_t size;
	struct gt_bytes got;
};

FIXTURE_SETUP(annotate)
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

FIXTURE_TEARDOWN(annotate)
{
	EXPECT_EQ(0, chmod(GOTRACE_DEVICE, 0600));
	free(self->got.data);
	close(self->ctl);
	EXPECT_EQ(0, gt_reset());
}

/* ---- one ioctl each; the id or -errno ---- */

static struct gotrace_begin begin_args(uint64_t task, const char *name)
{
	return (struct gotrace_begin){
		.size = sizeof(struct gotrace_begin), .name_len = strlen(name),
		.name = (uintptr_t)name, .task = task,
	};
}

static int64_t begin(int fd, unsigned long cmd, uint64_t task, const char *name)
{
	struct gotrace_begin a = begin_args(task, name);
	int err = gt_ioctl(fd, cmd, &a);

	return err ? err : (int64_t)a.id;
}

static int64_t task_create(int fd, uint64_t parent, const char *name)
{
	return begin(fd, GOTRACE_IOC_TASK_CREATE, parent, name);
}

static int64_t region_begin(int fd, uint64_t task, const char *name)
{
	return begin(fd, GOTRACE_IOC_REGION_BEGIN, task, name);
}

static int end(int fd, unsigned long cmd, uint64_t id)
{
	struct gotrace_end a = { .size = sizeof(a), .id = id };

	return gt_ioctl(fd, cmd, &a);
}

static struct gotrace_log log_args(const char *category, const char *message)
{
	return (struct gotrace_log){
		.size = sizeof(struct gotrace_log),
		.category_len = strlen(category), .category = (uintptr_t)category,
		.message_len = strlen(message), .message = (uintptr_t)message,
	};
}

static int tell(int fd, const char *category, const char *message)
{
	struct gotrace_log a = log_args(category, message);

	return gt_ioctl(fd, GOTRACE_IOC_LOG, &a);
}

/* Records of @type. */
static int count(const struct gt_bytes *b, unsigned int type)
{
	unsigned long n[GT_TYPES];

	return gt_count(b->data, b->len, n) ?: (int)n[type];
}

/* STOP, and all of the session into @b; counts its records of @type. */
static int stop_and_count(int ctl, struct gt_bytes *b, unsigned int type)
{
	int fd, err = gt_stop(ctl, 0);

	if (err)
		return err;
	fd = gt_open(O_RDONLY);
	b->len = 0;
	err = gt_drain(fd, b);
	close(fd);
	return err ? err : count(b, type);
}

static const unsigned long begins[] = { GOTRACE_IOC_TASK_CREATE, GOTRACE_IOC_REGION_BEGIN };
static const unsigned long ends[] = { GOTRACE_IOC_TASK_END, GOTRACE_IOC_REGION_END };

/* ---- ENABLED ---- */

TEST_F(annotate, enabled_says_whether_a_session_traces)
{
	int fd;

	EXPECT_EQ(0, gt_ioctl(self->ctl, GOTRACE_IOC_ENABLED, NULL));
	ASSERT_EQ(0, gt_start(self->ctl));
	EXPECT_EQ(1, gt_ioctl(self->ctl, GOTRACE_IOC_ENABLED, NULL));
	fd = gt_open(O_RDONLY);
	EXPECT_EQ(1, gt_ioctl(fd, GOTRACE_IOC_ENABLED, NULL));
	close(fd);
	ASSERT_EQ(0, gt_stop(self->ctl, 0));
	EXPECT_EQ(0, gt_ioctl(self->ctl, GOTRACE_IOC_ENABLED, NULL));
}

TEST_F(annotate, enabled_takes_no_argument)
{
	EXPECT_EQ(-EINVAL, gt_ioctl(self->ctl, GOTRACE_IOC_ENABLED, self->page));
}

/* ---- what is refused ---- */

static void refusals(struct __test_metadata *_metadata, FIXTURE_DATA(annotate) *self)
{
	char *hole = self->page + self->size;
	struct gotrace_begin b;
	struct gotrace_end e;
	struct gotrace_log l;
	int64_t id = task_create(self->ctl, 0, "t");
	unsigned int i;

	ASSERT_GT(id, 0);
	for (i = 0; i < 2; i++) {
		b = begin_args(0, "x");
		b.size = sizeof(b) - 1;
		EXPECT_EQ(-EINVAL, gt_ioctl(self->ctl, begins[i], &b));
		b = begin_args(0, "");
		EXPECT_EQ(-EINVAL, gt_ioctl(self->ctl, begins[i], &b));
		b = begin_args(0, "x");
		b.name_len = GOTRACE_STRING_MAX + 1;
		EXPECT_EQ(-EINVAL, gt_ioctl(self->ctl, begins[i], &b));
		/* an id that nobody has got yet */
		EXPECT_EQ(-EINVAL, begin(self->ctl, begins[i], id + 1000, "x"));
		EXPECT_EQ(-EINVAL, begin(self->ctl, begins[i], UINT64_MAX, "x"));
		EXPECT_EQ(-EFAULT, gt_ioctl(self->ctl, begins[i], NULL));
		EXPECT_EQ(-EFAULT, gt_ioctl(self->ctl, begins[i], hole));
		b = begin_args(0, "x");
		memcpy(hole - 8, &b, 8);
		EXPECT_EQ(-EFAULT, gt_ioctl(self->ctl, begins[i], hole - 8));
		/* @id cannot be written */
		memcpy(self->page, &b, sizeof(b));
		ASSERT_EQ(0, mprotect(self->page, self->size, PROT_READ));
		EXPECT_EQ(-EFAULT, gt_ioctl(self->ctl, begins[i], self->page));
		ASSERT_EQ(0, mprotect(self->page, self->size, PROT_READ | PROT_WRITE));

		EXPECT_EQ(-EINVAL, end(self->ctl, ends[i], 0));
		EXPECT_EQ(-EINVAL, end(self->ctl, ends[i], id + 1000));
		EXPECT_EQ(-EINVAL, end(self->ctl, ends[i], UINT64_MAX));
		e = (struct gotrace_end){ .size = sizeof(e) - 1, .id = id };
		EXPECT_EQ(-EINVAL, gt_ioctl(self->ctl, ends[i], &e));
		e = (struct gotrace_end){ .size = sizeof(e), .reserved = 1, .id = id };
		EXPECT_EQ(-EINVAL, gt_ioctl(self->ctl, ends[i], &e));
		EXPECT_EQ(-EFAULT, gt_ioctl(self->ctl, ends[i], hole));
	}
	l = log_args("c", "");
	EXPECT_EQ(-EINVAL, gt_ioctl(self->ctl, GOTRACE_IOC_LOG, &l));
	l = log_args("c", "m");
	l.message_len = GOTRACE_STRING_MAX + 1;
	EXPECT_EQ(-EINVAL, gt_ioctl(self->ctl, GOTRACE_IOC_LOG, &l));
	l = log_args("c", "m");
	l.category_len = GOTRACE_STRING_MAX + 1;
	EXPECT_EQ(-EINVAL, gt_ioctl(self->ctl, GOTRACE_IOC_LOG, &l));
	l = log_args("c", "m");
	l.reserved = 1;
	EXPECT_EQ(-EINVAL, gt_ioctl(self->ctl, GOTRACE_IOC_LOG, &l));
	l = log_args("c", "m");
	l.task = id + 1000;
	EXPECT_EQ(-EINVAL, gt_ioctl(self->ctl, GOTRACE_IOC_LOG, &l));
	l = log_args("c", "m");
	l.size = sizeof(l) - 1;
	EXPECT_EQ(-EINVAL, gt_ioctl(self->ctl, GOTRACE_IOC_LOG, &l));
	EXPECT_EQ(-EFAULT, gt_ioctl(self->ctl, GOTRACE_IOC_LOG, hole));
}

/* The same, whether anybody traces or not. */
TEST_F(annotate, bad_arguments_without_a_session)
{
	refusals(_metadata, self);
}

TEST_F(annotate, bad_arguments_in_a_session)
{
	ASSERT_EQ(0, gt_start(self->ctl));
	refusals(_metadata, self);
	ASSERT_EQ(0, gt_stop(self->ctl, 0));
}

TEST_F(annotate, structs_may_grow)
{
	struct {
		struct gotrace_begin a;
		char more[24];
	} b = { .a = begin_args(0, "x") };
	struct {
		struct gotrace_log a;
		char more[24];
	} l = { .a = log_args("c", "m") };
	struct {
		struct gotrace_end a;
		char more[24];
	} e = { .a.id = task_create(self->ctl, 0, "x") };

	b.a.size = sizeof(b);
	l.a.size = sizeof(l);
	e.a.size = sizeof(e);
	EXPECT_EQ(0, gt_ioctl(self->ctl, GOTRACE_IOC_TASK_CREATE, &b));
	EXPECT_EQ(0, gt_ioctl(self->ctl, GOTRACE_IOC_LOG, &l));
	EXPECT_EQ(0, gt_ioctl(self->ctl, GOTRACE_IOC_TASK_END, &e));
	b.more[23] = l.more[23] = e.more[23] = 1;
	EXPECT_EQ(-E2BIG, gt_ioctl(self->ctl, GOTRACE_IOC_TASK_CREATE, &b));
	EXPECT_EQ(-E2BIG, gt_ioctl(self->ctl, GOTRACE_IOC_LOG, &l));
	EXPECT_EQ(-E2BIG, gt_ioctl(self->ctl, GOTRACE_IOC_TASK_END, &e));
	b.a.size = self->size + 1;
	EXPECT_EQ(-E2BIG, gt_ioctl(self->ctl, GOTRACE_IOC_TASK_CREATE, &b));
}

/* Nothing of what was refused is in the trace. */
TEST_F(annotate, strings_that_cannot_be_read_are_efault_while_tracing)
{
	char *hole = self->page + self->size;
	struct gotrace_begin b;
	struct gotrace_log l;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		b = begin_args(0, "x");
		b.name = (uintptr_t)hole;
		EXPECT_EQ(0, gt_ioctl(self->ctl, begins[i], &b));
	}
	ASSERT_EQ(0, gt_start(self->ctl));
	for (i = 0; i < 2; i++) {
		b = begin_args(0, "x");
		b.name = (uintptr_t)hole;
		EXPECT_EQ(-EFAULT, gt_ioctl(self->ctl, begins[i], &b));
		b.name = 0xffffffff81000000;
		EXPECT_EQ(-EFAULT, gt_ioctl(self->ctl, begins[i], &b));
		b.name = (uintptr_t)hole - 2;
		b.name_len = 3;
		EXPECT_EQ(-EFAULT, gt_ioctl(self->ctl, begins[i], &b));
	}
	l = log_args("c", "m");
	l.message = (uintptr_t)hole;
	EXPECT_EQ(-EFAULT, gt_ioctl(self->ctl, GOTRACE_IOC_LOG, &l));
	l = log_args("c", "m");
	l.category = (uintptr_t)hole;
	EXPECT_EQ(-EFAULT, gt_ioctl(self->ctl, GOTRACE_IOC_LOG, &l));
	/* without one, where it would be does not matter */
	l.category_len = 0;
	EXPECT_EQ(0, gt_ioctl(self->ctl, GOTRACE_IOC_LOG, &l));
	EXPECT_EQ(1, stop_and_count(self->ctl, &self->got, GT_USER_LOG));
	EXPECT_EQ(0, count(&self->got, GT_USER_REGION));
}

/* ---- ids ---- */

TEST_F(annotate, ids_are_never_given_twice)
{
	int64_t last = task_create(self->ctl, 0, "t"), id;
	int i;

	ASSERT_GE(last, 1);
	for (i = 0; i < 3; i++) {
		/* a region gets none while nothing is traced */
		EXPECT_EQ(0, region_begin(self->ctl, 0, "r"));
		ASSERT_EQ(0, gt_start(self->ctl));
		id = task_create(self->ctl, last, "t");
		EXPECT_GT(id, last);
		last = region_begin(self->ctl, id, "r");
		EXPECT_GT(last, id);
		EXPECT_EQ(0, end(self->ctl, GOTRACE_IOC_REGION_END, last));
		EXPECT_GE(stop_and_count(self->ctl, &self->got, GT_USER_REGION), 2);
		id = task_create(self->ctl, last, "t");
		EXPECT_GT(id, last);
		last = id;
	}
}

TEST_F(annotate, a_second_end_is_fine_and_not_recorded)
{
	int64_t task, region;

	ASSERT_EQ(0, gt_start(self->ctl));
	task = task_create(self->ctl, 0, "t");
	region = region_begin(self->ctl, task, "r");
	EXPECT_EQ(0, end(self->ctl, GOTRACE_IOC_REGION_END, region));
	EXPECT_EQ(0, end(self->ctl, GOTRACE_IOC_REGION_END, region));
	/* a task is no region, a region no task */
	EXPECT_EQ(0, end(self->ctl, GOTRACE_IOC_REGION_END, task));
	EXPECT_EQ(0, end(self->ctl, GOTRACE_IOC_TASK_END, region));
	EXPECT_EQ(0, end(self->ctl, GOTRACE_IOC_TASK_END, task));
	EXPECT_EQ(0, end(self->ctl, GOTRACE_IOC_TASK_END, task));
	EXPECT_EQ(2, stop_and_count(self->ctl, &self->got, GT_USER_REGION));
	EXPECT_EQ(0, gt_save(&self->got, "annotate_twice.trace"));
}

TEST_F(annotate, regions_nest_to_the_limit)
{
	int64_t id[GOTRACE_REGIONS_MAX];
	int i;

	ASSERT_EQ(0, gt_start(self->ctl));
	for (i = 0; i < GOTRACE_REGIONS_MAX; i++) {
		id[i] = region_begin(self->ctl, 0, "r");
		ASSERT_GT(id[i], 0);
	}
	EXPECT_EQ(-E2BIG, region_begin(self->ctl, 0, "r"));
	/* the second one takes all but the first with it */
	EXPECT_EQ(0, end(self->ctl, GOTRACE_IOC_REGION_END, id[1]));
	for (i = 1; i < GOTRACE_REGIONS_MAX; i++)
		EXPECT_GT(region_begin(self->ctl, 0, "r"), 0);
	EXPECT_EQ(-E2BIG, region_begin(self->ctl, 0, "r"));
	EXPECT_EQ(3 * GOTRACE_REGIONS_MAX - 2,
		  stop_and_count(self->ctl, &self->got, GT_USER_REGION));
	EXPECT_EQ(0, gt_save(&self->got, "annotate_deep.trace"));
}

/* ---- losses ---- */

#define MAX_CPUS	64

/* Is this CPU, the first, dark? */
static int is_dark(int ctl)
{
	struct gotrace_cpu_status cpus[MAX_CPUS];
	struct gotrace_status st = {
		.size = sizeof(st), .cpu_size = sizeof(cpus[0]),
		.cpus_addr = (uintptr_t)cpus, .cpus_len = MAX_CPUS,
	};
	int err = gt_ioctl(ctl, GOTRACE_IOC_STATUS, &st);

	return err ? err : cpus[0].flags >> 1 & 1;
}

/* The id of a string, 0 if there is none. */
static uint64_t string_id(const struct gt_bytes *b, const char *s)
{
	struct gt_record r;
	struct gt_walk w;

	if (gt_walk_init(&w, b->data, b->len))
		return 0;
	while (gt_walk_next(&w, &r) > 0)
		if (r.type == GT_STRING && r.text_len == strlen(s) && !memcmp(r.text, s, r.text_len))
			return r.args[0];
	return 0;
}

/*
 * What happened on the first CPU behind its first loss: "b" and "e", begin and end
 * of @region; "c", begin of @call.
 */
static void regions_after_loss(const struct gt_bytes *b, uint64_t region, uint64_t call,
			       char *out, size_t size)
{
	struct gt_record r;
	struct gt_walk w;
	bool lost = false;
	size_t n = 0;

	gt_walk_init(&w, b->data, b->len);
	while (n + 1 < size && gt_walk_next(&w, &r) > 0) {
		if (r.p)
			continue;
		lost |= r.type == GT_USER_LOG;
		if (r.type != GT_USER_REGION || !lost)
			continue;
		if (r.args[3] == region)
			out[n++] = r.args[2] ? 'e' : 'b';
		else if (r.args[3] == call && !r.args[2])
			out[n++] = 'c';
	}
	out[n] = 0;
}

/*
 * An end that was not written comes before anything else that the thread does;
 * a region that began unseen is not shown, nor is its end.
 */
TEST_F_TIMEOUT(annotate, an_end_in_the_dark_is_made_good_for, 60)
{
	struct gotrace_start args = gt_start_args();
	cpu_set_t first;
	int64_t id, unseen;
	char seen[8];
	int fd = gt_open(O_RDONLY | O_NONBLOCK), i;

	ASSERT_GE(fd, 0);
	CPU_ZERO(&first);
	CPU_SET(0, &first);
	ASSERT_EQ(0, sched_setaffinity(0, sizeof(first), &first));
	args.syscalls = GOTRACE_SYSCALLS_REGIONS;
	args.buffer_bytes = gt_min_buffer_bytes();
	ASSERT_EQ(0, gt_start_with(self->ctl, &args));
	id = region_begin(self->ctl, 0, "region");
	ASSERT_GT(id, 0);
	for (i = 0; i < 1000 && !is_dark(self->ctl); i++)
		gt_busy(1000);
	ASSERT_EQ(1, is_dark(self->ctl));
	unseen = region_begin(self->ctl, 0, "unseen");
	EXPECT_GT(unseen, 0);
	EXPECT_EQ(0, end(self->ctl, GOTRACE_IOC_REGION_END, id));
	ASSERT_EQ(1, is_dark(self->ctl));
	ASSERT_EQ(-EAGAIN, gt_drain(fd, &self->got));
	gt_busy(3);
	ASSERT_EQ(0, is_dark(self->ctl));
	EXPECT_EQ(0, end(self->ctl, GOTRACE_IOC_REGION_END, unseen));
	ASSERT_EQ(0, gt_stop(self->ctl, GOTRACE_STOP_NOWAIT));
	ASSERT_EQ(0, gt_drain(fd, &self->got));
	close(fd);
	regions_after_loss(&self->got, string_id(&self->got, "region"),
			   string_id(&self->got, "syscall.getppid"), seen, sizeof(seen));
	EXPECT_EQ('e', seen[0]);
	EXPECT_EQ('c', seen[1]);
	regions_after_loss(&self->got, string_id(&self->got, "unseen"), 0, seen, sizeof(seen));
	EXPECT_STREQ("", seen);
	EXPECT_EQ(0, gt_save(&self->got, "annotate_dark.trace"));
}

/* ---- the file ---- */

TEST_F(annotate, a_writer_is_no_reader)
{
	int writers[3], fd, i;

	ASSERT_EQ(0, gt_start(self->ctl));
	for (i = 0; i < 3; i++) {
		writers[i] = gt_open(O_WRONLY);
		ASSERT_GE(writers[i], 0);
		EXPECT_GT(task_create(writers[i], 0, "t"), 0);
	}
	fd = gt_open(O_RDWR);
	ASSERT_GE(fd, 0);
	EXPECT_GT(task_create(fd, 0, "t"), 0);
	close(fd);
	fd = gt_open(O_RDONLY);
	ASSERT_GE(fd, 0);
	EXPECT_EQ(-EBADF, task_create(fd, 0, "t"));
	EXPECT_EQ(-EBADF, tell(fd, "c", "m"));
	/* it waits for the reader alone */
	ASSERT_EQ(0, gt_stop(self->ctl, GOTRACE_STOP_NOWAIT));
	ASSERT_EQ(0, gt_drain(fd, &self->got));
	close(fd);
	for (i = 0; i < 3; i++)
		close(writers[i]);
}

TEST_F(annotate, a_writer_keeps_the_module)
{
	EXPECT_EQ(-EAGAIN, gt_unload());
	EXPECT_EQ(0, tell(self->ctl, "c", "m"));
}

/* ---- who may ---- */

static int become(unsigned int uid)
{
	return gt_err(setgroups(0, NULL)) ?: gt_err(setresgid(uid, uid, uid)) ?:
	       gt_err(setresuid(uid, uid, uid));
}

TEST_F(annotate, the_file_permission_is_all_it_takes)
{
	pid_t child;

	ASSERT_EQ(0, gt_start(self->ctl));
	ASSERT_EQ(0, chmod(GOTRACE_DEVICE, 0622));
	child = gt_fork();
	if (!child) {
		struct gotrace_status st;
		int fd;

		if (become(NOBODY) || gt_open(O_RDONLY) != -EACCES)
			_exit(100);
		fd = gt_open(O_WRONLY);
		if (fd < 0 || gt_ioctl(fd, GOTRACE_IOC_ENABLED, NULL) != 1)
			_exit(101);
		if (task_create(fd, 0, "nobody's") <= 0 || region_begin(fd, 0, "nobody's") <= 0 ||
		    tell(fd, "nobody", "was here"))
			_exit(102);
		/* and it gives no more than that */
		_exit(gt_status(fd, &st) == -EACCES && gt_stop(fd, 0) == -EACCES &&
		      gt_start(fd) == -EACCES ? 0 : 103);
	}
	EXPECT_EQ(0, gt_join(child));
	ASSERT_EQ(0, chmod(GOTRACE_DEVICE, 0600));
	child = gt_fork();
	if (!child)
		_exit(become(NOBODY) || gt_open(O_WRONLY) != -EACCES);
	EXPECT_EQ(0, gt_join(child));
	EXPECT_EQ(1, stop_and_count(self->ctl, &self->got, GT_USER_LOG));
	EXPECT_EQ(0, gt_save(&self->got, "annotate_nobody.trace"));
}

TEST_F(annotate, a_task_is_ended_by_its_own_user_only)
{
	int64_t task;
	pid_t child;

	ASSERT_EQ(0, chmod(GOTRACE_DEVICE, 0622));
	ASSERT_EQ(0, gt_start(self->ctl));
	task = task_create(self->ctl, 0, "root's");
	ASSERT_GT(task, 0);
	child = gt_fork();
	if (!child) {
		int fd;

		if (become(NOBODY))
			_exit(100);
		fd = gt_open(O_WRONLY);
		if (end(fd, GOTRACE_IOC_TASK_END, task) != -EPERM)
			_exit(101);
		/* but may have regions in it; and who opened the file counts */
		_exit(region_begin(fd, task, "r") > 0 &&
		      !end(self->ctl, GOTRACE_IOC_TASK_END, task) ? 0 : 102);
	}
	EXPECT_EQ(0, gt_join(child));
	EXPECT_EQ(2, stop_and_count(self->ctl, &self->got, GT_USER_REGION));
}

/* ---- limits ---- */

#define TABLES	(4u << 20)	/* so a user has 256 KiB of them, all 1 MiB */

static int start_small(int ctl)
{
	struct gotrace_start args = gt_start_args();

	args.syscalls = GOTRACE_SYSCALLS_OFF;
	args.table_bytes = TABLES;
	return gt_start_with(ctl, &args);
}

/* How many messages with a category of 4 KiB each, until it is refused. */
static int use_strings(int fd, int uid)
{
	char name[GOTRACE_STRING_MAX + 1];
	int i, err = 0;

	for (i = 0; !err && i < 10000; i++) {
		memset(name, 'x', GOTRACE_STRING_MAX);
		name[GOTRACE_STRING_MAX] = 0;
		name[sprintf(name, "%d.%d.%d.", uid, getpid(), i)] = 'x';
		err = tell(fd, name, "m");
	}
	return err == -EDQUOT ? i - 1 : err ?: -ERANGE;
}

/* How many tasks, until it is refused. */
static int use_tasks(int fd)
{
	int64_t id = 1, last = 0;
	int i;

	for (i = 0; id > 0 && i < 100000; i++) {
		id = task_create(fd, 0, "t");
		if (id > 0)
			last = id;
	}
	if (id != -EDQUOT)
		return id < 0 ? id : -ERANGE;
	/* One that ends makes room for one. */
	if (end(fd, GOTRACE_IOC_TASK_END, last) || task_create(fd, 0, "t") <= 0 ||
	    task_create(fd, 0, "t") != -EDQUOT)
		return -EPROTO;
	return i - 1;
}

/* As another user: how many, or -errno. */
static int as_user(int uid, int (*use)(int fd, int uid), int *n)
{
	pid_t child;
	int pipes[2], err;

	if (pipe(pipes))
		return -errno;
	child = gt_fork();
	if (!child) {
		int got = become(uid);

		got = got ?: use(gt_open(O_WRONLY), uid);
		_exit(write(pipes[1], &got, sizeof(got)) != sizeof(got));
	}
	err = gt_join(child);
	if (!err && read(pipes[0], n, sizeof(*n)) != sizeof(*n))
		err = -EIO;
	close(pipes[0]);
	close(pipes[1]);
	return err;
}

static int use_tasks_as(int fd, int uid)
{
	return use_tasks(fd);
}

TEST_F(annotate, strings_of_a_user_are_limited)
{
	struct gotrace_status st;
	int n, uid, sum = 0;

	ASSERT_EQ(0, chmod(GOTRACE_DEVICE, 0622));
	ASSERT_EQ(0, start_small(self->ctl));
	ASSERT_EQ(0, as_user(NOBODY, use_strings, &n));
	EXPECT_GE(n, 55);
	EXPECT_LE(n, 64);
	/* A file opened anew is the same user's, and new strings are others. */
	ASSERT_EQ(0, as_user(NOBODY, use_strings, &n));
	EXPECT_EQ(0, n);
	/* Others still have theirs, until all together have used up what there is. */
	for (uid = 1; uid <= 8; uid++) {
		ASSERT_EQ(0, as_user(uid, use_strings, &n));
		ASSERT_GE(n, 0);
		sum += n;
	}
	EXPECT_GE(sum, 180);
	EXPECT_LE(sum, 192);
	ASSERT_EQ(0, gt_status(self->ctl, &st));
	EXPECT_LT(st.table_bytes, TABLES / 2);
	EXPECT_EQ(0u, st.lost[GOTRACE_LOST_TASK] + st.lost[GOTRACE_LOST_STACK]);
	EXPECT_GT(stop_and_count(self->ctl, &self->got, GT_USER_LOG), 200);
	EXPECT_EQ(0, gt_save(&self->got, "annotate_strings.trace"));
	/* A new session, a new account. */
	ASSERT_EQ(0, start_small(self->ctl));
	ASSERT_EQ(0, as_user(NOBODY, use_strings, &n));
	EXPECT_GE(n, 55);
	ASSERT_EQ(0, gt_stop(self->ctl, 0));
}

TEST_F(annotate, tasks_of_a_user_are_limited)
{
	int n;

	ASSERT_EQ(0, chmod(GOTRACE_DEVICE, 0622));
	ASSERT_EQ(0, start_small(self->ctl));
	ASSERT_EQ(0, as_user(NOBODY, use_tasks_as, &n));
	EXPECT_GE(n, 1000);
	EXPECT_LE(n, (int)(TABLES / GOTRACE_ANNOTATE_USER / 40));
	EXPECT_GT(task_create(self->ctl, 0, "root's"), 0);
	ASSERT_EQ(0, gt_stop(self->ctl, 0));
}

static void *hold_region(void *arg)
{
	int *io = arg;
	char c;

	io[2] = region_begin(io[0], 0, "r") < 0;
	(void)!read(io[1], &c, 1);
	return NULL;
}

/* Regions' blocks are given back by threads that end. */
TEST_F(annotate, threads_with_regions_are_limited)
{
	static int io[500][3];
	pthread_t t[500];
	int pipes[2], i, round, refused[2] = { 0 };

	ASSERT_EQ(0, start_small(self->ctl));
	for (round = 0; round < 2; round++) {
		ASSERT_EQ(0, pipe(pipes));
		for (i = 0; i < 500; i++) {
			io[i][0] = self->ctl;
			io[i][1] = pipes[0];
			io[i][2] = -1;
			ASSERT_EQ(0, pthread_create(&t[i], NULL, hold_region, io[i]));
		}
		gt_sleep_ms(500);
		close(pipes[1]);
		for (i = 0; i < 500; i++) {
			pthread_join(t[i], NULL);
			refused[round] += io[i][2];
		}
		close(pipes[0]);
	}
	/* 256 KiB hold some 330 of them */
	EXPECT_GE(refused[0], 100);
	EXPECT_LE(refused[0], 200);
	EXPECT_EQ(refused[0], refused[1]);
	ASSERT_EQ(0, gt_stop(self->ctl, 0));
}

/* Messages are limited in a second's time: wait, and there is room again. */
TEST_F(annotate, messages_in_a_second_are_limited)
{
	struct gotrace_start args = gt_start_args();
	char text[GOTRACE_STRING_MAX + 1];
	int round, n, sum = 0;

	memset(text, 'm', GOTRACE_STRING_MAX);
	text[GOTRACE_STRING_MAX] = 0;
	args.syscalls = GOTRACE_SYSCALLS_OFF;
	args.buffer_bytes = 2 << 20;	/* 128 KiB a second: 31 of the longest */
	ASSERT_EQ(0, gt_start_with(self->ctl, &args));
	for (round = 0; round < 3; round++) {
		for (n = 0; n < 1000 && !tell(self->ctl, "c", text); n++)
			;
		EXPECT_GE(n, 25);
		EXPECT_LE(n, 60);
		EXPECT_EQ(-EDQUOT, tell(self->ctl, "c", text));
		sum += n;
		gt_sleep_ms(1100);
	}
	EXPECT_EQ(sum, stop_and_count(self->ctl, &self->got, GT_USER_LOG));
	EXPECT_EQ(0, gt_save(&self->got, "annotate_messages.trace"));
}

/* ---- STOP waits for nobody's memory ---- */

struct stuck {
	int fd;
	struct gotrace_log args;
	int ret;
};

static void *log_stuck(void *arg)
{
	struct stuck *s = arg;

	s->ret = gt_ioctl(s->fd, GOTRACE_IOC_LOG, &s->args);
	return NULL;
}

TEST_F(annotate, stop_does_not_wait_for_a_fault)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	struct uffdio_zeropage zero = { 0 };
	struct stuck s = { .fd = self->ctl, .args = log_args("c", "m") };
	struct uffd_msg msg;
	pthread_t t;
	char *page;
	int uffd = gt_err(syscall(SYS_userfaultfd, O_CLOEXEC));

	ASSERT_GE(uffd, 0);
	ASSERT_EQ(0, ioctl(uffd, UFFDIO_API, &api));
	page = mmap(NULL, self->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	reg.range.start = zero.range.start = (uintptr_t)page;
	reg.range.len = zero.range.len = self->size;
	ASSERT_EQ(0, ioctl(uffd, UFFDIO_REGISTER, &reg));
	s.args.message = (uintptr_t)page;
	ASSERT_EQ(0, gt_start(self->ctl));
	ASSERT_EQ(0, pthread_create(&t, NULL, log_stuck, &s));
	ASSERT_EQ((ssize_t)sizeof(msg), read(uffd, &msg, sizeof(msg)));
	/* It hangs now. */
	ASSERT_EQ(0, stop_and_count(self->ctl, &self->got, GT_USER_LOG));
	ASSERT_EQ(0, ioctl(uffd, UFFDIO_ZEROPAGE, &zero));
	pthread_join(t, NULL);
	EXPECT_EQ(0, s.ret);
	close(uffd);
}

TEST_HARNESS_MAIN
