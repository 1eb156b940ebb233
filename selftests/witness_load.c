// SPDX-License-Identifier: GPL-2.0
/*
 * witness_load: the work that two tracers watch at once.
 *
 *	witness_load [ROUNDS]
 *
 * Many kinds of sleeping, waking and being put off a CPU, on all CPUs, for as
 * long as the slowest pair needs for its ROUNDS (2500) round trips.
 *
 * On every CPU a marker frames the work: a process tied to that CPU calls
 * getpriority, sleeps while the work goes on, and calls getpriority again.
 * Nobody else may call it. The comparer takes what lies between the marker's
 * first switch-out after the first call and its last switch-in before the
 * last one: a place that both tracers see in the same order as everything
 * else on that CPU, because a switch happens with interrupts off.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MARK_CALLS	3	/* getpriority calls in a row, before and after */

struct shared {
	int stop;		/* the work is done */
	int leave;		/* so are the markers: everybody may go */
	int marked;		/* markers past their current phase */
	int ball[2];		/* futexes of the futex pair */
};

static struct shared *sh;
static unsigned int rounds = 2500;
static const char *self;

static int stopped(void)
{
	return __atomic_load_n(&sh->stop, __ATOMIC_ACQUIRE);
}

static void usleep_raw(long us)
{
	struct timespec ts = { us / 1000000, us % 1000000 * 1000 };

	syscall(SYS_nanosleep, &ts, NULL);
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		err(1, "sched_setaffinity %d", cpu);
}

static pid_t spawn(const char *name, void (*run)(int), int arg)
{
	pid_t pid = fork();

	if (pid < 0)
		err(1, "fork");
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, name);
		run(arg);
		_exit(0);
	}
	return pid;
}

static void marker(int cpu)
{
	int i;

	pin(cpu);
	for (i = 0; i < MARK_CALLS; i++)
		syscall(SYS_getpriority, PRIO_PROCESS, 0);
	__atomic_add_fetch(&sh->marked, 1, __ATOMIC_SEQ_CST);
	while (!stopped())
		usleep_raw(20000);
	/* A switch-in that is surely after the last of the work. */
	usleep_raw(1000);
	for (i = 0; i < MARK_CALLS; i++)
		syscall(SYS_getpriority, PRIO_PROCESS, 0);
	__atomic_add_fetch(&sh->marked, 1, __ATOMIC_SEQ_CST);
	while (!__atomic_load_n(&sh->leave, __ATOMIC_ACQUIRE))
		usleep_raw(20000);
}

/* --- pairs --- */

static void ping(int in, int out, int serve)
{
	unsigned int i;
	char c = 0;

	for (i = 0; i < rounds; i++) {
		if (serve && write(out, &c, 1) != 1)
			err(1, "write");
		if (read(in, &c, 1) != 1)
			err(1, "read");
		if (!serve && write(out, &c, 1) != 1)
			err(1, "write");
	}
}

/* Both ends of the pair; cpus holds a CPU for each, 4 bits apiece, 15 = any. */
static void pair_over(int ab[2], int ba[2], int cpus)
{
	int a = cpus & 15, b = cpus >> 4 & 15;
	pid_t pid = fork();

	if (pid < 0)
		err(1, "fork");
	if (!pid) {
		if (b != 15)
			pin(b);
		ping(ab[0], ba[1], 0);
		_exit(0);
	}
	if (a != 15)
		pin(a);
	ping(ba[0], ab[1], 1);
	waitpid(pid, NULL, 0);
}

static void pipe_pair(int cpus)
{
	int ab[2], ba[2];

	if (pipe(ab) || pipe(ba))
		err(1, "pipe");
	pair_over(ab, ba, cpus);
}

static void socket_pair(int cpus)
{
	int s[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, s))
		err(1, "socketpair");
	pair_over((int[]){ s[1], s[0] }, (int[]){ s[0], s[1] }, cpus);
}

static void futex_wait_for(int *word, int value)
{
	int old;

	while ((old = __atomic_load_n(word, __ATOMIC_SEQ_CST)) != value)
		syscall(SYS_futex, word, FUTEX_WAIT, old, NULL, NULL, 0);
}

static void futex_set(int *word, int value)
{
	__atomic_store_n(word, value, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void futex_end(int side)
{
	unsigned int i;

	for (i = 1; i <= rounds; i++) {
		if (side == 0)
			futex_set(&sh->ball[0], i);
		futex_wait_for(&sh->ball[side == 0], i);
		if (side == 1)
			futex_set(&sh->ball[1], i);
	}
}

static void *futex_thread(void *arg)
{
	futex_end(1);
	return arg;
}

static void futex_pair(int cpus)
{
	pthread_t other;

	(void)cpus;
	if (pthread_create(&other, NULL, futex_thread, NULL))
		errx(1, "pthread_create");
	futex_end(0);
	pthread_join(other, NULL);
}

/* --- those that go on until told to stop --- */

/* Takes what nobody else wants: every wake-up puts it off. */
static void hog(int cpu)
{
	pin(cpu);
	if (nice(19) < 0)
		err(1, "nice");
	while (!stopped())
		;
}

/* Takes its share, and is put off when that is used up. */
static void burster(int us)
{
	struct timespec t;
	uint64_t end, now;

	while (!stopped()) {
		clock_gettime(CLOCK_MONOTONIC, &t);
		end = t.tv_sec * 1000000000ull + t.tv_nsec + us * 1000ull;
		do {
			clock_gettime(CLOCK_MONOTONIC, &t);
			now = t.tv_sec * 1000000000ull + t.tv_nsec;
		} while (now < end);
		usleep_raw(3 * us);
	}
}

static void sleeper(int us)
{
	while (!stopped())
		usleep_raw(us);
}

static void yielder(int arg)
{
	int i;

	(void)arg;
	while (!stopped()) {
		for (i = 0; i < 10; i++)
			sched_yield();
		usleep_raw(5000);
	}
}

static void poller(int arg)
{
	struct epoll_event ev = { .events = EPOLLIN };
	struct pollfd pfd = { .events = POLLIN };
	int fds[2], ep;

	(void)arg;
	ep = epoll_create1(0);
	if (ep < 0 || pipe(fds) || epoll_ctl(ep, EPOLL_CTL_ADD, fds[0], &ev))
		err(1, "epoll");
	pfd.fd = fds[0];
	while (!stopped()) {
		poll(&pfd, 1, 2);
		epoll_wait(ep, &ev, 1, 1);
	}
}

static void *forker_thread(void *arg)
{
	return arg;
}

static void *exec_thread(void *arg)
{
	execv(self, arg);
	_exit(127);
}

/* Exec by a thread: it lives on under the tid of the leader, which dies. */
static void exec_by_thread(char **args)
{
	pid_t pid = fork();
	pthread_t thread;

	if (!pid) {
		if (pthread_create(&thread, NULL, exec_thread, args))
			_exit(127);
		for (;;)
			pause();
	}
	waitpid(pid, NULL, 0);
}

/* fork, vfork and exec, threads that are born and die. */
static void forker(int arg)
{
	char *args[] = { (char *)self, (char *)"--exit", NULL };
	pthread_t thread;
	pid_t pid;
	int fd;

	(void)arg;
	/* Births are rare beside all the talk of the pairs: let them be first. */
	if (setpriority(PRIO_PROCESS, 0, -10))
		err(1, "setpriority");
	while (!stopped()) {
		pid = fork();
		if (!pid) {
			execv(self, args);
			_exit(127);
		}
		waitpid(pid, NULL, 0);
		pid = vfork();
		if (!pid) {
			execv(self, args);
			_exit(127);
		}
		waitpid(pid, NULL, 0);
		if (!pthread_create(&thread, NULL, forker_thread, NULL))
			pthread_join(thread, NULL);
		exec_by_thread(args);
		fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
		if (fd >= 0)
			close(fd);
		usleep_raw(2000);
	}
}

static void on_signal(int sig)
{
	(void)sig;
}

/* A sleeper that signals keep interrupting, stopping and continuing. */
static void signalled(int arg)
{
	struct sigaction sa = { .sa_handler = on_signal };

	(void)arg;
	sigaction(SIGUSR1, &sa, NULL);
	while (!stopped())
		usleep_raw(5000);
}

static void signaller(int arg)
{
	pid_t pid = spawn("w-signalled", signalled, 0);
	int n = 0;

	(void)arg;
	while (!stopped()) {
		kill(pid, SIGUSR1);
		usleep_raw(700);
		if (++n % 8 == 0) {
			kill(pid, SIGSTOP);
			usleep_raw(900);
			kill(pid, SIGCONT);
		}
	}
	kill(pid, SIGCONT);
	waitpid(pid, NULL, 0);
}

static void wait_marked(int n)
{
	while (__atomic_load_n(&sh->marked, __ATOMIC_SEQ_CST) < n)
		usleep_raw(2000);
}

int main(int argc, char **argv)
{
	int cpus = sysconf(_SC_NPROCESSORS_ONLN), last = cpus - 1, i, status;
	pid_t pairs[5];

	self = argv[0];
	if (argc == 2 && !strcmp(argv[1], "--exit"))
		return 0;
	if (argc > 1)
		rounds = atoi(argv[1]);
	sh = mmap(NULL, sizeof(*sh), PROT_READ | PROT_WRITE,
		  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (sh == MAP_FAILED)
		err(1, "mmap");

	for (i = 0; i < cpus; i++)
		spawn("w-marker", marker, i);
	wait_marked(cpus);

	for (i = 0; i < cpus; i++)
		spawn("w-hog", hog, i);
	spawn("w-burster", burster, 3000);
	spawn("w-sleeper", sleeper, 60);
	spawn("w-sleeper", sleeper, 500);
	spawn("w-sleeper", sleeper, 7000);
	spawn("w-yielder", yielder, 0);
	spawn("w-yielder", yielder, 0);
	spawn("w-poller", poller, 0);
	spawn("w-forker", forker, 0);
	spawn("w-forker", forker, 0);
	spawn("w-signaller", signaller, 0);

	pairs[0] = spawn("w-pipe", pipe_pair, 0 | 0 << 4);
	pairs[1] = spawn("w-pipe-x", pipe_pair, 0 | last << 4);
	pairs[2] = spawn("w-socket", socket_pair, 15 | 15 << 4);
	pairs[3] = spawn("w-futex", futex_pair, 0);
	pairs[4] = spawn("w-pipe-any", pipe_pair, 15 | 15 << 4);
	for (i = 0; i < 5; i++)
		if (waitpid(pairs[i], &status, 0) < 0 || status)
			errx(1, "pair %d: status %#x", i, status);

	__atomic_store_n(&sh->stop, 1, __ATOMIC_RELEASE);
	wait_marked(2 * cpus);
	__atomic_store_n(&sh->leave, 1, __ATOMIC_RELEASE);
	while (wait(&status) > 0)
		;
	return 0;
}
