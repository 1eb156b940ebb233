// SPDX-License-Identifier: GPL-2.0
/*
 * A program whose profile is known. samples_test.sh builds it with frame
 * pointers, and with -DLIBRARY -DTAG=NAME as a library.
 *
 *	profile phases MS	MS milliseconds of its own time each in hot(), warm()
 *				and first(); before them, between them and after
 *				them getppid, getpgrp, getuid and getgid. Prints
 *				the milliseconds of its life.
 *	profile mix MS		three times as long in hot() as in warm()
 *	profile silent		in hot(), without any system call, until it is killed
 *	profile libs MS LIB...	each library's lib_hot(), one after the other; prints
 *				where it is
 *	profile fp MS		with a frame pointer that leads nowhere
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef TAG
#define TAG one
#endif
#define PASTE2(a, b) a ## b
#define PASTE(a, b) PASTE2(a, b)

#define noinline __attribute__((noinline, noclone))

static volatile long count;

/* A frame is asked for, because gcc gives no leaf one of its own accord. */
#define frame() asm volatile("" : : "m"(*(char *)__builtin_frame_address(0)))

#ifdef LIBRARY

noinline void PASTE(lib_hot_, TAG)(long loops)
{
	frame();
	while (loops--)
		count++;
}

void lib_hot(long loops)
{
	PASTE(lib_hot_, TAG)(loops);
	count++;	/* it is no jump */
}

#else

#define LOOPS	300000		/* long beside all else, short beside a sample's period */

noinline void hot(long loops)
{
	frame();
	while (loops--)
		count++;	/* line: hot */
}

noinline void warm(long loops)
{
	frame();
	while (loops--)
		count++;	/* line: warm */
}

/* All its time is spent at its very first instruction. */
void first(long loops);
asm(".text\n"
    "	.type before, @function\n"
    "before:\n"
    "	ret\n"
    "	.size before, .-before\n"
    "	.globl first\n"
    "	.type first, @function\n"
    "first:\n"
    "	dec %rdi\n"
    "	jnz first\n"
    "	ret\n"
    "	.size first, .-first\n");

static long now_ms(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static noinline void phase(void (*f)(long), long ms)
{
	long end = now_ms(CLOCK_PROCESS_CPUTIME_ID) + ms;

	while (now_ms(CLOCK_PROCESS_CPUTIME_ID) < end)
		f(LOOPS);
}

static noinline void phases(long ms)
{
	syscall(SYS_getppid);
	phase(hot, ms);
	syscall(SYS_getpgrp);
	phase(warm, ms);
	syscall(SYS_getuid);
	phase(first, ms);
	syscall(SYS_getgid);
	printf("%ld\n", now_ms(CLOCK_PROCESS_CPUTIME_ID));
}

static noinline void mix(long ms)
{
	long end = now_ms(CLOCK_PROCESS_CPUTIME_ID) + ms;

	while (now_ms(CLOCK_PROCESS_CPUTIME_ID) < end) {
		hot(3 * LOOPS);
		warm(LOOPS);
	}
}

static noinline void silent(void)
{
	for (;;)
		hot(LOOPS);
}

static int libs(long ms, char **lib)
{
	for (; *lib; lib++) {
		void *l = dlopen(*lib, RTLD_NOW);
		void (*f)(long) = l ? (void (*)(long))dlsym(l, "lib_hot") : NULL;

		if (!f)
			errx(1, "%s", dlerror());
		printf("%p\n", (void *)f);
		phase(f, ms);
		dlclose(l);
	}
	return 0;
}

/* Nothing is called meanwhile. */
static noinline void bad_fp(long loops)
{
	asm volatile("push %%rbp\n\t"
		     "mov $0x1000, %%ebp\n"
		     "1:\n\t"
		     "dec %0\n\t"
		     "jnz 1b\n\t"
		     "pop %%rbp\n\t" : "+r"(loops) : : "memory");
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	long ms = argc > 2 ? atol(argv[2]) : 0;

	prctl(PR_SET_NAME, "pr_profile");
	if (!strcmp(what, "phases"))
		phases(ms);
	else if (!strcmp(what, "mix"))
		mix(ms);
	else if (!strcmp(what, "silent"))
		silent();
	else if (!strcmp(what, "libs"))
		return libs(ms, argv + 3);
	else if (!strcmp(what, "fp"))
		phase(bad_fp, ms);
	else
		return 2;
	return 0;
}

#endif
