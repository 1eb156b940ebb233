// SPDX-License-Identifier: GPL-2.0
/*
 * From the frames of the stack table to Go's: functions and files are strings,
 * and a pc stands for one of each in the whole trace, so every frame gets a
 * small number of its own, which is shorter than an address and leaks nothing.
 *
 * All of this happens when stacks are dumped, by one reader.
 */
#include <linux/errno.h>
#include <linux/hash.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/vmalloc.h>
#include "arena.h"
#include "cpu.h"
#include "frame.h"
#include "usermap.h"

#define HASH_BITS	14

/* Above all strings' ids, which are pcs too. */
#define PC_FIRST	(1U << 20)

struct frame {
	struct frame *next;
	u64 key;
	struct gt_put_frame out;	/* .fn is 0: to be left out */
};

static struct {
	struct frame **hash;
	u32 count;
} table;

int gt_frame_init(void)
{
	table.count = 0;
	table.hash = vzalloc(sizeof(*table.hash) << HASH_BITS);
	return table.hash ? 0 : -ENOMEM;
}

void gt_frame_destroy(void)
{
	vfree(table.hash);
	table.hash = NULL;
}

/**
 * gt_frame_symbol() - the kernel's function that a return address is in
 * @sym:  out: what @addr is in; false when that has no name
 * @addr: the address; looked up is the instruction before it, for the call may
 *        be the last of its function
 *
 * Context: Any.
 */
bool gt_frame_symbol(struct gt_symbol *sym, unsigned long addr)
{
	char *plus, *module;

	/* "name+0xoff/0xsize [module]" */
	sprint_symbol(sym->name, addr - 1);
	plus = strchr(sym->name, '+');
	if (!plus || sscanf(plus, "+0x%lx", &sym->offset) != 1)
		return false;
	module = strchr(plus, '[');
	*plus = '\0';
	if (module) {
		sym->module = module + 1;
		module[1 + strcspn(module + 1, "] ")] = '\0';
	} else {
		sym->module = "vmlinux";
	}
	sym->offset++;
	return true;
}

static void resolve_kernel(struct gt_put_frame *out, unsigned long addr)
{
	char fn[KSYM_NAME_LEN + 24];
	struct gt_symbol sym;

	if (!gt_frame_symbol(&sym, addr))
		return;
	/* Glue between the traced place and our probe. */
	if (!strncmp(sym.name, "__traceiter_", 12)) {
		out->fn = 0;
		return;
	}
	out->fn = gt_string_put(fn, scnprintf(fn, sizeof(fn), "%s+0x%lx", sym.name, sym.offset));
	out->file = gt_string_put(sym.module, strlen(sym.module));
	if (gt_options.raw)
		out->pc = addr;
}

static void resolve_user(struct gt_put_frame *out, u64 frame)
{
	char fn[GT_USERMAP_BASE_MAX + 24];
	const struct gt_user_file *file;
	u64 offset = frame & GT_FRAME_OFFSET_MASK;

	file = gt_usermap_file((frame & ~GT_FRAME_USER) >> GT_FRAME_OFFSET_BITS);
	out->fn = gt_string_put(fn, scnprintf(fn, sizeof(fn), "%s+0x%llx", file->base, offset));
	out->file = file->string;
}

static struct frame *find(u64 key)
{
	struct frame **head = &table.hash[hash_64(key, HASH_BITS)], *f;

	for (f = *head; f; f = f->next)
		if (f->key == key)
			return f;
	gt_arena_refill(0);
	f = gt_arena_alloc(sizeof(*f));
	if (!f)
		return NULL;
	f->key = key;
	f->out = gt_frame_of_string(GT_STR_UNKNOWN);
	f->out.pc = PC_FIRST + table.count++;
	if (key & GT_FRAME_KERNEL)
		resolve_kernel(&f->out, key);
	else
		resolve_user(&f->out, key);
	/* A string stands for itself; so all unknown ones are one. */
	if (f->out.fn == GT_STR_UNKNOWN)
		f->out = gt_frame_of_string(GT_STR_UNKNOWN);
	f->next = *head;
	*head = f;
	return f;
}

/**
 * gt_frame_resolve() - the frames of a stack as Go has them
 * @out: as many as @n
 * @frames: leaf first
 * @n: 1 to GT_STACK_FRAMES_MAX
 *
 * Return: how many there are, at least one.
 */
u32 gt_frame_resolve(struct gt_put_frame *out, const u64 *frames, u32 n)
{
	u32 i, to = 0;

	for (i = 0; i < n; i++) {
		struct frame *f = NULL;

		if (frames[i] >> 32) {
			f = find(frames[i]);
			if (f && !f->out.fn)
				continue;
			out[to++] = f ? f->out : gt_frame_of_string(GT_STR_UNKNOWN);
		} else {
			out[to++] = gt_frame_of_string(frames[i]);
		}
	}
	if (!to)
		out[to++] = gt_frame_of_string(GT_STR_UNKNOWN);
	return to;
}
