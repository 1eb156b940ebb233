// SPDX-License-Identifier: GPL-2.0
/* vm: timeout=300 tcg=single */
/*
 * read(2), poll(2), splice(2): every byte of a session comes once, in order,
 * whoever reads it in whatever pieces, whatever interrupts him.
 *
 * How it is known that no byte was lost or doubled: the pieces, joined, are
 * whole records to the last byte, their number is what STATUS says was read,
 * and the host's parsers accept the file.
 */
#include "device.h"
#include "trace.h"
#include "harness.h"

#include <pthread.h>
#include <sys/sendfile.h>
#include <sys/time.h>
#include <sys/uio.h>

/* Page 0, behind the compiler's back. */
static void *volatile nowhere;

static const char header[GT_HEADER_SIZE] = "go 1.21 trace\0\0";

FIXTURE(reader) {
	int ctl;
	int fd;
	struct gt_bytes got;
};

FIXTURE_SETUP(reader)
{
	ASSERT_EQ(0, gt_reset());
	self->ctl = gt_open(O_WRONLY);
	ASSERT_GE(self->ctl, 0);
	self->fd = gt_open(O_RDONLY);
	ASSERT_GE(self->fd, 0);
}

FIXTURE_TEARDOWN(reader)
{
	free(self->got.data);
	close(self->fd);
	close(self->ctl);
}

/* A stopped session with @calls system calls in it, all of it unread. */
static int record(int ctl, long calls)
{
	int err = gt_start(ctl);

	if (err)
		return err;
	gt_busy(calls);
	return gt_stop(ctl, GOTRACE_STOP_NOWAIT);
}

/*
 * Drains @fd in pieces of @max onto @b and leaves the trace as @name. The last
 * STATUS before the end of file has the final count of bytes.
 */
static int finish(int ctl, int fd, struct gt_bytes *b, size_t max,
		  const char *name)
{
	struct gotrace_status st = { 0 }, last;
	long n;
	int err;

	do {
		last = st;
		n = gt_take(fd, b, max);
		err = gt_status(ctl, &st);
		if (n < 0 || err)
			return n < 0 ? n : err;
	} while (n);
	err = gt_save(b, name);
	if (err)
		return err;
	if (last.bytes_read != b->len || last.bytes_produced != b->len) {
		printf("# %zu bytes here, %llu read, %llu produced\n", b->len,
		       last.bytes_read, last.bytes_produced);
		return -EILSEQ;
	}
	return gt_check_whole(b->data, b->len);
}

static void set_handler(int sig, void (*fn)(int), int flags)
{
	struct sigaction sa = { .sa_handler = fn, .sa_flags = flags };

	sigaction(sig, &sa, NULL);
}

static volatile sig_atomic_t signals;

static void count_signal(int sig)
{
	(void)sig;
	signals++;
}

TEST_F(reader, first_sixteen_bytes_are_the_header)
{
	char buf[GT_HEADER_SIZE];

	ASSERT_EQ(0, gt_start(self->ctl));
	ASSERT_EQ(GT_HEADER_SIZE, gt_read(self->fd, buf, sizeof(buf)));
	EXPECT_EQ(0, memcmp(buf, header, sizeof(buf)));
}

TEST_F(reader, header_says_1_19_when_asked)
{
	struct gotrace_start args = gt_start_args();

	args.format = GOTRACE_FORMAT_1_19;
	ASSERT_EQ(0, gt_start_with(self->ctl, &args));
	ASSERT_EQ(GT_HEADER_SIZE, gt_take(self->fd, &self->got, GT_HEADER_SIZE));
	EXPECT_EQ(0, memcmp(self->got.data, "go 1.19 trace\0\0\0", 16));
	ASSERT_EQ(0, gt_stop(self->ctl, GOTRACE_STOP_NOWAIT));
	ASSERT_EQ(0, gt_drain(self->fd, &self->got));
	ASSERT_EQ(0, gt_save(&self->got, "read_1_19.trace"));
}

TEST_F(reader, blocks_before_start_and_start_wakes_it)
{
	char buf[GT_HEADER_SIZE];
	pid_t child = gt_fork();

	if (!child)
		_exit(gt_read(self->fd, buf, sizeof(buf)) == sizeof(buf) &&
		      !memcmp(buf, header, sizeof(buf)) ? 0 : 1);
	ASSERT_EQ(0, gt_stays_in_syscall(child, SYS_read));
	ASSERT_EQ(0, gt_start(self->ctl));
	EXPECT_EQ(0, gt_join(child));
}

/* A new descriptor, after a session came and went: as before the first. */
TEST_F(reader, new_descriptor_blocks_after_a_session_is_gone)
{
	char c;
	pid_t child;

	ASSERT_EQ(0, record(self->ctl, 10));
	ASSERT_EQ(0, gt_drain(self->fd, &self->got));
	close(self->fd);
	self->fd = gt_open(O_RDONLY);
	ASSERT_GE(self->fd, 0);
	child = gt_fork();
	if (!child)
		_exit(gt_read(self->fd, &c, 1) == 1 ? 0 : 1);
	EXPECT_EQ(0, gt_stays_in_syscall(child, SYS_read));
	EXPECT_EQ(128 + SIGKILL, gt_kill_and_join(child));
}

TEST_F(reader, signal_without_sa_restart_is_eintr)
{
	char c;
	pid_t child = gt_fork();

	if (!child) {
		set_handler(SIGUSR1, count_signal, 0);
		_exit(-gt_read(self->fd, &c, 1));
	}
	ASSERT_EQ(0, gt_wait_syscall(child, SYS_read));
	gt_sleep_ms(50);
	ASSERT_EQ(0, kill(child, SIGUSR1));
	EXPECT_EQ(EINTR, gt_join(child));
	/* and nothing is lost by it */
	ASSERT_EQ(0, record(self->ctl, 1000));
	EXPECT_EQ(0, finish(self->ctl, self->fd, &self->got, 4096,
			    "read_eintr.trace"));
}

TEST_F(reader, signal_with_sa_restart_goes_on_reading)
{
	char buf[GT_HEADER_SIZE];
	int i;
	pid_t child = gt_fork();

	if (!child) {
		long n;

		set_handler(SIGUSR1, count_signal, SA_RESTART);
		n = gt_read(self->fd, buf, sizeof(buf));
		_exit(n == sizeof(buf) && signals == 3 &&
		      !memcmp(buf, header, sizeof(buf)) ? 0 : 1);
	}
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, gt_stays_in_syscall(child, SYS_read));
		ASSERT_EQ(0, kill(child, SIGUSR1));
	}
	ASSERT_EQ(0, gt_stays_in_syscall(child, SYS_read));
	ASSERT_EQ(0, gt_start(self->ctl));
	EXPECT_EQ(0, gt_join(child));
}

/* A reader under a storm of signals while the trace is being made. */
TEST_F(reader, interrupted_again_and_again_loses_no_byte)
{
	struct itimerval often = { { 0, 2000 }, { 0, 2000 } }, never = { 0 };
	long n, eintr = 0;
	pid_t child;

	ASSERT_EQ(0, gt_start(self->ctl));
	child = gt_fork();
	if (!child) {
		close(self->fd);
		gt_busy(GT_BUSY_BUFFERS);
		gt_sleep_ms(200);
		gt_busy(GT_BUSY_BUFFERS);
		_exit(gt_stop(self->ctl, GOTRACE_STOP_NOWAIT) ? 1 : 0);
	}
	set_handler(SIGALRM, count_signal, 0);
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &often, NULL));
	while ((n = gt_take(self->fd, &self->got, 1000))) {
		if (n == -EINTR) {
			eintr++;
			continue;
		}
		ASSERT_GT(n, 0);
	}
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &never, NULL));
	EXPECT_GT(eintr, 10);
	EXPECT_EQ(0, gt_join(child));
	EXPECT_EQ(0, gt_check_whole(self->got.data, self->got.len));
	EXPECT_EQ(0, gt_save(&self->got, "read_signals.trace"));
}

TEST_F(reader, nonblocking_without_data_is_eagain)
{
	char c;

	ASSERT_EQ(0, fcntl(self->fd, F_SETFL, O_NONBLOCK));
	EXPECT_EQ(-EAGAIN, gt_read(self->fd, &c, 1));
	ASSERT_EQ(0, gt_start(self->ctl));
	ASSERT_EQ(GT_HEADER_SIZE, gt_take(self->fd, &self->got, GT_HEADER_SIZE));
	gt_busy(GT_BUSY_BUFFERS);
	EXPECT_EQ(-EAGAIN, gt_drain(self->fd, &self->got));
	EXPECT_GT(self->got.len, GOTRACE_BUF_SIZE / 2u);
	ASSERT_EQ(0, gt_stop(self->ctl, GOTRACE_STOP_NOWAIT));
	EXPECT_EQ(0, finish(self->ctl, self->fd, &self->got, 65536,
			    "read_nonblock.trace"));
}

TEST_F(reader, read_of_no_bytes_gives_none_and_ends_nothing)
{
	char c;

	ASSERT_EQ(0, record(self->ctl, 10));
	EXPECT_EQ(0, gt_read(self->fd, &c, 0));
	EXPECT_EQ(GOTRACE_STATE_DRAINING, gt_state(self->ctl));
	EXPECT_EQ(1, gt_read(self->fd, &c, 1));
	EXPECT_EQ('g', c);
}

TEST_F(reader, full_buffer_wakes_a_blocked_read)
{
	char c[GT_HEADER_SIZE];
	pid_t child;

	ASSERT_EQ(0, fcntl(self->fd, F_SETFL, O_NONBLOCK));
	ASSERT_EQ(0, gt_start(self->ctl));
	ASSERT_EQ(-EAGAIN, gt_drain(self->fd, &self->got));
	ASSERT_EQ(0, fcntl(self->fd, F_SETFL, 0));
	child = gt_fork();
	if (!child)
		_exit(gt_read(self->fd, c, 1) == 1 ? 0 : 1);
	ASSERT_EQ(0, gt_stays_in_syscall(child, SYS_read));
	gt_busy(GT_BUSY_BUFFERS);
	EXPECT_EQ(0, gt_join(child));
}

TEST_F(reader, stop_wakes_a_blocked_read_which_gets_the_rest)
{
	pid_t child;

	ASSERT_EQ(0, gt_start(self->ctl));
	child = gt_fork();
	if (!child)
		_exit(gt_drain(self->fd, &self->got) ||
		      gt_check_whole(self->got.data, self->got.len) ||
		      gt_save(&self->got, "read_stop.trace"));
	ASSERT_EQ(0, gt_stays_in_syscall(child, SYS_read));
	ASSERT_EQ(0, gt_stop(self->ctl, GOTRACE_STOP_NOWAIT));
	EXPECT_EQ(0, gt_join(child));
	EXPECT_EQ(GOTRACE_STATE_NONE, gt_state(self->ctl));
}

TEST_F(reader, poll_tells_data_and_end_of_file)
{
	ASSERT_EQ(0, fcntl(self->fd, F_SETFL, O_NONBLOCK));
	EXPECT_EQ(0, gt_poll(self->fd, 0));
	EXPECT_EQ(0, gt_poll(self->fd, GT_QUIET_MS));
	ASSERT_EQ(0, gt_start(self->ctl));
	EXPECT_EQ(POLLIN, gt_poll(self->fd, 0) & POLLIN);
	ASSERT_EQ(-EAGAIN, gt_drain(self->fd, &self->got));
	EXPECT_EQ(0, gt_poll(self->fd, 0));
	ASSERT_EQ(0, gt_stop(self->ctl, GOTRACE_STOP_NOWAIT));
	EXPECT_EQ(POLLIN, gt_poll(self->fd, 0) & POLLIN);
	ASSERT_EQ(0, gt_drain(self->fd, &self->got));
	EXPECT_EQ(POLLIN, gt_poll(self->fd, 0) & POLLIN);	/* 0 again */
	EXPECT_EQ(0, gt_read(self->fd, self->got.data, 1));
	ASSERT_EQ(0, gt_start(self->ctl));
	EXPECT_EQ(POLLIN, gt_poll(self->fd, 0) & POLLIN);
}

static void *poll_forever(void *arg)
{
	return (void *)(long)gt_poll(*(int *)arg, -1);
}

TEST_F(reader, poll_wakes_for_start_for_data_and_for_stop)
{
	pthread_t thread;
	void *events;
	int step;

	ASSERT_EQ(0, fcntl(self->fd, F_SETFL, O_NONBLOCK));
	for (step = 0; step < 3; step++) {
		ASSERT_EQ(0, pthread_create(&thread, NULL, poll_forever,
					    &self->fd));
		gt_sleep_ms(GT_QUIET_MS);
		ASSERT_EQ(EBUSY, pthread_tryjoin_np(thread, &events));
		if (step == 0) {
			ASSERT_EQ(0, gt_start(self->ctl));
		} else if (step == 1) {
			gt_busy(GT_BUSY_BUFFERS);
		} else {
			ASSERT_EQ(0, gt_stop(self->ctl, GOTRACE_STOP_NOWAIT));
		}
		ASSERT_EQ(0, pthread_join(thread, &events));
		EXPECT_EQ(POLLIN, (long)events & POLLIN);
		if (step < 2) {
			ASSERT_EQ(-EAGAIN, gt_drain(self->fd, &self->got));
		}
	}
}

TEST_F(reader, one_byte_at_a_time)
{
	int i;

	ASSERT_EQ(0, record(self->ctl, 1000));
	for (i = 0; i < 3000; i++) {
		ASSERT_EQ(1, gt_take(self->fd, &self->got, 1));
	}
	EXPECT_EQ(0, memcmp(self->got.data, header, sizeof(header)));
	EXPECT_EQ(0, finish(self->ctl, self->fd, &self->got, 4096,
			    "read_tiny.trace"));
}

TEST_F(reader, sixteen_mebibytes_at_a_time)
{
	ASSERT_EQ(0, record(self->ctl, GT_BUSY_BUFFERS));
	EXPECT_EQ(0, finish(self->ctl, self->fd, &self->got, 16 << 20,
			    "read_huge.trace"));
}

TEST_F(reader, pieces_of_every_odd_size)
{
	size_t size = 1;
	long n;

	ASSERT_EQ(0, record(self->ctl, GT_BUSY_BUFFERS));
	while ((n = gt_take(self->fd, &self->got, size)) > 0)
		size = size * 3 % 70001;
	ASSERT_EQ(0, n);
	EXPECT_EQ(0, gt_check_whole(self->got.data, self->got.len));
	EXPECT_EQ(0, gt_save(&self->got, "read_odd.trace"));
}

TEST_F(reader, readv_fills_its_pieces_in_order)
{
	char a[5], b[1], c[4000];
	struct iovec v[] = { { a, 5 }, { b, 1 }, { NULL, 0 }, { c, 4000 } };
	long n;

	ASSERT_EQ(0, record(self->ctl, 20000));
	while ((n = gt_err(readv(self->fd, v, 4))) > 0) {
		long left = n;
		unsigned int i;

		for (i = 0; i < 4 && left > 0; i++) {
			long part = left < (long)v[i].iov_len ?
				left : (long)v[i].iov_len;

			gt_bytes_add(&self->got, v[i].iov_base, part);
			left -= part;
		}
	}
	ASSERT_EQ(0, n);
	EXPECT_EQ(0, gt_check_whole(self->got.data, self->got.len));
	EXPECT_EQ(0, gt_save(&self->got, "read_readv.trace"));
}

/*
 * Readers that take a few bytes, say how many, and are killed; the next one,
 * with a descriptor of its own, goes on where the last one was.
 */
TEST_F(reader, next_reader_goes_on_at_the_next_byte_after_a_death)
{
	static const size_t sizes[] = { 1, 7, 15, 17, 1021, 70001, 3, 65536 };
	struct { long n; char data[70001]; } *shared;
	unsigned int i;

	close(self->fd);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, shared);
	ASSERT_EQ(0, gt_start(self->ctl));
	gt_busy(GT_BUSY_BUFFERS);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		pid_t child = gt_fork();

		if (!child) {
			int fd = gt_open(O_RDONLY);

			shared->n = gt_read(fd, shared->data, sizes[i]);
			raise(SIGKILL);
		}
		ASSERT_EQ(128 + SIGKILL, gt_join(child));
		ASSERT_GT(shared->n, 0);
		ASSERT_LE(shared->n, (long)sizes[i]);
		gt_bytes_add(&self->got, shared->data, shared->n);
		if (i == 4) {
			ASSERT_EQ(0, gt_stop(self->ctl, 0));
		}
	}
	self->fd = gt_open(O_RDONLY);
	ASSERT_GE(self->fd, 0);
	EXPECT_EQ(0, finish(self->ctl, self->fd, &self->got, 65536,
			    "read_resume.trace"));
}

/* Death while blocked, with nothing delivered. */
TEST_F(reader, reader_killed_while_blocked_takes_nothing_along)
{
	pid_t child;
	int fd;

	close(self->fd);
	child = gt_fork();
	if (!child) {
		char buf[4096];

		fd = gt_open(O_RDONLY);
		gt_read(fd, buf, sizeof(buf));
		_exit(0);
	}
	ASSERT_EQ(0, gt_wait_syscall(child, SYS_read));
	ASSERT_EQ(128 + SIGKILL, gt_kill_and_join(child));
	ASSERT_EQ(0, record(self->ctl, 1000));
	self->fd = gt_open(O_RDONLY);
	ASSERT_GE(self->fd, 0);
	EXPECT_EQ(0, finish(self->ctl, self->fd, &self->got, 4096,
			    "read_killed.trace"));
}

/* A buffer whose end is not there: as much as fits, then EFAULT, then the rest. */
TEST_F(reader, fault_in_the_buffer_loses_nothing)
{
	const size_t page = sysconf(_SC_PAGESIZE);
	char *two = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long n, cut = 0;
	unsigned int i;

	ASSERT_NE(MAP_FAILED, two);
	ASSERT_EQ(0, mprotect(two + page, page, PROT_NONE));
	ASSERT_EQ(0, record(self->ctl, GT_BUSY_BUFFERS));
	for (i = 1; i < page; i += 101) {
		EXPECT_EQ(-EFAULT, gt_read(self->fd, two + page, page));
		n = gt_read(self->fd, two + page - i, page);
		ASSERT_GT(n, 0);
		ASSERT_LE(n, i);
		cut += n == i;
		gt_bytes_add(&self->got, two + page - i, n);
	}
	EXPECT_GT(cut, 20);
	EXPECT_EQ(-EFAULT, gt_read(self->fd, nowhere, 1));
	EXPECT_EQ(-EFAULT, gt_read(self->fd, (void *)-4096L, 1));
	EXPECT_EQ(0, finish(self->ctl, self->fd, &self->got, 65536,
			    "read_efault.trace"));
	EXPECT_EQ(0, gt_read(self->fd, nowhere, 1));	/* 0 needs no buffer */
}

TEST_F(reader, splice_to_a_pipe)
{
	int pipes[2];
	long n;

	ASSERT_EQ(0, pipe(pipes));
	ASSERT_EQ(0, record(self->ctl, GT_BUSY_BUFFERS));
	while ((n = gt_err(splice(self->fd, NULL, pipes[1], NULL, 30001, 0))) > 0) {
		while (n > 0) {
			long m = gt_take(pipes[0], &self->got, n);

			ASSERT_GT(m, 0);
			n -= m;
		}
	}
	ASSERT_EQ(0, n);
	EXPECT_EQ(0, gt_check_whole(self->got.data, self->got.len));
	EXPECT_EQ(0, gt_save(&self->got, "read_splice.trace"));
}

TEST_F(reader, splice_without_data_is_eagain)
{
	int pipes[2];

	ASSERT_EQ(0, pipe(pipes));
	ASSERT_EQ(0, fcntl(self->fd, F_SETFL, O_NONBLOCK));
	EXPECT_EQ(-EAGAIN, gt_err(splice(self->fd, NULL, pipes[1], NULL, 4096,
					 0)));
}

TEST_F(reader, sendfile_to_a_file)
{
	int out = open("read_sendfile.trace", O_RDWR | O_CREAT | O_TRUNC, 0644);
	struct stat st;
	long n;
	char *map;

	ASSERT_GE(out, 0);
	ASSERT_EQ(0, record(self->ctl, GT_BUSY_BUFFERS));
	while ((n = gt_err(sendfile(out, self->fd, NULL, 1 << 20))) > 0)
		;
	ASSERT_EQ(0, n);
	ASSERT_EQ(0, fstat(out, &st));
	ASSERT_GT(st.st_size, GOTRACE_BUF_SIZE);
	map = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, out, 0);
	ASSERT_NE(MAP_FAILED, map);
	EXPECT_EQ(0, gt_check_whole(map, st.st_size));
	close(out);
}

/* Two threads on one descriptor: each byte goes to one of them. */
static void *drain_counting(void *arg)
{
	static __thread char buf[997];
	long n, sum = 0;

	while ((n = gt_read(*(int *)arg, buf, sizeof(buf))) > 0)
		sum += n;
	return (void *)(n < 0 ? n : sum);
}

TEST_F(reader, two_threads_share_the_bytes)
{
	struct gotrace_status st;
	pthread_t threads[2];
	void *sums[2];
	int i;

	ASSERT_EQ(0, record(self->ctl, GT_BUSY_BUFFERS));
	ASSERT_EQ(0, gt_status(self->ctl, &st));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, drain_counting,
					    &self->fd));
	}
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, pthread_join(threads[i], &sums[i]));
		ASSERT_GE((long)sums[i], 0);
	}
	EXPECT_GE((unsigned long)sums[0] + (unsigned long)sums[1],
		  st.bytes_produced);
	EXPECT_EQ(GOTRACE_STATE_NONE, gt_state(self->ctl));
}

TEST_HARNESS_MAIN
