/* SPDX-License-Identifier: GPL-2.0 */
/*
 * /dev/gotrace as the tests use it. Every function gives -errno for an error,
 * so that a test says what it expects in one line:
 * ASSERT_EQ(-EBUSY, gt_open(O_RDONLY)).
 *
 * A "control" descriptor is one opened O_WRONLY: it may do every ioctl and is
 * nobody's reader. Helper processes die with the test that forked them.
 */
#ifndef SELFTESTS_DEVICE_H
#define SELFTESTS_DEVICE_H

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/gotrace.h>

/* The functions below are for many tests; each uses some. */
#define GT_HELPER static inline __attribute__((unused))

#define GT_WAIT_MS	20000	/* for what must happen, in a slow guest */
#define GT_QUIET_MS	300	/* for what must not happen */

GT_HELPER long gt_err(long ret)
{
	return ret < 0 ? -errno : ret;
}

GT_HELPER int gt_open(int flags)
{
	return gt_err(open(GOTRACE_DEVICE, flags | O_CLOEXEC));
}

GT_HELPER int gt_ioctl(int fd, unsigned long cmd, const void *arg)
{
	return gt_err(ioctl(fd, cmd, arg));
}

GT_HELPER struct gotrace_start gt_start_args(void)
{
	return (struct gotrace_start){
		.size = sizeof(struct gotrace_start),
		.syscalls = GOTRACE_SYSCALLS_CALLS,
	};
}

GT_HELPER int gt_start_with(int fd, const struct gotrace_start *args)
{
	return gt_ioctl(fd, GOTRACE_IOC_START, args);
}

GT_HELPER int gt_start(int fd)
{
	struct gotrace_start args = gt_start_args();

	return gt_start_with(fd, &args);
}

GT_HELPER int gt_stop(int fd, unsigned int flags)
{
	struct gotrace_stop args = { .size = sizeof(args), .flags = flags };

	return gt_ioctl(fd, GOTRACE_IOC_STOP, &args);
}

GT_HELPER int gt_status(int fd, struct gotrace_status *st)
{
	memset(st, 0, sizeof(*st));
	st->size = sizeof(*st);
	st->cpu_size = sizeof(struct gotrace_cpu_status);
	return gt_ioctl(fd, GOTRACE_IOC_STATUS, st);
}

/* The state, or -errno. */
GT_HELPER int gt_state(int fd)
{
	struct gotrace_status st;
	int err = gt_status(fd, &st);

	return err ? err : (int)st.state;
}

GT_HELPER long gt_read(int fd, void *buf, size_t len)
{
	return gt_err(read(fd, buf, len));
}

/* POLLIN and friends that are up within @ms, 0 if none. */
GT_HELPER int gt_poll(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int ret = gt_err(poll(&p, 1, ms));

	return ret > 0 ? p.revents : ret;
}

GT_HELPER void gt_sleep_ms(int ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000L };

	while (nanosleep(&ts, &ts) && errno == EINTR)
		;
}

/* What docs/reliability.md sums up (reliability.sh). */
GT_HELPER void gt_figure(const char *what, unsigned long n)
{
	printf("# figure: %s %lu\n", what, n);
	fflush(stdout);
}

/* Into a file that is there. 0 or -errno. */
GT_HELPER int gt_write_text(const char *path, const char *text)
{
	int fd = gt_err(open(path, O_WRONLY | O_CLOEXEC)), err;

	if (fd < 0)
		return fd;
	err = gt_err(write(fd, text, strlen(text)));
	close(fd);
	return err < 0 ? err : 0;
}

/* Load the module from its file. Both: 0 or -errno. */
GT_HELPER int gt_load(const char *path)
{
	int fd = gt_err(open(path, O_RDONLY | O_CLOEXEC)), err;

	if (fd < 0)
		return fd;
	err = gt_err(syscall(SYS_finit_module, fd, "", 0));
	close(fd);
	return err;
}

GT_HELPER int gt_unload(void)
{
	return gt_err(syscall(SYS_delete_module, "gotrace", O_NONBLOCK));
}

/* @calls traced system calls, about five bytes each. */
GT_HELPER void gt_busy(long calls)
{
	while (calls--)
		syscall(SYS_getppid);
}

/* Enough of them to fill more than one trace buffer on any one CPU. */
#define GT_BUSY_BUFFERS		60000

/* Possible CPUs, from their list in sysfs: "0-3" or "0". */
GT_HELPER unsigned int gt_possible_cpus(void)
{
	FILE *f = fopen("/sys/devices/system/cpu/possible", "r");
	unsigned int first = 0, last = 0;
	int n = f ? fscanf(f, "%u-%u", &first, &last) : 0;

	if (f)
		fclose(f);
	return n == 2 ? last + 1 : first + 1;
}

GT_HELPER uint64_t gt_min_buffer_bytes(void)
{
	return (gt_possible_cpus() + 2) * (uint64_t)GOTRACE_BUF_SIZE;
}

/* Bytes read, piece by piece. */
struct gt_bytes {
	char	*data;
	size_t	len;
	size_t	cap;
};

GT_HELPER char *gt_bytes_room(struct gt_bytes *b, size_t more)
{
	if (b->len + more > b->cap) {
		b->cap = (b->len + more) * 2;
		b->data = realloc(b->data, b->cap);
		if (!b->data)
			abort();
	}
	return b->data + b->len;
}

GT_HELPER void gt_bytes_add(struct gt_bytes *b, const void *from, size_t len)
{
	memcpy(gt_bytes_room(b, len), from, len);
	b->len += len;
}

/* One read of up to @max bytes onto the end of @b. */
GT_HELPER long gt_take(int fd, struct gt_bytes *b, size_t max)
{
	long n = gt_read(fd, gt_bytes_room(b, max), max);

	if (n > 0)
		b->len += n;
	return n;
}

/* Reads to the end of file in pieces of up to @max. */
GT_HELPER int gt_drain_by(int fd, struct gt_bytes *b, size_t max)
{
	long n;

	while ((n = gt_take(fd, b, max)) > 0)
		;
	return n;
}

GT_HELPER int gt_drain(int fd, struct gt_bytes *b)
{
	return gt_drain_by(fd, b, 1 << 20);
}

/* Leaves @b in the current directory, where the host's checkers find it. */
GT_HELPER int gt_save(const struct gt_bytes *b, const char *name)
{
	int fd = gt_err(open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644));
	size_t done = 0;

	while (fd >= 0 && done < b->len) {
		long n = gt_err(write(fd, b->data + done, b->len - done));

		if (n < 0)
			return n;
		done += n;
	}
	return fd < 0 ? fd : (int)gt_err(close(fd));
}

/* A child that does not outlive its parent. */
GT_HELPER pid_t gt_fork(void)
{
	pid_t parent = getpid(), pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
	}
	return pid;
}

/* The child's exit code, 128 + its fatal signal, or -ETIMEDOUT. */
GT_HELPER int gt_join(pid_t pid)
{
	int status, ms;

	for (ms = 0; ms < GT_WAIT_MS; ms += 10) {
		pid_t ret = gt_err(waitpid(pid, &status, WNOHANG));

		if (ret < 0)
			return ret;
		if (ret == pid)
			return WIFEXITED(status) ? WEXITSTATUS(status) :
						   128 + WTERMSIG(status);
		gt_sleep_ms(10);
	}
	return -ETIMEDOUT;
}

GT_HELPER int gt_kill_and_join(pid_t pid)
{
	kill(pid, SIGKILL);
	return gt_join(pid);
}

/* The system call that @tid sleeps in, -1 if it runs, -errno. */
GT_HELPER long gt_syscall_of(pid_t tid)
{
	char path[64], text[32] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/syscall", tid);
	f = fopen(path, "r");
	if (!f)
		return -errno;
	if (!fgets(text, sizeof(text), f))
		text[0] = 0;
	fclose(f);
	return text[0] >= '0' && text[0] <= '9' ? atol(text) : -1;
}

/* Waits until @tid sleeps in system call @nr. */
GT_HELPER int gt_wait_syscall(pid_t tid, long nr)
{
	int ms;

	for (ms = 0; ms < GT_WAIT_MS; ms += 5) {
		if (gt_syscall_of(tid) == nr)
			return 0;
		gt_sleep_ms(5);
	}
	return -ETIMEDOUT;
}

/* 0 if @tid is still in system call @nr after a while of nothing happening. */
GT_HELPER int gt_stays_in_syscall(pid_t tid, long nr)
{
	int err = gt_wait_syscall(tid, nr);

	if (err)
		return err;
	gt_sleep_ms(GT_QUIET_MS);
	return gt_syscall_of(tid) == nr ? 0 : -ECHILD;
}

/* Waits until the device is in @state. */
GT_HELPER int gt_wait_state(int fd, int state)
{
	int ms, now = 0;

	for (ms = 0; ms < GT_WAIT_MS; ms += 5) {
		now = gt_state(fd);
		if (now == state)
			return 0;
		gt_sleep_ms(5);
	}
	return now < 0 ? now : -ETIMEDOUT;
}

/* No session and nobody's data: what every test begins with. */
GT_HELPER int gt_reset(void)
{
	struct gt_bytes b = { 0 };
	int ctl = gt_open(O_WRONLY), fd = -EBUSY, ms, err;

	if (ctl < 0)
		return ctl;
	err = gt_stop(ctl, GOTRACE_STOP_NOWAIT);
	for (ms = 0; !err && ms < GT_WAIT_MS; ms += 10) {
		fd = gt_open(O_RDONLY | O_NONBLOCK);
		if (fd != -EBUSY)
			break;
		gt_sleep_ms(10);	/* the last test's helper is dying */
	}
	if (!err && fd < 0)
		err = fd;
	if (!err && gt_state(ctl) != GOTRACE_STATE_NONE)
		err = gt_drain(fd, &b);
	free(b.data);
	if (fd >= 0)
		close(fd);
	close(ctl);
	return err;
}

#endif /* SELFTESTS_DEVICE_H */
