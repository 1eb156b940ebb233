// SPDX-License-Identifier: LGPL-2.1 OR MIT
/*
 * libgotrace; see gotrace.h. No locks and no memory of its own, so that it can be
 * called anywhere.
 *
 * A trace shows where a program annotated itself: the caller of a function here.
 * The kernel leaves out the frame of ioctl(2), the next is found by frame
 * pointers: so these functions have them (Makefile), and all that stands between
 * them and the ioctl is inlined.
 */
#include "gotrace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <linux/gotrace.h>

#define PUBLIC __attribute__((visibility("default")))
#define INLINE inline __attribute__((always_inline))

/* Where there is no device: everything is fine, and nothing done. */
#define NO_DEVICE (-ENODEV)

static struct {
	atomic_int fd;			/* -1: not open */
	atomic_int err;			/* why */
	atomic_llong again;		/* s of CLOCK_MONOTONIC: not before */
	atomic_ullong rdev;		/* of the device */
} dev = { .fd = -1 };

static long long now(void)
{
	struct timespec ts = { 0 };

	clock_gettime(CLOCK_MONOTONIC_COARSE, &ts);
	return ts.tv_sec;
}

/* Not as standard input, output or error, whatever the program has closed. */
static int open_device(void)
{
	int fd = open(GOTRACE_DEVICE, O_WRONLY | O_CLOEXEC), high;
	struct stat st;

	if (fd >= 0 && fd <= STDERR_FILENO) {
		high = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		close(fd);
		fd = high;
	}
	if (fd < 0)
		return errno == ENOENT || errno == ENXIO ? NO_DEVICE : -errno;
	if (fstat(fd, &st) || !S_ISCHR(st.st_mode)) {
		close(fd);
		return NO_DEVICE;
	}
	atomic_store(&dev.rdev, st.st_rdev);
	return fd;
}

/* The descriptor, or an error. */
static int device(void)
{
	int fd = atomic_load(&dev.fd), none = -1;

	if (fd >= 0)
		return fd;
	if (atomic_load(&dev.err) && now() <= atomic_load(&dev.again))
		return atomic_load(&dev.err);
	fd = open_device();
	if (fd < 0) {
		atomic_store(&dev.again, now());
		atomic_store(&dev.err, fd);
		return fd;
	}
	/* Another thread may have been faster. */
	if (atomic_compare_exchange_strong(&dev.fd, &none, fd))
		return fd;
	close(fd);
	return none;
}

/* Has the program closed our descriptor? By now it may be its own. */
static bool was_closed(int fd)
{
	struct stat st;

	return fstat(fd, &st) || !S_ISCHR(st.st_mode) || st.st_rdev != atomic_load(&dev.rdev);
}

/* What the ioctl returns, or an error. */
static INLINE int call(unsigned long cmd, const void *arg)
{
	int saved = errno, ret = -EBADF, fd, tries;

	for (tries = 0; tries < 2; tries++) {
		fd = device();
		ret = fd < 0 ? fd : ioctl(fd, cmd, arg);
		if (fd < 0 || ret >= 0)
			break;
		ret = -errno;
		if ((ret != -EBADF && ret != -ENOTTY) || !was_closed(fd))
			break;
		atomic_compare_exchange_strong(&dev.fd, &fd, -1);
	}
	errno = saved;
	return ret;
}

/* What a caller gets to see of it. */
static int result(int ret)
{
	return ret == NO_DEVICE ? 0 : ret;
}

static uint64_t id_or_none(int64_t id)
{
	return id > 0 ? id : 0;
}

static uint32_t length(const char *s)
{
	return s ? strnlen(s, GOTRACE_STRING_MAX) : 0;
}

static INLINE int64_t begin(unsigned long cmd, int64_t task, const char *name)
{
	struct gotrace_begin arg = {
		.size = sizeof(arg),
		.name_len = length(name),
		.name = (uintptr_t)name,
		.task = id_or_none(task),
	};
	int err = call(cmd, &arg);

	return err ? result(err) : (int64_t)arg.id;
}

static INLINE int end(unsigned long cmd, int64_t id)
{
	struct gotrace_end arg = { .size = sizeof(arg), .id = id };

	return id > 0 ? result(call(cmd, &arg)) : 0;
}

PUBLIC int gotrace_enabled(void)
{
	return call(GOTRACE_IOC_ENABLED, NULL) > 0;
}

PUBLIC int64_t gotrace_task_create(int64_t parent, const char *name)
{
	return begin(GOTRACE_IOC_TASK_CREATE, parent, name);
}

PUBLIC int gotrace_task_end(int64_t task)
{
	return end(GOTRACE_IOC_TASK_END, task);
}

PUBLIC int64_t gotrace_region_begin(int64_t task, const char *name)
{
	return begin(GOTRACE_IOC_REGION_BEGIN, task, name);
}

PUBLIC int gotrace_region_end(int64_t region)
{
	return end(GOTRACE_IOC_REGION_END, region);
}

static INLINE int tell(int64_t task, const char *category, const char *message)
{
	struct gotrace_log arg = {
		.size = sizeof(arg),
		.category_len = length(category),
		.category = (uintptr_t)category,
		.message_len = length(message),
		.message = (uintptr_t)message,
		.task = id_or_none(task),
	};

	return result(call(GOTRACE_IOC_LOG, &arg));
}

PUBLIC int gotrace_log(int64_t task, const char *category, const char *message)
{
	return tell(task, category, message);
}

PUBLIC int gotrace_logf(int64_t task, const char *category, const char *format, ...)
{
	char message[GOTRACE_STRING_MAX + 1];
	int saved = errno, n;
	va_list ap;

	if (!gotrace_enabled())
		return 0;
	va_start(ap, format);
	n = vsnprintf(message, sizeof(message), format, ap);
	va_end(ap);
	errno = saved;
	return n < 0 ? -EINVAL : tell(task, category, message);
}
