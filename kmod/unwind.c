// SPDX-License-Identifier: GPL-2.0
/*
 * The stack of one task, whatever it does, at one moment.
 *
 * A sleeper is looked at under its pi_lock, which keeps it asleep, and, as long
 * as it is not TASK_DEAD, keeps its stack. Who runs is interrupted, and looked
 * at by that interrupt. Who is runnable may get a CPU meanwhile: then, as when
 * a sleeper wakes up before its user stack is read, its count of switches has
 * changed, or it is on a CPU, and it is looked at anew.
 *
 * Its address space is locked around all of this, so that an address is that
 * of the file it is taken for. The lock is tried only: who holds it may hang,
 * and is what is looked for. Nor are pages brought in.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/file.h>
#include <linux/highmem.h>
#include <linux/irqflags.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/sched/clock.h>
#include <linux/sched/mm.h>
#include <linux/smp.h>
#include <linux/uaccess.h>
#include "arch.h"
#include "block.h"
#include "call.h"
#include "compat.h"
#include "task.h"
#include "unwind.h"

#define TRIES		64	/* for who comes and goes */
#define LOCK_TRIES	20	/* about a millisecond each */

/* ---- What it does ---- */

static u32 reason_of(enum gt_ev ev)
{
	switch (ev) {
	case EV_GO_SLEEP:
		return GOTRACE_WAIT_SLEEP;
	case EV_GO_BLOCK_NET:
		return GOTRACE_WAIT_NET;
	case EV_GO_BLOCK_SELECT:
		return GOTRACE_WAIT_SELECT;
	case EV_GO_BLOCK_SYNC:
		return GOTRACE_WAIT_SYNC;
	case EV_GO_BLOCK_COND:
		return GOTRACE_WAIT_COND;
	case EV_GO_BLOCK_RECV:
		return GOTRACE_WAIT_RECV;
	case EV_GO_BLOCK_SEND:
		return GOTRACE_WAIT_SEND;
	case EV_GO_BLOCK_GC:
		return GOTRACE_WAIT_RECLAIM;
	case EV_GO_SYS_BLOCK:
		return GOTRACE_WAIT_DISK;
	default:
		return GOTRACE_WAIT_NONE;
	}
}

/*
 * Two times are known, both a little before it went to sleep, if at all: when
 * it got a CPU, and when the scheduler last counted what it used of it, by a
 * clock that does not count interrupts.
 */
static u64 asleep_for(struct task_struct *p)
{
	u64 since = READ_ONCE(p->se.exec_start), now = sched_clock_cpu(task_cpu(p));

#ifdef CONFIG_SCHED_INFO
	since = max_t(u64, since, READ_ONCE(p->sched_info.last_arrival));
#endif
	return since && since < now ? now - since : 0;
}

static u32 state_of(struct task_struct *p, unsigned int state)
{
	if (state & TASK_DEAD)
		return GOTRACE_TASK_DEAD;
	if (p == current || gt_task_is_on_cpu(p))
		return GOTRACE_TASK_RUNNING;
	/* Not run yet, or on its way back to a run queue. */
	if (state & (TASK_NEW | TASK_WAKING) || !gt_task_looks_asleep(p))
		return GOTRACE_TASK_RUNNABLE;
	if (state & __TASK_STOPPED)
		return GOTRACE_TASK_STOPPED;
	return state & __TASK_TRACED ? GOTRACE_TASK_TRACED : GOTRACE_TASK_ASLEEP;
}

/* Interrupts off; its pi_lock held, or it is current. */
static void describe(struct gt_unwind *u, struct task_struct *p)
{
	unsigned int state = gt_task_state(p);

	u->state = state_of(p, state);
	u->cpu = task_cpu(p);
	u->pinned = GT_NOT_PINNED;
	u->call = -1;
	u->compat = false;
	u->asleep = 0;
	u->reason = GOTRACE_WAIT_NONE;
	if (num_possible_cpus() > 1 && cpumask_weight(&p->cpus_mask) == 1)
		u->pinned = cpumask_first(&p->cpus_mask);
	if (u->state == GOTRACE_TASK_DEAD)
		return;
	if (!gt_task_has_no_calls(p)) {
		u->call = gt_arch_call_nr(p);
		u->compat = gt_arch_is_compat(p);
	}
	if (u->state < GOTRACE_TASK_ASLEEP)
		return;
	u->asleep = asleep_for(p);
	if (u->state == GOTRACE_TASK_ASLEEP)
		u->reason = reason_of(gt_block_reason(p, state, gt_call_describe(p, u->call)));
}

/* ---- Its kernel stack ---- */

static void take_words(struct gt_words *w, struct task_struct *p, unsigned long bad)
{
	unsigned long low = (unsigned long)task_stack_page(p), high = low + THREAD_SIZE;

	w->bad = bad;
	/* Other stacks, of interrupts, are not ours to look at. */
	if (bad < low || bad >= high)
		return;
	bad = round_down(bad, sizeof(u64));
	low = max(low, bad - GOTRACE_TB_WORDS / 2 * sizeof(u64));
	high = min(high, low + GOTRACE_TB_WORDS * sizeof(u64));
	w->at = low;
	if (!copy_from_kernel_nofault(w->word, (void *)low, high - low))
		w->n = (high - low) / sizeof(u64);
}

/* Interrupts off; its pi_lock held, or it is current. */
static void take_kernel(struct gt_unwind *u, struct task_struct *p, bool interrupted)
{
	struct gt_arch_walk walk = gt_arch_kernel_walk(p, NULL, interrupted, u->kernel, u->depth);

	u->n_kernel = walk.n;
	u->kernel_end = walk.bad ? GOTRACE_END_BAD : walk.more ? GOTRACE_END_DEPTH :
								 GOTRACE_END_ROOT;
	if (walk.bad && u->debug)
		take_words(&u->kernel_words, p, walk.bad);
}

/* ---- Its user stack ---- */

/* Where words of user memory come from. */
struct user_memory {
	bool (*read)(struct user_memory *from, u64 addr, u32 size, u64 *word);
	struct mm_struct *mm;
	u64 at;			/* of @page */
	struct page *page;	/* got, or NULL */
};

/* The running task's own. Page faults are off. */
static bool read_own(struct user_memory *from, u64 addr, u32 size, u64 *word)
{
	u32 half;

	if (size == sizeof(*word))
		return !__get_user(*word, (u64 __user *)addr);
	if (__get_user(half, (u32 __user *)addr))
		return false;
	*word = half;
	return true;
}

static void forget_page(struct user_memory *from)
{
	if (from->page)
		put_page(from->page);
	from->page = NULL;
}

/* Another's, its address space locked: a page at a time, if it is there. */
static bool read_other(struct user_memory *from, u64 addr, u32 size, u64 *word)
{
	void *p;

	if (!from->page || from->at != (addr & PAGE_MASK)) {
		forget_page(from);
		from->at = addr & PAGE_MASK;
		if (gt_get_user_page(from->mm, from->at, &from->page) != 1) {
			from->page = NULL;
			return false;
		}
	}
	p = kmap_local_page(from->page);
	*word = 0;
	memcpy(word, p + offset_in_page(addr), size);
	kunmap_local(p);
	return true;
}

static void take_user_words(struct gt_words *w, struct user_memory *from, u64 bad)
{
	u64 addr = round_down(bad, sizeof(u64));
	u32 i;

	w->bad = bad;
	addr = addr < GOTRACE_TB_WORDS / 2 * sizeof(u64) ? 0 :
	       addr - GOTRACE_TB_WORDS / 2 * sizeof(u64);
	/* The longest piece that ends at, or goes over, the frame. */
	for (i = 0; i < GOTRACE_TB_WORDS; i++, addr += sizeof(u64)) {
		bool there = addr < TASK_SIZE_MAX - sizeof(u64) &&
			     from->read(from, addr, sizeof(u64), &w->word[w->n]);

		if (!there && addr > bad)
			break;
		if (!there)
			w->n = 0;
		else if (!w->n++)
			w->at = addr;
	}
}

/*
 * By frame pointers; what the addresses are is asked later. The task is
 * current, or cannot run, or will be found to have run.
 */
static void walk_user(struct gt_unwind *u, struct task_struct *p, struct user_memory *from)
{
	struct pt_regs *regs = task_pt_regs(p);
	u32 word = gt_arch_user_word(regs), down = GT_ARCH_DOWN_MAX;
	u64 pc = regs->ip, fp = gt_arch_user_fp(regs), at = regs->sp, next, ret;

	/* Interrupted there, not called from there. */
	if (u->call == -1)
		pc++;
	u->n_user = 0;
	u->user_fp = 0;
	u->user_end = GOTRACE_END_DEPTH;
	while (u->n_kernel + u->n_user < u->depth) {
		u->user[u->n_user++].pc = pc;
		u->user_end = GOTRACE_END_ROOT;
		if (!fp)
			break;
		u->user_end = GOTRACE_END_BAD;
		if (!gt_arch_user_fp_is_good(fp, word))
			break;
		u->user_fp = fp;
		u->user_end = GOTRACE_END_ABSENT;
		if (!from->read(from, fp, word, &next) ||
		    !from->read(from, fp + word, word, &ret))
			break;
		at = fp;
		u->user_end = ret ? GOTRACE_END_BAD : GOTRACE_END_ROOT;
		if (!gt_arch_user_follow(&fp, &pc, &down, next, ret))
			break;
		u->user_end = GOTRACE_END_DEPTH;
	}
	/* The frame that says where to go on. */
	if (u->debug && u->user_end != GOTRACE_END_ROOT && u->user_end != GOTRACE_END_DEPTH)
		take_user_words(&u->user_words, from, at);
}

/* Which files the addresses are in. The address space is locked. */
static void find_places(struct gt_unwind *u, struct mm_struct *mm)
{
	struct vm_area_struct *vma;
	u32 i;

	for (i = 0; i < u->n_user; i++) {
		struct gt_user_place *place = &u->user[i];

		vma = find_vma(mm, place->pc - 1);
		if (!vma || vma->vm_start > place->pc - 1 || !(vma->vm_flags & VM_EXEC))
			break;
		place->offset = place->pc - vma->vm_start;
		place->file = vma->vm_file;
		if (!place->file)
			continue;
		get_file(place->file);
		place->offset += (u64)vma->vm_pgoff << PAGE_SHIFT;
	}
	if (i < u->n_user) {
		u->n_user = i;
		u->user_end = GOTRACE_END_NO_CODE;
	}
	/* Memory that is not there now, or never. */
	if (u->user_end == GOTRACE_END_ABSENT) {
		vma = find_vma(mm, u->user_fp);
		if (!vma || vma->vm_start > u->user_fp || !(vma->vm_flags & VM_READ))
			u->user_end = GOTRACE_END_BAD;
	}
}

/* ---- Both ---- */

static void nothing_taken(struct gt_unwind *u, u32 user_end)
{
	u->n_kernel = 0;
	u->n_user = 0;
	u->kernel_end = GOTRACE_END_ROOT;
	u->user_end = user_end;
	u->kernel_words.n = 0;
	u->kernel_words.bad = 0;
	u->user_words.n = 0;
	u->user_words.bad = 0;
}

struct running {
	struct gt_unwind *u;
	struct task_struct *p;
	struct mm_struct *mm;	/* locked, or NULL */
	bool taken;
};

/* The task itself, interrupted or not. Interrupts off. */
static void take_running(struct running *r, bool interrupted)
{
	struct user_memory own = { .read = read_own };

	describe(r->u, r->p);
	take_kernel(r->u, r->p, interrupted);
	if (r->mm && r->mm == current->mm) {
		pagefault_disable();
		walk_user(r->u, r->p, &own);
		pagefault_enable();
	}
	r->taken = true;
}

/* An interrupt of the CPU where it ran; it may be gone by now. */
static void interrupt_func(void *data)
{
	struct running *r = data;

	if (r->p == current)
		take_running(r, true);
}

static bool try_running(struct gt_unwind *u, struct task_struct *p, struct mm_struct *mm)
{
	struct running r = { .u = u, .p = p, .mm = mm };

	if (p == current) {
		local_irq_disable();
		take_running(&r, false);
		local_irq_enable();
	} else {
		smp_call_function_single(task_cpu(p), interrupt_func, &r, 1);
	}
	return r.taken;
}

static unsigned long switches(struct task_struct *p)
{
	return READ_ONCE(p->nvcsw) + READ_ONCE(p->nivcsw);
}

/* Sets @u->state, of which the caller sees who must be interrupted instead. */
static bool try_waiting(struct gt_unwind *u, struct task_struct *p, struct mm_struct *mm)
{
	struct user_memory other = { .read = read_other, .mm = mm };
	unsigned long flags, before;

	raw_spin_lock_irqsave(&p->pi_lock, flags);
	describe(u, p);
	before = switches(p);
	if (u->state != GOTRACE_TASK_RUNNING && u->state != GOTRACE_TASK_DEAD)
		take_kernel(u, p, false);
	raw_spin_unlock_irqrestore(&p->pi_lock, flags);
	if (u->state == GOTRACE_TASK_RUNNING)
		return false;
	if (u->state == GOTRACE_TASK_DEAD)
		return true;
	if (mm && READ_ONCE(p->mm) == mm) {
		walk_user(u, p, &other);
		forget_page(&other);
	}
	smp_rmb();	/* all that was read of it before whether it ran */
	return !gt_task_is_on_cpu(p) && switches(p) == before;
}

static bool lock(struct gt_unwind *u, struct mm_struct *mm)
{
	u32 i;

	for (i = 0; i < LOCK_TRIES; i++) {
		if (mmap_read_trylock(mm))
			return true;
		/* One wait is enough for all its threads. */
		if (u->busy == mm)
			return false;
		usleep_range(500, 1500);
	}
	u->busy = mm;
	return false;
}

/**
 * gt_unwind_take() - a task's stack, and what it does
 * @u: out
 * @p: the task, held
 *
 * Whatever the task does, this comes to an end, with less than all if need be.
 * gt_unwind_put() must follow.
 *
 * Context: Process context, may sleep.
 */
void gt_unwind_take(struct gt_unwind *u, struct task_struct *p)
{
	struct mm_struct *mm = gt_task_has_no_calls(p) ? NULL : get_task_mm(p), *locked = NULL;
	bool taken = false;
	u32 i;

	if (mm && lock(u, mm))
		locked = mm;
	for (i = 0; i < TRIES && !taken; i++) {
		nothing_taken(u, locked ? GOTRACE_END_CHANGED :
				 mm ? GOTRACE_END_BUSY : GOTRACE_END_ROOT);
		taken = p != current && try_waiting(u, p, locked);
		if (!taken && (p == current || u->state == GOTRACE_TASK_RUNNING))
			taken = try_running(u, p, locked);
	}
	if (!taken) {
		nothing_taken(u, mm ? GOTRACE_END_CHANGED : GOTRACE_END_ROOT);
		u->kernel_end = GOTRACE_END_CHANGED;
	}
	if (locked) {
		find_places(u, locked);
		mmap_read_unlock(locked);
	}
	if (mm)
		mmput(mm);
}

/* Lets the files go. */
void gt_unwind_put(struct gt_unwind *u)
{
	u32 i;

	for (i = 0; i < u->n_user; i++)
		if (u->user[i].file)
			fput(u->user[i].file);
	u->n_user = 0;
}
