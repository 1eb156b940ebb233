// SPDX-License-Identifier: GPL-2.0
/*
 * The kinds of sleep in which tasks talk to each other: pipes, sockets, a
 * terminal, message queues; reading what is not there, and writing where there
 * is no room.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/msg.h>
#include <sys/socket.h>
#include <unistd.h>

#include "prog_block.h"

static char filler[65536];

static void one_byte(int to)
{
	must(write(to, "x", 1), "write");
}

static void eat(int from, size_t len)
{
	while (len) {
		ssize_t n = read(from, filler, len < sizeof(filler) ? len :
				 sizeof(filler));

		must(n, "read");
		len -= n;
	}
}

/* Pipes: the child reads fd[0], or writes fd[1] which is full. */

void prepare_pipe(void)
{
	must(pipe(fd), "pipe");
}

void read_one(void)
{
	char c;

	must(read(fd[0], &c, 1), "read");
}

void wake_reader(pid_t child)
{
	one_byte(fd[1]);
}

static void prepare_full_pipe(void)
{
	must(pipe(fd), "pipe");
	must(write(fd[1], filler, fcntl(fd[1], F_GETPIPE_SZ)), "fill");
}

static void write_page(void)
{
	must(write(fd[1], filler, 4096), "write");
}

static void wake_writer(pid_t child)
{
	eat(fd[0], 4096);
}

/* Unix sockets */

static void prepare_unix(void)
{
	must(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), "socketpair");
}

static void recv_one(void)
{
	char c;

	must(recv(fd[0], &c, 1, 0), "recv");
}

static void recvmsg_one(void)
{
	char c;
	struct iovec v = { &c, 1 };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1 };

	must(recvmsg(fd[0], &m, 0), "recvmsg");
}

static void fill(int to)
{
	ssize_t n;

	while ((n = send(to, filler, 4096, MSG_DONTWAIT)) > 0)
		;
	if (errno != EAGAIN)
		err(1, "fill");
}

static void prepare_full_unix(void)
{
	prepare_unix();
	fill(fd[1]);
}

/* More than its buffer takes. */
static void send_much(void)
{
	size_t left = 4 * sizeof(filler);

	while (left) {
		ssize_t n = send(fd[1], filler, left < sizeof(filler) ? left :
				 sizeof(filler), 0);

		must(n, "send");
		left -= n;
	}
}

static void wake_sender(pid_t child)
{
	while (recv(fd[0], filler, sizeof(filler), MSG_DONTWAIT) > 0)
		;
}

/* Inet sockets: other[0] listens, fd[0] is accepted, fd[1] its peer. */

static struct sockaddr_in local;

static void prepare_listener(void)
{
	socklen_t len = sizeof(local);

	local = (struct sockaddr_in){
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	other[0] = socket(AF_INET, SOCK_STREAM, 0);
	must(other[0], "socket");
	must(bind(other[0], (void *)&local, len), "bind");
	must(listen(other[0], 8), "listen");
	must(getsockname(other[0], (void *)&local, &len), "getsockname");
}

static void sleep_accept(void)
{
	int s = accept4(other[0], NULL, NULL, 0);

	must(s, "accept");
	close(s);
}

static void wake_accept(pid_t child)
{
	int s = socket(AF_INET, SOCK_STREAM, 0);

	must(connect(s, (void *)&local, sizeof(local)), "connect");
	close(s);
}

static void connect_inet(void)
{
	must(connect(fd[1], (void *)&local, sizeof(local)), "connect");
	fd[0] = accept4(other[0], NULL, NULL, 0);
	must(fd[0], "accept");
}

static void prepare_inet(void)
{
	prepare_listener();
	fd[1] = socket(AF_INET, SOCK_STREAM, 0);
	connect_inet();
}

/* Small buffers, and so much the less to fill. */
static void prepare_full_inet(void)
{
	int i, size = 4096;

	prepare_listener();
	fd[1] = socket(AF_INET, SOCK_STREAM, 0);
	must(setsockopt(fd[1], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size)), "SO_SNDBUF");
	must(setsockopt(other[0], SOL_SOCKET, SO_RCVBUF, &size, sizeof(size)), "SO_RCVBUF");
	connect_inet();
	for (i = 0; i < 20; i++) {	/* the peer's window opens as it fills */
		fill(fd[1]);
		ms(1);
	}
}

static void prepare_udp(void)
{
	socklen_t len = sizeof(local);

	local = (struct sockaddr_in){
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	fd[0] = socket(AF_INET, SOCK_DGRAM, 0);
	fd[1] = socket(AF_INET, SOCK_DGRAM, 0);
	must(bind(fd[0], (void *)&local, len), "bind");
	must(getsockname(fd[0], (void *)&local, &len), "getsockname");
	must(connect(fd[1], (void *)&local, len), "connect");
}

/* Unix listener: other[0], without a name of the file system. */

static struct sockaddr_un_short { sa_family_t family; char name[16]; } abstract;

static void prepare_unix_listener(void)
{
	abstract.family = AF_UNIX;
	snprintf(abstract.name + 1, sizeof(abstract.name) - 1, "block%d", getpid());
	other[0] = socket(AF_UNIX, SOCK_STREAM, 0);
	must(bind(other[0], (void *)&abstract, sizeof(abstract)), "bind");
	must(listen(other[0], 8), "listen");
}

static void wake_unix_accept(pid_t child)
{
	int s = socket(AF_UNIX, SOCK_STREAM, 0);

	must(connect(s, (void *)&abstract, sizeof(abstract)), "connect");
	close(s);
}

/* Terminal: fd[0] the slave, fd[1] the master. */

static void prepare_tty(void)
{
	fd[1] = posix_openpt(O_RDWR | O_NOCTTY);
	must(fd[1], "posix_openpt");
	must(grantpt(fd[1]), "grantpt");
	must(unlockpt(fd[1]), "unlockpt");
	fd[0] = open(ptsname(fd[1]), O_RDWR | O_NOCTTY);
	must(fd[0], "open the terminal");
}

static void read_line(void)
{
	char line[16];

	must(read(fd[0], line, sizeof(line)), "read");
}

static void wake_tty(pid_t child)
{
	must(write(fd[1], "x\n", 2), "write");
}

/* Message queues, POSIX's and System V's, of one message each */

static mqd_t queue;
static int sysv;

static void prepare_mq(void)
{
	struct mq_attr attr = { .mq_maxmsg = 1, .mq_msgsize = 1 };

	queue = mq_open("/block", O_RDWR | O_CREAT, 0600, &attr);
	must(queue, "mq_open");
	mq_unlink("/block");
}

static void prepare_full_mq(void)
{
	prepare_mq();
	must(mq_send(queue, "x", 1, 0), "mq_send");
}

static void do_mq_receive(void)
{
	must(mq_receive(queue, filler, 1, NULL), "mq_receive");
}

static void wake_mq_receiver(pid_t child)
{
	must(mq_send(queue, "x", 1, 0), "mq_send");
}

static void do_mq_send(void)
{
	must(mq_send(queue, "x", 1, 0), "mq_send");
}

static void wake_mq_sender(pid_t child)
{
	must(mq_receive(queue, filler, 1, NULL), "mq_receive");
}

struct message { long type; char text[1024]; };

static void prepare_msg(void)
{
	sysv = msgget(IPC_PRIVATE, 0600);
	must(sysv, "msgget");
}

static void prepare_full_msg(void)
{
	struct message m = { 1, "" };

	prepare_msg();
	while (!msgsnd(sysv, &m, sizeof(m.text), IPC_NOWAIT))
		;
	if (errno != EAGAIN)
		err(1, "msgsnd");
}

static void finish_msg(void)
{
	must(msgctl(sysv, IPC_RMID, NULL), "msgctl");
}

static void do_msgrcv(void)
{
	struct message m;

	must(msgrcv(sysv, &m, sizeof(m.text), 0, 0), "msgrcv");
}

static void wake_msgrcv(pid_t child)
{
	struct message m = { 1, "" };

	must(msgsnd(sysv, &m, sizeof(m.text), 0), "msgsnd");
}

static void do_msgsnd(void)
{
	struct message m = { 1, "" };

	must(msgsnd(sysv, &m, sizeof(m.text), 0), "msgsnd");
}

static void wake_msgsnd(pid_t child)
{
	struct message m;

	must(msgrcv(sysv, &m, sizeof(m.text), 0, 0), "msgrcv");
}

const struct kind talk_kinds[] = {
	{ "pipe_read", "GoBlockRecv", "read", prepare_pipe, read_one, wake_reader },
	{ "pipe_write", "GoBlockSend", "write", prepare_full_pipe, write_page,
	  wake_writer },
	{ "unix_recv", "GoBlockRecv", "recvfrom", prepare_unix, recv_one,
	  wake_reader },
	{ "unix_recvmsg", "GoBlockRecv", "recvmsg", prepare_unix, recvmsg_one,
	  wake_reader },
	{ "unix_read", "GoBlockRecv", "read", prepare_unix, read_one, wake_reader },
	{ "unix_send", "GoBlockSend", "sendto", prepare_full_unix, send_much,
	  wake_sender },
	{ "unix_accept", "GoBlockRecv", "accept4", prepare_unix_listener,
	  sleep_accept, wake_unix_accept },
	{ "tty_read", "GoBlockRecv", "read", prepare_tty, read_line, wake_tty },
	{ "mq_receive", "GoBlockRecv", "mq_timedreceive", prepare_mq,
	  do_mq_receive, wake_mq_receiver },
	{ "mq_send", "GoBlockSend", "mq_timedsend", prepare_full_mq, do_mq_send,
	  wake_mq_sender },
	{ "msgrcv", "GoBlockRecv", "msgrcv", prepare_msg, do_msgrcv, wake_msgrcv,
	  finish_msg },
	{ "msgsnd", "GoBlockSend", "msgsnd", prepare_full_msg, do_msgsnd,
	  wake_msgsnd, finish_msg },
	{ "inet_accept", "GoBlockNet", "accept4", prepare_listener, sleep_accept,
	  wake_accept },
	{ "inet_recv", "GoBlockNet", "recvfrom", prepare_inet, recv_one,
	  wake_reader },
	{ "inet_read", "GoBlockNet", "read", prepare_inet, read_one, wake_reader },
	{ "inet_send", "GoBlockNet", "sendto", prepare_full_inet, send_much,
	  wake_sender },
	{ "udp_recvmsg", "GoBlockNet", "recvmsg", prepare_udp, recvmsg_one,
	  wake_reader },
	{ NULL },
};
