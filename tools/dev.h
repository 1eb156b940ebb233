/* SPDX-License-Identifier: GPL-2.0 */
/*
 * /dev/gotrace: open it, tell it what to do, ask it what it does. The only
 * place with an ioctl(); the words for what can go wrong are here too.
 */
#ifndef DEV_H
#define DEV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/gotrace.h>

enum dev_use {
	DEV_CONTROL,	/* ioctls only; a reader may be there beside us */
	DEV_READ,	/* be the reader; reads do not block */
};

/*
 * Open the device, with the name of the command for messages. With load, the
 * module is loaded if the device is not there. The descriptor is closed on
 * exec. Return: it, or -1 after a message.
 */
int dev_open(const char *cmd, enum dev_use use, bool load);

/* These return 0 or -errno and say nothing. */
int dev_start(int fd, const struct gotrace_start *start);
int dev_stop(int fd, uint32_t flags);
int dev_resize(int fd, uint64_t buffer_bytes);
int dev_status(int fd, struct gotrace_status *status);

/*
 * STATUS with the CPUs: *cpus gets an array of status->cpus_len, to be freed.
 */
int dev_status_cpus(int fd, struct gotrace_status *status,
		    struct gotrace_cpu_status **cpus);

/*
 * Every task's stack, as tb asks for it: *reply gets tb->buf_len bytes, to be
 * freed.
 */
int dev_traceback(int fd, struct gotrace_traceback *tb, void **reply);

/* What a flight recorder holds, to be freed. */
int dev_snapshot(int fd, void **reply, size_t *len);

/* Say on stderr why dev_start() failed with err, and what to do. */
void dev_explain_start(const char *cmd, int fd, int err,
		       const struct gotrace_start *start);

/* Names of numbers in the contract; "unknown" for those from the future. */
const char *dev_state_name(uint32_t state);
const char *dev_clock_name(uint32_t clock);
const char *dev_syscalls_name(uint32_t syscalls);
const char *dev_stopped_name(uint32_t stopped);
/* Of a bit of GOTRACE_FILTERED_*; NULL for those from the future. */
const char *dev_filtered_name(unsigned int bit);
/* NULL for causes that have no name yet. */
const char *dev_lost_name(unsigned int cause);
/* What a cause means, in words for people. */
const char *dev_lost_words(unsigned int cause);

/* Events that are not in the trace: not those that only lack a stack. */
uint64_t dev_events_lost(const __u64 lost[GOTRACE_LOST_CAUSES]);

#endif
