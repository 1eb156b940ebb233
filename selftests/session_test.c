// SPDX-License-Identifier: GPL-2.0
/* vm: timeout=300 tcg=single */
/*
 * The life of a session: START, tracing, STOP, draining, end of file, gone.
 */
#include "device.h"
#include "trace.h"
#include "harness.h"

FIXTURE(session) {
	int ctl;
	struct gt_bytes got;
};

FIXTURE_SETUP(session)
{
	ASSERT_EQ(0, gt_reset());
	self->ctl = gt_open(O_WRONLY);
	ASSERT_GE(self->ctl, 0);
}

FIXTURE_TEARDOWN(session)
{
	free(self->got.data);
	close(self->ctl);
}

/* What the stopped session holds, read by a new reader, whole. */
static int drain_new(struct gt_bytes *b, const char *name)
{
	int fd = gt_open(O_RDONLY), err;

	if (fd < 0)
		return fd;
	err = gt_drain(fd, b);
	close(fd);
	if (!err)
		err = gt_save(b, name);
	return err ? err : gt_check_whole(b->data, b->len);
}

static long long session_number(int ctl)
{
	struct gotrace_status st;
	int err = gt_status(ctl, &st);

	return err ? err : (long long)st.session;
}

/*
 * A reader that opens the device, says so, and drains it once told to. It ends
 * with 0 after an end of file.
 */
struct reader {
	pid_t	pid;
	int	go;
};

static struct reader start_reader(void)
{
	struct reader r = { -1, -1 };
	struct gt_bytes b = { 0 };
	int ready[2], go[2], fd;
	char c;

	if (pipe(ready) || pipe(go))
		return r;
	r.go = go[1];
	r.pid = gt_fork();
	if (!r.pid) {
		close(go[1]);
		fd = gt_open(O_RDONLY);
		if (fd < 0 || write(ready[1], "r", 1) != 1 ||
		    read(go[0], &c, 1) != 1)
			_exit(1);
		_exit(gt_drain(fd, &b) || gt_check_whole(b.data, b.len));
	}
	close(ready[1]);
	close(go[0]);
	if (read(ready[0], &c, 1) != 1)
		r.pid = -1;
	close(ready[0]);
	return r;
}

static int tell(struct reader *r)
{
	return write(r->go, "g", 1) == 1 ? 0 : -errno;
}

/* A process that waits in STOP; its exit code is the errno. */
static pid_t start_stopper(int ctl)
{
	pid_t pid = gt_fork();

	if (!pid)
		_exit(-gt_stop(ctl, 0));
	return pid;
}

TEST_F(session, goes_from_none_to_tracing_to_draining_to_none)
{
	long long before = session_number(self->ctl);

	ASSERT_GE(before, 0);
	EXPECT_EQ(GOTRACE_STATE_NONE, gt_state(self->ctl));
	ASSERT_EQ(0, gt_start(self->ctl));
	EXPECT_EQ(GOTRACE_STATE_TRACING, gt_state(self->ctl));
	EXPECT_EQ(before + 1, session_number(self->ctl));
	ASSERT_EQ(0, gt_stop(self->ctl, 0));
	EXPECT_EQ(GOTRACE_STATE_DRAINING, gt_state(self->ctl));
	EXPECT_EQ(before + 1, session_number(self->ctl));
	EXPECT_EQ(0, drain_new(&self->got, "session_life.trace"));
	EXPECT_EQ(GOTRACE_STATE_NONE, gt_state(self->ctl));
}

TEST_F(session, start_while_tracing_is_ebusy)
{
	struct gotrace_start args = gt_start_args();
	long long number;

	ASSERT_EQ(0, gt_start(self->ctl));
	number = session_number(self->ctl);
	EXPECT_EQ(-EBUSY, gt_start(self->ctl));
	args.flags = GOTRACE_START_DISCARD;
	EXPECT_EQ(-EBUSY, gt_start_with(self->ctl, &args));
	EXPECT_EQ(number, session_number(self->ctl));
	EXPECT_EQ(GOTRACE_STATE_TRACING, gt_state(self->ctl));
	gt_busy(1000);
	ASSERT_EQ(0, gt_stop(self->ctl, 0));
	EXPECT_EQ(0, drain_new(&self->got, "session_double.trace"));
}

TEST_F(session, start_with_unread_data_is_ebusy)
{
	long long number;

	ASSERT_EQ(0, gt_start(self->ctl));
	number = session_number(self->ctl);
	gt_busy(1000);
	ASSERT_EQ(0, gt_stop(self->ctl, 0));
	EXPECT_EQ(-EBUSY, gt_start(self->ctl));
	EXPECT_EQ(GOTRACE_STATE_DRAINING, gt_state(self->ctl));
	EXPECT_EQ(number, session_number(self->ctl));
	EXPECT_EQ(0, drain_new(&self->got, "session_unread.trace"));
	EXPECT_EQ(0, gt_start(self->ctl));
}

/* The old session was long, the new one is short: its length tells them apart. */
TEST_F(session, discard_drops_the_old_data)
{
	struct gotrace_start args = gt_start_args();
	struct gotrace_status old, now;
	int fd;

	args.flags = GOTRACE_START_DISCARD;
	ASSERT_EQ(0, gt_start(self->ctl));
	gt_busy(2 * GT_BUSY_BUFFERS);
	ASSERT_EQ(0, gt_stop(self->ctl, 0));
	fd = gt_open(O_RDONLY);
	ASSERT_GE(fd, 0);
	ASSERT_GT(gt_take(fd, &self->got, 1000), 0);
	close(fd);
	ASSERT_EQ(0, gt_status(self->ctl, &old));
	args.syscalls = GOTRACE_SYSCALLS_OFF;
	ASSERT_EQ(0, gt_start_with(self->ctl, &args));
	ASSERT_EQ(0, gt_status(self->ctl, &now));
	EXPECT_EQ(old.session + 1, now.session);
	EXPECT_EQ(0u, now.bytes_read);
	ASSERT_EQ(0, gt_stop(self->ctl, 0));
	self->got.len = 0;
	EXPECT_EQ(0, drain_new(&self->got, "session_discard.trace"));
	EXPECT_LT(self->got.len, old.bytes_produced / 2);
}

TEST_F(session, a_discarded_session_ends_for_its_reader)
{
	struct gotrace_start args = gt_start_args();
	char buf[100];
	int fd;

	ASSERT_EQ(0, gt_start(self->ctl));
	gt_busy(GT_BUSY_BUFFERS);
	ASSERT_EQ(0, gt_stop(self->ctl, 0));
	fd = gt_open(O_RDONLY);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(sizeof(buf), gt_read(fd, buf, sizeof(buf)));
	args.flags = GOTRACE_START_DISCARD;
	ASSERT_EQ(0, gt_start_with(self->ctl, &args));
	/* the next session's header is not glued to half of this one */
	EXPECT_EQ(0, gt_read(fd, buf, sizeof(buf)));
	ASSERT_EQ(16, gt_read(fd, buf, 16));
	EXPECT_EQ(0, memcmp(buf, "go 1.21 trace\0\0", 16));
	ASSERT_EQ(0, gt_stop(self->ctl, GOTRACE_STOP_NOWAIT));
	close(fd);
}

TEST_F(session, discard_without_old_data_is_ok)
{
	struct gotrace_start args = gt_start_args();

	args.flags = GOTRACE_START_DISCARD;
	ASSERT_EQ(0, gt_start_with(self->ctl, &args));
	EXPECT_EQ(GOTRACE_STATE_TRACING, gt_state(self->ctl));
}

TEST_F(session, stop_without_session_is_ok)
{
	EXPECT_EQ(0, gt_stop(self->ctl, 0));
	EXPECT_EQ(0, gt_stop(self->ctl, GOTRACE_STOP_NOWAIT));
	EXPECT_EQ(0, gt_ioctl(self->ctl, GOTRACE_IOC_STOP, NULL));
	EXPECT_EQ(GOTRACE_STATE_NONE, gt_state(self->ctl));
}

TEST_F(session, stop_twice_is_ok)
{
	struct gotrace_status first, second;

	ASSERT_EQ(0, gt_start(self->ctl));
	EXPECT_EQ(0, gt_stop(self->ctl, 0));
	ASSERT_EQ(0, gt_status(self->ctl, &first));
	EXPECT_EQ(0, gt_stop(self->ctl, 0));
	ASSERT_EQ(0, gt_status(self->ctl, &second));
	EXPECT_EQ(GOTRACE_STATE_DRAINING, second.state);
	EXPECT_EQ(first.end_ticks, second.end_ticks);
	EXPECT_EQ(first.bytes_produced, second.bytes_produced);
	EXPECT_EQ(0, drain_new(&self->got, "session_twice.trace"));
}

TEST_F(session, stop_without_argument_stops)
{
	ASSERT_EQ(0, gt_start(self->ctl));
	EXPECT_EQ(0, gt_ioctl(self->ctl, GOTRACE_IOC_STOP, NULL));
	EXPECT_EQ(GOTRACE_STATE_DRAINING, gt_state(self->ctl));
}

TEST_F(session, stop_without_reader_returns_and_the_data_waits)
{
	ASSERT_EQ(0, gt_start(self->ctl));
	gt_busy(GT_BUSY_BUFFERS);
	ASSERT_EQ(0, gt_stop(self->ctl, 0));
	gt_sleep_ms(GT_QUIET_MS);
	EXPECT_EQ(GOTRACE_STATE_DRAINING, gt_state(self->ctl));
	EXPECT_EQ(0, drain_new(&self->got, "session_later.trace"));
	EXPECT_GT(self->got.len, (size_t)GOTRACE_BUF_SIZE);
}

TEST_F(session, stop_waits_until_another_reader_has_everything)
{
	struct reader r = start_reader();
	pid_t stopper;

	ASSERT_GT(r.pid, 0);
	ASSERT_EQ(0, gt_start(self->ctl));
	gt_busy(GT_BUSY_BUFFERS);
	stopper = start_stopper(self->ctl);
	EXPECT_EQ(0, gt_stays_in_syscall(stopper, SYS_ioctl));
	EXPECT_EQ(GOTRACE_STATE_DRAINING, gt_state(self->ctl));
	ASSERT_EQ(0, tell(&r));
	EXPECT_EQ(0, gt_join(stopper));
	EXPECT_EQ(0, gt_join(r.pid));
	EXPECT_EQ(GOTRACE_STATE_NONE, gt_state(self->ctl));
}

TEST_F(session, stop_waits_until_the_reader_is_dead)
{
	struct reader r = start_reader();
	pid_t stopper;

	ASSERT_GT(r.pid, 0);
	ASSERT_EQ(0, gt_start(self->ctl));
	gt_busy(1000);
	stopper = start_stopper(self->ctl);
	EXPECT_EQ(0, gt_stays_in_syscall(stopper, SYS_ioctl));
	EXPECT_EQ(128 + SIGKILL, gt_kill_and_join(r.pid));
	EXPECT_EQ(0, gt_join(stopper));
	EXPECT_EQ(GOTRACE_STATE_DRAINING, gt_state(self->ctl));
	EXPECT_EQ(0, drain_new(&self->got, "session_dead_reader.trace"));
}

TEST_F(session, stop_by_the_readers_own_descriptor_returns)
{
	int fd = gt_open(O_RDWR);

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, gt_start(fd));
	gt_busy(GT_BUSY_BUFFERS);
	EXPECT_EQ(0, gt_stop(fd, 0));
	EXPECT_EQ(GOTRACE_STATE_DRAINING, gt_state(fd));
	EXPECT_EQ(0, gt_drain(fd, &self->got));
	EXPECT_EQ(0, gt_check_whole(self->got.data, self->got.len));
	EXPECT_EQ(0, gt_save(&self->got, "session_own.trace"));
	close(fd);
}

TEST_F(session, stop_nowait_returns_beside_a_reader)
{
	struct reader r = start_reader();

	ASSERT_GT(r.pid, 0);
	ASSERT_EQ(0, gt_start(self->ctl));
	EXPECT_EQ(0, gt_stop(self->ctl, GOTRACE_STOP_NOWAIT));
	EXPECT_EQ(GOTRACE_STATE_DRAINING, gt_state(self->ctl));
	ASSERT_EQ(0, tell(&r));
	EXPECT_EQ(0, gt_join(r.pid));
}

static void do_nothing(int sig)
{
	(void)sig;
}

TEST_F(session, interrupted_stop_is_eintr_and_has_stopped)
{
	struct sigaction sa = { .sa_handler = do_nothing };
	struct reader r = start_reader();
	struct gotrace_status st;
	pid_t stopper;

	ASSERT_GT(r.pid, 0);
	ASSERT_EQ(0, gt_start(self->ctl));
	ASSERT_EQ(0, sigaction(SIGUSR1, &sa, NULL));
	stopper = start_stopper(self->ctl);
	ASSERT_EQ(0, gt_stays_in_syscall(stopper, SYS_ioctl));
	ASSERT_EQ(0, kill(stopper, SIGUSR1));
	EXPECT_EQ(EINTR, gt_join(stopper));
	ASSERT_EQ(0, gt_status(self->ctl, &st));
	EXPECT_EQ(GOTRACE_STATE_DRAINING, st.state);
	EXPECT_NE(0u, st.end_ticks);
	ASSERT_EQ(0, tell(&r));
	EXPECT_EQ(0, gt_join(r.pid));
}

/* kill -9 of `gotrace stop` must work too. */
TEST_F(session, waiting_stop_can_be_killed)
{
	struct reader r = start_reader();
	pid_t stopper;

	ASSERT_GT(r.pid, 0);
	ASSERT_EQ(0, gt_start(self->ctl));
	stopper = start_stopper(self->ctl);
	ASSERT_EQ(0, gt_stays_in_syscall(stopper, SYS_ioctl));
	EXPECT_EQ(128 + SIGKILL, gt_kill_and_join(stopper));
	EXPECT_EQ(GOTRACE_STATE_DRAINING, gt_state(self->ctl));
	ASSERT_EQ(0, tell(&r));
	EXPECT_EQ(0, gt_join(r.pid));
}

TEST_F(session, end_of_file_lasts_until_the_next_session)
{
	int fd = gt_open(O_RDONLY), i;
	struct gt_bytes second;
	size_t first;
	char c;

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, gt_start(self->ctl));
	ASSERT_EQ(0, gt_stop(self->ctl, GOTRACE_STOP_NOWAIT));
	ASSERT_EQ(0, gt_drain(fd, &self->got));
	first = self->got.len;
	for (i = 0; i < 10; i++) {
		ASSERT_EQ(0, gt_read(fd, &c, 1));
	}
	ASSERT_EQ(0, gt_start(self->ctl));
	gt_busy(1000);
	ASSERT_EQ(0, gt_stop(self->ctl, GOTRACE_STOP_NOWAIT));
	ASSERT_EQ(0, gt_drain(fd, &self->got));
	second = (struct gt_bytes){ self->got.data + first,
				    self->got.len - first, 0 };
	self->got.len = first;
	EXPECT_EQ(0, gt_check_whole(self->got.data, first));
	EXPECT_EQ(0, gt_check_whole(second.data, second.len));
	EXPECT_EQ(0, gt_save(&self->got, "session_first.trace"));
	EXPECT_EQ(0, gt_save(&second, "session_second.trace"));
	close(fd);
}

/* Tracing starts whoever asks, also with a reader already blocked. */
TEST_F(session, sessions_follow_each_other_through_one_descriptor)
{
	int fd = gt_open(O_RDWR), i;

	ASSERT_GE(fd, 0);
	for (i = 0; i < 5; i++) {
		char name[32];

		self->got.len = 0;
		ASSERT_EQ(0, gt_start(fd));
		gt_busy(100);
		ASSERT_EQ(0, gt_stop(fd, 0));
		ASSERT_EQ(0, gt_drain(fd, &self->got));
		ASSERT_EQ(0, gt_check_whole(self->got.data, self->got.len));
		snprintf(name, sizeof(name), "session_chain_%d.trace", i);
		EXPECT_EQ(0, gt_save(&self->got, name));
	}
	close(fd);
}

TEST_F(session, closing_every_descriptor_does_not_stop_tracing)
{
	struct gotrace_status st;

	ASSERT_EQ(0, gt_start(self->ctl));
	close(self->ctl);
	gt_busy(1000);
	self->ctl = gt_open(O_WRONLY);
	ASSERT_GE(self->ctl, 0);
	ASSERT_EQ(0, gt_status(self->ctl, &st));
	EXPECT_EQ(GOTRACE_STATE_TRACING, st.state);
	EXPECT_GT(st.events, 1000u);
}

/* Many at once: exactly one may win. */
TEST_F(session, of_racing_starts_one_wins)
{
	int round, i, gate[2], won, busy;
	char c, name[32];
	pid_t child[8];

	for (round = 0; round < 5; round++) {
		ASSERT_EQ(0, pipe(gate));
		for (i = 0; i < 8; i++) {
			child[i] = gt_fork();
			if (!child[i]) {
				close(gate[1]);
				if (read(gate[0], &c, 1))
					_exit(255);
				_exit(-gt_start(self->ctl));
			}
		}
		close(gate[0]);
		close(gate[1]);
		for (i = won = busy = 0; i < 8; i++) {
			int code = gt_join(child[i]);

			won += code == 0;
			busy += code == EBUSY;
		}
		EXPECT_EQ(1, won);
		EXPECT_EQ(7, busy);
		self->got.len = 0;
		ASSERT_EQ(0, gt_stop(self->ctl, 0));
		snprintf(name, sizeof(name), "session_race_%d.trace", round);
		ASSERT_EQ(0, drain_new(&self->got, name));
	}
}

/*
 * Everybody does everything at once. Returns the errno that may not be, or 0.
 */
static int do_anything(unsigned int seed, int turns)
{
	struct gotrace_start args = gt_start_args();
	struct gotrace_status st;
	int fd = -1, ctl = gt_open(O_WRONLY), ret;
	char buf[5000];

	while (turns--) {
		switch (rand_r(&seed) % 8) {
		case 0:
			args.flags = rand_r(&seed) % 2 ? GOTRACE_START_DISCARD : 0;
			args.syscalls = rand_r(&seed) % 3;
			ret = gt_start_with(ctl, &args);
			break;
		case 1:
			ret = gt_stop(ctl, GOTRACE_STOP_NOWAIT);
			break;
		case 2:
			ret = gt_status(ctl, &st);
			break;
		case 3:
			if (fd >= 0)
				close(fd);
			fd = -1;
			ret = 0;
			break;
		case 4:
			ret = fd >= 0 ? 0 : gt_open(O_RDWR | O_NONBLOCK);
			if (ret > 0)
				fd = ret;
			break;
		default:
			ret = fd < 0 ? 0 : gt_read(fd, buf, rand_r(&seed) % sizeof(buf));
		}
		if (ret < 0 && ret != -EBUSY && ret != -EAGAIN)
			return -ret;
	}
	return 0;
}

TEST_F_TIMEOUT(session, survives_everything_at_once, 100)
{
	pid_t child[5];
	int i;

	for (i = 0; i < 5; i++) {
		child[i] = gt_fork();
		if (!child[i])
			_exit(do_anything(i, 400));
	}
	for (i = 0; i < 5; i++) {
		int status;

		ASSERT_EQ(child[i], waitpid(child[i], &status, 0));
		EXPECT_EQ(0, status);
	}
	ASSERT_EQ(0, gt_reset());
	ASSERT_EQ(0, gt_start(self->ctl));
	gt_busy(1000);
	ASSERT_EQ(0, gt_stop(self->ctl, 0));
	EXPECT_EQ(0, drain_new(&self->got, "session_survived.trace"));
}

TEST_HARNESS_MAIN
