// SPDX-License-Identifier: GPL-2.0
/*
 * gotrace: Go's execution tracer, moved into the kernel. Load and unload.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include "device.h"
#include "probe.h"
#include "session.h"

static int __init gt_init(void)
{
	int err;

	err = gt_probe_find();
	if (err)
		return err;
	err = gt_session_init();
	if (err)
		return err;
	err = gt_device_init();
	if (err)
		goto err_session;
	return 0;

err_session:
	gt_session_exit();
	return err;
}

static void __exit gt_exit(void)
{
	gt_device_exit();
	gt_session_exit();
}

module_init(gt_init);
module_exit(gt_exit);

MODULE_AUTHOR("gotrace maintainers");
MODULE_DESCRIPTION("Scheduler and system-call tracer in Go's execution-trace format");
MODULE_LICENSE("GPL");
MODULE_VERSION(GOTRACE_VERSION);
