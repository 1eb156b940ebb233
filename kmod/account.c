// SPDX-License-Identifier: GPL-2.0
/*
 * What each user's annotations take of the session, so that programs cannot use
 * up what the kernel's own events need: memory of the tables, and room in the
 * buffers. A user is the real uid of who opened the file. Memory is held until it
 * is given back; room is there again as time goes by.
 *
 * An account stays until the session ends, whoever closes the file.
 */
#include <linux/atomic.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/xarray.h>
#include <uapi/linux/gotrace.h>
#include "account.h"

struct gt_account {
	atomic64_t held;	/* bytes of memory */
	atomic64_t paid;	/* ns of CLOCK_MONOTONIC until which room is used up */
};

struct limits {
	u64 held;		/* bytes */
	u64 rate;		/* bytes in a second */
};

static struct {
	struct limits user, all;
	struct gt_account total;
	struct xarray by_uid;
} accounts = { .by_uid = XARRAY_INIT(accounts.by_uid, XA_FLAGS_ACCOUNT) };

static struct limits part_of(u64 buffer_bytes, u64 table_bytes, u32 part, u64 max)
{
	return (struct limits){
		.held = min(div_u64(table_bytes, part), max),
		.rate = div_u64(buffer_bytes, part),
	};
}

void gt_account_init(u64 buffer_bytes, u64 table_bytes)
{
	accounts.user = part_of(buffer_bytes, table_bytes, GOTRACE_ANNOTATE_USER, SZ_4M);
	accounts.all = part_of(buffer_bytes, table_bytes, GOTRACE_ANNOTATE_ALL, SZ_16M);
	atomic64_set(&accounts.total.held, 0);
	atomic64_set(&accounts.total.paid, 0);
}

/* Nobody uses one any more. */
void gt_account_destroy(void)
{
	struct gt_account *a;
	unsigned long uid;

	xa_for_each(&accounts.by_uid, uid, a)
		kfree(a);
	xa_destroy(&accounts.by_uid);
}

static bool take(struct gt_account *a, u64 bytes, const struct limits *limits)
{
	if (atomic64_add_return(bytes, &a->held) <= limits->held)
		return true;
	atomic64_sub(bytes, &a->held);
	return false;
}

/* Memory. 0 or -EDQUOT. */
int gt_account_charge(struct gt_account *a, u64 bytes)
{
	if (!take(a, bytes, &accounts.user))
		return -EDQUOT;
	if (take(&accounts.total, bytes, &accounts.all))
		return 0;
	atomic64_sub(bytes, &a->held);
	return -EDQUOT;
}

void gt_account_refund(struct gt_account *a, u64 bytes)
{
	atomic64_sub(bytes, &a->held);
	atomic64_sub(bytes, &accounts.total.held);
}

/* A second's worth at once, and then as fast as time goes by. */
static bool take_room(struct gt_account *a, u64 bytes, const struct limits *limits)
{
	s64 now = ktime_get_ns(), old = atomic64_read(&a->paid), new;

	do {
		new = max(old, now) + div64_u64(bytes * NSEC_PER_SEC, limits->rate);
		if (new - now > NSEC_PER_SEC)
			return false;
	} while (!atomic64_try_cmpxchg(&a->paid, &old, new));
	return true;
}

/* Room in the buffers for a message. 0 or -EDQUOT. */
int gt_account_charge_message(struct gt_account *a, u64 bytes)
{
	if (take_room(a, bytes, &accounts.user) && take_room(&accounts.total, bytes, &accounts.all))
		return 0;
	return -EDQUOT;
}

/**
 * gt_account_get() - the account of who opened a file
 * @file: an open file
 *
 * Return: it, or an error. Valid until the session ends.
 * Context: Process context; may sleep. The session does not end meanwhile.
 */
struct gt_account *gt_account_get(struct file *file)
{
	unsigned long uid = __kuid_val(file->f_cred->uid);
	struct gt_account *a = xa_load(&accounts.by_uid, uid);
	int err;

	if (a)
		return a;
	/* Who has many uids pays for them too. */
	if (!take(&accounts.total, sizeof(*a), &accounts.all))
		return ERR_PTR(-EDQUOT);
	a = kzalloc(sizeof(*a), GFP_KERNEL_ACCOUNT);
	err = a ? xa_insert(&accounts.by_uid, uid, a, GFP_KERNEL) : -ENOMEM;
	if (!err)
		return a;
	kfree(a);
	atomic64_sub(sizeof(*a), &accounts.total.held);
	/* Another thread was faster. */
	return err == -EBUSY ? xa_load(&accounts.by_uid, uid) : ERR_PTR(err);
}
