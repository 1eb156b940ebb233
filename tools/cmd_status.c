// SPDX-License-Identifier: GPL-2.0
/* gotrace status: what the tracer does now, all of it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "args.h"
#include "cmd.h"
#include "dev.h"

static const char usage[] =
"usage: gotrace status [OPTION]...\n"
"\n"
"Shows what the tracer does, and what each CPU's part of it is.\n"
"\n"
"  --json             as one JSON object\n"
"  -h, --help         this text\n"
"  -V, --version      which gotrace this is\n"
"\n"
"Exit code: 0; 1 when it could not be asked; 2 when the usage was wrong.\n";

enum { OPT_JSON = 256 };

static const struct option options[] = {
	{ "json", no_argument, NULL, OPT_JSON },
	ARGS_COMMON
};

static const struct args args = { "status", usage, options, false };

/* The plain numbers of struct gotrace_status, in their order. */
static const struct field {
	const char *name;
	size_t offset;
	const char *unit;
} fields[] = {
#define FIELD(name, unit) \
	{ #name, offsetof(struct gotrace_status, name), unit }
	FIELD(frequency, "ticks/s"),
	FIELD(start_ticks, "ticks"),
	FIELD(start_mono, "ns"),
	FIELD(start_real, "ns"),
	FIELD(end_ticks, "ticks"),
	FIELD(end_mono, "ns"),
	FIELD(end_real, "ns"),
	FIELD(events, ""),
	FIELD(bytes_produced, "bytes"),
	FIELD(bytes_read, "bytes"),
	FIELD(buffers_limit, ""),
	FIELD(buffers_empty, ""),
	FIELD(buffers_full, ""),
	FIELD(buffers_inuse, ""),
	FIELD(table_bytes, "bytes"),
	FIELD(tasks, ""),
	FIELD(stacks, ""),
	FIELD(strings, ""),
	FIELD(samples, ""),
	FIELD(max_bytes, "bytes"),
	FIELD(max_ns, "ns"),
#undef FIELD
};

#define N_FIELDS (sizeof(fields) / sizeof(fields[0]))

static uint64_t value(const struct gotrace_status *st, const struct field *f)
{
	uint64_t v;

	memcpy(&v, (const char *)st + f->offset, sizeof(v));
	return v;
}

/* "buffer", or "cause3" for those of a newer module. */
static const char *cause_name(unsigned int i, char *out, size_t size)
{
	if (dev_lost_name(i))
		return dev_lost_name(i);
	snprintf(out, size, "cause%u", i);
	return out;
}

static void print_lost(const __u64 lost[GOTRACE_LOST_CAUSES])
{
	char name[16];

	for (unsigned int i = 0; i < GOTRACE_LOST_CAUSES; i++)
		if (dev_lost_name(i) || lost[i])
			printf("lost_%-12s %" PRIu64 "\n",
			       cause_name(i, name, sizeof(name)),
			       (uint64_t)lost[i]);
}

static const char *cpu_state(const struct gotrace_cpu_status *cpu)
{
	if (cpu->flags & 2)
		return "dark";
	return cpu->flags & 1 ? "traced" : "-";
}

static void print_cpus(const struct gotrace_cpu_status *cpus, uint32_t n)
{
	printf("\n%-5s %-7s %12s %12s %10s %10s %10s %10s %6s %10s %12s %12s\n",
	       "cpu", "state", "events", "bytes", "lost_buf", "lost_task",
	       "lost_stk", "lost_smpl", "dark", "adjusted", "adjusted_max", "irqoff_ticks");
	for (uint32_t i = 0; i < n; i++) {
		const struct gotrace_cpu_status *c = &cpus[i];

		printf("%-5u %-7s %12" PRIu64 " %12" PRIu64 " %10" PRIu64
		       " %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %6" PRIu64 " %10" PRIu64
		       " %12" PRIu64 " %12" PRIu64 "\n",
		       c->cpu, cpu_state(c), (uint64_t)c->events,
		       (uint64_t)c->bytes,
		       (uint64_t)c->lost[GOTRACE_LOST_BUFFER],
		       (uint64_t)c->lost[GOTRACE_LOST_TASK],
		       (uint64_t)c->lost[GOTRACE_LOST_STACK],
		       (uint64_t)c->lost[GOTRACE_LOST_SAMPLE],
		       (uint64_t)c->dark, (uint64_t)c->adjusted,
		       (uint64_t)c->adjusted_max, (uint64_t)c->irqoff_ticks);
	}
}

/* What it is filtered by, each word after one of the texts. */
static void print_filtered(uint32_t filtered, const char *first, const char *next,
			   const char *last)
{
	const char *before = first;

	for (unsigned int i = 0; i < 32; i++) {
		if (!(filtered & 1u << i))
			continue;
		printf("%s%s", before, dev_filtered_name(i) ? dev_filtered_name(i) : "unknown");
		before = next;
	}
	if (filtered)
		fputs(last, stdout);
}

static void print_text(const struct gotrace_status *st,
		       const struct gotrace_cpu_status *cpus)
{
	printf("%-17s %s\n", "state", dev_state_name(st->state));
	printf("%-17s %" PRIu64 "\n", "session", (uint64_t)st->session);
	if (st->state == GOTRACE_STATE_NONE)
		return;
	printf("%-17s %s\n", "clock", dev_clock_name(st->clock));
	printf("%-17s %s\n", "syscalls", dev_syscalls_name(st->syscalls));
	printf("%-17s %s\n", "stopped", dev_stopped_name(st->stopped));
	fputs("filtered         ", stdout);
	print_filtered(st->filtered, " ", " ", "");
	puts(st->filtered ? "" : " -");
	printf("%-17s%s%s%s%s%s%s%s%s%s\n", "flags",
	       st->flags ? "" : " -",
	       st->flags & GOTRACE_START_DISCARD ? " discard" : "",
	       st->flags & GOTRACE_START_IDLE ? " idle" : "",
	       st->flags & GOTRACE_START_IN_SYSCALL ? " in-syscall" : "",
	       st->flags & GOTRACE_START_MEMORY ? " memory" : "",
	       st->flags & GOTRACE_START_NO_SCHED ? " no-sched" : "",
	       st->flags & GOTRACE_START_NO_ANNOTATIONS ? " no-annotations" : "",
	       st->flags & GOTRACE_START_OVERWRITE ? " overwrite" : "",
	       st->flags & GOTRACE_START_RAW ? " raw" : "");
	for (size_t i = 0; i < N_FIELDS; i++)
		printf("%-17s %" PRIu64 "%s%s\n", fields[i].name,
		       value(st, &fields[i]), *fields[i].unit ? " " : "",
		       fields[i].unit);
	print_lost(st->lost);
	print_cpus(cpus, st->cpus_len);
}

static void json_lost(const __u64 lost[GOTRACE_LOST_CAUSES])
{
	char name[16];

	fputs("\"lost\":{", stdout);
	for (unsigned int i = 0; i < GOTRACE_LOST_CAUSES; i++)
		if (dev_lost_name(i) || lost[i])
			printf("%s\"%s\":%" PRIu64, i ? "," : "",
			       cause_name(i, name, sizeof(name)),
			       (uint64_t)lost[i]);
	fputs("}", stdout);
}

static void json_cpu(const struct gotrace_cpu_status *c)
{
	printf("{\"cpu\":%u,\"traced\":%s,\"dark_now\":%s,\"events\":%" PRIu64
	       ",\"bytes\":%" PRIu64 ",",
	       c->cpu, c->flags & 1 ? "true" : "false",
	       c->flags & 2 ? "true" : "false", (uint64_t)c->events,
	       (uint64_t)c->bytes);
	json_lost(c->lost);
	printf(",\"dark\":%" PRIu64 ",\"adjusted\":%" PRIu64
	       ",\"adjusted_max\":%" PRIu64 ",\"irqoff_ticks\":%" PRIu64 "}",
	       (uint64_t)c->dark, (uint64_t)c->adjusted,
	       (uint64_t)c->adjusted_max, (uint64_t)c->irqoff_ticks);
}

static void print_json(const struct gotrace_status *st,
		       const struct gotrace_cpu_status *cpus)
{
	printf("{\"state\":\"%s\",\"session\":%" PRIu64
	       ",\"flags\":%u,\"clock\":\"%s\",\"syscalls\":\"%s\",\"stopped\":\"%s\"",
	       dev_state_name(st->state), (uint64_t)st->session, st->flags,
	       dev_clock_name(st->clock), dev_syscalls_name(st->syscalls),
	       dev_stopped_name(st->stopped));
	fputs(",\"filtered\":[", stdout);
	print_filtered(st->filtered, "\"", "\",\"", "\"");
	putchar(']');
	for (size_t i = 0; i < N_FIELDS; i++)
		printf(",\"%s\":%" PRIu64, fields[i].name,
		       value(st, &fields[i]));
	putchar(',');
	json_lost(st->lost);
	fputs(",\"cpus\":[", stdout);
	for (uint32_t i = 0; i < st->cpus_len; i++) {
		if (i)
			putchar(',');
		json_cpu(&cpus[i]);
	}
	puts("]}");
}

int cmd_status(int argc, char **argv)
{
	struct gotrace_cpu_status *cpus;
	struct gotrace_status st;
	bool json = false;
	int opt, fd, err;

	while ((opt = args_next(&args, argc, argv)) != -1)
		if (opt == OPT_JSON)
			json = true;
	args_end(&args, argc, argv);

	fd = dev_open("status", DEV_CONTROL, false);
	if (fd < 0)
		return EXIT_FAILED;
	err = dev_status_cpus(fd, &st, &cpus);
	close(fd);
	if (err) {
		fprintf(stderr, "gotrace status: cannot ask: %s\n",
			strerror(-err));
		return EXIT_FAILED;
	}
	if (json)
		print_json(&st, cpus);
	else
		print_text(&st, cpus);
	free(cpus);
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "gotrace status: cannot write\n");
		return EXIT_FAILED;
	}
	return EXIT_OK;
}
