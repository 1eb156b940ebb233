// SPDX-License-Identifier: GPL-2.0
/*
 * The GNU build id of an ELF file: the kernel has a reader of its own, which
 * it exports to nobody. Like that one, it looks only at what the page cache
 * holds, so it never waits for a file system, whoever serves it.
 */
#include <linux/elf.h>
#include <linux/fs.h>
#include <linux/highmem.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/pagemap.h>
#include <linux/string.h>
#include "buildid.h"
#include "compat.h"

#ifndef NT_GNU_BUILD_ID
#define NT_GNU_BUILD_ID	3
#endif

#define PHDRS_MAX	32
#define NOTES_MAX	1024	/* bytes looked at of each note segment */

/* From one page; false when it is not there. */
static bool read_in_page(struct file *file, void *to, size_t n, u64 at)
{
	struct page *page = find_get_page(file->f_mapping, at >> PAGE_SHIFT);
	bool ok;
	u8 *p;

	if (!page)
		return false;
	ok = PageUptodate(page);
	if (ok) {
		p = kmap_local_page(page);
		memcpy(to, p + offset_in_page(at), n);
		kunmap_local(p);
	}
	put_page(page);
	return ok;
}

/* What lies behind the end of the file reads as zeroes, which mean nothing here. */
static bool read_at(struct file *file, void *to, size_t n, u64 at)
{
	size_t part;

	for (; n; n -= part, at += part, to += part) {
		part = min_t(size_t, n, PAGE_SIZE - offset_in_page(at));
		if (!read_in_page(file, to, part, at))
			return false;
	}
	return true;
}

/* Notes: name size, data size, type, then both padded to four bytes. */
static bool find_note(const u8 *notes, size_t size, char *hex)
{
	const struct elf32_note *n;
	size_t at = 0, data;

	while (size - at >= sizeof(*n)) {
		n = (const void *)(notes + at);
		data = at + sizeof(*n) + ALIGN((size_t)n->n_namesz, 4);
		if (n->n_namesz > size || n->n_descsz > size || data + n->n_descsz > size)
			return false;
		if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 &&
		    !memcmp(n + 1, "GNU", 4)) {
			if (!n->n_descsz || n->n_descsz > GT_BUILDID_MAX)
				return false;
			*bin2hex(hex, notes + data, n->n_descsz) = '\0';
			return true;
		}
		at = data + ALIGN((size_t)n->n_descsz, 4);
		if (at > size)
			return false;
	}
	return false;
}

static bool read_notes(struct file *file, u64 offset, u64 size, char *hex)
{
	u8 notes[NOTES_MAX] __aligned(4);
	size_t n = min_t(u64, size, sizeof(notes));

	return read_at(file, notes, n, offset) && find_note(notes, n, hex);
}

/* False for what is no ELF file, or has none. */
bool gt_buildid_read(struct file *file, char hex[GT_BUILDID_MAX * 2 + 1])
{
	struct elf64_hdr h;
	const struct elf32_hdr *h32 = (const void *)&h;
	bool is64;
	u32 i, n;

	if (!read_at(file, &h, sizeof(h), 0) || memcmp(h.e_ident, ELFMAG, SELFMAG))
		return false;
	is64 = h.e_ident[EI_CLASS] == ELFCLASS64;
	n = min_t(u32, is64 ? h.e_phnum : h32->e_phnum, PHDRS_MAX);
	for (i = 0; i < n; i++) {
		struct elf64_phdr p;
		struct elf32_phdr p32;

		if (is64) {
			if (!read_at(file, &p, sizeof(p), h.e_phoff + i * sizeof(p)))
				return false;
		} else {
			if (!read_at(file, &p32, sizeof(p32), h32->e_phoff + i * sizeof(p32)))
				return false;
			p.p_type = p32.p_type;
			p.p_offset = p32.p_offset;
			p.p_filesz = p32.p_filesz;
		}
		if (p.p_type == PT_NOTE && read_notes(file, p.p_offset, p.p_filesz, hex))
			return true;
	}
	return false;
}
