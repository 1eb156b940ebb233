// SPDX-License-Identifier: GPL-2.0
/*
 * tsc_unstable: a module that tells the kernel not to trust the TSC any more, as the
 * kernel's own watchdog does when it drifts (selftests/tsc_test.sh).
 */
#include <linux/module.h>
#include <asm/tsc.h>

static int __init tsc_unstable_init(void)
{
	mark_tsc_unstable("a test");
	return 0;
}
module_init(tsc_unstable_init);

static void __exit tsc_unstable_exit(void)
{
}
module_exit(tsc_unstable_exit);

MODULE_DESCRIPTION("Marks the TSC unstable");
MODULE_LICENSE("GPL");
