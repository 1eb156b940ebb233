/* SPDX-License-Identifier: GPL-2.0 */
/* CPU samples: what each CPU does, asked some times a second. */
#ifndef GT_SAMPLE_H
#define GT_SAMPLE_H

#include <linux/types.h>

struct gt_cpu;
struct gotrace_start;

/* Session: process context, may sleep. */
int gt_sample_check(const struct gotrace_start *arg);
void gt_sample_init(const struct gotrace_start *arg);
void gt_sample_destroy(void);
void gt_sample_finish(void);
const struct gt_cpu *gt_sample_writer(void);

/* The same, with the hotplug lock held. */
int gt_sample_start(void);
void gt_sample_stop(void);
int gt_sample_start_cpu(u32 cpu);
void gt_sample_stop_cpu(u32 cpu);

#endif /* GT_SAMPLE_H */
