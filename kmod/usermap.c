// SPDX-License-Identifier: GPL-2.0
/*
 * A user address means nothing without its address space, which is gone when
 * the trace is read. So at the entry of a system call, where mmap_lock may at
 * least be tried, each address becomes a file and an offset. What an address
 * space showed once is kept for it, and forgotten when it changes its
 * mappings: before and after mmap, munmap and the like by any of its threads,
 * and when it is born, for its struct may have been another's.
 *
 * Reading the kept ranges takes no lock: a sequence count tells whether they
 * were forgotten meanwhile. CPU samples, taken in interrupts, read what is kept.
 * For the rest a worker asks soon after, and believes the answer only if the
 * count says that nothing was forgotten since; it is to be asked no more when
 * the probes that see mappings change are gone.
 */
#include <linux/errno.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/hardirq.h>
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/mutex.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include "arch.h"
#include "arena.h"
#include "buildid.h"
#include "frame.h"
#include "ids.h"
#include "kick.h"
#include "string.h"
#include "usermap.h"

#define MM_HASH_BITS	10
#define FILE_HASH_BITS	8
#define RANGES_MAX	40	/* executable mappings of one address space, kept at once */

struct user_range {
	u64 start, end;
	u64 offset;		/* in the file, of address 0 */
	u32 file;
};

struct mm {
	struct mm *next;
	struct mm_struct *mm;	/* an identity */
	u32 seq;		/* odd while ranges are being forgotten */
	u32 n;
	struct user_range ranges[RANGES_MAX];
};

/* A file is held until its name was read; known again by what it is. */
struct file_entry {
	struct gt_user_file pub;
	struct file_entry *next;
	struct file *file;	/* held, or NULL; NULL too for code without a file */
	void *inode;
	u64 ino, size;
	u32 dev, generation;
	u32 id;
};

static struct {
	raw_spinlock_t lock;	/* any context but NMI; arena.lock nests inside */
	struct mm **mms;
	struct file_entry *files_hash[1 << FILE_HASH_BITS];
	struct gt_ids files;
	u32 unread;		/* files whose name is not known yet */
} maps = { .lock = __RAW_SPIN_LOCK_UNLOCKED(maps.lock) };

int gt_usermap_init(void)
{
	gt_ids_init(&maps.files);
	memset(maps.files_hash, 0, sizeof(maps.files_hash));
	maps.unread = 0;
	maps.mms = vzalloc(sizeof(*maps.mms) << MM_HASH_BITS);
	return maps.mms ? 0 : -ENOMEM;
}

/* No probe runs any more. */
void gt_usermap_destroy(void)
{
	u32 id;

	for (id = 1; id <= maps.files.count; id++) {
		struct file_entry *e = gt_ids_get(&maps.files, id);

		if (e->file)
			fput(e->file);
	}
	maps.files.count = 0;
	vfree(maps.mms);
	maps.mms = NULL;
}

/* ---- Files ---- */

static bool is_same_file(const struct file_entry *e, struct inode *inode)
{
	if (!inode)
		return !e->inode;
	return e->inode == inode && e->ino == inode->i_ino && e->dev == inode->i_sb->s_dev &&
	       e->generation == inode->i_generation && e->size == i_size_read(inode);
}

/*
 * The id of a mapping's file, NULL for code without one; 0 without memory. The
 * mapping holds the file meanwhile.
 */
static u32 file_id(struct file *file)
{
	struct inode *inode = file ? file_inode(file) : NULL;
	struct file_entry **head = &maps.files_hash[hash_ptr(inode, FILE_HASH_BITS)], *e;
	unsigned long flags;
	u32 id = 0;

	raw_spin_lock_irqsave(&maps.lock, flags);
	for (e = *head; e && !is_same_file(e, inode); e = e->next)
		;
	if (e) {
		id = e->id;
		goto out;
	}
	e = gt_arena_alloc(sizeof(*e));
	if (e)
		id = e->id = gt_ids_add_locked(&maps.files, e);
	if (!id)
		goto out;
	if (file) {
		e->file = get_file(file);
		e->inode = inode;
		e->ino = inode->i_ino;
		e->dev = inode->i_sb->s_dev;
		e->generation = inode->i_generation;
		e->size = i_size_read(inode);
	}
	WRITE_ONCE(maps.unread, maps.unread + 1);
	e->next = *head;
	*head = e;
out:
	raw_spin_unlock_irqrestore(&maps.lock, flags);
	if (READ_ONCE(maps.unread))
		gt_kick();
	return id;
}

bool gt_usermap_is_due(void)
{
	return READ_ONCE(maps.unread);
}

/**
 * gt_usermap_print() - a file as it is called in traces
 * @s:    "PATH" or "PATH [build-id HEX]"
 * @file: a mapping's, NULL for code without one
 * @buf:  PATH_MAX bytes
 *
 * Return: the length of @s.
 * Context: Process context, may sleep; waits for no file system.
 */
u32 gt_usermap_print(char s[GT_NAME_MAX], struct file *file, char *buf)
{
	char id[GT_BUILDID_MAX * 2 + 1];
	char *path = "[anon]";
	int len;

	if (file) {
		path = file_path(file, buf, PATH_MAX);
		if (IS_ERR(path))
			path = "?";
	}
	len = strlen(path);
	/* A very long path keeps its end, and is no path any more. */
	if (len > GT_NAME_MAX - 64)
		path += len - (GT_NAME_MAX - 64);
	if (file && gt_buildid_read(file, id))
		return scnprintf(s, GT_NAME_MAX, "%s [build-id %s]", path, id);
	return scnprintf(s, GT_NAME_MAX, "%s", path);
}

static void read_file_name(struct file_entry *e, char *buf)
{
	char s[GT_NAME_MAX], *base, *end;

	e->pub.string = gt_string_put(s, gt_usermap_print(s, e->file, buf));
	end = strstr(s, " [build-id ");
	if (end)
		*end = '\0';
	base = strrchr(s, '/');
	strscpy(e->pub.base, base && base[1] ? base + 1 : s, sizeof(e->pub.base));
}

/* The worker, kicked late, and who stops must not let the same file go twice. */
static DEFINE_MUTEX(naming);

/* Read the names of new files, and let them go. */
void gt_usermap_resolve_files(void)
{
	char *buf;
	u32 id;

	if (!READ_ONCE(maps.unread))
		return;
	buf = kmalloc(PATH_MAX, GFP_KERNEL);
	if (!buf)
		return;		/* the next kick tries again */
	mutex_lock(&naming);
	for (id = 1; id <= READ_ONCE(maps.files.count); id++) {
		struct file_entry *e = gt_ids_get(&maps.files, id);
		struct file *file;

		if (e->pub.string)
			continue;
		raw_spin_lock_irq(&maps.lock);	/* it is counted before it is filled in */
		file = e->file;
		raw_spin_unlock_irq(&maps.lock);
		read_file_name(e, buf);
		raw_spin_lock_irq(&maps.lock);
		e->file = NULL;
		WRITE_ONCE(maps.unread, maps.unread - 1);
		raw_spin_unlock_irq(&maps.lock);
		if (file)
			fput(file);
	}
	mutex_unlock(&naming);
	kfree(buf);
}

const struct gt_user_file *gt_usermap_file(u32 id)
{
	struct file_entry *e = gt_ids_get(&maps.files, id);

	return &e->pub;
}

/* ---- Address spaces ---- */

static struct mm *find_mm(struct mm_struct *mm)
{
	/* (B) see all of the entry; pairs with (A). */
	struct mm *m = smp_load_acquire(&maps.mms[hash_ptr(mm, MM_HASH_BITS)]);

	while (m && m->mm != mm)
		m = m->next;
	return m;
}

static struct mm *get_mm(struct mm_struct *mm)
{
	struct mm **head = &maps.mms[hash_ptr(mm, MM_HASH_BITS)], *m = find_mm(mm);
	unsigned long flags;

	if (likely(m))
		return m;
	raw_spin_lock_irqsave(&maps.lock, flags);
	m = find_mm(mm);
	if (!m) {
		m = gt_arena_alloc(sizeof(*m));
		if (m) {
			m->mm = mm;
			m->next = *head;
			smp_store_release(head, m);	/* (A) publish */
		}
	}
	raw_spin_unlock_irqrestore(&maps.lock, flags);
	return m;
}

static void forget_locked(struct mm *m)
{
	WRITE_ONCE(m->seq, m->seq + 1);
	smp_wmb();	/* (C) odd before the ranges go; pairs with (D) in find_range() */
	WRITE_ONCE(m->n, 0);
	smp_wmb();	/* (C) and gone before it is even */
	WRITE_ONCE(m->seq, m->seq + 1);
}

/**
 * gt_usermap_forget() - an address space is new, or changes its mappings
 * @mm: it, or NULL
 *
 * Context: Any context but NMI.
 */
void gt_usermap_forget(struct mm_struct *mm)
{
	struct mm *m = mm ? find_mm(mm) : NULL;
	unsigned long flags;

	if (!m)
		return;
	raw_spin_lock_irqsave(&maps.lock, flags);
	forget_locked(m);
	raw_spin_unlock_irqrestore(&maps.lock, flags);
}

/* The kept range that holds an address, as a frame; 0 when none does. */
static __always_inline u64 find_range(const struct mm *m, u64 pc)
{
	u32 seq = smp_load_acquire(&m->seq), n = READ_ONCE(m->n), i;	/* (D) */
	u64 frame = 0;

	smp_rmb();	/* ranges below n are written; pairs with the release in keep() */
	for (i = 0; i < n; i++) {
		const struct user_range *r = &m->ranges[i];

		if (pc >= READ_ONCE(r->start) && pc < READ_ONCE(r->end)) {
			frame = gt_frame_user(READ_ONCE(r->file), pc + READ_ONCE(r->offset));
			break;
		}
	}
	smp_rmb();	/* (D) */
	return seq & 1 || READ_ONCE(m->seq) != seq ? 0 : frame;
}

/* Keep a range, unless ranges were forgotten since @seq was read. */
static void keep(struct mm *m, const struct user_range *r, u32 seq)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&maps.lock, flags);
	if (m->seq == seq) {
		if (m->n == RANGES_MAX)
			forget_locked(m);
		m->ranges[m->n] = *r;
		smp_store_release(&m->n, m->n + 1);	/* the range is written */
	}
	raw_spin_unlock_irqrestore(&maps.lock, flags);
}

/* Ask the address space, whose lock is held. 0 for what is not code. */
static u64 ask_locked(struct mm *m, u64 pc, u32 seq)
{
	struct vm_area_struct *vma = find_vma(m->mm, pc);
	struct user_range r = { 0 };

	if (vma && vma->vm_start <= pc && (vma->vm_flags & VM_EXEC)) {
		r.start = vma->vm_start;
		r.end = vma->vm_end;
		r.offset = (vma->vm_file ? (u64)vma->vm_pgoff << PAGE_SHIFT : 0) - r.start;
		r.file = file_id(vma->vm_file);
	}
	if (!r.end)
		return 0;
	if (!r.file)
		return GT_STR_UNKNOWN;
	keep(m, &r, seq);
	return gt_frame_user(r.file, pc + r.offset);
}

/*
 * The same of the running task's. Tries its lock only: the frame is unknown when
 * that fails, and never guessed later.
 */
static noinline u64 ask(struct mm *m, u64 pc)
{
	u32 seq = smp_load_acquire(&m->seq);	/* before the mappings are looked at */
	u64 frame = GT_STR_UNKNOWN;

	if (mmap_read_trylock(m->mm)) {
		frame = ask_locked(m, pc, seq);
		mmap_read_unlock(m->mm);
	}
	return frame;
}

/**
 * gt_usermap_walk() - the running task's user stack, by frame pointers
 * @regs:   its registers on entry to the kernel, from user mode
 * @frames: where frames go, leaf first
 * @max:    how many at most
 *
 * A frame pointer that points to itself, into the kernel or to what is not
 * there ends the walk; so does a return address that is no code, and a chain
 * that comes back again and again.
 *
 * Return: how many.
 * Context: The task itself, entering a system call: interrupts on, no locks.
 */
u32 gt_usermap_walk(struct pt_regs *regs, u64 *frames, u32 max)
{
	struct mm *m = current->mm ? get_mm(current->mm) : NULL;
	u64 pc = regs->ip, fp = gt_arch_user_fp(regs), frame;
	u32 n = 0, down = GT_ARCH_DOWN_MAX, word = gt_arch_user_word(regs);

	if (!m)
		return 0;
	pagefault_disable();
	while (n < max) {
		frame = find_range(m, pc) ?: ask(m, pc);
		if (!frame)
			break;
		frames[n++] = frame;
		if (!gt_arch_user_next(&fp, &pc, &down, word))
			break;
	}
	pagefault_enable();
	return n;
}

/**
 * gt_usermap_walk_nofault() - the same, from an interrupt or an NMI
 * @regs:   its user registers, where it was interrupted or in a call
 * @exact:  they stand at an instruction, not behind one that called
 * @frames: where frames go, leaf first
 * @max:    how many at most
 * @todo:   set to what gt_usermap_resolve() or gt_usermap_forgo() must see
 *
 * What is not known of its addresses stays to be resolved. An exact leaf stands
 * one further, as if it had called.
 *
 * Return: how many.
 * Context: Any context, NMI included, but where the kernel changes address
 * spaces; @current is a user task.
 */
u32 gt_usermap_walk_nofault(struct pt_regs *regs, bool exact, u64 *frames, u32 max,
			    struct gt_user_todo *todo)
{
	/* Changes are only counted for those that are known. */
	struct mm *m = in_nmi() ? find_mm(current->mm) : get_mm(current->mm);
	u32 seq = m ? smp_load_acquire(&m->seq) : 1;	/* odd: never to be resolved */
	u64 pc = regs->ip, fp = gt_arch_user_fp(regs), frame;
	u32 n = 0, down = GT_ARCH_DOWN_MAX, word = gt_arch_user_word(regs);

	todo->mm = NULL;
	pagefault_disable();
	while (n < max) {
		frame = m ? find_range(m, pc) : 0;
		if (!frame) {
			frame = GT_FRAME_ADDRESS | pc;
			todo->mm = current->mm;
		}
		frames[n++] = frame + exact;
		exact = false;
		if (!gt_arch_user_next(&fp, &pc, &down, word))
			break;
	}
	pagefault_enable();
	if (todo->mm) {
		todo->seq = seq;
		mmgrab(todo->mm);
	}
	return n;
}

static u64 resolve(struct mm *m, u64 addr, u32 seq)
{
	/* The instruction before, as of a return address. */
	u64 frame = ask_locked(m, addr - 1, seq);

	/* The mappings, which cannot change now, may have before. */
	if (READ_ONCE(m->seq) != seq || frame == GT_STR_UNKNOWN)
		return GT_STR_UNKNOWN;
	return frame ? frame + 1 : 0;
}

/**
 * gt_usermap_resolve() - ask for what gt_usermap_walk_nofault() left
 * @todo:   what it said; done then
 * @frames: its frames
 * @n:      how many
 *
 * Return: how many are left: what is no code ends the walk.
 * Context: Process context.
 */
u32 gt_usermap_resolve(struct gt_user_todo *todo, u64 *frames, u32 n)
{
	struct mm_struct *mm = todo->mm;
	struct mm *m = get_mm(mm);
	bool known = !(todo->seq & 1) && m && mmget_not_zero(mm), locked;
	u32 i;

	locked = known && mmap_read_trylock(mm);
	for (i = 0; i < n; i++) {
		if (!(frames[i] & GT_FRAME_ADDRESS))
			continue;
		frames[i] = locked ? resolve(m, frames[i] & ~GT_FRAME_ADDRESS, todo->seq) :
				     GT_STR_UNKNOWN;
		if (!frames[i])
			break;
	}
	if (locked)
		mmap_read_unlock(mm);
	if (known)
		mmput(mm);
	gt_usermap_forgo(todo);
	return i;
}

/* Forget about it. Process context. */
void gt_usermap_forgo(struct gt_user_todo *todo)
{
	if (todo->mm)
		mmdrop(todo->mm);
	todo->mm = NULL;
}
