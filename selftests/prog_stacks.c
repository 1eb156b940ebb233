// SPDX-License-Identifier: GPL-2.0
/*
 * A program whose user stacks are known. stacks_test.sh and symbolize_test.sh
 * build it with frame pointers, without tail calls, and with -DTAG=NAME; every
 * system call that counts is made right here, for libc has no frame pointers.
 * traceback_test.sh makes its naps last, with -DNAP_S=SECONDS.
 *
 *	stacks sleep|inlined|short	a chain of calls that ends in nanosleep
 *	stacks pipe|futex		a child blocks, its parent wakes it
 *	stacks deep N			N calls deep
 *	stacks create			a child is born at the end of a chain
 *	stacks fp self|back|unmapped|kernel|odd
 *					with that frame pointer
 *	stacks dl LIB...		each library's lib_sleep(), one after the other
 *	stacks name NAME...		with that name each
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef TAG
#define TAG one
#endif
#define PASTE2(a, b) a ## b
#define PASTE(a, b) PASTE2(a, b)
/* What makes the same code another program. */
#define tagged_sleep PASTE(tagged_sleep_, TAG)

#define noinline __attribute__((noinline, noclone))

/* After each call something is left to do: it is no jump. */
#define after() asm volatile("" ::: "memory")

/* The frame is asked for, because gcc gives no leaf one of its own accord. */
static noinline long raw(long nr, long a, long b, long c)
{
	register long r10 asm("r10") = 0;
	long ret;

	asm volatile("syscall" : "=a"(ret)
		     : "0"(nr), "D"(a), "S"(b), "d"(c), "r"(r10),
		       "m"(*(char *)__builtin_frame_address(0))
		     : "rcx", "r11", "memory");
	return ret;
}

#ifndef NAP_S
#define NAP_S 0
#endif
static struct timespec nap = { .tv_sec = NAP_S, .tv_nsec = 20 * 1000 * 1000 };

#ifdef LIBRARY

void PASTE(lib_sleep_, TAG)(void)
{
	raw(SYS_nanosleep, (long)&nap, 0, 0);
	after();
}

void lib_sleep(void)
{
	PASTE(lib_sleep_, TAG)();
	after();
}

#else

static void set_name(const char *name)
{
	prctl(PR_SET_NAME, name);
}

static noinline void sleep_c(void)
{
	raw(SYS_nanosleep, (long)&nap, 0, 0);
	after();
}

static noinline void sleep_b(void)
{
	sleep_c();
	after();
}

static noinline void sleep_a(void)
{
	sleep_b();
	after();
}

noinline void tagged_sleep(void)
{
	sleep_a();
	after();
}

static inline __attribute__((always_inline)) void inlined_inner(void)
{
	raw(SYS_nanosleep, (long)&nap, 0, 0);	/* line: inlined_inner */
	after();
}

static inline __attribute__((always_inline)) void inlined_outer(void)
{
	inlined_inner();			/* line: inlined_outer */
	after();
}

static noinline void not_inlined(void)
{
	inlined_outer();			/* line: not_inlined */
	after();
}

static noinline void deep(int n)
{
	if (n > 1)
		deep(n - 1);
	else
		sleep_c();
	after();
}

static noinline void pipe_read_b(int fd)
{
	char c;

	raw(SYS_read, fd, (long)&c, 1);
	after();
}

static noinline void pipe_read_a(int fd)
{
	pipe_read_b(fd);
	after();
}

static noinline void pipe_write_b(int fd)
{
	raw(SYS_write, fd, (long)"x", 1);
	after();
}

static noinline void pipe_write_a(int fd)
{
	pipe_write_b(fd);
	after();
}

static noinline void do_pipe(void)
{
	int fds[2];

	if (pipe(fds))
		exit(1);
	if (!fork()) {
		set_name("st_reader");
		pipe_read_a(fds[0]);
		_exit(0);
	}
	set_name("st_writer");
	sleep_c();
	sleep_c();
	pipe_write_a(fds[1]);
	wait(NULL);
}

static noinline void futex_wait_b(int *word)
{
	raw(SYS_futex, (long)word, FUTEX_WAIT, 0);
	after();
}

static noinline void futex_wait_a(int *word)
{
	futex_wait_b(word);
	after();
}

static noinline void futex_wake_b(int *word)
{
	raw(SYS_futex, (long)word, FUTEX_WAKE, 1);
	after();
}

static noinline void futex_wake_a(int *word)
{
	futex_wake_b(word);
	after();
}

static noinline void do_futex(void)
{
	int *word = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (!fork()) {
		set_name("st_waiter");
		futex_wait_a(word);
		_exit(0);
	}
	set_name("st_waker");
	sleep_c();
	sleep_c();
	futex_wake_a(word);
	wait(NULL);
}

static noinline void create_b(void)
{
	if (!raw(SYS_fork, 0, 0, 0)) {
		set_name("st_child");
		sleep_a();
		_exit(0);
	}
	after();
}

static noinline void create_a(void)
{
	create_b();
	after();
}

/* A system call with that frame pointer, which nothing else may see. */
static noinline void with_fp(unsigned long fp)
{
	long nr = SYS_nanosleep;

	asm volatile("mov %%rbp, %%rbx\n\t"
		     "mov %1, %%rbp\n\t"
		     "syscall\n\t"
		     "mov %%rbx, %%rbp\n\t"
		     : "+a"(nr) : "r"(fp), "D"(&nap), "S"(0)
		     : "rbx", "rcx", "r11", "memory");
	after();
}

static noinline int do_fp(const char *how)
{
	volatile unsigned long frame[4] = { 0 };
	unsigned long here = (unsigned long)frame;
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	frame[1] = (unsigned long)sleep_b + 4;
	if (!strcmp(how, "self"))
		frame[0] = here;
	else if (!strcmp(how, "back"))
		frame[0] = here - 16;
	else if (!strcmp(how, "unmapped"))
		munmap(page, 8192), frame[0] = (unsigned long)page;
	else if (!strcmp(how, "kernel"))
		frame[0] = 0xffffffff81000000;
	else if (!strcmp(how, "odd"))
		frame[0] = here + 17;
	else
		return 1;
	set_name("st_fp_frame");
	with_fp(here);
	set_name("st_fp_value");
	with_fp(frame[0]);
	return 0;
}

static int do_dl(char **libs)
{
	for (; *libs; libs++) {
		void *lib = dlopen(*libs, RTLD_NOW);
		void (*f)(void) = lib ? (void (*)(void))dlsym(lib, "lib_sleep") : NULL;

		if (!f)
			return 1;
		printf("%p\n", (void *)f);
		f();
		dlclose(lib);
	}
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "sleep")) {
		set_name("st_sleep");
		tagged_sleep();
	} else if (!strcmp(what, "short")) {
		set_name("st_short");
		nap.tv_nsec = 1;
		tagged_sleep();
	} else if (!strcmp(what, "inlined")) {
		set_name("st_inlined");
		not_inlined();
	} else if (!strcmp(what, "pipe")) {
		do_pipe();
	} else if (!strcmp(what, "futex")) {
		do_futex();
	} else if (!strcmp(what, "deep") && argc > 2) {
		set_name("st_deep");
		deep(atoi(argv[2]));
	} else if (!strcmp(what, "create")) {
		set_name("st_parent");
		create_a();
		wait(NULL);
	} else if (!strcmp(what, "fp") && argc > 2) {
		return do_fp(argv[2]);
	} else if (!strcmp(what, "dl")) {
		set_name("st_dl");
		return do_dl(argv + 2);
	} else if (!strcmp(what, "name")) {
		for (argv += 2; *argv; argv++) {
			set_name(*argv);
			sleep_c();
		}
	} else {
		return 2;
	}
	return 0;
}

#endif
