/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VIEW_BROWSER_H
#define VIEW_BROWSER_H

/*
 * Show the page in the user's browser, if there is a screen. The address is handed over
 * in a file that only the user reads: arguments of programs are for everybody to see.
 * Return: that file's path, for browser_done(); NULL: nothing was opened.
 */
char *browser_open(const char *url);
void browser_done(char *path);

/* Become `go tool trace`. Returns only after a message, with the exit code. */
int browser_go(const char *trace, const char *http);

#endif
