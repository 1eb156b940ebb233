// SPDX-License-Identifier: LGPL-2.1 OR MIT
/* A trace's bytes; see source.h. */
#include "source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int open_unnamed(const char *dir)
{
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	char path[4096];

	/* Not every file system has files without a name. */
	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR))
		return fd;
	snprintf(path, sizeof(path), "%s/gotrace.XXXXXX", dir);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

static int write_all(int fd, const uint8_t *data, size_t len)
{
	ssize_t n;

	while (len) {
		n = write(fd, data, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		data += n;
		len -= n;
	}
	return 0;
}

static int copy_pipe(struct gt_source *s, int from, const char *dir,
		     struct gt_error *e)
{
	uint8_t buf[64 * 1024];
	ssize_t n;

	for (;;) {
		n = read(from, buf, sizeof(buf));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return gt_error_set(e, s->len, "cannot read: %s",
					    strerror(errno));
		if (n == 0)
			break;
		if (write_all(s->fd, buf, n))
			return gt_error_set(e, s->len, "cannot copy it to %s: %s (TMPDIR= for another place)",
					    dir, strerror(errno));
		s->len += n;
	}
	lseek(s->fd, 0, SEEK_SET);
	return 0;
}

static int init_pipe(struct gt_source *s, int from, struct gt_error *e)
{
	const char *dir = getenv("TMPDIR");

	if (!dir || !*dir)
		dir = "/var/tmp";
	s->fd = open_unnamed(dir);
	if (s->fd < 0)
		return gt_error_set(e, 0, "cannot create a file in %s: %s (TMPDIR= for another place)",
				    dir, strerror(errno));
	s->owns_fd = true;
	return copy_pipe(s, from, dir, e);
}

int gt_source_init_fd(struct gt_source *s, int fd, struct gt_error *e)
{
	off_t end;

	*s = (struct gt_source){ .fd = fd };
	s->base = lseek(fd, 0, SEEK_CUR);
	if (s->base >= 0) {
		end = lseek(fd, 0, SEEK_END);
		if (end < 0 || lseek(fd, s->base, SEEK_SET) < 0)
			return gt_error_set(e, 0, "cannot seek: %s",
					    strerror(errno));
		s->len = end > s->base ? end - s->base : 0;
		return 0;
	}
	s->base = 0;
	return init_pipe(s, fd, e);
}

void gt_source_init_mem(struct gt_source *s, const void *data, size_t len)
{
	*s = (struct gt_source){ .fd = -1, .mem = data, .len = len };
}

void gt_source_exit(struct gt_source *s)
{
	if (s->owns_fd)
		close(s->fd);
	*s = (struct gt_source){ .fd = -1 };
}

int gt_source_read(const struct gt_source *s, uint64_t off, void *to, size_t n,
		   struct gt_error *e)
{
	uint8_t *p = to;
	ssize_t got;

	if (s->fd < 0) {
		memcpy(to, s->mem + off, n);
		return 0;
	}
	while (n) {
		got = pread(s->fd, p, n, s->base + (off_t)off);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return gt_error_set(e, off, "cannot read: %s",
					    strerror(errno));
		if (got == 0)
			return gt_error_set(e, off, "the file became shorter while it was read");
		p += got;
		off += got;
		n -= got;
	}
	return 0;
}
