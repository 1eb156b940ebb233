// SPDX-License-Identifier: GPL-2.0
/*
 * oddcalls: system calls by numbers that are none, and by 32-bit numbers.
 *
 *	oddcalls TIMES
 *
 * Prints one line for each: PID TIMES NAME, the name that the trace must show.
 * A child of its own makes each kind of call; the last of them becomes a 32-bit
 * program, by exec.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static long call_64(long nr)
{
	long ret;

	__asm__ volatile("syscall" : "=a" (ret)
			 : "a" (nr), "D" (0L), "S" (0L), "d" (0L)
			 : "rcx", "r11", "memory");
	return ret;
}

static long call_32(long nr)
{
	int ret;

	__asm__ volatile("int $0x80" : "=a" (ret)
			 : "a" ((int)nr), "b" (0), "c" (0), "d" (0)
			 : "r8", "r9", "r10", "r11", "memory");
	return ret;
}

static const struct {
	long (*call)(long nr);
	long nr;
	const char *name;
} calls[] = {
	{ call_64, SYS_getppid, "getppid" },
	{ call_64, 999, "999" },
	{ call_64, 100000, "100000" },
	{ call_64, 2147483647, "2147483647" },
	{ call_64, -1, "-1" },
	{ call_64, -38, "-38" },
	{ call_64, 0x40000000L + SYS_getppid, "1073741934" },	/* x32, not built in */
	{ call_32, 64, "getppid" },	/* 64 is semget for the others */
	{ call_32, 20, "getpid" },	/* writev */
	{ call_32, 199, "getuid32" },	/* fremovexattr */
	{ call_32, 222, "222" },	/* a hole in the table */
	{ call_32, 5000, "5000" },
	{ call_32, -1, "-1" },
};

/* A 32-bit program, by hand: compilers for it are not everywhere. */
#define IA32_AT		0x8048000
#define IA32_TIMES	1		/* where in the code TIMES goes */

static const unsigned char ia32_code[] = {
	0xbe, 0, 0, 0, 0,		/*	mov TIMES, %esi */
	0xb8, 20, 0, 0, 0,		/* 1:	mov __NR_getpid, %eax */
	0xcd, 0x80,			/*	int 0x80 */
	0x4e,				/*	dec %esi */
	0x75, 0xf6,			/*	jnz 1b */
	0xb8, 1, 0, 0, 0,		/*	mov __NR_exit, %eax */
	0x31, 0xdb,			/*	xor %ebx, %ebx */
	0xcd, 0x80,			/*	int 0x80 */
};

static void become_ia32(const char *name, int times)
{
	struct {
		Elf32_Ehdr head;
		Elf32_Phdr load;
		unsigned char code[sizeof(ia32_code)];
	} file = {
		.head = {
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3,
				     ELFCLASS32, ELFDATA2LSB, EV_CURRENT },
			.e_type = ET_EXEC,
			.e_machine = EM_386,
			.e_version = EV_CURRENT,
			.e_entry = IA32_AT + sizeof(Elf32_Ehdr) + sizeof(Elf32_Phdr),
			.e_phoff = sizeof(Elf32_Ehdr),
			.e_ehsize = sizeof(Elf32_Ehdr),
			.e_phentsize = sizeof(Elf32_Phdr),
			.e_phnum = 1,
		},
		.load = {
			.p_type = PT_LOAD,
			.p_vaddr = IA32_AT,
			.p_filesz = sizeof(file),
			.p_memsz = sizeof(file),
			.p_flags = PF_R | PF_X,
			.p_align = 4096,
		},
	};
	char *const none[] = { NULL };
	/* 5.10 does not run one of memfd_create(). */
	int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);

	memcpy(file.code, ia32_code, sizeof(ia32_code));
	memcpy(file.code + IA32_TIMES, &times, sizeof(times));
	if (fd < 0 || write(fd, &file, sizeof(file)) != sizeof(file))
		err(1, "%s", name);
	close(fd);
	execve(name, none, none);
	err(1, "exec of a 32-bit program");
}

static void call_often(unsigned int c, int times)
{
	while (times--)
		calls[c].call(calls[c].nr);
}

int main(int argc, char **argv)
{
	const unsigned int last = sizeof(calls) / sizeof(calls[0]);
	int times = argc == 2 ? atoi(argv[1]) : 0, status;
	char program[32];
	unsigned int c;

	snprintf(program, sizeof(program), "oddcalls-ia32.%d", getpid());
	if (times < 1)
		errx(2, "usage: oddcalls TIMES");
	for (c = 0; c <= last; c++) {
		const char *name = c < last ? calls[c].name : "getpid";
		pid_t pid;

		fflush(stdout);
		pid = fork();
		if (pid < 0)
			err(1, "fork");
		if (!pid) {
			if (c == last)
				become_ia32(program, times);
			call_often(c, times);
			_exit(0);
		}
		if (waitpid(pid, &status, 0) < 0)
			err(1, "wait");
		if (c == last)
			unlink(program);
		if (status)
			errx(1, "%s: status %#x", name, status);
		printf("%d %d syscall.%s\n", pid, times, name);
	}
	return 0;
}
