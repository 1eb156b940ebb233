// SPDX-License-Identifier: GPL-2.0
/* The options of a session; see session.h. */
#include "session.h"

#include <stddef.h>

struct gotrace_start session_default(void)
{
	return (struct gotrace_start){
		.size = sizeof(struct gotrace_start),
		.syscalls = GOTRACE_SYSCALLS_REGIONS,
		.flags = GOTRACE_START_MEMORY,
	};
}

bool session_option(const struct args *args, int opt,
		    struct gotrace_start *start)
{
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
	default:
		return false;
	}
}
