// SPDX-License-Identifier: GPL-2.0
/* vm: tcg=single */
/*
 * GOTRACE_IOC_TRACEBACK's contract: what it refuses, buffers of every size, and
 * that a reply is what the header says.
 */
#include "device.h"
#include "harness.h"

#define ROOM	(4 << 20)
#define GUARD	0xa5

FIXTURE(traceback) {
	int ctl;
	char *buf;
	struct gotrace_traceback tb;
};

FIXTURE_SETUP(traceback)
{
	ASSERT_EQ(0, gt_reset());
	self->ctl = gt_open(O_WRONLY);
	ASSERT_GE(self->ctl, 0);
	self->buf = mmap(NULL, ROOM, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->buf);
	memset(self->buf, GUARD, ROOM);
	self->tb = (struct gotrace_traceback){
		.size = sizeof(self->tb),
		.buf_addr = (uintptr_t)self->buf,
		.buf_len = ROOM,
	};
}

FIXTURE_TEARDOWN(traceback)
{
	munmap(self->buf, ROOM);
	close(self->ctl);
}

static int take(int fd, struct gotrace_traceback *tb)
{
	return gt_ioctl(fd, GOTRACE_IOC_TRACEBACK, tb);
}

/* What a reply has, or -1 where it is not as the header says. */
struct counts {
	int tasks, kthreads, names, addresses, words, most_frames;
	int me;		/* index of this task's record + 1 */
};

static int count_task(const char *at, struct counts *n)
{
	const struct gotrace_tb_task *t = (const void *)at;
	const struct gotrace_tb_frame *f = (const void *)(at + t->head);
	unsigned int i;

	if (t->head != sizeof(*t) || t->state > GOTRACE_TASK_DEAD ||
	    t->reason > GOTRACE_WAIT_DISK ||
	    t->size != t->head + (t->n_frames + t->n_created) * sizeof(*f) +
		       (t->kernel_words + t->user_words) * 8)
		return -1;
	if (t->state != GOTRACE_TASK_ASLEEP && t->reason)
		return -1;
	for (i = 0; i < t->n_frames + t->n_created; i++) {
		/* A name stands before all that use it. */
		if (f[i].name > n->names || f[i].kind > GOTRACE_FRAME_USER)
			return -1;
		n->addresses += !!f[i].address;
	}
	n->addresses += t->kernel_at || t->kernel_bad || t->user_at || t->user_bad;
	n->words += t->kernel_words + t->user_words;
	if ((int)t->n_frames > n->most_frames)
		n->most_frames = t->n_frames;
	n->kthreads += !!(t->flags & GOTRACE_TB_KTHREAD);
	n->tasks++;
	if (t->tid == (unsigned int)getpid())
		n->me = n->tasks;
	return 0;
}

static int count(const char *buf, const struct gotrace_traceback *tb, struct counts *n)
{
	const char *at = buf, *end = buf + tb->buf_len;

	memset(n, 0, sizeof(*n));
	while (at < end) {
		const struct gotrace_tb_name *rec = (const void *)at;

		if (rec->size < 8 || rec->size % 8 || rec->size > end - at)
			return -1;
		if (rec->type == GOTRACE_TB_NAME) {
			if (rec->id != ++n->names || !rec->len ||
			    rec->len + sizeof(*rec) > rec->size)
				return -1;
		} else if (rec->type != GOTRACE_TB_TASK || count_task(at, n)) {
			return -1;
		}
		at += rec->size;
	}
	return n->tasks == (int)tb->tasks ? 0 : -1;
}

TEST_F(traceback, refuses_what_it_does_not_know)
{
	struct gotrace_traceback tb;
	int bit;

	for (bit = 2; bit < 32; bit++) {
		tb = self->tb;
		tb.flags = 1U << bit;
		EXPECT_EQ(-EINVAL, take(self->ctl, &tb));
	}
	tb = self->tb;
	tb.reserved = 1;
	EXPECT_EQ(-EINVAL, take(self->ctl, &tb));
	tb = self->tb;
	tb.depth = GOTRACE_DEPTH_MAX + 1;
	EXPECT_EQ(-EINVAL, take(self->ctl, &tb));
	tb = self->tb;
	tb.pids_len = GOTRACE_TRACEBACK_PIDS_MAX + 1;
	EXPECT_EQ(-EINVAL, take(self->ctl, &tb));
	for (tb = self->tb, tb.size = 0; tb.size < GOTRACE_TRACEBACK_SIZE_VER0; tb.size++) {
		EXPECT_EQ(-EINVAL, take(self->ctl, &tb));
	}
	EXPECT_EQ(GUARD, (unsigned char)self->buf[0]);
}

TEST_F(traceback, a_longer_struct_may_have_zeroes_only)
{
	struct { struct gotrace_traceback tb; char tail[40]; } a = { .tb = self->tb };

	a.tb.size = sizeof(a);
	EXPECT_EQ(0, take(self->ctl, &a.tb));
	a.tb = self->tb;
	a.tb.size = sizeof(a);
	a.tail[39] = 1;
	EXPECT_EQ(-E2BIG, take(self->ctl, &a.tb));
	EXPECT_EQ(ROOM, a.tb.buf_len);
}

TEST_F(traceback, bad_addresses_are_efault)
{
	struct gotrace_traceback tb = self->tb;

	EXPECT_EQ(-EFAULT, gt_ioctl(self->ctl, GOTRACE_IOC_TRACEBACK, NULL));
	tb.buf_addr = 8;
	EXPECT_EQ(-EFAULT, take(self->ctl, &tb));
	tb = self->tb;
	tb.buf_addr = 0xffffffff81000000UL;
	EXPECT_EQ(-EFAULT, take(self->ctl, &tb));
	tb = self->tb;
	tb.pids_addr = 8;
	tb.pids_len = 1;
	EXPECT_EQ(-EFAULT, take(self->ctl, &tb));
	/* the struct itself is read only */
	memcpy(self->buf, &self->tb, sizeof(self->tb));
	((struct gotrace_traceback *)self->buf)->buf_addr += 4096;
	((struct gotrace_traceback *)self->buf)->buf_len -= 4096;
	ASSERT_EQ(0, mprotect(self->buf, 4096, PROT_READ));
	EXPECT_EQ(-EFAULT, take(self->ctl, (void *)self->buf));
}

TEST_F(traceback, the_reply_is_well_formed_and_shows_who_asks)
{
	struct gotrace_traceback tb = self->tb;
	const struct gotrace_tb_frame *f;
	const struct gotrace_tb_task *t;
	struct counts n;
	__u32 me = getpid();

	ASSERT_EQ(0, take(self->ctl, &tb));
	ASSERT_EQ(0, count(self->buf, &tb, &n));
	EXPECT_GT(n.me, 0);
	EXPECT_GT(n.tasks, 1);
	EXPECT_EQ(0, n.kthreads);
	EXPECT_EQ(0, n.addresses);
	EXPECT_EQ(0, n.words);
	EXPECT_EQ(GUARD, (unsigned char)self->buf[tb.buf_len]);

	tb = self->tb;
	tb.pids_addr = (uintptr_t)&me;
	tb.pids_len = 1;
	ASSERT_EQ(0, take(self->ctl, &tb));
	ASSERT_EQ(0, count(self->buf, &tb, &n));
	ASSERT_EQ(1, n.tasks);
	ASSERT_EQ(1, n.me);
	/* names, then the task */
	for (t = (void *)self->buf; t->type == GOTRACE_TB_NAME;)
		t = (const void *)((const char *)t + t->size);
	EXPECT_EQ(GOTRACE_TASK_RUNNING, t->state);
	EXPECT_EQ(GOTRACE_END_ROOT, t->kernel_end);
	f = (const void *)((const char *)t + t->head);
	EXPECT_EQ(GOTRACE_FRAME_KERNEL, f->kind);
	EXPECT_NE(0, f->name);
}

TEST_F(traceback, kernel_threads_by_the_flag_or_by_name)
{
	struct gotrace_traceback tb = self->tb;
	struct counts n;
	__u32 pids[] = { 2, 0, ~0U };

	tb.flags = GOTRACE_TRACEBACK_KTHREADS;
	ASSERT_EQ(0, take(self->ctl, &tb));
	ASSERT_EQ(0, count(self->buf, &tb, &n));
	EXPECT_GT(n.kthreads, 5);
	EXPECT_GT(n.tasks, n.kthreads);

	tb = self->tb;
	tb.pids_addr = (uintptr_t)pids;
	tb.pids_len = 3;
	ASSERT_EQ(0, take(self->ctl, &tb));
	ASSERT_EQ(0, count(self->buf, &tb, &n));
	EXPECT_EQ(1, n.tasks);
	EXPECT_EQ(1, n.kthreads);
	/* an empty list is nobody */
	tb = self->tb;
	tb.pids_addr = (uintptr_t)pids;
	ASSERT_EQ(0, take(self->ctl, &tb));
	EXPECT_EQ(0, tb.tasks);
	EXPECT_EQ(0, tb.buf_len);
}

TEST_F(traceback, too_small_a_buffer_is_enospc_and_says_how_much)
{
	struct gotrace_traceback tb = self->tb;
	__u32 init = 1;
	__u64 need, len;
	struct counts n;

	/* init sleeps, so its reply is always the same */
	tb.pids_addr = (uintptr_t)&init;
	tb.pids_len = 1;
	tb.buf_len = 0;
	ASSERT_EQ(-ENOSPC, take(self->ctl, &tb));
	need = tb.buf_len;
	EXPECT_GT(need, sizeof(struct gotrace_tb_task));
	for (len = 0; len < need; len += len % 64 ? 1 : 7) {
		tb.buf_len = len;
		ASSERT_EQ(-ENOSPC, take(self->ctl, &tb));
		EXPECT_EQ(need, tb.buf_len);
		EXPECT_EQ(GUARD, (unsigned char)self->buf[len]);
	}
	tb.buf_len = need;
	ASSERT_EQ(0, take(self->ctl, &tb));
	EXPECT_EQ(need, tb.buf_len);
	EXPECT_EQ(1, tb.tasks);
	EXPECT_EQ(0, count(self->buf, &tb, &n));
	EXPECT_EQ(GUARD, (unsigned char)self->buf[need]);
}

/* The frames of the kernel and of the program together; and the call's. */
TEST_F(traceback, depth_is_the_most_there_are)
{
	struct gotrace_traceback tb;
	struct counts n;
	__u32 depth;

	for (depth = 1; depth <= 20; depth++) {
		tb = self->tb;
		tb.flags = GOTRACE_TRACEBACK_KTHREADS;
		tb.depth = depth;
		ASSERT_EQ(0, take(self->ctl, &tb));
		ASSERT_EQ(0, count(self->buf, &tb, &n));
		EXPECT_LE(n.most_frames, (int)depth + 1);
		if (depth < 5) {
			EXPECT_GE(n.most_frames, (int)depth);
		}
	}
}

TEST_F(traceback, debug_has_addresses)
{
	struct gotrace_traceback tb = self->tb;
	struct counts n;

	tb.flags = GOTRACE_TRACEBACK_DEBUG;
	ASSERT_EQ(0, take(self->ctl, &tb));
	ASSERT_EQ(0, count(self->buf, &tb, &n));
	EXPECT_GT(n.addresses, 5);
}

/* In a session, and beside a reader; neither is disturbed. */
TEST_F(traceback, during_a_session)
{
	struct gotrace_traceback tb;
	struct gt_bytes b = { 0 };
	struct counts n;
	int i, fd = gt_open(O_RDONLY | O_NONBLOCK);

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, gt_start(self->ctl));
	for (i = 0; i < 20; i++) {
		tb = self->tb;
		ASSERT_EQ(0, take(self->ctl, &tb));
		ASSERT_EQ(0, count(self->buf, &tb, &n));
		EXPECT_GT(n.me, 0);
	}
	EXPECT_EQ(GOTRACE_STATE_TRACING, gt_state(self->ctl));
	ASSERT_EQ(0, gt_stop(self->ctl, GOTRACE_STOP_NOWAIT));
	tb = self->tb;
	ASSERT_EQ(0, take(self->ctl, &tb));
	ASSERT_EQ(0, gt_drain(fd, &b));
	EXPECT_EQ(0, gt_save(&b, "during.trace"));
	free(b.data);
	close(fd);
}

TEST_HARNESS_MAIN
