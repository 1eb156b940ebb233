// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/gotrace: the contract of uapi/linux/gotrace.h.
 *
 * One file at a time is the reader. What it has got so far belongs to the
 * session and lives here, under read_lock: the header's bytes, then the buffer
 * being read. A byte counts as delivered when it was copied; so a reader that
 * faults, is interrupted or dies loses nothing.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/uio.h>
#include <linux/wait.h>
#include "annotate.h"
#include "compat.h"
#include "cpu.h"
#include "device.h"
#include "encode.h"
#include "filter.h"
#include "footer.h"
#include "queue.h"
#include "session.h"
#include "traceback.h"

#define BYTES_MAX	(1ULL << 40)
#define TABLE_BYTES_MIN	(1ULL << 20)
#define NS_MAX		(1ULL << 62)

static struct {
	struct mutex read_lock;	/* outside session.lock */
	struct file *reader;	/* set by open, cleared by release */
	u32 header;		/* bytes of the header delivered */
	struct gt_buf *buf;	/* being read, or NULL */
} dev = { .read_lock = __MUTEX_INITIALIZER(dev.read_lock) };

/* An open file. */
struct gt_file {
	/* Written under read_lock. */
	bool at_eof;		/* got an end of file, and no session began since */
	u64 session;		/* number of the one it is in the middle of, or 0 */
};

static const char headers[][GT_HEADER_SIZE] = {
	[GOTRACE_FORMAT_1_21] = "go 1.21 trace",
	[GOTRACE_FORMAT_1_19] = "go 1.19 trace",
};

static int may_trace(void)
{
	if (!perfmon_capable())
		return -EACCES;
	return security_locked_down(LOCKDOWN_PERF);
}

/* ---- Reading ---- */

static bool has_session(u32 state)
{
	return state == GOTRACE_STATE_TRACING || state == GOTRACE_STATE_DRAINING;
}

/* The session it is in the middle of was discarded: an end of file is due. */
static bool is_cut_off(struct gt_file *f, u32 state)
{
	u64 session = READ_ONCE(f->session);

	return session && (!has_session(state) || session != gt_session_number());
}

/* A read would not block. Racy without read_lock, as poll is. */
static bool is_readable(struct gt_file *f)
{
	u32 state = gt_session_state();

	if (is_cut_off(f, state))
		return true;
	if (!has_session(state))
		return READ_ONCE(f->at_eof);
	return state == GOTRACE_STATE_DRAINING || READ_ONCE(dev.header) < GT_HEADER_SIZE ||
	       READ_ONCE(dev.buf) || gt_queue_has_full();
}

/* The buffer to read from; NULL for none now, or none any more in @state DRAINING. */
static struct gt_buf *current_buf(u32 state)
{
	struct gt_buf *buf = dev.buf;

	if (buf && buf->read < buf->len)
		return buf;
	if (buf)
		gt_queue_push_empty(buf);
	buf = gt_queue_pop_full();
	if (!buf && state == GOTRACE_STATE_DRAINING) {
		/* All buffers are empty now, so there is one. */
		buf = gt_queue_pop_empty();
		if (buf && gt_footer_fill(buf)) {
			gt_session_count_footer(buf->len);
		} else if (buf) {
			gt_queue_push_empty(buf);
			buf = NULL;
		}
	}
	WRITE_ONCE(dev.buf, buf);
	return buf;
}

/* Forget the session; the reader has all of it, or is not to get it. */
static void end_session_locked(void)
{
	lockdep_assert_held(&dev.read_lock);
	if (dev.buf)
		gt_queue_push_empty(dev.buf);
	WRITE_ONCE(dev.buf, NULL);
	gt_session_end();
	WRITE_ONCE(dev.header, 0);
}

/*
 * Copy from one place. Bytes copied, -EFAULT, -EAGAIN for nothing there now, 0
 * for the end of file.
 */
static ssize_t read_piece(struct gt_file *f, struct iov_iter *to, u32 state)
{
	struct gt_buf *buf;
	size_t n;

	if (!has_session(state))
		return f->at_eof ? 0 : -EAGAIN;
	if (gt_session_is_held())
		return -EBUSY;
	if (gt_options.raw && !capable(CAP_SYSLOG))
		return -EPERM;
	if (dev.header < GT_HEADER_SIZE) {
		n = copy_to_iter(headers[gt_session_format()] + dev.header,
				 GT_HEADER_SIZE - dev.header, to);
		WRITE_ONCE(dev.header, dev.header + n);
	} else {
		buf = current_buf(state);
		if (!buf)
			return state == GOTRACE_STATE_DRAINING ? 0 : -EAGAIN;
		n = copy_to_iter(buf->data + buf->read, buf->len - buf->read, to);
		buf->read += n;
	}
	gt_session_count_read(n);
	return n ? (ssize_t)n : -EFAULT;
}

static ssize_t end_of_file(struct gt_file *f)
{
	WRITE_ONCE(f->at_eof, true);
	WRITE_ONCE(f->session, 0);
	return 0;
}

/* As much as is there. The end of file is delivered by itself. */
static ssize_t read_locked(struct gt_file *f, struct iov_iter *to)
{
	ssize_t done = 0, n;
	u32 state;

	if (is_cut_off(f, gt_session_state()))
		return end_of_file(f);
	do {
		/* Asked once: another session may start behind an old end of file. */
		state = gt_session_state();
		n = read_piece(f, to, state);
		if (n > 0)
			done += n;
	} while (n > 0 && iov_iter_count(to));
	if (done) {
		WRITE_ONCE(f->at_eof, false);
		WRITE_ONCE(f->session, gt_session_number());
		return done;
	}
	if (n == 0 && state == GOTRACE_STATE_DRAINING) {
		end_session_locked();
		return end_of_file(f);
	}
	return n;
}

static ssize_t gt_read_iter(struct kiocb *iocb, struct iov_iter *to)
{
	struct file *file = iocb->ki_filp;
	struct gt_file *f = file->private_data;
	bool nonblock = (file->f_flags & O_NONBLOCK) || (iocb->ki_flags & IOCB_NOWAIT);
	ssize_t ret;

	if (!iov_iter_count(to))
		return 0;
	do {
		if (nonblock) {
			if (!mutex_trylock(&dev.read_lock))
				return -EAGAIN;
		} else if (mutex_lock_interruptible(&dev.read_lock)) {
			return -ERESTARTSYS;
		}
		ret = read_locked(f, to);
		mutex_unlock(&dev.read_lock);
		if (ret != -EAGAIN || nonblock)
			return ret;
	} while (!wait_event_interruptible(gt_session_wait, is_readable(f)));
	return -ERESTARTSYS;
}

static __poll_t gt_poll(struct file *file, poll_table *wait)
{
	poll_wait(file, &gt_session_wait, wait);
	if ((file->f_mode & FMODE_READ) && is_readable(file->private_data))
		return EPOLLIN | EPOLLRDNORM;
	return 0;
}

/* ---- ioctls ---- */

/*
 * A struct that grows: its first field is its size as the caller knows it.
 * -EINVAL below the first published size, -E2BIG for what we do not know.
 */
int gt_copy_in(void *dst, size_t known, size_t min, void __user *arg)
{
	u32 size;

	if (get_user(size, (u32 __user *)arg))
		return -EFAULT;
	if (size < min)
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	return copy_struct_from_user(dst, known, arg, size);
}

static bool buffer_is_valid(u64 bytes)
{
	u64 min = (u64)(num_possible_cpus() + 2) * GOTRACE_BUF_SIZE;

	return bytes >= min && bytes <= BYTES_MAX;
}

static bool start_is_valid(const struct gotrace_start *a)
{
	if (a->flags & ~(GOTRACE_START_DISCARD | GOTRACE_START_IDLE | GOTRACE_START_RAW |
			 GOTRACE_START_IN_SYSCALL | GOTRACE_START_MEMORY |
			 GOTRACE_START_NO_SCHED | GOTRACE_START_NO_ANNOTATIONS |
			 GOTRACE_START_OVERWRITE))
		return false;
	if (a->buffer_bytes && !buffer_is_valid(a->buffer_bytes))
		return false;
	if (a->table_bytes && (a->table_bytes < TABLE_BYTES_MIN || a->table_bytes > BYTES_MAX))
		return false;
	if (a->stacks & ~(GOTRACE_STACKS_KERNEL | GOTRACE_STACKS_USER))
		return false;
	if (a->depth && (a->depth < 4 || a->depth > GOTRACE_DEPTH_MAX))
		return false;
	if (a->max_ns > NS_MAX)
		return false;
	if (a->sample_hz > GOTRACE_SAMPLE_HZ_MAX || a->sample_event > GOTRACE_SAMPLE_CYCLES)
		return false;
	return a->syscalls <= GOTRACE_SYSCALLS_REGIONS && a->clock <= GOTRACE_CLOCK_BOOT &&
	       a->format <= GOTRACE_FORMAT_1_19 && !a->reserved;
}

/* What was not read of the session before, when @next has a chance. */
static int discard(const struct gotrace_start *next)
{
	/* Both sessions do not fit beside each other, so ask before. */
	int err = gt_session_check(next);

	if (err)
		return err;
	if (mutex_lock_interruptible(&dev.read_lock))
		return -EINTR;
	if (gt_session_state() == GOTRACE_STATE_DRAINING)
		end_session_locked();
	mutex_unlock(&dev.read_lock);
	return 0;
}

/* NULL for none. */
static struct gt_rules *copy_filter(u64 addr)
{
	struct gotrace_filter f;
	int err;

	BUILD_BUG_ON(sizeof(f) != GOTRACE_FILTER_SIZE_VER0);
	if (!addr)
		return NULL;
	err = gt_copy_in(&f, sizeof(f), GOTRACE_FILTER_SIZE_VER0, u64_to_user_ptr(addr));
	return err ? ERR_PTR(err) : gt_filter_create(&f);
}

static int ioctl_start(void __user *arg)
{
	struct gotrace_start a;
	struct gt_rules *rules;
	int err;

	BUILD_BUG_ON(sizeof(a) < GOTRACE_START_SIZE_VER0);
	err = gt_copy_in(&a, sizeof(a), GOTRACE_START_SIZE_VER0, arg);
	if (err)
		return err;
	if (!start_is_valid(&a))
		return -EINVAL;
	if ((a.flags & GOTRACE_START_RAW) && !capable(CAP_SYSLOG))
		return -EPERM;
	rules = copy_filter(a.filter);
	if (IS_ERR(rules))
		return PTR_ERR(rules);
	if (a.flags & GOTRACE_START_DISCARD)
		err = discard(&a);
	if (!err)
		return gt_session_start(&a, rules);
	gt_filter_free(rules);
	return err;
}

static int ioctl_snapshot(void __user *arg)
{
	struct gotrace_snapshot a;
	u32 size;
	int err;

	BUILD_BUG_ON(sizeof(a) != GOTRACE_SNAPSHOT_SIZE_VER0);
	err = gt_copy_in(&a, sizeof(a), GOTRACE_SNAPSHOT_SIZE_VER0, arg);
	if (err)
		return err;
	if (a.flags)
		return -EINVAL;
	size = a.size;
	err = gt_session_snapshot(&a);
	if (err && err != -ENOSPC)
		return err;
	a.size = size;
	return copy_to_user(arg, &a, min_t(u32, size, sizeof(a))) ? -EFAULT : err;
}

static int ioctl_resize(void __user *arg)
{
	struct gotrace_resize a;
	int err;

	BUILD_BUG_ON(sizeof(a) != GOTRACE_RESIZE_SIZE_VER0);
	err = gt_copy_in(&a, sizeof(a), GOTRACE_RESIZE_SIZE_VER0, arg);
	if (err)
		return err;
	if (a.flags || !buffer_is_valid(a.buffer_bytes))
		return -EINVAL;
	return gt_session_resize(a.buffer_bytes);
}

/* The session's data is for somebody else, who still reads it. */
static bool is_being_read(struct file *file, u64 number)
{
	struct file *reader = READ_ONCE(dev.reader);

	return reader && reader != file && gt_session_number() == number &&
	       gt_session_state() == GOTRACE_STATE_DRAINING;
}

static int ioctl_stop(struct file *file, void __user *arg)
{
	struct gotrace_stop a = { .size = sizeof(a) };
	u64 number;
	int err;

	BUILD_BUG_ON(sizeof(a) != GOTRACE_STOP_SIZE_VER0);
	if (arg) {
		err = gt_copy_in(&a, sizeof(a), GOTRACE_STOP_SIZE_VER0, arg);
		if (err)
			return err;
	}
	if (a.flags & ~(GOTRACE_STOP_NOWAIT | GOTRACE_STOP_DISCARD))
		return -EINVAL;
	err = gt_session_stop();
	if (err)
		return err;
	if (a.flags & GOTRACE_STOP_DISCARD) {
		if (mutex_lock_interruptible(&dev.read_lock))
			return -EINTR;
		if (gt_session_state() == GOTRACE_STATE_DRAINING)
			end_session_locked();
		mutex_unlock(&dev.read_lock);
		return 0;
	}
	number = gt_session_number();
	if (a.flags & GOTRACE_STOP_NOWAIT)
		return 0;
	if (wait_event_interruptible(gt_session_wait, !is_being_read(file, number)))
		return -EINTR;
	return 0;
}

/* What the caller's entry has beyond ours is zeroed. */
static int put_cpu_status(void __user *to, u32 size, const struct gotrace_cpu_status *st)
{
	u32 n = min_t(u32, size, sizeof(*st));

	if (copy_to_user(to, st, n) || clear_user(to + n, size - n))
		return -EFAULT;
	return 0;
}

static int put_cpus_status(const struct gotrace_status *st)
{
	void __user *to = u64_to_user_ptr(st->cpus_addr);
	struct gotrace_cpu_status one;
	u32 n = 0, cpu;
	int err;

	if (st->cpu_size < GOTRACE_CPU_STATUS_SIZE_VER0)
		return -EINVAL;
	if (st->cpu_size > PAGE_SIZE)
		return -E2BIG;
	for_each_possible_cpu(cpu) {
		if (n >= st->cpus_len)
			break;
		gt_session_cpu_status(cpu, &one);
		err = put_cpu_status(to + (size_t)n++ * st->cpu_size, st->cpu_size, &one);
		if (err)
			return err;
	}
	return 0;
}

static int ioctl_status(void __user *arg)
{
	struct gotrace_status in, st = { 0 };
	u32 size;
	int err;

	BUILD_BUG_ON(sizeof(st) < GOTRACE_STATUS_SIZE_VER0);
	BUILD_BUG_ON(sizeof(struct gotrace_cpu_status) != GOTRACE_CPU_STATUS_SIZE_VER0);
	err = gt_copy_in(&in, sizeof(in), GOTRACE_STATUS_SIZE_VER0, arg);
	if (err)
		return err;
	if (in.reserved)
		return -EINVAL;
	if (in.cpus_addr) {
		err = put_cpus_status(&in);
		if (err)
			return err;
	}
	err = gt_session_status(&st);
	if (err)
		return err;
	size = min_t(u32, in.size, sizeof(st));
	st.size = size;
	st.cpus_addr = in.cpus_addr;
	st.cpus_len = num_possible_cpus();
	st.cpu_size = min_t(u32, in.cpu_size, sizeof(struct gotrace_cpu_status));
	return copy_to_user(arg, &st, size) ? -EFAULT : 0;
}

static int ioctl_traceback(void __user *arg)
{
	struct gotrace_traceback a;
	u32 size;
	int err;

	BUILD_BUG_ON(sizeof(a) != GOTRACE_TRACEBACK_SIZE_VER0);
	err = gt_copy_in(&a, sizeof(a), GOTRACE_TRACEBACK_SIZE_VER0, arg);
	if (err)
		return err;
	if (a.flags & ~(GOTRACE_TRACEBACK_KTHREADS | GOTRACE_TRACEBACK_DEBUG) ||
	    a.pids_len > GOTRACE_TRACEBACK_PIDS_MAX || a.depth > GOTRACE_DEPTH_MAX || a.reserved)
		return -EINVAL;
	if ((a.flags & GOTRACE_TRACEBACK_DEBUG) && !(capable(CAP_SYSLOG) && capable(CAP_SYS_PTRACE)))
		return -EPERM;
	size = a.size;
	err = gt_traceback(&a);
	if (err && err != -ENOSPC)
		return err;
	a.size = size;
	return copy_to_user(arg, &a, min_t(u32, size, sizeof(a))) ? -EFAULT : err;
}

static long gt_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	void __user *p = (void __user *)arg;
	int err;

	switch (cmd) {
	case GOTRACE_IOC_ENABLED:
		return arg ? -EINVAL : gt_annotate_is_on();
	case GOTRACE_IOC_TASK_CREATE ... GOTRACE_IOC_LOG:
		return gt_annotate_ioctl(file, cmd, p);
	}
	err = may_trace();
	switch (cmd) {
	case GOTRACE_IOC_START:
		return err ?: ioctl_start(p);
	case GOTRACE_IOC_STOP:
		return err ?: ioctl_stop(file, p);
	case GOTRACE_IOC_STATUS:
		return err ?: ioctl_status(p);
	case GOTRACE_IOC_TRACEBACK:
		return err ?: ioctl_traceback(p);
	case GOTRACE_IOC_SNAPSHOT:
		return err ?: ioctl_snapshot(p);
	case GOTRACE_IOC_RESIZE:
		return err ?: ioctl_resize(p);
	default:
		return -ENOTTY;
	}
}

/* ---- Files ---- */

static int gt_open(struct inode *inode, struct file *file)
{
	struct gt_file *f;
	int err;

	if (file->f_mode & FMODE_READ) {
		err = may_trace();
		if (err)
			return err;
	}
	f = kzalloc(sizeof(*f), GFP_KERNEL);
	if (!f)
		return -ENOMEM;
	if ((file->f_mode & FMODE_READ) && cmpxchg(&dev.reader, NULL, file)) {
		kfree(f);
		return -EBUSY;
	}
	file->private_data = f;
	/* No position; but FMODE_LSEEK stays, for sendfile(2) asks for it. */
	file->f_mode &= ~(FMODE_PREAD | FMODE_PWRITE);
	return 0;
}

static int gt_release(struct inode *inode, struct file *file)
{
	if (READ_ONCE(dev.reader) == file) {
		WRITE_ONCE(dev.reader, NULL);
		/* STOP may wait for this reader. */
		wake_up_interruptible_all(&gt_session_wait);
	}
	kfree(file->private_data);
	return 0;
}

static loff_t gt_llseek(struct file *file, loff_t offset, int whence)
{
	return -ESPIPE;
}

static const struct file_operations fops = {
	.owner = THIS_MODULE,
	.open = gt_open,
	.release = gt_release,
	.read_iter = gt_read_iter,
	.splice_read = gt_splice_read,
	.poll = gt_poll,
	.unlocked_ioctl = gt_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.llseek = gt_llseek,
};

static struct miscdevice misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "gotrace",
	.fops = &fops,
	.mode = 0600,
};

int gt_device_init(void)
{
	return misc_register(&misc);
}

/* No file is open: the module's reference count saw to that. */
void gt_device_exit(void)
{
	misc_deregister(&misc);
	mutex_lock(&dev.read_lock);
	if (has_session(gt_session_state()))
		pr_notice("unloaded with a session that nobody reads: dropped\n");
	end_session_locked();
	mutex_unlock(&dev.read_lock);
}
