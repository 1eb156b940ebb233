/* SPDX-License-Identifier: GPL-2.0 */
/* The options that say what a session is like; record and start have them. */
#ifndef SESSION_H
#define SESSION_H

#include <stdbool.h>

#include <linux/gotrace.h>

#include "args.h"
#include "filter.h"

struct session {
	struct gotrace_start start;
	struct filter filter;
};

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
	SESSION_COMM,
	SESSION_FOLLOW,
	SESSION_CALLS,
	SESSION_NO_CALLS,
	SESSION_MAX_TIME,
	SESSION_MAX_SIZE,
	SESSION_EVENTS = 'e',
	SESSION_PID = 'p',
	SESSION_TID = 't',
	SESSION_UID = 'u',
	SESSION_CGROUP = 'G',
	SESSION_CPU = 'C',
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
	{ "discard", no_argument, NULL, SESSION_DISCARD }, \
	{ "max-time", required_argument, NULL, SESSION_MAX_TIME }, \
	{ "max-size", required_argument, NULL, SESSION_MAX_SIZE }, \
	{ "pid", required_argument, NULL, SESSION_PID }, \
	{ "tid", required_argument, NULL, SESSION_TID }, \
	{ "comm", required_argument, NULL, SESSION_COMM }, \
	{ "cgroup", required_argument, NULL, SESSION_CGROUP }, \
	{ "uid", required_argument, NULL, SESSION_UID }, \
	{ "follow", no_argument, NULL, SESSION_FOLLOW }, \
	{ "cpu", required_argument, NULL, SESSION_CPU }, \
	{ "events", required_argument, NULL, SESSION_EVENTS }, \
	{ "calls", required_argument, NULL, SESSION_CALLS }, \
	{ "no-calls", required_argument, NULL, SESSION_NO_CALLS }

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
	"  --discard          drop what was not read of the session before\n" \
	"  --max-time TIME    the session stops itself after that time, e.g. 10, 250ms or 2m\n" \
	"  --max-size SIZE    or when its trace has about that size, e.g. 100M\n" \
	"\n" \
	"Only what is asked for, where that is said; of lists, any; of options, all:\n" \
	"\n" \
	"  -p, --pid LIST     these processes, with all their threads\n" \
	"  -t, --tid LIST     these threads\n" \
	"  --comm PATTERN     tasks of such a name, e.g. 'nginx' or 'kworker/*'; more than once\n" \
	"                     for several\n" \
	"  -G, --cgroup PATH  tasks of this control group (version 2), and of those below it;\n" \
	"                     more than once for several\n" \
	"  -u, --uid LIST     tasks of these users, by name or number\n" \
	"  --follow           and all children of these tasks, whatever they become\n" \
	"  -C, --cpu LIST     what is on these CPUs, e.g. 0,2-5\n" \
	"  -e, --events LIST  events of these kinds: sched, syscalls, memory, annotations;\n" \
	"                     samples are taken where -F says so\n" \
	"  --calls LIST       these system calls, e.g. read,write,openat\n" \
	"  --no-calls LIST    all system calls but these\n"

/* What a session is like without any options. */
void session_init(struct session *session);

/* Take in an option, with optarg. Returns false if it is none of these. */
bool session_option(const struct args *args, int opt,
		    struct session *session);

/* All options are taken in: START, and what went wrong on stderr. 0 or -errno. */
int session_start(struct session *session, const char *cmd, int fd);

#endif
