/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a session is about: a struct gotrace_filter and its lists, from what people
 * write. Whatever is wrong with it ends the process, as in args.h.
 */
#ifndef FILTER_H
#define FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/gotrace.h>

#include "args.h"

struct filter {
	struct gotrace_filter arg;	/* its addresses are set by filter_finish() */
	uint32_t tids[GOTRACE_FILTER_IDS_MAX];
	uint32_t tgids[GOTRACE_FILTER_IDS_MAX];
	uint32_t uids[GOTRACE_FILTER_IDS_MAX];
	char comms[GOTRACE_FILTER_COMMS_MAX][GOTRACE_FILTER_COMM_SIZE];
	int32_t cgroups[GOTRACE_FILTER_CGROUPS_MAX];
	uint8_t cpus[GOTRACE_FILTER_CPUS_MAX];
	uint32_t calls[GOTRACE_FILTER_CALLS_MAX];
};

/* Each adds what an option's argument says; lists have commas between. */
void filter_tids(struct filter *f, const struct args *args, const char *text);
void filter_pids(struct filter *f, const struct args *args, const char *text);
void filter_uids(struct filter *f, const struct args *args, const char *text);
void filter_comm(struct filter *f, const struct args *args, const char *text);
void filter_cgroup(struct filter *f, const struct args *args, const char *text);
void filter_cpus(struct filter *f, const struct args *args, const char *text);
void filter_calls(struct filter *f, const struct args *args, const char *text, bool except);

/* One process more, known to be there. */
void filter_add_pid(struct filter *f, uint32_t pid);

/* For gotrace_start.filter: its address, as long as f stays; 0 when nothing is left out. */
uint64_t filter_finish(struct filter *f);

/* Its files, once the session has them. */
void filter_close(struct filter *f);

#endif
