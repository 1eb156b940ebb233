// SPDX-License-Identifier: GPL-2.0
/* gotrace stacks: every task's stack at this moment, as Go's tracebacks look. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "cmd.h"
#include "dev.h"
#include "out.h"
#include "traceback.h"
#include "userframe.h"

static const char usage[] =
"usage: gotrace stacks [OPTION]...\n"
"\n"
"Prints every task's stack at this moment: what it does in the kernel, which\n"
"call that is, and who called, by frame pointers. Nothing is stopped, and no\n"
"session is needed; while one is tracing, tasks born in it show who made them.\n"
"Loads the module if it is not there (from $GOTRACE_KO if that is set).\n"
"\n"
"  -a, --all          kernel threads too\n"
"  -p, --pid PID,...  only these processes, and tasks; kernel threads or not\n"
"  --depth N          frames of a stack at most, 1 to 126 (64)\n"
"  --debug            addresses, and the memory around frames that cannot be\n"
"                     followed; wants CAP_SYSLOG and CAP_SYS_PTRACE\n"
"  --no-symbols       programs' frames as offsets in their files\n"
"  --json             one JSON object a line and task\n"
"  -h, --help         this text\n"
"  -V, --version      which gotrace this is\n"
"\n"
"Exit code: 0; 1 when it failed, or a PID is nobody's; 2 when the usage was wrong.\n";

enum { OPT_DEPTH = 256, OPT_DEBUG, OPT_NO_SYMBOLS, OPT_JSON };

static const struct option options[] = {
	{ "all", no_argument, NULL, 'a' },
	{ "pid", required_argument, NULL, 'p' },
	{ "depth", required_argument, NULL, OPT_DEPTH },
	{ "debug", no_argument, NULL, OPT_DEBUG },
	{ "no-symbols", no_argument, NULL, OPT_NO_SYMBOLS },
	{ "json", no_argument, NULL, OPT_JSON },
	ARGS_COMMON
};

static const struct args args = { "stacks", usage, options, false };

/* ---- Words ---- */

#define WORD(table, i) \
	((i) < sizeof(table) / sizeof((table)[0]) ? (table)[i] : "unknown")

static const char *state_word(uint32_t state)
{
	static const char *const words[] = {
		[GOTRACE_TASK_RUNNING] = "running",
		[GOTRACE_TASK_RUNNABLE] = "runnable",
		[GOTRACE_TASK_ASLEEP] = "asleep",
		[GOTRACE_TASK_STOPPED] = "stopped",
		[GOTRACE_TASK_TRACED] = "traced",
		[GOTRACE_TASK_DEAD] = "dead",
	};

	return WORD(words, state);
}

static const char *reason_word(uint32_t reason)
{
	static const char *const words[] = {
		[GOTRACE_WAIT_NONE] = "asleep",
		[GOTRACE_WAIT_SLEEP] = "sleep",
		[GOTRACE_WAIT_NET] = "network",
		[GOTRACE_WAIT_SELECT] = "poll",
		[GOTRACE_WAIT_SYNC] = "lock",
		[GOTRACE_WAIT_COND] = "wait",
		[GOTRACE_WAIT_RECV] = "receive",
		[GOTRACE_WAIT_SEND] = "send",
		[GOTRACE_WAIT_RECLAIM] = "memory",
		[GOTRACE_WAIT_DISK] = "disk",
	};

	return WORD(words, reason);
}

static const char *end_word(uint32_t end)
{
	static const char *const words[] = {
		[GOTRACE_END_ROOT] = "root",
		[GOTRACE_END_DEPTH] = "depth",
		[GOTRACE_END_BAD] = "bad",
		[GOTRACE_END_NO_CODE] = "no_code",
		[GOTRACE_END_ABSENT] = "absent",
		[GOTRACE_END_BUSY] = "busy",
		[GOTRACE_END_CHANGED] = "changed",
	};

	return WORD(words, end);
}

/* What is printed where a stack ends too early; "" for nothing. */
static const char *end_line(uint32_t end, bool kernel, bool debug)
{
	switch (end) {
	case GOTRACE_END_DEPTH:
		return "...additional frames elided...\n";
	case GOTRACE_END_ABSENT:
		return "...the rest of the stack is not in memory...\n";
	case GOTRACE_END_BUSY:
		return "...the program's frames cannot be looked at, its address space is locked...\n";
	case GOTRACE_END_CHANGED:
		return kernel ? "...it comes and goes too fast to be caught...\n" : "";
	case GOTRACE_END_BAD:
		if (kernel)
			return "...the kernel's unwinder is not sure of these frames...\n";
		return debug ? "...no frame pointer leads on...\n" : "";
	case GOTRACE_END_NO_CODE:
		return debug ? "...what should be a return address is none...\n" : "";
	default:
		return "";
	}
}

/* Kernel threads' names in brackets, as everywhere. */
static struct gt_string task_name(const struct gotrace_tb_task *rec)
{
	static char name[sizeof(rec->comm) + 3];
	int len = strnlen(rec->comm, sizeof(rec->comm));

	len = snprintf(name, sizeof(name), rec->flags & GOTRACE_TB_KTHREAD ?
		       "[%.*s]" : "%.*s", len, rec->comm);
	return (struct gt_string){ name, len };
}

/* "FUNCTION [MODULE]" taken apart. */
static struct gt_string kernel_function(struct gt_string name,
					struct gt_string *module)
{
	const char *bracket = memchr(name.text, '[', name.len);

	*module = (struct gt_string){ "vmlinux", 7 };
	if (!bracket || bracket - name.text < 2 || name.text[name.len - 1] != ']')
		return name;
	module->text = bracket + 1;
	module->len = name.text + name.len - 1 - module->text;
	return (struct gt_string){ name.text, bracket - 1 - name.text };
}

static struct gt_string base_of(struct gt_string path)
{
	const char *slash = memrchr(path.text, '/', path.len);

	if (!slash || slash + 1 == path.text + path.len)
		return path;
	return (struct gt_string){
		slash + 1, path.text + path.len - (slash + 1)
	};
}

/* ---- For people ---- */

static void out_hex(uint64_t v)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, v);
	out_text(text);
}

static void print_offset(const struct gotrace_tb_frame *rec)
{
	out_text(" +");
	out_hex(rec->offset);
	if (rec->address) {
		out_text(" pc=");
		out_hex(rec->address);
	}
	out_char('\n');
}

static void print_kernel(const struct tb_frame *f)
{
	struct gt_string module, fn = kernel_function(f->name, &module);

	if (!f->name.len)
		fn = (struct gt_string){ "?", 1 };
	out_field(fn.text, fn.len, "");
	out_text("\n\t");
	out_field(module.text, module.len, "");
	print_offset(f->rec);
}

static void print_user(const struct tb_frame *f)
{
	struct gt_string path = f->name.len ? userframe_file(f->name).path :
					      (struct gt_string){ "?", 1 };
	struct gt_string base = base_of(path);

	for (unsigned int i = 0; i < f->n_lines; i++) {
		const struct tb_line *l = &f->lines[i];

		out_text(l->fn);
		out_text("\n\t");
		if (l->file && l->line) {
			out_field(l->file, strlen(l->file), "");
			out_char(':');
			out_u64(l->line);
		} else {
			out_field(path.text, path.len, "");
		}
		print_offset(f->rec);
	}
	if (f->n_lines)
		return;
	out_field(base.text, base.len, "");
	out_text("+");
	out_hex(f->rec->offset);
	out_text("\n\t");
	out_field(path.text, path.len, "");
	print_offset(f->rec);
}

static void print_frame(const struct tb_frame *f)
{
	switch (f->rec->kind) {
	case GOTRACE_FRAME_KERNEL:
		print_kernel(f);
		break;
	case GOTRACE_FRAME_USER:
		print_user(f);
		break;
	default:
		out_field(f->name.text, f->name.len, "");
		out_char('\n');
	}
}

/* "poll, 5 minutes, pinned to cpu 1" */
static void print_state(const struct gotrace_tb_task *rec)
{
	uint64_t minutes = rec->asleep / 60000000000ull;

	out_text(rec->state == GOTRACE_TASK_ASLEEP ? reason_word(rec->reason) :
		 state_word(rec->state));
	if (rec->state == GOTRACE_TASK_RUNNING) {
		out_text(" on cpu ");
		out_u64(rec->cpu);
	}
	if (minutes) {
		out_text(", ");
		out_u64(minutes);
		out_text(" minutes");
	}
	if (rec->flags & GOTRACE_TB_PINNED) {
		out_text(", pinned to cpu ");
		out_u64(rec->pinned);
	}
	if (rec->tid != rec->pid) {
		out_text(", thread of ");
		out_u64(rec->pid);
	}
}

static void print_created(const struct tb_task *t)
{
	const struct tb_frame *f = &t->frames[t->rec->n_frames];
	uint32_t n = t->rec->n_created, first = 0;

	if (!(t->rec->flags & GOTRACE_TB_CREATED))
		return;
	/* The call itself only says that a task was made. */
	while (first < n && f[first].rec->kind != GOTRACE_FRAME_USER)
		first++;
	out_text("created by task ");
	out_u64(t->rec->created_tid);
	out_char(' ');
	out_json(t->created_name.text, t->created_name.len);
	out_text(first < n ? " at\n" : "\n");
	for (; first < n; first++)
		print_frame(&f[first]);
}

/* Two words a line; the bad frame's is marked. */
static void print_words(const char *what, const uint64_t *words, uint32_t n,
			uint64_t at, uint64_t bad)
{
	char text[64];

	if (!n)
		return;
	snprintf(text, sizeof(text), "%s stack around %#" PRIx64 ":", what, bad);
	out_text(text);
	for (uint32_t i = 0; i < n; i++) {
		uint64_t here = at + 8ull * i;

		if (!i || !(here & 15)) {
			snprintf(text, sizeof(text), "\n0x%016" PRIx64 ": ", here & ~UINT64_C(15));
			out_text(text);
			if (here & 15)
				out_text("                    ");
		}
		snprintf(text, sizeof(text), "%c0x%016" PRIx64 " ",
			 here == (bad & ~7ull) ? '>' : ' ', words[i]);
		out_text(text);
	}
	out_char('\n');
}

static void print_task(const struct tb_task *t, bool debug)
{
	const struct gotrace_tb_task *rec = t->rec;
	struct gt_string name = task_name(rec);
	uint32_t i = 0;

	out_text("task ");
	out_u64(rec->tid);
	out_char(' ');
	out_json(name.text, name.len);
	out_text(" [");
	print_state(rec);
	out_text("]:\n");
	for (; i < rec->n_frames; i++) {
		if (t->frames[i].rec->kind != GOTRACE_FRAME_KERNEL)
			break;
		print_frame(&t->frames[i]);
	}
	out_text(end_line(rec->kernel_end, true, debug));
	for (; i < rec->n_frames; i++)
		print_frame(&t->frames[i]);
	out_text(end_line(rec->user_end, false, debug));
	print_created(t);
	print_words("kernel", t->words, rec->kernel_words, rec->kernel_at,
		    rec->kernel_bad);
	print_words("user", t->words + rec->kernel_words, rec->user_words,
		    rec->user_at, rec->user_bad);
	out_char('\n');
}

/* ---- For programs ---- */

static void json_key(const char *key)
{
	out_text(",\"");
	out_text(key);
	out_text("\":");
}

static void json_number(const char *key, uint64_t v)
{
	json_key(key);
	out_u64(v);
}

static void json_string(const char *key, struct gt_string s)
{
	json_key(key);
	out_json(s.text, s.len);
}

static void json_text(const char *key, const char *text)
{
	json_string(key, gt_string_of(text));
}

static void json_place(const struct gotrace_tb_frame *rec)
{
	json_number("offset", rec->offset);
	if (rec->address)
		json_number("address", rec->address);
	out_char('}');
}

static void json_user(const struct tb_frame *f)
{
	struct userframe_file file = userframe_file(f->name);
	unsigned int i = 0;

	do {
		out_text(i ? ",{\"kind\":\"user\"" : "{\"kind\":\"user\"");
		if (i < f->n_lines) {
			json_text("fn", f->lines[i].fn);
			if (f->lines[i].file && f->lines[i].line) {
				json_text("file", f->lines[i].file);
				json_number("line", f->lines[i].line);
			}
		}
		json_string("binary", file.path);
		if (file.has_id)
			json_string("build_id", file.id);
		json_place(f->rec);
	} while (++i < f->n_lines);
}

static void json_frame(const struct tb_frame *f)
{
	struct gt_string module, fn;

	switch (f->rec->kind) {
	case GOTRACE_FRAME_USER:
		json_user(f);
		break;
	case GOTRACE_FRAME_KERNEL:
		fn = kernel_function(f->name, &module);
		out_text("{\"kind\":\"kernel\"");
		json_string("fn", fn);
		json_string("module", module);
		json_place(f->rec);
		break;
	default:
		out_text("{\"kind\":\"call\"");
		json_string("fn", f->name);
		out_char('}');
	}
}

static void json_frames(const struct tb_frame *f, uint32_t n)
{
	json_key("frames");
	out_char('[');
	for (uint32_t i = 0; i < n; i++) {
		if (i)
			out_char(',');
		json_frame(&f[i]);
	}
	out_char(']');
}

static void json_words(const char *key, const uint64_t *words, uint32_t n,
		       uint64_t at, uint64_t bad)
{
	if (!bad)
		return;
	json_key(key);
	out_text("{\"bad\":");
	out_u64(bad);
	json_number("at", at);
	json_key("words");
	out_char('[');
	for (uint32_t i = 0; i < n; i++) {
		if (i)
			out_char(',');
		out_u64(words[i]);
	}
	out_text("]}");
}

static void json_task(const struct tb_task *t)
{
	const struct gotrace_tb_task *rec = t->rec;

	out_text("{\"tid\":");
	out_u64(rec->tid);
	json_number("pid", rec->pid);
	json_string("name", task_name(rec));
	json_key("kernel_thread");
	out_text(rec->flags & GOTRACE_TB_KTHREAD ? "true" : "false");
	json_text("state", state_word(rec->state));
	if (rec->state == GOTRACE_TASK_ASLEEP)
		json_text("reason", reason_word(rec->reason));
	json_number("cpu", rec->cpu);
	if (rec->flags & GOTRACE_TB_PINNED)
		json_number("pinned_cpu", rec->pinned);
	if (rec->asleep)
		json_number("asleep_ns", rec->asleep);
	json_frames(t->frames, rec->n_frames);
	json_text("kernel_end", end_word(rec->kernel_end));
	json_text("user_end", end_word(rec->user_end));
	if (rec->flags & GOTRACE_TB_CREATED) {
		json_key("created_by");
		out_text("{\"tid\":");
		out_u64(rec->created_tid);
		json_string("name", t->created_name);
		json_frames(&t->frames[rec->n_frames], rec->n_created);
		out_char('}');
	}
	json_words("kernel_words", t->words, rec->kernel_words, rec->kernel_at,
		   rec->kernel_bad);
	json_words("user_words", t->words + rec->kernel_words, rec->user_words,
		   rec->user_at, rec->user_bad);
	out_text("}\n");
}

/* ---- The command ---- */

static uint32_t pids[GOTRACE_TRACEBACK_PIDS_MAX];

/* "1,2,3" is added to those there are. */
static uint32_t add_pids(uint32_t n, char *list)
{
	char *save;

	if (!*list)
		args_fail(&args, "--pid takes something like 1234 or 1234,1235");
	for (char *one = strtok_r(list, ",", &save); one;
	     one = strtok_r(NULL, ",", &save)) {
		if (n == GOTRACE_TRACEBACK_PIDS_MAX)
			args_fail(&args, "--pid takes %u numbers at most", n);
		pids[n++] = args_number(&args, "--pid", one, 1, INT32_MAX);
	}
	return n;
}

/* Say which of the wanted are not there. Return: how many. */
static unsigned int missing(const struct traceback *tb, uint32_t n)
{
	unsigned int bad = 0;

	for (uint32_t i = 0; i < n; i++) {
		size_t k = 0;

		while (k < tb->n_tasks && tb->tasks[k].rec->tid != pids[i] &&
		       tb->tasks[k].rec->pid != pids[i])
			k++;
		if (k < tb->n_tasks)
			continue;
		fprintf(stderr, "gotrace stacks: there is no task %u\n", pids[i]);
		bad++;
	}
	return bad;
}

static int fail(int err)
{
	fprintf(stderr, "gotrace stacks: cannot take stacks: %s\n", strerror(-err));
	if (err == -EPERM)
		fputs("The option --debug needs the capabilities CAP_SYSLOG and CAP_SYS_PTRACE.\n",
		      stderr);
	else if (err == -EACCES)
		fputs("This needs root, or the capability CAP_PERFMON.\n", stderr);
	else if (err == -ENOTTY)
		fputs("The module that is loaded is older than this gotrace.\n", stderr);
	return EXIT_FAILED;
}

int cmd_stacks(int argc, char **argv)
{
	struct gotrace_traceback arg = { 0 };
	bool symbols = true, json = false;
	bool debug;
	struct traceback tb;
	void *reply;
	int opt, fd, err;

	while ((opt = args_next(&args, argc, argv)) != -1) {
		switch (opt) {
		case 'a':
			arg.flags |= GOTRACE_TRACEBACK_KTHREADS;
			break;
		case 'p':
			arg.pids_len = add_pids(arg.pids_len, optarg);
			arg.pids_addr = (uintptr_t)pids;
			break;
		case OPT_DEPTH:
			arg.depth = args_number(&args, "--depth", optarg, 1,
						GOTRACE_DEPTH_MAX);
			break;
		case OPT_DEBUG:
			arg.flags |= GOTRACE_TRACEBACK_DEBUG;
			break;
		case OPT_NO_SYMBOLS:
			symbols = false;
			break;
		case OPT_JSON:
			json = true;
			break;
		}
	}
	args_end(&args, argc, argv);

	fd = dev_open("stacks", DEV_CONTROL, true);
	if (fd < 0)
		return EXIT_FAILED;
	err = dev_traceback(fd, &arg, &reply);
	close(fd);
	if (err)
		return fail(err);
	debug = arg.flags & GOTRACE_TRACEBACK_DEBUG;
	if (traceback_init(&tb, reply, arg.buf_len) ||
	    (symbols && traceback_symbolize(&tb))) {
		fputs("gotrace stacks: no memory, or the reply makes no sense\n",
		      stderr);
		err = -1;
	}
	for (size_t i = 0; i < tb.n_tasks && !err; i++) {
		if (json)
			json_task(&tb.tasks[i]);
		else
			print_task(&tb.tasks[i], debug);
	}
	if (!err && missing(&tb, arg.pids_len))
		err = -1;
	traceback_exit(&tb);
	free(reply);
	if (out_flush()) {
		fputs("gotrace stacks: cannot write\n", stderr);
		err = -1;
	}
	return err ? EXIT_FAILED : EXIT_OK;
}
