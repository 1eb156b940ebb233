// SPDX-License-Identifier: GPL-2.0
/*
 * Offsets in a file to functions and lines, with elfutils; see symbols.h.
 *
 * A wrong name is worse than none. So a build id must be the same; a file that
 * never had one (Go's linker made none for long) must not have changed since
 * the trace began; and a symbol is taken only if its bounds hold the address.
 */
#include "symbols.h"

#include <dlfcn.h>
#include <dwarf.h>
#if defined(__has_include) && !__has_include(<elfutils/libdwfl.h>)
#error "elfutils is missing: apt-get install libdw-dev"
#endif
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct symbols {
	Dwfl *dwfl;
	Dwfl_Module *mod;
	Elf *elf;		/* the file itself, at its own addresses */
	unsigned int machine;

	/* What the last look-up's frames point to. */
	char *texts[2 * (SYMBOLS_FRAMES_MAX + 2)];	/* a name, a path each */
	unsigned int n_texts;
};

/*
 * By build id only: a debug file that is known by its name and a checksum may
 * be another build's.
 */
static int find_debuginfo(Dwfl_Module *mod, void **data, const char *name,
			  Dwarf_Addr base, const char *file,
			  const char *debuglink, GElf_Word crc, char **path)
{
	const unsigned char *bits;
	GElf_Addr vaddr;

	if (dwfl_module_build_id(mod, &bits, &vaddr) <= 0)
		return -1;
	return dwfl_standard_find_debuginfo(mod, data, name, base, file,
					    debuglink, crc, path);
}

/* Never called: the file is given, not searched for. */
static int find_elf(Dwfl_Module *mod, void **data, const char *name,
		    Dwarf_Addr base, char **path, Elf **elf)
{
	(void)mod;
	(void)data;
	(void)name;
	(void)base;
	(void)path;
	(void)elf;
	return -1;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = find_elf,
	.find_debuginfo = find_debuginfo,
};

static bool has_build_id(Dwfl_Module *mod, const char *want)
{
	const unsigned char *bits;
	GElf_Addr vaddr;
	int n = dwfl_module_build_id(mod, &bits, &vaddr);
	char hex[3];

	if (n <= 0 || strlen(want) != 2 * (size_t)n)
		return false;
	for (int i = 0; i < n; i++) {
		snprintf(hex, sizeof(hex), "%02x", bits[i]);
		if (memcmp(hex, want + 2 * i, 2))
			return false;
	}
	return true;
}

/* A path out of a trace may be anything by now: no pipe, no device. */
static int open_file(const char *path, const char *build_id, int64_t since)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	int64_t changed;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		goto err;
	changed = st.st_ctim.tv_sec * 1000000000ll + st.st_ctim.tv_nsec;
	if (!build_id && (!since || changed >= since))
		goto err;
	return fd;

err:
	close(fd);
	return -1;
}

static bool load(struct symbols *s, const char *path, int fd)
{
	GElf_Ehdr ehdr;
	GElf_Addr bias;

	/* At address 0 plus what the file says: its own addresses. */
	s->mod = dwfl_report_elf(s->dwfl, path, path, fd, 0, true);
	if (!s->mod) {
		close(fd);
		return false;
	}
	if (dwfl_report_end(s->dwfl, NULL, NULL))
		return false;
	s->elf = dwfl_module_getelf(s->mod, &bias);
	if (!s->elf || bias || !gelf_getehdr(s->elf, &ehdr))
		return false;
	s->machine = ehdr.e_machine;
	return ehdr.e_type == ET_EXEC || ehdr.e_type == ET_DYN;
}

struct symbols *symbols_open(const char *path, const char *build_id,
			     int64_t unchanged_since)
{
	struct symbols *s;
	int fd = open_file(path, build_id, unchanged_since);

	if (fd < 0)
		return NULL;
	s = calloc(1, sizeof(*s));
	if (s)
		s->dwfl = dwfl_begin(&callbacks);
	if (!s || !s->dwfl) {
		close(fd);
		free(s);
		return NULL;
	}
	dwfl_report_begin(s->dwfl);
	if (!load(s, path, fd) || (build_id && !has_build_id(s->mod, build_id))) {
		symbols_close(s);
		return NULL;
	}
	return s;
}

static void forget_texts(struct symbols *s)
{
	while (s->n_texts)
		free(s->texts[--s->n_texts]);
}

void symbols_close(struct symbols *s)
{
	forget_texts(s);
	dwfl_end(s->dwfl);
	free(s);
}

/* The segment of code that has that offset of the file. */
static bool find_segment(const struct symbols *s, uint64_t offset,
			 GElf_Phdr *ph)
{
	size_t n;

	if (elf_getphdrnum(s->elf, &n))
		return false;
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(s->elf, i, ph) && ph->p_type == PT_LOAD &&
		    ph->p_flags & PF_X && offset >= ph->p_offset &&
		    offset - ph->p_offset < ph->p_filesz)
			return true;
	return false;
}

/* Calls of x86: e8 with 4 bytes, ff /2 with 0 to 5 more bytes, or syscall. */
static bool is_after_call_x86(const uint8_t *p)
{
	if (p[-5] == 0xe8 || (p[-2] == 0x0f && p[-1] == 0x05) ||
	    (p[-2] == 0x0f && p[-1] == 0x34) || (p[-2] == 0xcd && p[-1] == 0x80))
		return true;
	for (int n = 2; n <= 7; n++)
		if (p[-n] == 0xff && (p[1 - n] & 0x38) == 0x10)
			return true;
	return false;
}

bool symbols_is_return(const struct symbols *s, uint64_t offset)
{
	GElf_Phdr ph;
	size_t size;
	const char *raw = elf_rawfile(s->elf, &size);

	if (s->machine != EM_X86_64 && s->machine != EM_386)
		return true;
	if (!raw || offset < 8 || offset > size ||
	    !find_segment(s, offset - 1, &ph))
		return false;
	return is_after_call_x86((const uint8_t *)raw + offset);
}

/*
 * The address of the call that a return address is of: the one before, for the
 * call may be its function's last instruction. A signal's frame has no call,
 * and its return address is where a function begins.
 */
static bool call_address(struct symbols *s, uint64_t offset, GElf_Addr *out)
{
	Dwarf_Frame *frame = NULL;
	Dwarf_Addr start;
	GElf_Addr addr, bias;
	bool signal;
	Dwarf_CFI *cfi;
	GElf_Phdr ph;

	if (!offset || !find_segment(s, offset - 1, &ph))
		return false;
	addr = offset - 1 - ph.p_offset + ph.p_vaddr;
	cfi = dwfl_module_eh_cfi(s->mod, &bias);
	*out = addr;
	/* Unwinders look for it a byte too early as well: there it begins. */
	if (cfi && !dwarf_cfi_addrframe(cfi, addr - bias, &frame) &&
	    dwarf_frame_info(frame, &start, NULL, &signal) != -1 && signal &&
	    start == addr - bias)
		++*out;
	free(frame);
	return true;
}

/* The name as people write it. The demangler is there wherever C++ runs. */
static const char *readable(struct symbols *s, const char *name)
{
	static char *(*demangle)(const char *, char *, size_t *, int *);
	static bool tried;
	char *text;
	int status;

	if (strncmp(name, "_Z", 2))
		return name;
	if (!tried) {
		void *lib = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);

		tried = true;
		if (lib)
			*(void **)&demangle = dlsym(lib, "__cxa_demangle");
	}
	text = demangle ? demangle(name, NULL, NULL, &status) : NULL;
	if (!text)
		return name;
	s->texts[s->n_texts++] = text;
	return text;
}

static const char *die_name(struct symbols *s, Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	const char *name;

	if (!dwarf_attr_integrate(die, DW_AT_linkage_name, &attr) &&
	    !dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attr))
		return dwarf_diename(die);
	name = dwarf_formstring(&attr);
	/* Other languages' are for the linker. */
	if (!name || strncmp(name, "_Z", 2))
		return dwarf_diename(die);
	return readable(s, name);
}

/* The unit with that address. Not all compilers write the table of them. */
static Dwarf_Die *find_unit(struct symbols *s, GElf_Addr addr, GElf_Addr *bias)
{
	Dwarf_Die *cu = dwfl_module_addrdie(s->mod, addr, bias);

	if (cu)
		return cu;
	while ((cu = dwfl_module_nextcu(s->mod, cu, bias)))
		if (dwarf_haspc(cu, addr - *bias) > 0)
			return cu;
	return NULL;
}

static const char *absolute(struct symbols *s, const char *file,
			    const char *dir)
{
	char *text;

	if (!file || *file == '/' || !dir ||
	    asprintf(&text, "%s/%s", dir, file) < 0)
		return file;
	s->texts[s->n_texts++] = text;
	return text;
}

/* Where an inlined function was called: a file of the unit's, and a line. */
static void call_place(struct symbols *s, Dwarf_Die *cu, Dwarf_Die *inlined,
		       struct symbols_frame *out)
{
	Dwarf_Attribute attr;
	Dwarf_Files *files;
	Dwarf_Word v;
	size_t n;

	out->file = NULL;
	out->line = 0;
	if (!dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attr), &v) &&
	    v < INT_MAX)
		out->line = v;
	if (!dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attr), &v) &&
	    !dwarf_getsrcfiles(cu, &files, &n) && v < n)
		out->file = absolute(s, dwarf_filesrc(files, v, NULL, NULL),
				     dwarf_formstring(dwarf_attr(cu, DW_AT_comp_dir, &attr)));
}

static void line_place(struct symbols *s, Dwarf_Die *cu, GElf_Addr addr,
		       struct symbols_frame *out)
{
	Dwarf_Line *line = dwarf_getsrc_die(cu, addr);
	Dwarf_Attribute attr;
	int n;

	if (!line)
		return;
	out->file = absolute(s, dwarf_linesrc(line, NULL, NULL),
			     dwarf_formstring(dwarf_attr(cu, DW_AT_comp_dir, &attr)));
	if (!dwarf_lineno(line, &n) && n > 0)
		out->line = n;
}

/*
 * The function at an address and, inside of it, what was inlined there. Each
 * one's line is the place of the call to the one further in.
 */
static unsigned int find_dwarf(struct symbols *s, GElf_Addr addr,
			       struct symbols_frame *frames)
{
	Dwarf_Die *cu, *scopes, innermost;
	struct symbols_frame at = { 0 };
	unsigned int n = 0;
	GElf_Addr bias;
	int n_scopes;

	cu = find_unit(s, addr, &bias);
	if (!cu)
		return 0;
	n_scopes = dwarf_getscopes(cu, addr - bias, &scopes);
	if (n_scopes <= 0)
		return 0;
	/*
	 * Around an inlined function these are the scopes of its definition;
	 * here it is the place in the code that counts.
	 */
	innermost = scopes[0];
	free(scopes);
	n_scopes = dwarf_getscopes_die(&innermost, &scopes);
	if (n_scopes <= 0)
		return 0;
	line_place(s, cu, addr - bias, &at);
	for (int i = 0; i < n_scopes; i++) {
		int tag = dwarf_tag(&scopes[i]);

		if (tag != DW_TAG_inlined_subroutine &&
		    tag != DW_TAG_subprogram)
			continue;
		at.fn = die_name(s, &scopes[i]);
		if (!at.fn || n == SYMBOLS_FRAMES_MAX) {
			n = 0;
			break;
		}
		frames[n++] = at;
		if (tag == DW_TAG_subprogram) {
			free(scopes);
			return n;
		}
		call_place(s, cu, &scopes[i], &at);
	}
	/* No function around it, or one without a name. */
	free(scopes);
	forget_texts(s);
	return 0;
}

/* A function that is a symbol whose bounds hold the address. */
static unsigned int find_symbol(struct symbols *s, GElf_Addr addr,
				struct symbols_frame *frame)
{
	GElf_Off off;
	GElf_Sym sym = { 0 };
	const char *name = dwfl_module_addrinfo(s->mod, addr, &off, &sym, NULL,
						NULL, NULL);
	unsigned int type = GELF_ST_TYPE(sym.st_info);

	if (!name || !*name || off >= sym.st_size ||
	    (type != STT_FUNC && type != STT_GNU_IFUNC))
		return 0;
	frame->fn = readable(s, name);
	frame->file = NULL;
	frame->line = 0;
	return 1;
}

unsigned int symbols_find(struct symbols *s, uint64_t offset,
			  struct symbols_frame frames[SYMBOLS_FRAMES_MAX])
{
	GElf_Addr addr;
	unsigned int n;

	forget_texts(s);
	if (!call_address(s, offset, &addr))
		return 0;
	n = find_dwarf(s, addr, frames);
	return n ? n : find_symbol(s, addr, frames);
}
