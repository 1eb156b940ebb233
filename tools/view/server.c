// SPDX-License-Identifier: GPL-2.0
/* HTTP; see server.h. */
#include "view/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

#include "view/api.h"
#include "view/assets.h"

/* Of one request, and of all of them at a time. */
#define CONNECTION_BYTES (64 * 1024)
#define CONNECTIONS	 64
#define IDLE_SECONDS	 120

/* What the page may do: ask us, and nobody else. */
static const char policy[] =
	"default-src 'none'; script-src 'self'; style-src 'self'; "
	"connect-src 'self'; img-src 'self' data:; base-uri 'none'; "
	"form-action 'none'; frame-ancestors 'none'";

/* ---- Answers ---- */

static enum MHD_Result reply(struct MHD_Connection *c, unsigned int status,
			     const char *type, void *data, size_t len,
			     enum MHD_ResponseMemoryMode mode)
{
	static const char *const headers[][2] = {
		{ "Content-Security-Policy", policy },
		{ "X-Content-Type-Options", "nosniff" },
		{ "Referrer-Policy", "no-referrer" },
		{ "Cross-Origin-Resource-Policy", "same-origin" },
		{ "Cross-Origin-Opener-Policy", "same-origin" },
		{ "Cache-Control", "no-store" },
	};
	struct MHD_Response *r = MHD_create_response_from_buffer(len, data, mode);
	enum MHD_Result ret;

	if (!r)
		return MHD_NO;
	MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		MHD_add_response_header(r, headers[i][0], headers[i][1]);
	ret = MHD_queue_response(c, status, r);
	MHD_destroy_response(r);
	return ret;
}

static enum MHD_Result refuse(struct MHD_Connection *c, unsigned int status,
			      const char *why)
{
	return reply(c, status, "text/plain; charset=utf-8", (void *)why,
		    strlen(why), MHD_RESPMEM_PERSISTENT);
}

static const char *get(void *arg, const char *key)
{
	return MHD_lookup_connection_value(arg, MHD_GET_ARGUMENT_KIND, key);
}

static enum MHD_Result send_api(struct view_server *s, struct MHD_Connection *c,
				const char *name)
{
	struct view_query q = { name, get, c };
	struct view_answer a;

	view_api(s->v, &q, &a);
	return reply(c, a.status, a.type, a.data, a.len, MHD_RESPMEM_MUST_FREE);
}

static enum MHD_Result send_asset(struct MHD_Connection *c, const char *name)
{
	const struct view_asset *a = view_asset(name);

	if (!a)
		return refuse(c, MHD_HTTP_NOT_FOUND, "there is no such page\n");
	return reply(c, MHD_HTTP_OK, a->type, (void *)a->data, a->len,
		    MHD_RESPMEM_PERSISTENT);
}

/* ---- Who may ask ---- */

static bool is_our_host(const struct view_server *s, struct MHD_Connection *c)
{
	static const char *const hosts[] = { "127.0.0.1", "localhost" };
	const char *host = MHD_lookup_connection_value(c, MHD_HEADER_KIND,
						       MHD_HTTP_HEADER_HOST);
	char want[32];

	for (size_t i = 0; host && i < 2; i++) {
		snprintf(want, sizeof(want), "%s:%u", hosts[i], s->port);
		if (!strcasecmp(host, want))
			return true;
	}
	return false;
}

/*
 * "/TOKEN/rest": the rest, or NULL. How long it takes does not tell how much was
 * guessed right.
 */
static const char *behind_token(const struct view_server *s, const char *path)
{
	unsigned char differs = 0;

	if (strlen(path) < VIEW_TOKEN + 2 || path[VIEW_TOKEN + 1] != '/')
		return NULL;
	for (size_t i = 0; i < VIEW_TOKEN; i++)
		differs |= path[i + 1] ^ s->token[i];
	return differs ? NULL : path + VIEW_TOKEN + 2;
}

static enum MHD_Result answer(void *arg, struct MHD_Connection *c,
			      const char *path, const char *method,
			      const char *version, const char *upload,
			      size_t *upload_len, void **state)
{
	struct view_server *s = arg;
	const char *rest;

	(void)version;
	(void)upload;
	(void)state;
	if (!is_our_host(s, c))
		return refuse(c, MHD_HTTP_FORBIDDEN, "that is not my name\n");
	if (strcmp(method, MHD_HTTP_METHOD_GET) &&
	    strcmp(method, MHD_HTTP_METHOD_HEAD)) {
		*upload_len = 0;
		return refuse(c, MHD_HTTP_METHOD_NOT_ALLOWED,
			      "there is only to read here\n");
	}
	rest = behind_token(s, path);
	if (!rest)
		return refuse(c, MHD_HTTP_FORBIDDEN,
			      "the address is the one that gotrace view said, all of it\n");
	if (!strncmp(rest, "api/", 4))
		return send_api(s, c, rest + 4);
	return send_asset(c, rest);
}

/* ---- Start and stop ---- */

static int make_token(char *token)
{
	unsigned char bytes[VIEW_TOKEN / 2];

	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		return -errno;
	for (size_t i = 0; i < sizeof(bytes); i++)
		sprintf(token + 2 * i, "%02x", bytes[i]);
	return 0;
}

int view_server_start(struct view_server *s, struct view *v, unsigned int port)
{
	struct sockaddr_in addr = {
		.sin_family = AF_INET, .sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	const union MHD_DaemonInfo *info;
	int err;

	memset(s, 0, sizeof(*s));
	s->v = v;
	err = make_token(s->token);
	if (err)
		return err;
	errno = 0;
	s->daemon = MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD |
				     MHD_USE_POLL, port, NULL, NULL, answer, s,
				     MHD_OPTION_SOCK_ADDR, &addr,
				     MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS,
				     MHD_OPTION_CONNECTION_MEMORY_LIMIT,
				     (size_t)CONNECTION_BYTES,
				     MHD_OPTION_CONNECTION_TIMEOUT, IDLE_SECONDS,
				     MHD_OPTION_END);
	if (!s->daemon)
		return errno ? -errno : -EIO;
	info = MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_BIND_PORT);
	s->port = info ? info->port : port;
	snprintf(s->url, sizeof(s->url), "http://127.0.0.1:%u/%s/", s->port,
		 s->token);
	return 0;
}

void view_server_stop(struct view_server *s)
{
	if (s->daemon)
		MHD_stop_daemon(s->daemon);
	s->daemon = NULL;
}
