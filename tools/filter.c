// SPDX-License-Identifier: GPL-2.0
/* What a session is about; see filter.h. */
#include "filter.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The numbers of calls that the kernel's headers had when this was built. */
struct call {
	const char *name;
	uint32_t nr;
};

static const struct call calls_64[] = {
#include "calls_64.inc"
	{ 0 }
};

static const struct call calls_32[] = {
#include "calls_32.inc"
	{ 0 }
};

/* The next word of a list; NULL after the last. *at begins at the list's start. */
static const char *next_word(const struct args *args, const char *option, const char **at,
			     char *word, size_t size)
{
	size_t n;

	if (!*at)
		return NULL;
	n = strcspn(*at, ",");
	if (!n || n >= size)
		args_fail(args, "%s takes a list with commas between, '%s' has %s in it", option,
			  *at, n ? "too long a word" : "nothing");
	memcpy(word, *at, n);
	word[n] = '\0';
	*at = (*at)[n] ? *at + n + 1 : NULL;
	return word;
}

static void add(struct gotrace_list *list, uint32_t *to, uint32_t max, uint32_t value,
		const struct args *args, const char *option)
{
	if (list->len == max)
		args_fail(args, "%s takes at most %u", option, max);
	to[list->len++] = value;
}

static void add_ids(struct gotrace_list *list, uint32_t *to, const struct args *args,
		    const char *option, const char *text)
{
	char word[24];

	while (next_word(args, option, &text, word, sizeof(word)))
		add(list, to, GOTRACE_FILTER_IDS_MAX,
		    args_number(args, option, word, 1, INT32_MAX), args, option);
}

void filter_tids(struct filter *f, const struct args *args, const char *text)
{
	add_ids(&f->arg.tids, f->tids, args, "--tid", text);
}

void filter_pids(struct filter *f, const struct args *args, const char *text)
{
	add_ids(&f->arg.tgids, f->tgids, args, "--pid", text);
}

void filter_add_pid(struct filter *f, uint32_t pid)
{
	if (f->arg.tgids.len < GOTRACE_FILTER_IDS_MAX)
		f->tgids[f->arg.tgids.len++] = pid;
}

void filter_uids(struct filter *f, const struct args *args, const char *text)
{
	const struct passwd *pw;
	char word[64], *end;
	unsigned long uid;

	while (next_word(args, "--uid", &text, word, sizeof(word))) {
		uid = strtoul(word, &end, 10);
		if (*end || *word == '-' || uid >= UINT32_MAX) {
			pw = getpwnam(word);
			if (!pw)
				args_fail(args, "--uid: there is no user '%s'", word);
			uid = pw->pw_uid;
		}
		add(&f->arg.uids, f->uids, GOTRACE_FILTER_IDS_MAX, uid, args, "--uid");
	}
}

/* Not a list: a name may have commas. */
void filter_comm(struct filter *f, const struct args *args, const char *text)
{
	struct gotrace_list *list = &f->arg.comms;

	if (!*text || strlen(text) >= GOTRACE_FILTER_COMM_SIZE)
		args_fail(args, "--comm takes a pattern of 1 to %d characters, not '%s'",
			  GOTRACE_FILTER_COMM_SIZE - 1, text);
	if (list->len == GOTRACE_FILTER_COMMS_MAX)
		args_fail(args, "--comm can be given %d times at most", GOTRACE_FILTER_COMMS_MAX);
	strcpy(f->comms[list->len++], text);
}

/* As it is, or from where such groups are mounted. */
static int open_cgroup(const char *path)
{
	static const char *const mounts[] = { "", "/sys/fs/cgroup/", "/sys/fs/cgroup/unified/" };
	char full[4096];
	int fd = -1;

	for (size_t i = 0; fd < 0 && i < sizeof(mounts) / sizeof(mounts[0]); i++) {
		snprintf(full, sizeof(full), "%s%s/cgroup.procs", mounts[i], path);
		if (access(full, F_OK))
			continue;
		full[strlen(full) - strlen("/cgroup.procs")] = '\0';
		fd = open(full, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	return fd;
}

void filter_cgroup(struct filter *f, const struct args *args, const char *text)
{
	struct gotrace_list *list = &f->arg.cgroups;
	int fd = open_cgroup(text);

	if (fd < 0)
		args_fail(args, "--cgroup: there is no control group '%s'", text);
	if (list->len == GOTRACE_FILTER_CGROUPS_MAX)
		args_fail(args, "--cgroup can be given %d times at most",
			  GOTRACE_FILTER_CGROUPS_MAX);
	f->cgroups[list->len++] = fd;
}

void filter_cpus(struct filter *f, const struct args *args, const char *text)
{
	const unsigned int max = 8 * GOTRACE_FILTER_CPUS_MAX - 1;
	unsigned int first, last;
	char word[24], *dash;

	while (next_word(args, "--cpu", &text, word, sizeof(word))) {
		dash = strchr(word, '-');
		if (dash)
			*dash++ = '\0';
		first = args_number(args, "--cpu", word, 0, max);
		last = dash ? args_number(args, "--cpu", dash, first, max) : first;
		for (; first <= last; first++) {
			f->cpus[first / 8] |= 1 << first % 8;
			if (f->arg.cpus.len <= first / 8)
				f->arg.cpus.len = first / 8 + 1;
		}
	}
}

static bool add_call(struct filter *f, const struct args *args, const char *option,
		     const struct call *calls, const char *name, uint32_t abi)
{
	for (; calls->name; calls++) {
		if (strcmp(calls->name, name))
			continue;
		add(&f->arg.calls, f->calls, GOTRACE_FILTER_CALLS_MAX, calls->nr | abi, args,
		    option);
		return true;
	}
	return false;
}

void filter_calls(struct filter *f, const struct args *args, const char *text, bool except)
{
	const char *option = except ? "--no-calls" : "--calls";
	char name[64];
	bool found;

	if (f->arg.calls.len && except != !!(f->arg.flags & GOTRACE_FILTER_CALLS_EXCEPT))
		args_fail(args, "--calls and --no-calls do not go together");
	if (except)
		f->arg.flags |= GOTRACE_FILTER_CALLS_EXCEPT;
	while (next_word(args, option, &text, name, sizeof(name))) {
		found = add_call(f, args, option, calls_64, name, 0);
		found |= add_call(f, args, option, calls_32, name, GOTRACE_FILTER_COMPAT);
		if (!found)
			args_fail(args, "%s: there is no system call '%s'", option, name);
	}
}

uint64_t filter_finish(struct filter *f)
{
	struct gotrace_filter *a = &f->arg;

	a->size = sizeof(*a);
	a->tids.addr = (uintptr_t)f->tids;
	a->tgids.addr = (uintptr_t)f->tgids;
	a->uids.addr = (uintptr_t)f->uids;
	a->comms.addr = (uintptr_t)f->comms;
	a->cgroups.addr = (uintptr_t)f->cgroups;
	a->cpus.addr = (uintptr_t)f->cpus;
	a->calls.addr = (uintptr_t)f->calls;
	return a->tids.len + a->tgids.len + a->uids.len + a->comms.len + a->cgroups.len +
	       a->cpus.len + a->calls.len ? (uintptr_t)a : 0;
}

void filter_close(struct filter *f)
{
	for (uint32_t i = 0; i < f->arg.cgroups.len; i++)
		close(f->cgroups[i]);
	f->arg.cgroups.len = 0;
}
