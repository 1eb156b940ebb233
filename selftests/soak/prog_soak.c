// SPDX-License-Identifier: GPL-2.0
/*
 * soak SECONDS DIR: sessions of all kinds, one after the other, on a machine of
 * which all CPUs are busy and one comes and goes. Buffers are few, so that events
 * are lost all the time; readers are stopped, killed and replaced at random. Each
 * trace is left in DIR; meanwhile, while the last ones are still there, sessions
 * that nobody reads.
 *
 * Ends with what it did, as figures; at once when a call fails, or when a trace is
 * not whole or its losses are not those of STATUS.
 */
#include "losses.h"

#include <err.h>

#define LOADS	3
#define WAITING	2	/* traces that the other side has not taken yet */

static int ctl;
static const char *dir;
static unsigned int seed = 1;
static struct gt_shared *shared;
static pid_t children[LOADS + 1];

static struct count {
	unsigned long sessions, snapshots, resized, killed, stopped, replugged;
	unsigned long events, lost, gaps, bytes, traces;
} *n;

static unsigned int below(unsigned int limit)
{
	return rand_r(&seed) % limit;
}

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ULL + ts.tv_nsec / 1000000;
}

/* ---- What goes on all the time ---- */

/* Calls, births, deaths, names, sleeps; as fast as it can. */
static void load(void)
{
	for (;;) {
		pid_t pid = fork();

		if (!pid) {
			prctl(PR_SET_NAME, below(2) ? "born" : "to die");
			_exit(0);
		}
		gt_busy(below(2000));
		waitpid(pid, NULL, 0);
		if (!below(8))
			usleep(below(2000));
	}
}

static void plug(const char *to)
{
	int fd = open("/sys/devices/system/cpu/cpu1/online", O_WRONLY);

	if (fd < 0 || write(fd, to, 1) != 1)
		err(1, "cpu1 to %s", to);
	close(fd);
}

static void replug(void)
{
	for (;;) {
		usleep(below(3000000));
		plug("0");
		usleep(below(500000));
		plug("1");
		n->replugged++;
	}
}

static void begin_children(void)
{
	int i;

	for (i = 0; i <= LOADS; i++) {
		seed = i;
		children[i] = gt_fork();
		if (children[i] < 0)
			err(1, "fork");
		if (!children[i])
			i < LOADS ? load() : replug();
	}
}

/* Each of them must still be there. */
static void end_children(void)
{
	int i;

	for (i = 0; i <= LOADS; i++)
		if (gt_kill_and_join(children[i]) != 128 + SIGKILL)
			errx(1, "child %d of %d has ended", i, LOADS + 1);
}

/* ---- Sessions ---- */

static void start(struct gotrace_start *args)
{
	int ret;

	args->syscalls = below(3);
	args->stacks = below(4);
	args->flags |= below(2) ? GOTRACE_START_MEMORY : 0;
	args->flags |= below(4) ? 0 : GOTRACE_START_IDLE;
	args->sample_hz = below(2) ? 0 : 100;
	ret = gt_start_with(ctl, args);
	if (ret)
		errx(1, "START: %s", strerror(-ret));
	n->sessions++;
}

static void stop(unsigned int flags)
{
	int ret = gt_stop(ctl, flags);

	if (ret)
		errx(1, "STOP: %s", strerror(-ret));
}

/* Nobody reads it. */
static void short_session(void)
{
	static char reply[8 << 20];
	struct gotrace_start args = gt_start_args();
	struct gotrace_snapshot snap = {
		.size = sizeof(snap), .buf_addr = (uintptr_t)reply, .buf_len = sizeof(reply),
	};
	struct gotrace_resize resize = {
		.size = sizeof(resize), .buffer_bytes = (1 + below(3)) * gt_min_buffer_bytes(),
	};
	int ret;

	args.buffer_bytes = 2 * gt_min_buffer_bytes();
	args.flags = below(2) ? GOTRACE_START_OVERWRITE : 0;
	start(&args);
	usleep(below(50000));
	ret = gt_ioctl(ctl, GOTRACE_IOC_RESIZE, &resize);
	if (ret)
		errx(1, "RESIZE: %s", strerror(-ret));
	n->resized++;
	if (args.flags & GOTRACE_START_OVERWRITE) {
		ret = gt_ioctl(ctl, GOTRACE_IOC_SNAPSHOT, &snap);
		if (ret)
			errx(1, "SNAPSHOT: %s", strerror(-ret));
		n->snapshots++;
	}
	stop(GOTRACE_STOP_DISCARD);
}

static pid_t begin_reader(void)
{
	static unsigned int reader;
	pid_t pid = gt_fork();

	reader++;
	if (!pid)
		gt_read_at_random(ctl, shared, reader);
	if (pid < 0)
		err(1, "fork");
	return pid;
}

static void torment(pid_t pid)
{
	usleep(below(20000));
	if (!below(3)) {
		kill(pid, SIGSTOP);
		usleep(below(20) ? below(50000) : 2000000);
		kill(pid, SIGCONT);
		usleep(below(5000));
		n->stopped++;
	}
	if (gt_kill_and_join(pid) != 128 + SIGKILL)
		errx(1, "a reader ended by itself");
	n->killed++;
}

/* Where the @turn'th trace is found. */
static const char *path_of(unsigned int turn)
{
	static char path[2][256];
	static int other;

	other = !other;
	snprintf(path[other], sizeof(path[other]), "%s/%u.trace", dir, turn);
	return path[other];
}

static void save(const char *path)
{
	struct gt_bytes trace = { .data = shared->data, .len = shared->len };
	char part[300];
	int ret;

	snprintf(part, sizeof(part), "%s.part", path);
	ret = gt_save(&trace, part);
	if (ret || rename(part, path))
		errx(1, "%s: %s", path, strerror(ret ? -ret : errno));
}

static void session(unsigned int turn)
{
	struct gotrace_start args = gt_start_args();
	struct gt_losses l;
	int deaths = below(20), i;
	pid_t pid;

	args.buffer_bytes = below(4) ? gt_min_buffer_bytes() : 8 << 20;
	start(&args);
	for (i = 0; i < deaths; i++)
		torment(begin_reader());
	pid = begin_reader();
	usleep(below(100000));
	stop(GOTRACE_STOP_NOWAIT);
	i = gt_losses_ask(ctl, &l);
	if (i)
		errx(1, "STATUS: %s", strerror(-i));
	i = gt_join(pid);
	if (i)
		errx(1, "the last reader: %d", i);
	save(path_of(turn));
	if (gt_check_whole(shared->data, shared->len))
		errx(1, "trace %u is not whole", turn);
	if (gt_losses_differ(&l, shared->data, shared->len))
		errx(1, "trace %u has other losses", turn);
	n->traces++;
	n->bytes += shared->len;
	n->events += l.st.events;
	n->lost += l.st.lost[GOTRACE_LOST_BUFFER];
	for (i = 0; i < l.st.cpus_len; i++)
		n->gaps += l.cpus[i].dark;
}

static void *get_shared(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		err(1, "mmap");
	return p;
}

int main(int argc, char **argv)
{
	unsigned int turn = 0;
	uint64_t end;
	int ret;

	if (argc != 3)
		errx(2, "usage: soak SECONDS DIR");
	end = now_ms() + atol(argv[1]) * 1000ULL;
	dir = argv[2];
	shared = get_shared(sizeof(*shared));
	n = get_shared(sizeof(*n));
	ret = gt_reset();
	ctl = gt_open(O_WRONLY);
	if (ret || ctl < 0)
		errx(1, GOTRACE_DEVICE ": %s", strerror(ret ? -ret : -ctl));
	begin_children();
	while (now_ms() < end) {
		session(turn);
		if (turn % 10 == 9)
			printf("# %lu sessions\n", n->sessions), fflush(stdout);
		do
			short_session();
		while (turn >= WAITING && !access(path_of(turn - WAITING), F_OK) && now_ms() < end);
		turn++;
	}
	end_children();
	gt_figure("sessions started and stopped", n->sessions);
	gt_figure("traces", n->traces);
	gt_figure("events", n->events);
	gt_figure("events lost, all of them counted", n->lost);
	gt_figure("gaps healed", n->gaps);
	gt_figure("bytes of trace", n->bytes);
	gt_figure("readers killed", n->killed);
	gt_figure("readers stopped", n->stopped);
	gt_figure("snapshots", n->snapshots);
	gt_figure("buffers resized", n->resized);
	gt_figure("CPUs taken offline", n->replugged);
	return 0;
}
