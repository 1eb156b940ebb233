// SPDX-License-Identifier: GPL-2.0
/*
 * A session: NONE -> STARTING -> TRACING -> DRAINING -> NONE.
 *
 * Start without stopping the world: first the probes go live and only note
 * the truth; then every task there is gets a GoCreate, and a GoWaiting if it
 * sleeps, from one writer; then Gomaxprocs twice, which is where Go's newest
 * reader takes the initial state for complete; then each CPU opens itself; at
 * last those that fell asleep meanwhile are brought to the truth.
 *
 * Stop: each CPU closes itself, whatever others still write is legal; then the
 * probes go.
 *
 * Locks, outermost first:
 *
 * | lock             | type   | protects                     | taken in      |
 * |------------------|--------|------------------------------|---------------|
 * | device.read_lock | mutex  | the reader's position        | process       |
 * | session.lock     | mutex  | the session's state          | process       |
 * | cpu hotplug lock | rwsem  | session.open                 | process       |
 * | rq and pi locks  | raw    | the scheduler's, held around some probes      |
 * | tasks.lock       | raw    | states: creation, unlinking  | any but NMI   |
 * | stacks.lock      | raw    | stack table, names           | any but NMI   |
 * | strings.lock     | raw    | dictionary                   | any but NMI   |
 * | notes.lock       | raw    | unused blocks of regions     | any but NMI   |
 * | arena.lock       | raw    | table memory                 | any but NMI   |
 * | global.lock      | raw    | GC and STW                   | any but NMI   |
 * | q.lock           | raw    | buffers                      | any but NMI   |
 *
 * tasks.lock may hold stacks.lock, strings.lock or notes.lock inside, each of
 * the first two arena.lock; nothing nests inside arena.lock, global.lock,
 * notes.lock, q.lock.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/capability.h>
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/errno.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/smp.h>
#include <linux/workqueue.h>
#include "account.h"
#include "annotate.h"
#include "arena.h"
#include "call.h"
#include "clock.h"
#include "cpu.h"
#include "filter.h"
#include "footer.h"
#include "frame.h"
#include "global.h"
#include "heap.h"
#include "kick.h"
#include "probe.h"
#include "queue.h"
#include "sample.h"
#include "session.h"
#include "snapshot.h"
#include "stack.h"
#include "string.h"
#include "task.h"
#include "thread.h"
#include "usermap.h"
#include "walk.h"

#define DEFAULT_BYTES	(64ULL << 20)
#define DEFAULT_DEPTH	64

DECLARE_WAIT_QUEUE_HEAD(gt_session_wait);

static struct {
	struct mutex lock;
	u32 state;			/* also read without the lock */
	u64 number;
	struct gotrace_start arg;
	struct gt_moment start, end;
	u32 stopped;			/* GOTRACE_STOPPED_* */
	u64 bytes_read;			/* by readers; so the next */
	u64 footer_bytes;

	bool open;			/* CPUs write, or should; hotplug lock */
	u64 opened;			/* ticks of the last Gomaxprocs of the initial state */

	struct gt_cpu initial;		/* writer of the initial state; not a CPU */
	struct irq_work kick;
	struct work_struct work;
	struct delayed_work limit;	/* stops it at its limits */
	enum cpuhp_state hotplug;
} session = { .lock = __MUTEX_INITIALIZER(session.lock) };

/* ---- The worker, and waking the reader ---- */

static void work_func(struct work_struct *work)
{
	gt_queue_refill();
	gt_arena_refill(0);
	gt_task_reclaim();
	gt_usermap_resolve_files();
}

static bool is_too_long(void)
{
	u64 max = READ_ONCE(session.arg.max_bytes);

	return max && gt_queue_bytes() >= max;
}

static void kick_func(struct irq_work *kick)
{
	wake_up_interruptible(&gt_session_wait);
	if (is_too_long())
		mod_delayed_work(system_unbound_wq, &session.limit, 0);
	if (gt_queue_is_low() || gt_arena_is_low() || gt_task_reclaim_is_due() ||
	    gt_usermap_is_due())
		queue_work(system_unbound_wq, &session.work);
}

void gt_kick(void)
{
	irq_work_queue(&session.kick);
}

/* No probe runs any more. */
static void worker_stop(void)
{
	irq_work_sync(&session.kick);
	cancel_work_sync(&session.work);
}

/* ---- Memory ---- */

static void tables_destroy(void)
{
	gt_sample_destroy();
	worker_stop();
	gt_filter_destroy();
	gt_annotate_destroy();
	gt_account_destroy();
	gt_usermap_destroy();
	gt_frame_destroy();
	gt_thread_destroy();
	gt_task_destroy();
	gt_call_destroy();
	gt_stack_destroy();
	gt_string_destroy();
	gt_arena_destroy();
	gt_queue_destroy();
}

static u32 buffer_limit(const struct gotrace_start *arg)
{
	return div_u64(arg->buffer_bytes ?: DEFAULT_BYTES, GOTRACE_BUF_SIZE);
}

static u64 table_limit(const struct gotrace_start *arg)
{
	return arg->table_bytes ?: DEFAULT_BYTES;
}

static int tables_init(const struct gotrace_start *arg)
{
	u32 limit = buffer_limit(arg);
	int err;

	err = gt_queue_init(limit, min(limit, 2 * gt_queue_ahead()),
			    arg->flags & GOTRACE_START_OVERWRITE);
	if (err)
		return err;
	gt_account_init((u64)limit * GOTRACE_BUF_SIZE, table_limit(arg));
	err = gt_arena_init(table_limit(arg));
	if (!err)
		err = gt_string_init();
	if (!err)
		err = gt_stack_init();
	if (!err)
		err = gt_call_init();
	if (!err)
		err = gt_task_init();
	if (!err)
		err = gt_thread_init();
	if (!err)
		err = gt_frame_init();
	if (!err)
		err = gt_usermap_init();
	if (err)
		tables_destroy();	/* each is content with what was never made */
	return err;
}

/* ---- CPUs ---- */

static void open_cpu(void *unused)
{
	gt_cpu_open(this_cpu_ptr(&gt_cpus), session.opened);
}

static void close_cpu(void *unused)
{
	gt_cpu_close(this_cpu_ptr(&gt_cpus));
}

/* Samples are taken of open CPUs only. 0, -ENOMEM or -EOPNOTSUPP. */
static int open_cpus(void)
{
	int err;

	cpus_read_lock();
	session.open = true;
	on_each_cpu(open_cpu, NULL, 1);
	err = gt_sample_start();
	cpus_read_unlock();
	return err;
}

static void close_cpus(void)
{
	cpus_read_lock();
	session.open = false;
	gt_sample_stop();
	on_each_cpu(close_cpu, NULL, 1);
	cpus_read_unlock();
}

static void put_gomaxprocs(struct gt_cpu *c, u32 procs)
{
	if (gt_cpu_begin(c))
		gt_ev2(c, gt_cpu_time(c), EV_GOMAXPROCS, procs, 0);
}

/* Context: hotplug thread of the CPU, hotplug lock held for writing. */
static int cpu_online_func(unsigned int cpu)
{
	local_irq_disable();
	if (session.open) {
		open_cpu(NULL);
		put_gomaxprocs(this_cpu_ptr(&gt_cpus), gt_cpu_procs(-1));
	}
	local_irq_enable();
	if (session.open && gt_sample_start_cpu(cpu))
		pr_warn("no samples of CPU %u\n", cpu);
	return 0;
}

static int cpu_offline_func(unsigned int cpu)
{
	gt_sample_stop_cpu(cpu);
	local_irq_disable();
	if (session.open) {
		put_gomaxprocs(this_cpu_ptr(&gt_cpus), gt_cpu_procs(cpu));
		close_cpu(NULL);
	}
	local_irq_enable();
	return 0;
}

/* ---- Start, stop, end ---- */

static void reset_cpus(void)
{
	u32 cpu;

	for_each_possible_cpu(cpu)
		gt_cpu_reset(per_cpu_ptr(&gt_cpus, cpu), cpu);
	gt_cpu_reset(&session.initial, 0);
	gt_global_reset();
}

static void set_state(u32 state)
{
	/* (C) what the state promises is there; pairs with (D), gt_session_state(). */
	smp_store_release(&session.state, state);
	wake_up_interruptible_all(&gt_session_wait);
}

/* Jiffies until its time is up, 0 when it is; -1 where it has no end. */
static long time_left(void)
{
	u64 now = ktime_get_ns(), end = session.start.mono + session.arg.max_ns;

	if (!session.arg.max_ns)
		return -1;
	return now < end ? nsecs_to_jiffies(end - now) + 1 : 0;
}

/* @delay: from time_left(). */
static void limit_start(long delay)
{
	if (delay >= 0)
		mod_delayed_work(system_unbound_wq, &session.limit,
				 min_t(u64, delay, MAX_JIFFY_OFFSET));
}

static int start_locked(const struct gotrace_start *arg, struct gt_rules *rules)
{
	int err;

	err = gt_clock_select(arg->clock);
	if (err) {
		gt_filter_free(rules);
		return err;
	}
	gt_filter_use(rules, arg->flags & GOTRACE_START_NO_SCHED);
	reset_cpus();
	gt_options.syscalls = arg->syscalls;
	gt_options.stacks = arg->stacks;
	gt_options.depth = arg->depth ?: DEFAULT_DEPTH;
	gt_options.samples = arg->sample_hz;
	gt_options.idle = arg->flags & GOTRACE_START_IDLE;
	gt_options.raw = arg->flags & GOTRACE_START_RAW;
	gt_options.in_syscall = arg->flags & GOTRACE_START_IN_SYSCALL;
	gt_options.memory = arg->flags & GOTRACE_START_MEMORY;
	gt_options.overwrite = arg->flags & GOTRACE_START_OVERWRITE;
	session.arg = *arg;
	session.stopped = GOTRACE_STOPPED_NOT;
	session.bytes_read = session.footer_bytes = 0;
	memset(&session.end, 0, sizeof(session.end));
	gt_sample_init(arg);
	err = tables_init(arg);
	if (err) {
		gt_filter_destroy();
		return err;
	}
	err = gt_probe_attach();
	if (err)
		goto err_tables;
	gt_clock_moment(&session.start);
	err = gt_walk_find_tasks();
	if (err)
		goto err_probes;
	err = gt_walk_write(&session.initial, session.start.ticks);
	if (err)
		goto err_probes;
	session.opened = session.initial.last;
	err = open_cpus();
	if (err)
		goto err_open;
	gt_walk_heal_sleepers();
	if (!(arg->flags & GOTRACE_START_NO_ANNOTATIONS))
		gt_annotate_begin();
	if (gt_options.memory)
		gt_heap_start();
	return 0;

err_open:
	close_cpus();
err_probes:
	gt_probe_detach();
	gt_cpu_flush(&session.initial);
err_tables:
	tables_destroy();
	reset_cpus();
	return err;
}

/* Whether it is hopeless to start: -ENODEV, -EOPNOTSUPP, -ENOSPC, -ENOMEM. Process context. */
int gt_session_check(const struct gotrace_start *arg)
{
	int ret = gt_clock_check(arg->clock);

	if (ret >= 0)
		ret = gt_sample_check(arg);
	return ret < 0 ? ret : gt_walk_check(buffer_limit(arg), table_limit(arg));
}

/**
 * gt_session_start() - start tracing
 * @arg:   checked by the caller
 * @rules: what it leaves out, or NULL; the session's from now on, also after an
 *         error
 *
 * Return: 0, or an error that uapi/linux/gotrace.h names; nothing has changed
 * then.
 * Context: Process context. May sleep.
 */
int gt_session_start(const struct gotrace_start *arg, struct gt_rules *rules)
{
	int err = mutex_lock_interruptible(&session.lock);

	if (err) {
		gt_filter_free(rules);
		return err;
	}
	if (session.state == GOTRACE_STATE_NONE) {
		/* Readers take STARTING for NONE. */
		session.state = GOTRACE_STATE_STARTING;
		err = start_locked(arg, rules);
		session.number += !err;
		set_state(err ? GOTRACE_STATE_NONE : GOTRACE_STATE_TRACING);
		if (!err)
			limit_start(time_left());
	} else {
		gt_filter_free(rules);
		err = -EBUSY;
	}
	mutex_unlock(&session.lock);
	return err;
}

static void stop_locked(u32 why)
{
	session.stopped = why;
	gt_annotate_end();
	gt_heap_stop();
	close_cpus();
	gt_task_name_all();
	gt_sample_finish();
	gt_probe_detach();
	worker_stop();
	gt_usermap_resolve_files();
	gt_clock_moment(&session.end);
	gt_footer_init(&session.start, &session.end);
	set_state(GOTRACE_STATE_DRAINING);
}

/* Nothing happens when nothing is traced. 0 or -EINTR. */
int gt_session_stop(void)
{
	int err = mutex_lock_interruptible(&session.lock);

	if (err)
		return err;
	if (session.state == GOTRACE_STATE_TRACING)
		stop_locked(GOTRACE_STOPPED_ASKED);
	mutex_unlock(&session.lock);
	return 0;
}

/*
 * Whichever session is there now is asked, be it another than the one that this
 * was meant for.
 */
static void limit_func(struct work_struct *work)
{
	long left;

	mutex_lock(&session.lock);
	if (session.state == GOTRACE_STATE_TRACING) {
		left = time_left();
		if (!left)
			stop_locked(GOTRACE_STOPPED_TIME);
		else if (is_too_long())
			stop_locked(GOTRACE_STOPPED_BYTES);
		else
			limit_start(left);
	}
	mutex_unlock(&session.lock);
}

/**
 * gt_session_resize() - another limit of the memory for buffers
 * @bytes: checked by the caller
 *
 * Return: 0, -ENODATA when nothing is traced, -EINTR.
 */
int gt_session_resize(u64 bytes)
{
	int err = mutex_lock_interruptible(&session.lock);

	if (err)
		return err;
	if (session.state == GOTRACE_STATE_TRACING)
		gt_queue_resize(div_u64(bytes, GOTRACE_BUF_SIZE));
	else
		err = -ENODATA;
	mutex_unlock(&session.lock);
	return err;
}

/*
 * Whatever is there goes. The reader has given its buffer back. Holds
 * device.read_lock, or no file is open.
 */
void gt_session_end(void)
{
	mutex_lock(&session.lock);
	if (session.state == GOTRACE_STATE_TRACING)
		stop_locked(GOTRACE_STOPPED_ASKED);
	if (session.state == GOTRACE_STATE_DRAINING) {
		tables_destroy();
		reset_cpus();
		set_state(GOTRACE_STATE_NONE);
	}
	mutex_unlock(&session.lock);
}

/* ---- Status ---- */

u32 gt_session_state(void)
{
	return smp_load_acquire(&session.state);	/* (D) */
}

u32 gt_session_format(void)
{
	return session.arg.format;
}

u64 gt_session_number(void)
{
	return READ_ONCE(session.number);
}

void gt_session_count_read(u64 bytes)
{
	WRITE_ONCE(session.bytes_read, session.bytes_read + bytes);
}

void gt_session_count_footer(u64 bytes)
{
	WRITE_ONCE(session.footer_bytes, session.footer_bytes + bytes);
}

/* Handed over, and written so far; racy against the CPU, but never far off. */
static u64 bytes_of(const struct gt_cpu *c)
{
	struct gt_buf *buf = READ_ONCE(c->buf);
	u8 *pos = READ_ONCE(c->pos);
	u64 bytes = READ_ONCE(c->bytes);

	if (buf && pos > buf->data && pos <= buf->data + GT_BUF_DATA)
		bytes += pos - buf->data;
	return bytes;
}

/* One CPU's part; all 0 when there is no session. */
void gt_session_cpu_status(u32 cpu, struct gotrace_cpu_status *st)
{
	struct gt_cpu *c = per_cpu_ptr(&gt_cpus, cpu);
	u32 mode = READ_ONCE(c->mode), i;

	memset(st, 0, sizeof(*st));
	st->cpu = cpu;
	st->flags = (mode != GT_CPU_OFF) | (mode == GT_CPU_DARK) << 1;
	st->events = READ_ONCE(c->events);
	st->bytes = bytes_of(c);
	for (i = 0; i < GOTRACE_LOST_CAUSES; i++)
		st->lost[i] = READ_ONCE(c->lost[i]);
	st->dark = READ_ONCE(c->dark);
	st->adjusted = READ_ONCE(c->adjusted);
	st->adjusted_max = READ_ONCE(c->adjusted_max);
	st->irqoff_ticks = READ_ONCE(c->irqoff);
}

static void sum_cpus(struct gotrace_status *st)
{
	struct gotrace_cpu_status one;
	u32 cpu, i;

	st->samples = READ_ONCE(gt_sample_writer()->events);
	st->events = session.initial.events + st->samples;
	st->bytes_produced = GT_HEADER_SIZE + session.initial.bytes +
			     bytes_of(gt_sample_writer()) + READ_ONCE(session.footer_bytes);
	st->tasks = session.initial.created;
	for_each_possible_cpu(cpu) {
		gt_session_cpu_status(cpu, &one);
		st->events += one.events;
		st->bytes_produced += one.bytes;
		st->tasks += READ_ONCE(per_cpu(gt_cpus, cpu).created);
		for (i = 0; i < GOTRACE_LOST_CAUSES; i++)
			st->lost[i] += one.lost[i];
	}
}

static void status_locked(struct gotrace_status *st)
{
	struct gt_queue_count n;

	gt_queue_count(&n);
	st->flags = session.arg.flags;
	st->clock = gt_clock_kind;
	st->syscalls = session.arg.syscalls;
	st->sample_hz = session.arg.sample_hz;
	st->sample_event = session.arg.sample_event;
	st->stopped = session.stopped;
	st->filtered = gt_filter_kinds();
	st->max_bytes = session.arg.max_bytes;
	st->max_ns = session.arg.max_ns;
	st->frequency = session.end.ticks ? gt_footer_frequency() : gt_clock_frequency();
	st->start_ticks = session.start.ticks;
	st->start_mono = session.start.mono;
	st->start_real = session.start.real;
	st->end_ticks = session.end.ticks;
	st->end_mono = session.end.mono;
	st->end_real = session.end.real;
	sum_cpus(st);
	st->lost[GOTRACE_LOST_STACK] += gt_stack_lost();
	st->bytes_read = READ_ONCE(session.bytes_read);
	st->buffers_limit = n.limit;
	st->buffers_empty = n.empty;
	st->buffers_full = n.full;
	st->buffers_inuse = n.total - min(n.total, n.empty + n.full);
	st->table_bytes = gt_arena_bytes();
	st->stacks = gt_stack_count() + gt_name_count();
	st->strings = gt_string_count();
}

/* Fills in all but what is the caller's own. 0 or -EINTR. */
int gt_session_status(struct gotrace_status *st)
{
	int err = mutex_lock_interruptible(&session.lock);

	if (err)
		return err;
	st->state = session.state;
	st->session = session.number;
	if (session.state != GOTRACE_STATE_NONE)
		status_locked(st);
	mutex_unlock(&session.lock);
	return 0;
}

/**
 * gt_session_get_tracing() - keep a session that is tracing from ending
 *
 * Return: false when there is none; else gt_session_put() must follow.
 * Context: Process context, may sleep.
 */
bool gt_session_get_tracing(void)
{
	if (mutex_lock_killable(&session.lock))
		return false;
	if (session.state == GOTRACE_STATE_TRACING)
		return true;
	mutex_unlock(&session.lock);
	return false;
}

void gt_session_put(void)
{
	mutex_unlock(&session.lock);
}

/* It is one whose data only gt_session_snapshot() gives. */
bool gt_session_is_held(void)
{
	return READ_ONCE(session.arg.flags) & GOTRACE_START_OVERWRITE;
}

static void hand_over(void *unused)
{
	struct gt_cpu *c = this_cpu_ptr(&gt_cpus);

	if (c->mode != GT_CPU_OFF)
		gt_snapshot_note_cpu(c->cpu, gt_cpu_hand_over(c));
}

/*
 * Tasks first: who has no event in what is held by the end of it, was then as it
 * is found now.
 */
static int snapshot_locked(struct gotrace_snapshot *a)
{
	int err = gt_snapshot_begin(a, session.opened);

	if (err)
		return err;
	if (session.state == GOTRACE_STATE_TRACING) {
		cpus_read_lock();
		on_each_cpu(hand_over, NULL, 1);
		cpus_read_unlock();
		gt_task_name_all();
		queue_work(system_unbound_wq, &session.work);
		flush_work(&session.work);
	}
	return gt_snapshot_write(session.end.ticks ? gt_footer_frequency() : gt_clock_frequency());
}

/* As the uapi has it. Process context. */
int gt_session_snapshot(struct gotrace_snapshot *a)
{
	int err = mutex_lock_interruptible(&session.lock);

	if (err)
		return err;
	if ((session.state != GOTRACE_STATE_TRACING && session.state != GOTRACE_STATE_DRAINING) ||
	    !gt_session_is_held())
		err = -ENODATA;
	else if (gt_options.raw && !capable(CAP_SYSLOG))
		err = -EPERM;
	else
		err = snapshot_locked(a);
	mutex_unlock(&session.lock);
	return err;
}

/* ---- Load and unload ---- */

int gt_session_init(void)
{
	int ret;

	init_irq_work(&session.kick, kick_func);
	INIT_WORK(&session.work, work_func);
	INIT_DELAYED_WORK(&session.limit, limit_func);
	reset_cpus();
	ret = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "gotrace:online",
					cpu_online_func, cpu_offline_func);
	if (ret < 0)
		return ret;
	session.hotplug = ret;
	return 0;
}

void gt_session_exit(void)
{
	gt_session_end();
	cancel_delayed_work_sync(&session.limit);
	cpuhp_remove_state_nocalls(session.hotplug);
}
