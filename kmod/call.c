// SPDX-License-Identifier: GPL-2.0
/*
 * Names are taken from the kernel headers' own list of numbers (Kbuild makes
 * calls_64.inc and calls_32.inc of it), interned when a session starts, so
 * that a probe finds a call's string by its number. What a call sleeps for is
 * told by its name, once for both ABIs.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/vmalloc.h>
#include "call.h"
#include "compat.h"
#include "string.h"

static const char *const names_64[] = {
#include "calls_64.inc"
};

#ifdef CONFIG_IA32_EMULATION
static const char *const names_32[] = {
#include "calls_32.inc"
};
#else
static const char *const names_32[1];
#endif

static const char *const *const names[GT_ABIS] = {
	[GT_ABI_64] = names_64,
	[GT_ABI_32] = names_32,
};

struct gt_call_table gt_call_tables[GT_ABIS] __read_mostly = {
	[GT_ABI_64].n = ARRAY_SIZE(names_64),
	[GT_ABI_32].n = ARRAY_SIZE(names_32),
};

static const struct {
	const char *name;
	enum gt_call_kind kind;
} kinds[] = {
	{ "nanosleep", GT_CALL_SLEEP },
	{ "clock_nanosleep", GT_CALL_SLEEP },
	{ "clock_nanosleep_time64", GT_CALL_SLEEP },
	{ "poll", GT_CALL_SELECT },
	{ "ppoll", GT_CALL_SELECT },
	{ "ppoll_time64", GT_CALL_SELECT },
	{ "select", GT_CALL_SELECT },
	{ "_newselect", GT_CALL_SELECT },
	{ "pselect6", GT_CALL_SELECT },
	{ "pselect6_time64", GT_CALL_SELECT },
	{ "epoll_wait", GT_CALL_SELECT },
	{ "epoll_pwait", GT_CALL_SELECT },
	{ "epoll_pwait2", GT_CALL_SELECT },
	{ "io_uring_enter", GT_CALL_SELECT },
	{ "io_getevents", GT_CALL_SELECT },
	{ "io_pgetevents", GT_CALL_SELECT },
	{ "io_pgetevents_time64", GT_CALL_SELECT },
	{ "futex", GT_CALL_SYNC },
	{ "futex_time64", GT_CALL_SYNC },
	{ "futex_wait", GT_CALL_SYNC },
	{ "futex_waitv", GT_CALL_SYNC },
	{ "semop", GT_CALL_SYNC },
	{ "semtimedop", GT_CALL_SYNC },
	{ "semtimedop_time64", GT_CALL_SYNC },
	{ "flock", GT_CALL_SYNC },
	{ "wait4", GT_CALL_COND },
	{ "waitpid", GT_CALL_COND },
	{ "waitid", GT_CALL_COND },
	{ "rt_sigtimedwait", GT_CALL_COND },
	{ "rt_sigtimedwait_time64", GT_CALL_COND },
	{ "rt_sigsuspend", GT_CALL_COND },
	{ "sigsuspend", GT_CALL_COND },
	{ "pause", GT_CALL_COND },
	{ "msgrcv", GT_CALL_RECV },
	{ "mq_timedreceive", GT_CALL_RECV },
	{ "mq_timedreceive_time64", GT_CALL_RECV },
	{ "msgsnd", GT_CALL_SEND },
	{ "mq_timedsend", GT_CALL_SEND },
	{ "mq_timedsend_time64", GT_CALL_SEND },
	{ "read", GT_CALL_FD_RECV },
	{ "readv", GT_CALL_FD_RECV },
	{ "preadv2", GT_CALL_FD_RECV },
	{ "accept", GT_CALL_FD_RECV },
	{ "accept4", GT_CALL_FD_RECV },
	{ "recv", GT_CALL_FD_RECV },
	{ "recvfrom", GT_CALL_FD_RECV },
	{ "recvmsg", GT_CALL_FD_RECV },
	{ "recvmmsg", GT_CALL_FD_RECV },
	{ "recvmmsg_time64", GT_CALL_FD_RECV },
	{ "splice", GT_CALL_FD_RECV },
	{ "tee", GT_CALL_FD_RECV },
	{ "write", GT_CALL_FD_SEND },
	{ "writev", GT_CALL_FD_SEND },
	{ "pwritev2", GT_CALL_FD_SEND },
	{ "connect", GT_CALL_FD_SEND },
	{ "send", GT_CALL_FD_SEND },
	{ "sendto", GT_CALL_FD_SEND },
	{ "sendmsg", GT_CALL_FD_SEND },
	{ "sendmmsg", GT_CALL_FD_SEND },
	{ "sendfile", GT_CALL_FD_SEND },
	{ "sendfile64", GT_CALL_FD_SEND },
	{ "vmsplice", GT_CALL_FD_SEND },
	{ "clone", GT_CALL_CLONE },
	{ "clone3", GT_CALL_CLONE },
	{ "vfork", GT_CALL_CLONE },
	{ "fcntl", GT_CALL_FCNTL },
	{ "fcntl64", GT_CALL_FCNTL },
	{ "socketcall", GT_CALL_SOCKETCALL },
	{ "ipc", GT_CALL_IPC },
	{ "sched_yield", GT_CALL_YIELD },
	{ "mmap", GT_CALL_MAP },
	{ "mmap2", GT_CALL_MAP },
	{ "munmap", GT_CALL_MAP },
	{ "mremap", GT_CALL_MAP },
	{ "mprotect", GT_CALL_MAP },
	{ "pkey_mprotect", GT_CALL_MAP },
	{ "remap_file_pages", GT_CALL_MAP },
	{ "shmat", GT_CALL_MAP },
	{ "shmdt", GT_CALL_MAP },
};

static enum gt_call_kind kind_of(const char *name)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(kinds[i].name, name))
			return kinds[i].kind;
	return GT_CALL_OTHER;
}

/* NULL for a number that no header names. */
static const char *name_of(int nr, bool compat)
{
	u32 abi = compat ? GT_ABI_32 : GT_ABI_64;

	return (u32)nr < gt_call_tables[abi].n ? names[abi][nr] : NULL;
}

/**
 * gt_call_describe() - a call by its number, with or without a session
 * @p:  the task that is in it, and stays so
 * @nr: as gt_arch_call_nr() has it
 *
 * Return: the call, its name only 0, in none, or not 0.
 * Context: Any. Slower than gt_call_by_number().
 */
struct gt_call gt_call_describe(struct task_struct *p, int nr)
{
	const char *name;

	if (nr == -1 || gt_task_has_no_calls(p))
		return (struct gt_call){ 0 };
	name = name_of(nr, gt_arch_is_compat(p));
	return (struct gt_call){ 1, name ? kind_of(name) : GT_CALL_OTHER };
}

/* "syscall.NAME", or "syscall.NUMBER", as it is called everywhere. */
u32 gt_call_print(char *to, size_t size, int nr, bool compat)
{
	const char *name = name_of(nr, compat);

	if (name)
		return scnprintf(to, size, "syscall.%s", name);
	return scnprintf(to, size, "syscall.%d", nr);
}

static u32 intern(int nr, bool compat)
{
	char s[GT_CALL_NAME_MAX];

	return gt_string_put(s, gt_call_print(s, sizeof(s), nr, compat));
}

static int init_table(u32 abi)
{
	struct gt_call_table *t = &gt_call_tables[abi];
	u32 nr;

	t->calls = vzalloc(array_size(t->n, sizeof(*t->calls)));
	if (!t->calls)
		return -ENOMEM;
	for (nr = 0; nr < t->n; nr++) {
		if (!names[abi][nr])
			continue;
		t->calls[nr].name = intern(nr, abi == GT_ABI_32);
		t->calls[nr].kind = kind_of(names[abi][nr]);
	}
	return 0;
}

/* 0 or -ENOMEM. Strings are there. */
int gt_call_init(void)
{
	u32 abi;

	for (abi = 0; abi < GT_ABIS; abi++) {
		if (init_table(abi)) {
			gt_call_destroy();
			return -ENOMEM;
		}
	}
	return 0;
}

void gt_call_destroy(void)
{
	u32 abi;

	for (abi = 0; abi < GT_ABIS; abi++) {
		vfree(gt_call_tables[abi].calls);
		gt_call_tables[abi].calls = NULL;
	}
}

/* A number that no header names, or none at all (ptrace and seccomp put -1). */
struct gt_call gt_call_unknown(long nr)
{
	return (struct gt_call){ intern(nr, gt_arch_is_compat(current)), GT_CALL_OTHER };
}

/**
 * gt_call_get() - the call that the running task is in
 *
 * Read from its saved registers, as /proc/PID/syscall does, so that it is known
 * for calls whose entry nobody saw.
 *
 * Return: the call; a name of 0 when it is in none.
 * Context: Any context but NMI. Run-queue lock may be held.
 */
struct gt_call gt_call_get(void)
{
	long nr = -1;

	if (!gt_task_has_no_calls(current))
		nr = syscall_get_nr(current, task_pt_regs(current));
	return nr == -1 ? (struct gt_call){ 0 } : gt_call_by_number(nr);
}
