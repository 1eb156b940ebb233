// SPDX-License-Identifier: GPL-2.0
/*
 * Why a task sleeps, told by its state, its flags, the call it is in and the
 * file that the call works on. The first reason that is known wins.
 */
#include <linux/fdtable.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/major.h>
#include <linux/net.h>
#include <linux/nospec.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/socket.h>
#include <net/sock.h>
#include <uapi/linux/ipc.h>
#include "arch.h"
#include "block.h"
#include "compat.h"

/*
 * The inode behind a descriptor of the task's. No reference is taken and
 * none may be dropped here: another thread may have put another file under the
 * number meanwhile, so it may be the wrong inode, but interrupts are off, and
 * inodes are freed after an RCU grace period.
 */
static struct inode *fd_inode(struct task_struct *p, unsigned int fd)
{
	struct files_struct *files = p->files;
	struct fdtable *fdt;
	struct file *file;

	if (!files)
		return NULL;
	fdt = rcu_dereference_raw(files->fdt);
	if (fd >= fdt->max_fds)
		return NULL;
	file = rcu_dereference_raw(fdt->fd[array_index_nospec(fd, fdt->max_fds)]);
	return file ? READ_ONCE(file->f_inode) : NULL;
}

static bool is_tty(struct inode *inode)
{
	switch (imajor(inode)) {
	case TTY_MAJOR:
	case TTYAUX_MAJOR:
	case UNIX98_PTY_MASTER_MAJOR ... UNIX98_PTY_SLAVE_MAJOR + UNIX98_PTY_MAJOR_COUNT - 1:
		return true;
	}
	return false;
}

/* A socket's name in a folder has its mode too, and may stand in a table by O_PATH. */
static bool is_socket(struct inode *inode)
{
	return inode->i_sb->s_magic == SOCKFS_MAGIC;
}

/* The family of a socket's operations: constants of its module, unlike its sock. */
static bool is_unix(struct inode *inode)
{
	const struct proto_ops *ops = READ_ONCE(SOCKET_I(inode)->ops);

	return ops && ops->family == AF_UNIX;
}

static enum gt_ev fd_reason(struct task_struct *p, unsigned int fd, enum gt_ev ev)
{
	struct inode *inode = fd_inode(p, fd);
	umode_t mode = inode ? READ_ONCE(inode->i_mode) : 0;

	if (S_ISSOCK(mode) && is_socket(inode))
		return is_unix(inode) ? ev : EV_GO_BLOCK_NET;
	if (S_ISFIFO(mode) || (S_ISCHR(mode) && is_tty(inode)))
		return ev;
	return 0;
}

/* Its descriptor is in user memory, which cannot be read here. */
static enum gt_ev socketcall_reason(unsigned int op)
{
	switch (op) {
	case SYS_ACCEPT:
	case SYS_ACCEPT4:
	case SYS_CONNECT:
	case SYS_RECV:
	case SYS_RECVFROM:
	case SYS_RECVMSG:
	case SYS_RECVMMSG:
	case SYS_SEND:
	case SYS_SENDTO:
	case SYS_SENDMSG:
	case SYS_SENDMMSG:
		return EV_GO_BLOCK_NET;
	}
	return 0;
}

static enum gt_ev ipc_reason(unsigned int op)
{
	switch (op & 0xffff) {
	case SEMOP:
	case SEMTIMEDOP:
		return EV_GO_BLOCK_SYNC;
	case MSGRCV:
		return EV_GO_BLOCK_RECV;
	case MSGSND:
		return EV_GO_BLOCK_SEND;
	}
	return 0;
}

static bool is_lock(unsigned int cmd)
{
	return cmd == F_SETLKW || cmd == F_OFD_SETLKW
#ifdef CONFIG_COMPAT
	       || cmd == 14 /* i386's F_SETLKW64 */
#endif
		;
}

/* 0 when the call does not tell. */
static enum gt_ev call_reason(struct task_struct *p, unsigned int state, enum gt_call_kind kind)
{
	/* The most frequent first: no jump tables in the kernel. */
	if (kind == GT_CALL_FD_RECV)
		return fd_reason(p, gt_arch_call_arg0(p), EV_GO_BLOCK_RECV);
	switch (kind) {
	case GT_CALL_SLEEP:
		return EV_GO_SLEEP;
	case GT_CALL_SELECT:
		return EV_GO_BLOCK_SELECT;
	case GT_CALL_SYNC:
		return EV_GO_BLOCK_SYNC;
	case GT_CALL_COND:
		return EV_GO_BLOCK_COND;
	case GT_CALL_RECV:
		return EV_GO_BLOCK_RECV;
	case GT_CALL_SEND:
		return EV_GO_BLOCK_SEND;
	case GT_CALL_FD_SEND:
		return fd_reason(p, gt_arch_call_arg0(p), EV_GO_BLOCK_SEND);
	case GT_CALL_CLONE:
		/* A vfork's parent can be killed; other sleeps of clone cannot. */
		return state & TASK_WAKEKILL ? EV_GO_BLOCK_COND : 0;
	case GT_CALL_FCNTL:
		return is_lock(gt_arch_call_arg1(p)) ? EV_GO_BLOCK_SYNC : 0;
	case GT_CALL_SOCKETCALL:
		return socketcall_reason(gt_arch_call_arg0(p));
	case GT_CALL_IPC:
		return ipc_reason(gt_arch_call_arg0(p));
	default:
		return 0;
	}
}

/**
 * gt_block_reason() - the event that says why a task sleeps
 * @p:     the task: current, about to, or asleep, its pi_lock held
 * @state: its state
 * @call:  the call it is in
 *
 * Return: a kind of GoBlock, or EV_GO_SYS_BLOCK for a sleep in a call that
 * nothing else explains and no signal ends: a disk, a page.
 * Context: Any but NMI, interrupts off; run-queue and pi locks may be held.
 */
enum gt_ev gt_block_reason(struct task_struct *p, unsigned int state, struct gt_call call)
{
	enum gt_ev ev;

	if (unlikely(state & (__TASK_STOPPED | __TASK_TRACED | TASK_RTLOCK_WAIT)))
		return state & TASK_RTLOCK_WAIT ? EV_GO_BLOCK_SYNC : EV_GO_BLOCK_COND;
	if ((p->flags & (PF_MEMALLOC | PF_KTHREAD)) == PF_MEMALLOC)
		return EV_GO_BLOCK_GC;
	if (!call.name)
		return EV_GO_BLOCK;
	ev = call_reason(p, state, call.kind);
	if (ev)
		return ev;
	return state & TASK_UNINTERRUPTIBLE ? EV_GO_SYS_BLOCK : EV_GO_BLOCK;
}
