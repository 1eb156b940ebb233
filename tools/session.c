// SPDX-License-Identifier: GPL-2.0
/* The options of a session; see session.h. */
#include "session.h"

#include <stddef.h>
#include <string.h>

#include "dev.h"

void session_init(struct session *session)
{
	memset(session, 0, sizeof(*session));
	session->start.size = sizeof(session->start);
	session->start.syscalls = GOTRACE_SYSCALLS_REGIONS;
	session->start.flags = GOTRACE_START_MEMORY;
}

/* Those that are named, and no others. */
static void choose_events(const struct args *args, const char *text,
			  struct gotrace_start *start)
{
	static const char *const names[] = { "sched", "syscalls", "memory", "annotations" };
	unsigned int chosen = 0;
	size_t n, i;

	do {
		n = strcspn(text, ",");
		for (i = 0; i < 4; i++)
			if (strlen(names[i]) == n && !strncmp(names[i], text, n))
				break;
		if (i == 4)
			args_fail(args, "--events takes some of sched,syscalls,memory,annotations, not '%.*s'",
				  (int)n, text);
		chosen |= 1 << i;
		text += n;
	} while (*text++);
	start->flags &= ~(GOTRACE_START_NO_SCHED | GOTRACE_START_MEMORY |
			  GOTRACE_START_NO_ANNOTATIONS);
	if (!(chosen & 1))
		start->flags |= GOTRACE_START_NO_SCHED;
	if (!(chosen & 2))
		start->syscalls = GOTRACE_SYSCALLS_OFF;
	if (chosen & 4)
		start->flags |= GOTRACE_START_MEMORY;
	if (!(chosen & 8))
		start->flags |= GOTRACE_START_NO_ANNOTATIONS;
}

static bool filter_option(const struct args *args, int opt, struct filter *filter)
{
	switch (opt) {
	case SESSION_PID:
		filter_pids(filter, args, optarg);
		return true;
	case SESSION_TID:
		filter_tids(filter, args, optarg);
		return true;
	case SESSION_COMM:
		filter_comm(filter, args, optarg);
		return true;
	case SESSION_CGROUP:
		filter_cgroup(filter, args, optarg);
		return true;
	case SESSION_UID:
		filter_uids(filter, args, optarg);
		return true;
	case SESSION_FOLLOW:
		filter->arg.flags |= GOTRACE_FILTER_FOLLOW;
		return true;
	case SESSION_CPU:
		filter_cpus(filter, args, optarg);
		return true;
	case SESSION_CALLS:
	case SESSION_NO_CALLS:
		filter_calls(filter, args, optarg, opt == SESSION_NO_CALLS);
		return true;
	default:
		return false;
	}
}

int session_start(struct session *session, const char *cmd, int fd)
{
	int err;

	session->start.filter = filter_finish(&session->filter);
	err = dev_start(fd, &session->start);
	if (err)
		dev_explain_start(cmd, fd, err, &session->start);
	filter_close(&session->filter);
	return err;
}

bool session_option(const struct args *args, int opt, struct session *session)
{
	struct gotrace_start *start = &session->start;
	static const char *const syscalls[] = {
		[GOTRACE_SYSCALLS_OFF] = "off",
		[GOTRACE_SYSCALLS_CALLS] = "calls",
		[GOTRACE_SYSCALLS_REGIONS] = "regions",
		NULL,
	};
	static const char *const stacks[] = {
		[0] = "none",
		[GOTRACE_STACKS_KERNEL] = "kernel",
		[GOTRACE_STACKS_USER] = "user",
		[GOTRACE_STACKS_KERNEL | GOTRACE_STACKS_USER] = "both",
		NULL,
	};
	static const char *const clocks[] = {
		[GOTRACE_CLOCK_AUTO] = "auto",
		[GOTRACE_CLOCK_TSC] = "tsc",
		[GOTRACE_CLOCK_MONO] = "mono",
		[GOTRACE_CLOCK_BOOT] = "boot",
		NULL,
	};
	static const char *const events[] = {
		[GOTRACE_SAMPLE_CPU_CLOCK] = "clock",
		[GOTRACE_SAMPLE_CYCLES] = "cycles",
		NULL,
	};
	static const char *const formats[] = {
		[GOTRACE_FORMAT_1_21] = "1.21",
		[GOTRACE_FORMAT_1_19] = "1.19",
		NULL,
	};
	static const char *const switches[] = { "off", "on", NULL };

	switch (opt) {
	case SESSION_BUFFER:
		start->buffer_bytes = args_size(args, "--buffer", optarg);
		return true;
	case SESSION_TABLES:
		start->table_bytes = args_size(args, "--tables", optarg);
		return true;
	case SESSION_SYSCALLS:
		start->syscalls = args_choice(args, "--syscalls", optarg,
					      syscalls);
		return true;
	case SESSION_CLOCK:
		start->clock = args_choice(args, "--clock", optarg, clocks);
		return true;
	case SESSION_FORMAT:
		start->format = args_choice(args, "--format", optarg, formats);
		return true;
	case SESSION_STACKS:
		start->stacks = args_choice(args, "--stacks", optarg, stacks);
		return true;
	case SESSION_DEPTH:
		start->depth = args_number(args, "--depth", optarg, 4,
					   GOTRACE_DEPTH_MAX);
		return true;
	case SESSION_FREQ:
		start->sample_hz = args_number(args, "--freq", optarg, 1,
					       GOTRACE_SAMPLE_HZ_MAX);
		return true;
	case SESSION_SAMPLE_EVENT:
		start->sample_event = args_choice(args, "--sample-event",
						  optarg, events);
		return true;
	case SESSION_MEMORY:
		start->flags &= ~GOTRACE_START_MEMORY;
		if (args_choice(args, "--memory", optarg, switches))
			start->flags |= GOTRACE_START_MEMORY;
		return true;
	case SESSION_RAW:
		start->flags |= GOTRACE_START_RAW;
		return true;
	case SESSION_IDLE:
		start->flags |= GOTRACE_START_IDLE;
		return true;
	case SESSION_IN_SYSCALL:
		start->flags |= GOTRACE_START_IN_SYSCALL;
		return true;
	case SESSION_DISCARD:
		start->flags |= GOTRACE_START_DISCARD;
		return true;
	case SESSION_MAX_TIME:
		start->max_ns = args_duration(args, "--max-time", optarg);
		return true;
	case SESSION_MAX_SIZE:
		start->max_bytes = args_size(args, "--max-size", optarg);
		return true;
	case SESSION_EVENTS:
		choose_events(args, optarg, start);
		return true;
	default:
		return filter_option(args, opt, &session->filter);
	}
}
