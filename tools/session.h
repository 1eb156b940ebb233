/* SPDX-License-Identifier: GPL-2.0 */
/* The options that say what a session is like; record and start have them. */
#ifndef SESSION_H
#define SESSION_H

#include <stdbool.h>

#include <linux/gotrace.h>

#include "args.h"

/* Values outside of the letters, so that there is no short form. */
enum {
	SESSION_BUFFER = 256,
	SESSION_TABLES,
	SESSION_SYSCALLS,
	SESSION_CLOCK,
	SESSION_FORMAT,
	SESSION_STACKS,
	SESSION_DEPTH,
	SESSION_MEMORY,
	SESSION_RAW,
	SESSION_IDLE,
	SESSION_IN_SYSCALL,
	SESSION_DISCARD,
	SESSION_SAMPLE_EVENT,
	SESSION_FREQ = 'F',
};

#define SESSION_OPTIONS \
	{ "buffer", required_argument, NULL, SESSION_BUFFER }, \
	{ "tables", required_argument, NULL, SESSION_TABLES }, \
	{ "syscalls", required_argument, NULL, SESSION_SYSCALLS }, \
	{ "clock", required_argument, NULL, SESSION_CLOCK }, \
	{ "format", required_argument, NULL, SESSION_FORMAT }, \
	{ "stacks", required_argument, NULL, SESSION_STACKS }, \
	{ "depth", required_argument, NULL, SESSION_DEPTH }, \
	{ "freq", required_argument, NULL, SESSION_FREQ }, \
	{ "sample-event", required_argument, NULL, SESSION_SAMPLE_EVENT }, \
	{ "memory", required_argument, NULL, SESSION_MEMORY }, \
	{ "raw", no_argument, NULL, SESSION_RAW }, \
	{ "idle", no_argument, NULL, SESSION_IDLE }, \
	{ "in-syscall", no_argument, NULL, SESSION_IN_SYSCALL }, \
	{ "discard", no_argument, NULL, SESSION_DISCARD }

#define SESSION_USAGE \
	"  --buffer SIZE      memory for trace buffers, e.g. 64M (the default) or 1G\n" \
	"  --tables SIZE      memory for task states, stacks and strings (64M)\n" \
	"  --syscalls MODE    off: no system calls; calls: an event at every entry;\n" \
	"                     regions: every call with its end (the default)\n" \
	"  --stacks WHOSE     none, kernel, user or both: whose frames stacks show, beside\n" \
	"                     the call and the task's name (record: both, start: none)\n" \
	"  --depth N          at most that many frames a stack, 4 to 126 (64)\n" \
	"  -F, --freq HZ      CPU samples a second of each CPU that is not idle, 1 to 10000\n" \
	"                     (none); 99 is a good choice\n" \
	"  --sample-event EVENT\n" \
	"                     what they count: clock (the default), or cycles, which the\n" \
	"                     processor counts, also where interrupts are off\n" \
	"  --memory on|off    memory in use and its reclaim, and the stopped world (on)\n" \
	"  --raw              real addresses of kernel frames; needs CAP_SYSLOG\n" \
	"  --clock CLOCK      auto (the default), tsc, mono or boot\n" \
	"  --idle             show idle times of CPUs as stopped processors\n" \
	"  --in-syscall       GoInSyscall, as Go has it, for tasks found asleep in a disk's\n" \
	"                     wait or the like; the newest viewer's thread page breaks on it\n" \
	"  --format VERSION   1.21 (the default), or 1.19 for viewers before Go 1.21\n" \
	"  --discard          drop what was not read of the session before\n"

/* What a session is like without any options. */
struct gotrace_start session_default(void);

/* Take in an option, with optarg. Returns false if it is none of these. */
bool session_option(const struct args *args, int opt,
		    struct gotrace_start *start);

#endif
