// SPDX-License-Identifier: GPL-2.0
/* A file in another's place; see replace.h. */
#include "replace.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const int caught[] = { SIGINT, SIGTERM, SIGHUP };

#define N_CAUGHT (sizeof(caught) / sizeof(caught[0]))

static struct sigaction old_actions[N_CAUGHT];
static const char *volatile unfinished;

static void on_signal(int sig)
{
	if (unfinished)
		unlink(unfinished);
	signal(sig, SIG_DFL);
	raise(sig);
}

static void catch_signals(const char *temp)
{
	struct sigaction sa = { .sa_handler = on_signal };

	unfinished = temp;
	for (size_t i = 0; i < N_CAUGHT; i++) {
		sigaction(caught[i], NULL, &old_actions[i]);
		if (old_actions[i].sa_handler != SIG_IGN)
			sigaction(caught[i], &sa, NULL);
	}
}

static void release_signals(void)
{
	for (size_t i = 0; i < N_CAUGHT; i++)
		sigaction(caught[i], &old_actions[i], NULL);
	unfinished = NULL;
}

static int fail(const struct replace *r, const char *what, int err)
{
	fprintf(stderr, "gotrace %s: cannot %s %s: %s\n", r->cmd, what,
		r->name, strerror(err));
	return -1;
}

static void forget(struct replace *r)
{
	free(r->path);
	free(r->temp);
	r->path = NULL;
	r->temp = NULL;
}

static int begin_directly(struct replace *r, const char *path)
{
	int fd = path ? open(path, O_WRONLY | O_CLOEXEC) :
			fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);

	if (fd < 0)
		return fail(r, "open", errno);
	r->file = fdopen(fd, "w");
	if (r->file)
		return 0;
	close(fd);
	return fail(r, "open", ENOMEM);
}

/* In the same folder, for a rename; hidden, for it is nobody's business. */
static int begin_beside(struct replace *r)
{
	const char *base = strrchr(r->path, '/');
	int fd;

	base = base ? base + 1 : r->path;
	if (asprintf(&r->temp, "%.*s.%s.XXXXXX", (int)(base - r->path), r->path,
		     base) < 0) {
		r->temp = NULL;
		return fail(r, "write", ENOMEM);
	}
	fd = mkostemp(r->temp, O_CLOEXEC);
	if (fd < 0)
		return fail(r, "make a file beside", errno);
	catch_signals(r->temp);
	r->file = fdopen(fd, "w");
	if (r->file)
		return 0;
	close(fd);
	unlink(r->temp);
	release_signals();
	return fail(r, "write", ENOMEM);
}

int replace_begin(struct replace *r, const char *cmd, const char *path,
		  const struct stat *like)
{
	struct stat st;

	memset(r, 0, sizeof(*r));
	r->cmd = cmd;
	r->name = path;
	r->like = *like;
	if (!strcmp(path, "-")) {
		r->name = "standard output";
		return begin_directly(r, NULL);
	}
	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return begin_directly(r, path);
	/* A link stays one. */
	r->path = realpath(path, NULL);
	if (!r->path && errno == ENOENT)
		r->path = strdup(path);
	if (!r->path)
		return fail(r, "write", errno);
	if (begin_beside(r)) {
		forget(r);
		return -1;
	}
	return 0;
}

/* A trace of a pipe or a terminal says nothing about the file to be. */
static void make_like(const struct replace *r)
{
	const struct timespec times[] = { r->like.st_atim, r->like.st_mtim };
	int fd = fileno(r->file);
	mode_t mask = umask(0);

	umask(mask);
	if (!S_ISREG(r->like.st_mode)) {
		fchmod(fd, 0666 & ~mask);
		return;
	}
	/* Only root may give files away; the mode is for whose it is now. */
	if (fchown(fd, r->like.st_uid, r->like.st_gid))
		fchmod(fd, r->like.st_mode & 0777 & ~mask);
	else
		fchmod(fd, r->like.st_mode & 0777);
	futimens(fd, times);
}

int replace_commit(struct replace *r)
{
	int err = 0;

	if (fflush(r->file) || ferror(r->file))
		err = errno ? errno : EIO;
	if (r->temp && !err)
		make_like(r);
	if (fclose(r->file) && !err)
		err = errno;
	if (!r->temp)
		return err ? fail(r, "write", err) : 0;
	if (!err && rename(r->temp, r->path))
		err = errno;
	if (err)
		unlink(r->temp);
	release_signals();
	forget(r);
	return err ? fail(r, "write", err) : 0;
}

void replace_abandon(struct replace *r)
{
	fclose(r->file);
	if (r->temp) {
		unlink(r->temp);
		release_signals();
	}
	forget(r);
}
