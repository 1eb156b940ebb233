// SPDX-License-Identifier: GPL-2.0
/* /dev/gotrace; see dev.h. */
#include "dev.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Insert the module in that file. Return: 0 or -errno. */
static int load_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int err = 0;

	if (fd < 0)
		return -errno;
	if (syscall(SYS_finit_module, fd, "", 0) && errno != EEXIST)
		err = -errno;
	close(fd);
	return err;
}

/* Return: 0 or -1; why, modprobe knows and nobody else. */
static int load_modprobe(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		execlp("modprobe", "modprobe", "-q", "gotrace", (char *)NULL);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	return status ? -1 : 0;
}

static void load_module(const char *cmd)
{
	const char *path = getenv("GOTRACE_KO");
	int err;

	if (!path || !*path) {
		load_modprobe();
		return;
	}
	err = load_file(path);
	if (err)
		fprintf(stderr, "gotrace %s: cannot load %s: %s%s\n", cmd,
			path, strerror(-err),
			err == -ENOEXEC ? " (built for another kernel?)" :
			err == -EPERM ? " (only root may)" :
			err == -ENOKEY || err == -EKEYREJECTED ?
			" (this kernel wants it signed)" : "");
}

/* Is it that process that has the device open for reading? */
static bool is_reader(const char *pid)
{
	char path[300], link[64];
	struct dirent *de;
	bool found = false;
	unsigned int flags;
	ssize_t n;
	FILE *f;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%s/fd", pid);
	dir = opendir(path);
	if (!dir)
		return false;
	while (!found && (de = readdir(dir))) {
		n = readlinkat(dirfd(dir), de->d_name, link, sizeof(link) - 1);
		if (n < 0)
			continue;
		link[n] = '\0';
		if (strcmp(link, GOTRACE_DEVICE))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/fdinfo/%.20s", pid,
			 de->d_name);
		f = fopen(path, "re");
		if (!f)
			continue;
		if (fscanf(f, "pos: %*s flags: %o", &flags) == 1)
			found = (flags & O_ACCMODE) != O_WRONLY;
		fclose(f);
	}
	closedir(dir);
	return found;
}

/* "process 123 (cat)" of the reader, as far as /proc shows it to us. */
static void describe_reader(char *out, size_t size)
{
	char path[300], comm[32] = "";
	struct dirent *de;
	DIR *proc = opendir("/proc");
	FILE *f;

	snprintf(out, size, "another process");
	while (proc && (de = readdir(proc))) {
		if (de->d_name[0] < '1' || de->d_name[0] > '9' ||
		    !is_reader(de->d_name))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/comm", de->d_name);
		f = fopen(path, "re");
		if (f) {
			if (!fgets(comm, sizeof(comm), f))
				comm[0] = '\0';
			comm[strcspn(comm, "\n")] = '\0';
			fclose(f);
		}
		snprintf(out, size, "process %.20s (%s)", de->d_name, comm);
		break;
	}
	if (proc)
		closedir(proc);
}

static void explain_open(const char *cmd, int err)
{
	char reader[80];

	fprintf(stderr, "gotrace %s: cannot open %s: %s\n", cmd,
		GOTRACE_DEVICE, strerror(err));
	switch (err) {
	case ENOENT:
	case ENODEV:
	case ENXIO:
		fputs("The module is not loaded: try 'modprobe gotrace', or 'insmod gotrace.ko' where\n"
		      "it was built (or say where it is in $GOTRACE_KO).\n", stderr);
		break;
	case EACCES:
		fputs("This needs root, or the capability CAP_PERFMON and rights on the device.\n",
		      stderr);
		break;
	case EPERM:
		fputs("The kernel is locked down (confidentiality); it does not let itself be traced.\n",
		      stderr);
		break;
	case EBUSY:
		describe_reader(reader, sizeof(reader));
		fprintf(stderr, "The device has one reader at a time, now it is %s.\n"
			"'gotrace status' shows what it reads, 'gotrace stop' ends it.\n",
			reader);
		break;
	}
}

static bool no_module(int err)
{
	return err == ENOENT || err == ENODEV || err == ENXIO;
}

int dev_open(const char *cmd, enum dev_use use, bool load)
{
	/* START takes the reader's file or any other, but not a second reader. */
	int flags = use == DEV_READ ? O_RDWR | O_NONBLOCK : O_WRONLY;
	int fd = open(GOTRACE_DEVICE, flags | O_CLOEXEC);

	if (fd < 0 && load && no_module(errno)) {
		load_module(cmd);
		fd = open(GOTRACE_DEVICE, flags | O_CLOEXEC);
	}
	if (fd < 0)
		explain_open(cmd, errno);
	return fd;
}

int dev_start(int fd, const struct gotrace_start *start)
{
	struct gotrace_start arg = *start;

	arg.size = sizeof(arg);
	return ioctl(fd, GOTRACE_IOC_START, &arg) ? -errno : 0;
}

int dev_stop(int fd, uint32_t flags)
{
	struct gotrace_stop arg = { .size = sizeof(arg), .flags = flags };

	return ioctl(fd, GOTRACE_IOC_STOP, &arg) ? -errno : 0;
}

int dev_resize(int fd, uint64_t buffer_bytes)
{
	struct gotrace_resize arg = { .size = sizeof(arg), .buffer_bytes = buffer_bytes };

	return ioctl(fd, GOTRACE_IOC_RESIZE, &arg) ? -errno : 0;
}

int dev_status(int fd, struct gotrace_status *status)
{
	memset(status, 0, sizeof(*status));
	status->size = sizeof(*status);
	status->cpu_size = sizeof(struct gotrace_cpu_status);
	return ioctl(fd, GOTRACE_IOC_STATUS, status) ? -errno : 0;
}

int dev_status_cpus(int fd, struct gotrace_status *status,
		    struct gotrace_cpu_status **cpus)
{
	uint32_t room;
	int err = dev_status(fd, status);

	*cpus = NULL;
	if (err)
		return err;
	room = status->cpus_len;
	*cpus = calloc(room ? room : 1, sizeof(**cpus));
	if (!*cpus)
		return -ENOMEM;
	memset(status, 0, sizeof(*status));
	status->size = sizeof(*status);
	status->cpu_size = sizeof(**cpus);
	status->cpus_addr = (uintptr_t)*cpus;
	status->cpus_len = room;
	if (ioctl(fd, GOTRACE_IOC_STATUS, status)) {
		err = -errno;
		free(*cpus);
		*cpus = NULL;
		return err;
	}
	/* CPUs do not become possible later; but believe the array's size. */
	if (status->cpus_len > room)
		status->cpus_len = room;
	return 0;
}

int dev_traceback(int fd, struct gotrace_traceback *tb, void **reply)
{
	size_t room = 1024 * 1024;
	void *more;
	int err;

	tb->size = sizeof(*tb);
	*reply = NULL;
	do {
		more = realloc(*reply, room);
		if (!more) {
			err = -ENOMEM;
			break;
		}
		*reply = more;
		tb->buf_addr = (uintptr_t)more;
		tb->buf_len = room;
		err = ioctl(fd, GOTRACE_IOC_TRACEBACK, tb) ? -errno : 0;
		/* There may be more tasks by the next time. */
		if (err == -ENOSPC)
			room = tb->buf_len + tb->buf_len / 4 + 65536;
		/* Stopped and continued is no reason to give up. */
	} while (err == -ENOSPC || err == -EINTR);
	if (err) {
		free(*reply);
		*reply = NULL;
	}
	return err;
}

int dev_snapshot(int fd, void **reply, size_t *len)
{
	struct gotrace_snapshot arg = { .size = sizeof(arg) };
	struct gotrace_status st;
	void *more;
	int err = dev_status(fd, &st);

	*reply = NULL;
	arg.buf_len = (st.buffers_limit + 16) * GOTRACE_BUF_SIZE + 2 * st.table_bytes;
	if (err || st.state == GOTRACE_STATE_NONE)
		return err ? err : -ENODATA;
	do {
		more = realloc(*reply, arg.buf_len);
		if (!more) {
			err = -ENOMEM;
			break;
		}
		*reply = more;
		*len = arg.buf_len;
		arg.buf_addr = (uintptr_t)more;
		err = ioctl(fd, GOTRACE_IOC_SNAPSHOT, &arg) ? -errno : 0;
		if (err == -ENOSPC)
			arg.buf_len += arg.buf_len / 4;
		else if (err == -EINTR)
			arg.buf_len = *len;
	} while (err == -ENOSPC || err == -EINTR);
	*len = arg.buf_len;
	if (err) {
		free(*reply);
		*reply = NULL;
	}
	return err;
}

static void explain_busy(int fd)
{
	struct gotrace_status st;

	if (dev_status(fd, &st))
		st.state = GOTRACE_STATE_NONE;
	if (st.state == GOTRACE_STATE_STARTING ||
	    st.state == GOTRACE_STATE_TRACING)
		fprintf(stderr, "Session %" PRIu64 " is being traced: 'gotrace stop' ends it, 'gotrace status' shows it.\n",
			(uint64_t)st.session);
	else
		fprintf(stderr, "The last session's trace was not read to its end: 'cat %s >FILE' keeps the\n"
			"rest, the option --discard drops it.\n",
			GOTRACE_DEVICE);
}

void dev_explain_start(const char *cmd, int fd, int err,
		       const struct gotrace_start *start)
{
	fprintf(stderr, "gotrace %s: cannot start: %s\n", cmd, strerror(-err));
	switch (-err) {
	case EBUSY:
		explain_busy(fd);
		break;
	case ENOSPC:
		fputs("There are more tasks than fit the limits: try a larger --tables or --buffer.\n",
		      stderr);
		break;
	case ENOMEM:
		fputs("There is not enough memory: try a smaller --buffer.\n",
		      stderr);
		break;
	case ENODEV:
		fprintf(stderr, "This machine has no clock '%s' that can be used: try --clock auto.\n",
			dev_clock_name(start->clock));
		break;
	case EOPNOTSUPP:
		if (!start->sample_hz) {
			fputs("This kernel has no control groups.\n", stderr);
			break;
		}
		fputs("This machine's processor does not count what --sample-event asks for, as often\n"
		      "with virtual ones: try --sample-event clock.\n",
		      stderr);
		break;
	case ESRCH:
		fputs("One of --pid or --tid is the number of nobody.\n", stderr);
		break;
	case EBADF:
		fputs("A --cgroup is no control group of version 2: those are below where a file system\n"
		      "of type cgroup2 is mounted.\n", stderr);
		break;
	case E2BIG:
		fputs("The module is older than this gotrace, and does not know one of the options.\n",
		      stderr);
		break;
	case EINVAL:
		fputs("An option is out of the range that this module knows: the buffer must hold two\n"
		      "times 64 KiB more than there are CPUs, the tables at least 1 MiB; one of --cpu\n"
		      "must be a CPU of this machine.\n",
		      stderr);
		break;
	case EPERM:
		if (start->flags & GOTRACE_START_RAW) {
			fputs("The option --raw needs the capability CAP_SYSLOG.\n",
			      stderr);
			break;
		}
		/* fallthrough */
	case EACCES:
		fputs("This needs root, or the capability CAP_PERFMON, and no confidentiality lockdown.\n",
		      stderr);
		break;
	}
}

#define NAME_OF(table, i) \
	((i) < sizeof(table) / sizeof((table)[0]) ? (table)[i] : "unknown")

const char *dev_state_name(uint32_t state)
{
	static const char *const names[] = {
		[GOTRACE_STATE_NONE] = "none",
		[GOTRACE_STATE_STARTING] = "starting",
		[GOTRACE_STATE_TRACING] = "tracing",
		[GOTRACE_STATE_DRAINING] = "draining",
	};

	return NAME_OF(names, state);
}

const char *dev_clock_name(uint32_t clock)
{
	static const char *const names[] = {
		[GOTRACE_CLOCK_AUTO] = "auto",
		[GOTRACE_CLOCK_TSC] = "tsc",
		[GOTRACE_CLOCK_MONO] = "mono",
		[GOTRACE_CLOCK_BOOT] = "boot",
	};

	return NAME_OF(names, clock);
}

const char *dev_syscalls_name(uint32_t syscalls)
{
	static const char *const names[] = {
		[GOTRACE_SYSCALLS_OFF] = "off",
		[GOTRACE_SYSCALLS_CALLS] = "calls",
		[GOTRACE_SYSCALLS_REGIONS] = "regions",
	};

	return NAME_OF(names, syscalls);
}

const char *dev_stopped_name(uint32_t stopped)
{
	static const char *const names[] = {
		[GOTRACE_STOPPED_NOT] = "-",
		[GOTRACE_STOPPED_ASKED] = "asked",
		[GOTRACE_STOPPED_TIME] = "max-time",
		[GOTRACE_STOPPED_BYTES] = "max-size",
	};

	return NAME_OF(names, stopped);
}

const char *dev_filtered_name(unsigned int bit)
{
	static const char *const names[] = {
		"tid", "pid", "comm", "cgroup", "uid", "cpu", "calls",
	};

	return bit < sizeof(names) / sizeof(names[0]) ? names[bit] : NULL;
}

const char *dev_lost_name(unsigned int cause)
{
	static const char *const names[GOTRACE_LOST_CAUSES] = {
		[GOTRACE_LOST_BUFFER] = "buffer",
		[GOTRACE_LOST_TASK] = "task",
		[GOTRACE_LOST_STACK] = "stack",
		[GOTRACE_LOST_SAMPLE] = "sample",
	};

	return cause < GOTRACE_LOST_CAUSES ? names[cause] : NULL;
}

const char *dev_lost_words(unsigned int cause)
{
	switch (cause) {
	case GOTRACE_LOST_BUFFER:
		return "for want of an empty buffer (try a larger --buffer)";
	case GOTRACE_LOST_TASK:
		return "for want of memory for a task (try larger --tables)";
	case GOTRACE_LOST_STACK:
		return "stacks or names left out (try larger --tables)";
	case GOTRACE_LOST_SAMPLE:
		return "CPU samples for want of time to write them (try a lower --freq)";
	default:
		return "for a reason that this gotrace does not know";
	}
}

uint64_t dev_events_lost(const __u64 lost[GOTRACE_LOST_CAUSES])
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < GOTRACE_LOST_CAUSES; i++)
		if (i != GOTRACE_LOST_STACK)
			sum += lost[i];
	return sum;
}
