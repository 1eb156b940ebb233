// SPDX-License-Identifier: GPL-2.0
/* Other programs that show traces: the browser, and Go's viewer. See browser.h. */
#include "view/browser.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd.h"

static bool has_screen(void)
{
	const char *x = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");

	return (x && *x) || (wayland && *wayland);
}

/* A page that leads to the other one. */
static char *write_redirect(const char *url)
{
	const char *dir = getenv("XDG_RUNTIME_DIR");
	char *path = NULL;
	int fd;

	if (!dir || !*dir)
		dir = "/tmp";
	if (asprintf(&path, "%s/gotrace-view-XXXXXX.html", dir) < 0)
		return NULL;
	/* 0600. */
	fd = mkostemps(path, strlen(".html"), O_CLOEXEC);
	if (fd < 0) {
		free(path);
		return NULL;
	}
	dprintf(fd, "<!doctype html><meta http-equiv=refresh content='0;url=%s'>\n",
		url);
	close(fd);
	return path;
}

/* Not ours to wait for: a browser may run on for days. */
static void run_apart(const char *program, const char *arg)
{
	sigset_t none;
	pid_t pid = fork();

	if (pid > 0)
		waitpid(pid, NULL, 0);
	if (pid)
		return;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	setsid();
	if (fork())
		_exit(0);
	if (!freopen("/dev/null", "r", stdin) ||
	    !freopen("/dev/null", "w", stdout) ||
	    !freopen("/dev/null", "w", stderr))
		_exit(1);
	execlp(program, program, arg, (char *)NULL);
	_exit(1);
}

char *browser_open(const char *url)
{
	char *path;

	if (!has_screen())
		return NULL;
	path = write_redirect(url);
	if (path)
		run_apart("xdg-open", path);
	return path;
}

void browser_done(char *path)
{
	if (path)
		unlink(path);
	free(path);
}

/* ---- Go ---- */

static void try_go(const char *go, const char *trace, const char *http)
{
	char arg[80];

	snprintf(arg, sizeof(arg), "-http=%s", http);
	execlp(go, go, "tool", "trace", arg, trace, (char *)NULL);
}

int browser_go(const char *trace, const char *http)
{
	static const char *const places[] = {
		"/usr/local/go/bin/go", "/usr/lib/go-1.*/bin/go",
	};
	glob_t found;

	try_go("go", trace, http);
	for (size_t i = 0; i < 2; i++) {
		if (glob(places[i], 0, NULL, &found))
			continue;
		/* The newest, as far as their names tell. */
		for (size_t k = found.gl_pathc; k; k--)
			try_go(found.gl_pathv[k - 1], trace, http);
		globfree(&found);
	}
	if (errno == ENOENT)
		fprintf(stderr, "gotrace view: there is no Go here; install golang-go, or leave --go out\n");
	else
		fprintf(stderr, "gotrace view: cannot start go: %s\n",
			strerror(errno));
	return EXIT_FAILED;
}
