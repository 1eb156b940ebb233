// SPDX-License-Identifier: GPL-2.0
/*
 * fuzzdev: calls of /dev/gotrace that make no sense, and some that do.
 *
 *	fuzzdev [-s SEED] [-n CALLS] [-t THREADS] [-T SECONDS]
 *
 * CALLS calls (30000) by THREADS threads (4) that share some descriptors: every
 * ioctl with structs, sizes, commands and addresses at random, from 64-bit and
 * 32-bit callers; open, close, dup, read, write, poll, mmap, splice and others.
 * Memory is there, half there, read-only, forbidden, the kernel's, changed or
 * unmapped meanwhile by another thread, or comes when userfaultfd gets to it.
 * The first thread has no rights, but the others' descriptors.
 *
 * The same SEED makes the same calls in each thread. An errno that the contract
 * does not name for a call is a failure, and so is a call that never succeeded
 * or never failed in a run of 20000 or more: then nothing was tried. Prints the
 * seed first, and how many calls of each kind were made. With -T it ends early.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include <linux/gotrace.h>
#include <linux/userfaultfd.h>

#define PAGE		4096ul
#define THREADS_MAX	16
#define SLOTS		8	/* descriptors that all share */
#define LATE_PAGES	32	/* of userfaultfd, for each thread */
#define REPLY_BYTES	(8ul << 20)
#define MIN_JUDGED	20000
#define LEN(a)		(sizeof(a) / sizeof((a)[0]))

/* What a thread has to itself. All of it lies below 4 GiB, for 32-bit calls. */
struct thread {
	uint64_t random;
	unsigned int n;
	char *room;		/* 16 pages; the one behind is not there */
	char *readonly;		/* a page */
	char *forbidden;	/* a page */
	char *late;		/* LATE_PAGES that userfaultfd fills */
	char *source;		/* with what */
	int pipe[2];
	timer_t alarm;
};

/* A kind of call: made so often, well so often, and what may go wrong. */
struct kind {
	const char *name;
	unsigned int weight;
	long (*call)(struct thread *t);
	const char *errors;	/* names, with a space before and behind each */
	unsigned long made, done;
};

static struct thread threads[THREADS_MAX];
static int slot[SLOTS], scratch = -1, late_fd = -1;
static char *shared;		/* a page that comes, goes and changes */
static char *reply;		/* REPLY_BYTES for snapshots */
static int root_fd = -1;	/* of the control groups */
static unsigned long per_thread = 30000 / 4;
static uint64_t seed;
static bool stop, failed;

/* ---- Numbers ---- */

static uint64_t next(struct thread *t)
{
	uint64_t z = t->random += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

static unsigned int below(struct thread *t, unsigned int n)
{
	return next(t) % n;
}

static bool one_in(struct thread *t, unsigned int n)
{
	return !below(t, n);
}

static uint64_t odd_number(struct thread *t)
{
	static const uint64_t odd[] = {
		0, 1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 33, 47, 48, 63, 64, 119, 120, 126, 127, 128,
		255, 256, 263, 264, 4095, 4096, 4097, 65535, 65536, 1 << 20, INT32_MAX,
		(uint64_t)INT32_MAX + 1, UINT32_MAX, (uint64_t)UINT32_MAX + 1, 1ull << 40,
		(1ull << 40) + 1, INT64_MAX, 1ull << 63, UINT64_MAX,
	};

	return one_in(t, 4) ? next(t) : one_in(t, 3) ? 1ull << below(t, 64) : odd[below(t, LEN(odd))];
}

/* ---- Memory ---- */

/* Fill a thread's page of userfaultfd anew when it is touched. */
static char *late_page(struct thread *t, const void *data, size_t len)
{
	size_t at = below(t, LATE_PAGES) * PAGE;

	memcpy(t->source + at, data, len);
	madvise(t->late + at, PAGE, MADV_DONTNEED);
	return t->late + at;
}

/* An address at which @len bytes of @data stand, or anything else. */
static void *place(struct thread *t, const void *data, size_t len)
{
	char *p = t->room;

	if (len > 4 * PAGE)
		len = 4 * PAGE;
	switch (below(t, 24)) {
	case 0:
		return NULL;
	case 1:
		return (void *)(uintptr_t)odd_number(t);
	case 2:
		return (void *)(0xffffffff81000000 + below(t, 1 << 24));
	case 3:
		return t->forbidden + below(t, PAGE);
	case 4:
		return t->readonly + (one_in(t, 2) ? 0 : below(t, PAGE));
	case 5:		/* only its beginning is there */
		p = t->room + 16 * PAGE - below(t, len + 1);
		memcpy(p, data, t->room + 16 * PAGE - p);
		return p;
	case 6:		/* to the last byte */
		p = t->room + 16 * PAGE - len;
		break;
	case 7: case 8:
		if (late_fd >= 0 && len <= PAGE)
			return late_page(t, data, len);
		break;
	case 9:		/* whoever writes there last */
		return shared + below(t, 2) * (PAGE - 24);
	case 10:
		p += 1 + below(t, 63);
		break;
	}
	memcpy(p, data, len);
	return p;
}

static uint64_t place_u64(struct thread *t, size_t len)
{
	static const char text[4 * PAGE] = "a string of the fuzzer's";

	return (uintptr_t)place(t, text, len);
}

/* ---- Structs: sensible, then more or less spoilt ---- */

static uint32_t flags(struct thread *t, uint32_t known)
{
	return one_in(t, 8) ? odd_number(t) : next(t) & known;
}

static uint32_t size_of(struct thread *t, uint32_t right)
{
	return one_in(t, 8) ? odd_number(t) : one_in(t, 8) ? right - 8 + below(t, 17) : right;
}

static uint32_t upto(struct thread *t, uint32_t max)
{
	return one_in(t, 16) ? odd_number(t) : below(t, max + 1);
}

/* No more memory than a small guest has: what is in range stays small. */
static uint64_t bytes(struct thread *t)
{
	uint64_t n = one_in(t, 4) ? odd_number(t) : below(t, 16 << 20);

	return n > 32 << 20 && n <= 1ull << 40 ? 4 << 20 : n;
}

/* Ids that were given out, mostly. */
static uint64_t last_id;

static uint64_t some_id(struct thread *t)
{
	uint64_t last = __atomic_load_n(&last_id, __ATOMIC_RELAXED);

	return one_in(t, 3) ? 0 : one_in(t, 8) ? odd_number(t) : last - below(t, 8);
}

static uint32_t text_len(struct thread *t)
{
	return one_in(t, 8) ? odd_number(t) : one_in(t, 8) ? below(t, 4098) : 1 + below(t, 40);
}

/* A struct and what stands behind it, as far as @size says. */
union arg {
	struct gotrace_start start;
	struct gotrace_stop stop;
	struct gotrace_status status;
	struct gotrace_begin begin;
	struct gotrace_end end;
	struct gotrace_log log;
	struct gotrace_traceback traceback;
	struct gotrace_resize resize;
	struct gotrace_snapshot snapshot;
	struct gotrace_filter filter;
	uint32_t size;
	unsigned char byte[PAGE];
};

static void spoil(struct thread *t, union arg *a, size_t len)
{
	unsigned int n = one_in(t, 4) ? 1 + below(t, 4) : 0;

	while (n--)
		a->byte[below(t, len)] = next(t);
	if (one_in(t, 16))
		a->byte[len + below(t, 64)] = 1;	/* a tail that is not zero */
}

/* ---- Calls ---- */

static int fd(struct thread *t)
{
	return one_in(t, 64) ? (int)below(t, 4) - 4 : slot[below(t, SLOTS)];
}

/* As a 64-bit program does it, or as one of 32 bits does. */
static long do_ioctl(struct thread *t, unsigned long cmd, void *arg)
{
	long ret;

	if (one_in(t, 4) && (uintptr_t)arg >> 32 == 0) {
		int f = fd(t);

		asm volatile("int $0x80" : "=a"(ret)
			     : "a"(54L), "b"((long)f), "c"(cmd), "d"(arg)
			     : "memory", "r8", "r9", "r10", "r11");
		if (ret < 0 && ret > -4096) {
			errno = -ret;
			ret = -1;
		}
		return ret;
	}
	return ioctl(fd(t), cmd, arg);
}

/* Entries of @size bytes at odd places, more of them than there may be. */
static struct gotrace_list list(struct thread *t, const void *from, size_t size)
{
	struct gotrace_list l = { 0 };

	if (one_in(t, 4)) {
		l.len = one_in(t, 8) ? odd_number(t) : 1 + below(t, 4);
		l.addr = (uintptr_t)place(t, from, 4 * size);
		l.reserved = one_in(t, 16);
	}
	return l;
}

static uint64_t filter(struct thread *t)
{
	static const char comms[4][GOTRACE_FILTER_COMM_SIZE] = { "fuzz*", "[!a]?*", "[", "\\*" };
	const uint32_t ids[] = { getpid(), gettid(), 0, one_in(t, 2) ? 1 : odd_number(t) };
	const uint32_t calls[] = { SYS_read, SYS_ioctl, 3 | GOTRACE_FILTER_COMPAT, odd_number(t) };
	const int32_t files[] = { root_fd, one_in(t, 4) ? fd(t) : root_fd, root_fd, scratch };
	union arg a = { .filter = {
		.size = size_of(t, sizeof(a.filter)), .flags = flags(t, 3),
		.tids = list(t, ids, sizeof(*ids)), .tgids = list(t, ids, sizeof(*ids)),
		.comms = list(t, comms, sizeof(*comms)), .cgroups = list(t, files, sizeof(*files)),
		.uids = list(t, ids + 2, sizeof(*ids)), .cpus = list(t, comms, 1),
		.calls = list(t, calls, sizeof(*calls)),
	} };

	spoil(t, &a, sizeof(a.filter));
	return (uintptr_t)memcpy(t->room + 15 * PAGE, &a, sizeof(a.filter) + 64);
}

static long call_start(struct thread *t)
{
	union arg a = { .start = {
		.size = size_of(t, sizeof(a.start)),
		.flags = flags(t, one_in(t, 2) ? GOTRACE_START_DISCARD : 255),
		.buffer_bytes = bytes(t), .table_bytes = bytes(t),
		.syscalls = upto(t, 2), .clock = upto(t, 3), .format = upto(t, 1),
		.stacks = flags(t, 3), .depth = one_in(t, 2) ? 0 : upto(t, GOTRACE_DEPTH_MAX),
		.sample_hz = one_in(t, 4) ? upto(t, 2000) : 0, .sample_event = upto(t, 1),
		.filter = one_in(t, 4) ? filter(t) : 0,
		.max_bytes = one_in(t, 4) ? odd_number(t) : 0, .max_ns = one_in(t, 4) ? odd_number(t) : 0,
	} };

	if (one_in(t, 2))	/* one that may succeed */
		a.start.buffer_bytes = a.start.table_bytes = 0;
	else
		spoil(t, &a, sizeof(a.start));
	a.start.buffer_bytes = a.start.buffer_bytes >> 40 ? a.start.buffer_bytes :
			       a.start.buffer_bytes & 0x1ffffff;
	a.start.table_bytes = a.start.table_bytes >> 40 ? a.start.table_bytes :
			      a.start.table_bytes & 0x1ffffff;
	return do_ioctl(t, GOTRACE_IOC_START, place(t, &a, sizeof(a.start) + 64));
}

static long call_stop(struct thread *t)
{
	union arg a = { .stop = {
		.size = size_of(t, sizeof(a.stop)),
		.flags = flags(t, GOTRACE_STOP_NOWAIT),
	} };

	spoil(t, &a, sizeof(a.stop));
	return do_ioctl(t, GOTRACE_IOC_STOP, one_in(t, 3) ? NULL : place(t, &a, 64));
}

static long call_status(struct thread *t)
{
	static const char room[4 * PAGE];
	union arg a = { .status = {
		.size = size_of(t, sizeof(a.status)),
		.cpus_len = upto(t, 8),
		.cpu_size = size_of(t, sizeof(struct gotrace_cpu_status)),
	} };

	if (one_in(t, 2))
		a.status.cpus_addr = (uintptr_t)place(t, room, 1000);
	spoil(t, &a, sizeof(a.status));
	return do_ioctl(t, GOTRACE_IOC_STATUS, place(t, &a, sizeof(a.status) + 64));
}

static long call_enabled(struct thread *t)
{
	return do_ioctl(t, GOTRACE_IOC_ENABLED, one_in(t, 4) ? (void *)odd_number(t) : NULL);
}

static long do_begin(struct thread *t, unsigned long cmd)
{
	union arg a = { .begin = {
		.size = size_of(t, sizeof(a.begin)), .name_len = text_len(t),
		.task = some_id(t), .id = odd_number(t),
	} };
	struct gotrace_begin *p;
	long ret;

	a.begin.name = place_u64(t, a.begin.name_len);
	spoil(t, &a, sizeof(a.begin));
	/* Not beside the name, which may be anywhere in the room. */
	p = one_in(t, 4) ? place(t, &a, 96) : memcpy(t->room + 8 * PAGE, &a, 96);
	ret = do_ioctl(t, cmd, p);
	if (!ret && (char *)p == t->room + 8 * PAGE && p->id)
		__atomic_store_n(&last_id, p->id, __ATOMIC_RELAXED);
	return ret;
}

static long call_task_create(struct thread *t)
{
	return do_begin(t, GOTRACE_IOC_TASK_CREATE);
}

static long call_region_begin(struct thread *t)
{
	return do_begin(t, GOTRACE_IOC_REGION_BEGIN);
}

static long do_end(struct thread *t, unsigned long cmd)
{
	union arg a = { .end = { .size = size_of(t, sizeof(a.end)), .id = some_id(t) } };

	/* What the kernel has given out and nobody was told yet. */
	if (one_in(t, 8))
		a.end.id++;
	spoil(t, &a, sizeof(a.end));
	return do_ioctl(t, cmd, place(t, &a, 80));
}

static long call_task_end(struct thread *t)
{
	return do_end(t, GOTRACE_IOC_TASK_END);
}

static long call_region_end(struct thread *t)
{
	return do_end(t, GOTRACE_IOC_REGION_END);
}

static long call_log(struct thread *t)
{
	union arg a = { .log = {
		.size = size_of(t, sizeof(a.log)), .category_len = one_in(t, 3) ? 0 : text_len(t),
		.message_len = text_len(t), .task = some_id(t),
	} };

	a.log.message = place_u64(t, a.log.message_len);
	a.log.category = place_u64(t, a.log.category_len);
	spoil(t, &a, sizeof(a.log));
	return do_ioctl(t, GOTRACE_IOC_LOG,
			one_in(t, 4) ? place(t, &a, 104) : memcpy(t->room + 8 * PAGE, &a, 104));
}

static long call_traceback(struct thread *t)
{
	static const char room[4 * PAGE];
	uint32_t pids[8] = { getpid(), 1, 2, below(t, 4096), odd_number(t) };
	union arg a = { .traceback = {
		.size = size_of(t, sizeof(a.traceback)), .flags = flags(t, 3),
		.buf_len = one_in(t, 4) ? odd_number(t) : 12 * PAGE,
		.pids_len = upto(t, 8), .depth = upto(t, GOTRACE_DEPTH_MAX),
	} };

	a.traceback.buf_addr = one_in(t, 4) ? (uintptr_t)place(t, room, 4 * PAGE) :
					      (uintptr_t)t->room;
	if (!one_in(t, 8))	/* all tasks take long */
		a.traceback.pids_addr = one_in(t, 4) ? (uintptr_t)place(t, pids, sizeof(pids)) :
			(uintptr_t)memcpy(t->room + 13 * PAGE, pids, sizeof(pids));
	spoil(t, &a, sizeof(a.traceback));
	return do_ioctl(t, GOTRACE_IOC_TRACEBACK,
			one_in(t, 4) ? place(t, &a, sizeof(a.traceback) + 64) :
			memcpy(t->room + 14 * PAGE, &a, sizeof(a.traceback) + 64));
}

static long call_resize(struct thread *t)
{
	union arg a = { .resize = {
		.size = size_of(t, sizeof(a.resize)), .flags = flags(t, 0), .buffer_bytes = bytes(t),
	} };

	spoil(t, &a, sizeof(a.resize));
	return do_ioctl(t, GOTRACE_IOC_RESIZE, place(t, &a, sizeof(a.resize) + 64));
}

/* Mostly of what is no flight recorder. */
static long call_snapshot(struct thread *t)
{
	static const char room[4 * PAGE];
	union arg a = { .snapshot = {
		.size = size_of(t, sizeof(a.snapshot)), .flags = flags(t, 0),
		.buf_addr = (uintptr_t)(one_in(t, 2) ? place(t, room, 4 * PAGE) : reply),
		.buf_len = one_in(t, 2) ? odd_number(t) : REPLY_BYTES,
	} };

	spoil(t, &a, sizeof(a.snapshot));
	return do_ioctl(t, GOTRACE_IOC_SNAPSHOT, place(t, &a, sizeof(a.snapshot) + 64));
}

/* A command that does not exist, or one with direction and size bits. */
static long call_unknown(struct thread *t)
{
	unsigned long cmd = one_in(t, 2) ? next(t) : next(t) & 0xffffff00;
	char zero[64] = "";

	if (one_in(t, 2))
		cmd = GOTRACE_IOC_MAGIC << 8 | (13 + below(t, 243));
	if ((cmd & 0xffff) >> 8 != GOTRACE_IOC_MAGIC)
		cmd |= 1ul << 31;	/* none of those that every file has */
	return do_ioctl(t, (uint32_t)cmd, place(t, zero, sizeof(zero)));
}

static long call_open(struct thread *t)
{
	static const int mode[] = { O_RDONLY, O_RDWR, O_WRONLY, O_WRONLY, O_WRONLY, O_WRONLY };
	unsigned int at = below(t, SLOTS);
	int flag = mode[below(t, LEN(mode))] | O_CLOEXEC | (one_in(t, 8) ? 0 : O_NONBLOCK), new, old;

	if (one_in(t, 8))
		flag |= next(t) & (O_APPEND | O_DIRECT | O_SYNC | O_TRUNC | O_NOATIME | O_ASYNC);
	new = open(GOTRACE_DEVICE, flag);
	if (new < 0)
		return -1;
	old = __atomic_exchange_n(&slot[at], new, __ATOMIC_RELAXED);
	if (old >= 0)
		close(old);
	return 0;
}

static long call_close(struct thread *t)
{
	return close(__atomic_exchange_n(&slot[below(t, SLOTS)], -1, __ATOMIC_RELAXED));
}

static long call_dup(struct thread *t)
{
	int new = fcntl(slot[below(t, SLOTS)], F_DUPFD_CLOEXEC, 100), old;

	if (new < 0)
		return -1;
	old = __atomic_exchange_n(&slot[below(t, SLOTS)], new, __ATOMIC_RELAXED);
	if (old >= 0)
		close(old);
	return 0;
}

static long call_read(struct thread *t)
{
	static const char room[4 * PAGE];
	size_t len = one_in(t, 4) ? odd_number(t) : below(t, 4 * PAGE);
	struct iovec v[4];
	unsigned int i;

	if (one_in(t, 2))	/* in order, as a reader does */
		return read(fd(t), t->room, 16 * PAGE);
	if (one_in(t, 2))
		return read(fd(t), place(t, room, 4 * PAGE), len);
	for (i = 0; i < LEN(v); i++)
		v[i] = (struct iovec){ place(t, room, 4 * PAGE), below(t, 2 * PAGE) };
	return one_in(t, 2) ? readv(fd(t), v, below(t, LEN(v) + 1)) :
			      preadv2(fd(t), v, LEN(v), one_in(t, 2) ? -1 : (off_t)odd_number(t),
				      one_in(t, 2) ? RWF_NOWAIT : one_in(t, 2) ? 0 : odd_number(t));
}

static long call_write(struct thread *t)
{
	struct iovec v = { (void *)(uintptr_t)place_u64(t, 100), odd_number(t) };

	return one_in(t, 2) ? write(fd(t), v.iov_base, v.iov_len) : writev(fd(t), &v, 1);
}

static long call_poll(struct thread *t)
{
	struct pollfd p[2] = { { fd(t), next(t), 0 }, { fd(t), POLLIN, 0 } };
	struct epoll_event e = { .events = next(t) };
	long ret;
	int ep;

	if (!one_in(t, 4))
		return poll(p, 2, below(t, 3));
	ep = epoll_create1(EPOLL_CLOEXEC);
	ret = epoll_ctl(ep, EPOLL_CTL_ADD, fd(t), &e);
	if (!ret)
		ret = epoll_wait(ep, &e, 1, below(t, 3));
	close(ep);
	return ret;
}

static long call_splice(struct thread *t)
{
	loff_t off = odd_number(t);
	size_t len = one_in(t, 2) ? odd_number(t) : below(t, 4 * PAGE);
	unsigned int flag = one_in(t, 4) ? odd_number(t) : SPLICE_F_NONBLOCK;
	char sink[4 * PAGE];
	long ret;

	if (one_in(t, 4)) {
		ret = sendfile(scratch, fd(t), one_in(t, 4) ? &off : NULL, len);
		if (ftruncate(scratch, 0))
			err(1, "ftruncate");
	} else if (one_in(t, 8)) {
		ret = splice(t->pipe[0], NULL, fd(t), NULL, len, flag);
	} else {
		ret = splice(fd(t), one_in(t, 8) ? &off : NULL, t->pipe[1], NULL, len, flag);
	}
	while (read(t->pipe[0], sink, sizeof(sink)) > 0)
		;
	return ret;
}

static long call_mmap(struct thread *t)
{
	void *p = mmap(NULL, 1 + below(t, 4 * PAGE), next(t) & 7,
		       one_in(t, 2) ? MAP_SHARED : MAP_PRIVATE, fd(t), below(t, 16) * PAGE);

	return p == MAP_FAILED ? -1 : munmap(p, PAGE);
}

static long call_other(struct thread *t)
{
	char c = 0;

	switch (below(t, 9)) {
	case 0: return lseek(fd(t), odd_number(t), below(t, 6));
	case 1: return fcntl(fd(t), F_SETFL, one_in(t, 4) ? 0 : O_NONBLOCK);
	case 2: return pread(fd(t), &c, 1, odd_number(t));
	case 3: return pwrite(fd(t), &c, 1, odd_number(t));
	case 4: return ftruncate(fd(t), odd_number(t));
	case 5: return fsync(fd(t));
	case 6: return fallocate(fd(t), 0, 0, 1 + odd_number(t));
	case 7: return posix_fadvise(fd(t), 0, odd_number(t), below(t, 6));
	default: return readahead(fd(t), odd_number(t), odd_number(t));
	}
}

/* The page that all share is there again, or away, or says something else. */
static long call_change(struct thread *t)
{
	static const int prot[] = { PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE };
	uint64_t what = next(t);

	if (one_in(t, 4))
		return mprotect(shared, PAGE, prot[below(t, 3)]);
	if (one_in(t, 4))
		return mmap(shared, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS |
			    MAP_FIXED, -1, 0) == MAP_FAILED ? -1 : 0;
	/* By the kernel, which does not die of it. */
	return read(scratch, shared + below(t, 2) * (PAGE - 24), what % 24);
}

#define ANY_IOCTL " EFAULT EBADF ENOTTY "
#define GROWS ANY_IOCTL "EINVAL E2BIG "
#define NOTE GROWS "EDQUOT ENOSPC ENOMEM "

static struct kind kinds[] = {
	{ "START", 8, call_start,
	  GROWS "EBUSY ENOSPC ENOMEM ENODEV EOPNOTSUPP EINTR EPERM EACCES ESRCH " },
	{ "STOP", 4, call_stop, GROWS "EINTR EACCES " },
	{ "STATUS", 40, call_status, GROWS "EINTR EACCES " },
	{ "ENABLED", 30, call_enabled, ANY_IOCTL "EINVAL " },
	{ "TASK_CREATE", 60, call_task_create, NOTE },
	{ "TASK_END", 60, call_task_end, GROWS "EPERM EDQUOT ENOMEM " },
	{ "REGION_BEGIN", 60, call_region_begin, NOTE },
	{ "REGION_END", 60, call_region_end, GROWS },
	{ "LOG", 60, call_log, NOTE },
	{ "TRACEBACK", 20, call_traceback, GROWS "ENOSPC EPERM EINTR ENOMEM EACCES " },
	{ "RESIZE", 10, call_resize, GROWS "ENODATA EINTR EACCES " },
	{ "SNAPSHOT", 20, call_snapshot, GROWS "ENODATA ENOSPC EINTR ENOMEM EPERM EACCES " },
	{ "unknown", 20, call_unknown, ANY_IOCTL },
	{ "open", 60, call_open, " EBUSY EACCES EPERM EINVAL EMFILE ENOTDIR " },
	{ "close", 10, call_close, " EBADF " },
	{ "dup", 10, call_dup, " EBADF EMFILE " },
	{ "read", 150, call_read, " EAGAIN EINTR EFAULT EBADF EPERM EINVAL EOPNOTSUPP ESPIPE EBUSY " },
	{ "write", 10, call_write, " EINVAL EBADF EFAULT " },
	{ "poll", 30, call_poll, " EINTR EBADF EINVAL " },
	{ "splice", 30, call_splice,
	  " EAGAIN EINTR EINVAL EBADF ESPIPE EPERM EFAULT ENODATA EBUSY " },
	{ "mmap", 10, call_mmap, " ENODEV EBADF EACCES EINVAL " },
	{ "other", 15, call_other,
	  " ESPIPE EBADF EINVAL EAGAIN EPERM EFBIG ENODEV EOPNOTSUPP EINTR " },
	{ "memory", 20, call_change, " EFAULT ENOMEM " },
};

/* ---- Threads ---- */

static bool is_allowed(const struct kind *k, int error)
{
	char word[32];

	snprintf(word, sizeof(word), " %s ", strerrorname_np(error));
	return strstr(k->errors, word);
}

static void one_call(struct thread *t, unsigned long i)
{
	unsigned int all = 0, pick, k;
	long ret;

	for (k = 0; k < LEN(kinds); k++)
		all += kinds[k].weight;
	pick = below(t, all);
	for (k = 0; pick >= kinds[k].weight; k++)
		pick -= kinds[k].weight;
	ret = kinds[k].call(t);
	__atomic_add_fetch(&kinds[k].made, 1, __ATOMIC_RELAXED);
	if (ret >= 0) {
		__atomic_add_fetch(&kinds[k].done, 1, __ATOMIC_RELAXED);
	} else if (!is_allowed(&kinds[k], errno)) {
		failed = true;
		printf("# seed %ju, thread %u, call %lu: %s: %s\n", (uintmax_t)seed, t->n, i,
		       kinds[k].name, strerror(errno));
	}
}

/* Its only use is that what waits is interrupted. */
static void on_alarm(int sig)
{
}

static void arm(struct thread *t)
{
	struct sigevent e = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGALRM };
	struct itimerspec every = { { 0, 20000000 }, { 0, 20000000 } };

	e._sigev_un._tid = gettid();
	if (timer_create(CLOCK_MONOTONIC, &e, &t->alarm) ||
	    timer_settime(t->alarm, 0, &every, NULL))
		err(1, "timer");
}

static void *work(void *arg)
{
	struct thread *t = arg;
	unsigned long i;

	arm(t);
	/* The thread's own: the C library would drop the whole process's. */
	if (t->n == 0 && syscall(SYS_setresuid, 65534, 65534, 65534))
		err(1, "setresuid");
	for (i = 0; i < per_thread && !__atomic_load_n(&stop, __ATOMIC_RELAXED); i++)
		one_call(t, i);
	timer_delete(t->alarm);
	return NULL;
}

/* Bring a page late, or so late that the caller is interrupted. */
static void *bring(void *arg)
{
	struct uffd_msg m;

	while (read(late_fd, &m, sizeof(m)) == sizeof(m)) {
		uint64_t page = m.arg.pagefault.address & -PAGE;
		struct uffdio_copy copy = { .dst = page, .len = PAGE };
		struct uffdio_range wake = { page, PAGE };
		unsigned int i;

		if (m.event != UFFD_EVENT_PAGEFAULT)
			continue;
		for (i = 0; i < THREADS_MAX; i++)
			if (threads[i].late && page - (uintptr_t)threads[i].late < LATE_PAGES * PAGE)
				copy.src = (uintptr_t)threads[i].source + page -
					   (uintptr_t)threads[i].late;
		if (page / PAGE % 4 == 0)
			usleep(page / PAGE % 8 ? 500 : 3000);
		if (ioctl(late_fd, UFFDIO_COPY, &copy))
			ioctl(late_fd, UFFDIO_WAKE, &wake);
	}
	return NULL;
}

static void *map(size_t len, int prot)
{
	void *p = mmap(NULL, len, prot, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);

	if (p == MAP_FAILED)
		err(1, "mmap");
	return p;
}

static void open_late(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	pthread_t p;

	late_fd = syscall(SYS_userfaultfd, O_CLOEXEC);
	if (late_fd < 0 || ioctl(late_fd, UFFDIO_API, &api))
		err(1, "userfaultfd");
	if (pthread_create(&p, NULL, bring, NULL))
		err(1, "thread");
}

static void prepare(struct thread *t, unsigned int n)
{
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };

	t->n = n;
	t->random = seed + n * 0x1000000;
	t->room = map(17 * PAGE, PROT_READ | PROT_WRITE);
	munmap(t->room + 16 * PAGE, PAGE);
	t->readonly = map(PAGE, PROT_READ);
	t->forbidden = map(PAGE, PROT_NONE);
	t->source = map(LATE_PAGES * PAGE, PROT_READ | PROT_WRITE);
	t->late = map(LATE_PAGES * PAGE, PROT_READ | PROT_WRITE);
	reg.range = (struct uffdio_range){ (uintptr_t)t->late, LATE_PAGES * PAGE };
	if (ioctl(late_fd, UFFDIO_REGISTER, &reg))
		err(1, "userfaultfd");
	if (pipe2(t->pipe, O_NONBLOCK | O_CLOEXEC))
		err(1, "pipe");
}

static void report(void)
{
	unsigned long made = 0;
	unsigned int k;

	for (k = 0; k < LEN(kinds); k++)
		made += kinds[k].made;
	for (k = 0; k < LEN(kinds); k++) {
		printf("%-12s %8lu, %lu well\n", kinds[k].name, kinds[k].made, kinds[k].done);
		if (made < MIN_JUDGED || !strcmp(kinds[k].name, "unknown") ||
		    !strcmp(kinds[k].name, "write") || !strcmp(kinds[k].name, "mmap") ||
		    !strcmp(kinds[k].name, "memory"))
			continue;
		if (!kinds[k].done || kinds[k].done == kinds[k].made) {
			failed = true;
			printf("# %s: the fuzzer does not get there\n", kinds[k].name);
		}
	}
	printf("calls %lu\n", made);
}

int main(int argc, char **argv)
{
	struct sigaction on = { .sa_handler = on_alarm };	/* no SA_RESTART */
	pthread_t p[THREADS_MAX];
	unsigned long calls = 30000;
	unsigned int n = 4, i, seconds = 0;
	int c;

	seed = time(NULL) ^ (uint64_t)getpid() << 32;
	while ((c = getopt(argc, argv, "s:n:t:T:")) != -1) {
		switch (c) {
		case 's': seed = strtoull(optarg, NULL, 0); break;
		case 'n': calls = strtoul(optarg, NULL, 0); break;
		case 't': n = atoi(optarg); break;
		case 'T': seconds = atoi(optarg); break;
		default: return 2;
		}
	}
	if (optind != argc || n < 1 || n > THREADS_MAX)
		errx(2, "usage: fuzzdev [-s SEED] [-n CALLS] [-t THREADS] [-T SECONDS]");
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("seed %ju\n", (uintmax_t)seed);
	per_thread = calls / n;
	sigaction(SIGALRM, &on, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGIO, SIG_IGN);
	shared = map(PAGE, PROT_READ | PROT_WRITE);
	reply = map(REPLY_BYTES, PROT_READ | PROT_WRITE);
	root_fd = open("/sys/fs/cgroup", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	scratch = open(".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (scratch < 0)
		err(1, "a temporary file");
	for (i = 0; i < SLOTS; i++)
		slot[i] = -1;
	open_late();
	for (i = 0; i < n; i++)
		prepare(&threads[i], i);
	for (i = 0; i < n; i++)
		if (pthread_create(&p[i], NULL, work, &threads[i]))
			err(1, "thread");
	if (seconds) {
		sleep(seconds);
		stop = true;
	}
	for (i = 0; i < n; i++)
		pthread_join(p[i], NULL);
	report();
	return failed;
}
