/* SPDX-License-Identifier: GPL-2.0 */
/* One tracing session: start, stop, status, and its end. */
#ifndef GT_SESSION_H
#define GT_SESSION_H

#include <linux/types.h>
#include <linux/wait.h>
#include <uapi/linux/gotrace.h>

/* Readers, and those who wait for readers. */
extern wait_queue_head_t gt_session_wait;

/* Load and unload. */
int gt_session_init(void);
void gt_session_exit(void);

/* Process context, may sleep; each takes the session's mutex. */
int gt_session_check(const struct gotrace_start *arg);
struct gt_rules;
int gt_session_start(const struct gotrace_start *arg, struct gt_rules *rules);
int gt_session_stop(void);
int gt_session_resize(u64 bytes);
int gt_session_snapshot(struct gotrace_snapshot *a);
int gt_session_status(struct gotrace_status *st);
void gt_session_end(void);
bool gt_session_get_tracing(void);
void gt_session_put(void);

/* Any context; may be out of date at once. */
u32 gt_session_state(void);
u64 gt_session_number(void);
u32 gt_session_format(void);
bool gt_session_is_held(void);
void gt_session_cpu_status(u32 cpu, struct gotrace_cpu_status *st);

/* Reader: process context, holds the read lock. */
void gt_session_count_read(u64 bytes);
void gt_session_count_footer(u64 bytes);

#endif /* GT_SESSION_H */
