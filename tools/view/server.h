/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The page's HTTP server. It listens on 127.0.0.1 alone, and who asks has to know a
 * random word, which is the first part of every path: other users of the machine do
 * not. Names that a foreign page has made to mean 127.0.0.1 are refused by the Host
 * header, so such a page cannot even ask.
 */
#ifndef VIEW_SERVER_H
#define VIEW_SERVER_H

#include "view/trace.h"

struct MHD_Daemon;

#define VIEW_TOKEN 32

struct view_server {
	struct view *v;
	struct MHD_Daemon *daemon;
	unsigned int port;
	char token[VIEW_TOKEN + 1];
	char url[80];
};

/*
 * Begin to answer, in a thread; port 0: any. Signals that are for somebody else must be
 * blocked. Return: 0 or a negative errno.
 */
int view_server_start(struct view_server *s, struct view *v,
		      unsigned int port);
void view_server_stop(struct view_server *s);

#endif
