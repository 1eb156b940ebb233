// SPDX-License-Identifier: GPL-2.0
/*
 * faulty: a module that does one thing wrong when it is loaded, so that it shows
 * that a kernel's checkers are awake and that their reports are seen
 * (selftests/debug.sh).
 */
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/timer.h>
#include <linux/vmalloc.h>

static char *fault;
module_param(fault, charp, 0444);
MODULE_PARM_DESC(fault, "what to do wrong");

static DEFINE_SPINLOCK(a);
static DEFINE_SPINLOCK(b);
static DEFINE_MUTEX(sleeping);
static void *volatile kept;
static int __rcu *shared;
static int counter;

/* What is done must not be known when this is compiled. */
static volatile int zero;

static void use_after_free(void)
{
	char *p = kmalloc(64, GFP_KERNEL);

	kfree(p);
	WRITE_ONCE(p[zero], 1);
}

static void out_of_bounds(void)
{
	char *p = vmalloc(100);

	WRITE_ONCE(p[100 + zero], 1);
	vfree(p);
}

static void lock_inversion(void)
{
	spin_lock(&a);
	spin_lock(&b);
	spin_unlock(&b);
	spin_unlock(&a);
	spin_lock(&b);
	spin_lock(&a);
	spin_unlock(&a);
	spin_unlock(&b);
}

static void sleep_in_atomic(void)
{
	spin_lock(&a);
	mutex_lock(&sleeping);
	mutex_unlock(&sleeping);
	spin_unlock(&a);
}

static void no_read_lock(void)
{
	pr_info("%p\n", rcu_dereference(shared));
}

static void nothing(struct timer_list *t)
{
}

static void free_active(void)
{
	struct timer_list *t = kzalloc(sizeof(*t), GFP_KERNEL);

	timer_setup(t, nothing, 0);
	mod_timer(t, jiffies + 100 * HZ);
	kfree(t);
}

static void shift_too_far(void)
{
	pr_info("%d\n", 1 << (40 + zero));
}

static void leak(void)
{
	int i;

	for (i = 0; i < 8; i++)
		kept = kmalloc(100, GFP_KERNEL);
	kept = NULL;
}

static int count(void *unused)
{
	int i;

	for (i = 0; i < 3000000; i++) {
		counter++;
		if (i % 1024 == 0)
			cond_resched();
	}
	while (!kthread_should_stop())
		msleep(10);
	return 0;
}

static void race(void)
{
	struct task_struct *one = kthread_run(count, NULL, "count/1");
	struct task_struct *two = kthread_run(count, NULL, "count/2");

	msleep(8000);
	kthread_stop(one);
	kthread_stop(two);
}

static const struct {
	const char *name;
	void (*func)(void);
} faults[] = {
	{ "use_after_free", use_after_free },
	{ "out_of_bounds", out_of_bounds },
	{ "lock_inversion", lock_inversion },
	{ "sleep_in_atomic", sleep_in_atomic },
	{ "no_read_lock", no_read_lock },
	{ "free_active", free_active },
	{ "shift_too_far", shift_too_far },
	{ "leak", leak },
	{ "data_race", race },
};

static int __init faulty_init(void)
{
	int i;

	for (i = 0; fault && i < ARRAY_SIZE(faults); i++) {
		if (strcmp(faults[i].name, fault))
			continue;
		faults[i].func();
		return 0;
	}
	return -EINVAL;
}
module_init(faulty_init);

static void __exit faulty_exit(void)
{
}
module_exit(faulty_exit);

MODULE_DESCRIPTION("Does one thing wrong");
MODULE_LICENSE("GPL");
