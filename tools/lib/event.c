// SPDX-License-Identifier: LGPL-2.1 OR MIT
/* Records to events; see event.h. */
#include "event.h"

void gt_decoder_exit(struct gt_decoder *d)
{
	gt_map_exit(&d->last_g);
}

static enum gt_decode_result begin_batch(struct gt_decoder *d,
					 const struct gt_record *rec)
{
	bool v1_5 = d->version < GT_V1_7;
	int64_t p = rec->args[0];
	uint64_t *g;

	if (p != d->p) {
		g = gt_map_add(&d->last_g, d->p);
		if (!g)
			return GT_DECODE_NO_MEMORY;
		*g = d->g;
		d->p = p;
		g = gt_map_find(&d->last_g, p);
		d->g = g ? *g : 0;
	}
	if (v1_5)
		d->seq = rec->args[1];
	d->ticks = rec->args[v1_5 ? 2 : 1];
	return GT_DECODE_OTHER;
}

/* Spread the wire's arguments: [seq] time args… [stack]. */
static void take_args(struct gt_decoder *d, const struct gt_record *rec,
		      struct gt_event *ev)
{
	unsigned int at = 0;

	/* Differences may be negative; the wire wraps around, and so do we. */
	if (d->version < GT_V1_7)
		d->seq += rec->args[at++];
	d->ticks += rec->args[at++];
	ev->seq = d->seq;
	ev->ticks = (int64_t)d->ticks;
	ev->nargs = gt_event_nargs(ev->desc, d->version);
	for (unsigned int i = 0; i < GT_EVENT_ARGS_MAX; i++)
		ev->args[i] = i < ev->nargs ? rec->args[at++] : 0;
	ev->stk = ev->desc->stack ? rec->args[at] : 0;
}

enum gt_leaves gt_event_leaves(unsigned int type)
{
	switch (type) {
	case GT_EV_GO_END:
	case GT_EV_GO_STOP:
		return GT_LEAVES_DEAD;
	case GT_EV_GO_SCHED:
	case GT_EV_GO_PREEMPT:
		return GT_LEAVES_RUNNABLE;
	case GT_EV_GO_SLEEP:
	case GT_EV_GO_BLOCK:
	case GT_EV_GO_BLOCK_SEND:
	case GT_EV_GO_BLOCK_RECV:
	case GT_EV_GO_BLOCK_SELECT:
	case GT_EV_GO_BLOCK_SYNC:
	case GT_EV_GO_BLOCK_COND:
	case GT_EV_GO_BLOCK_NET:
	case GT_EV_GO_BLOCK_GC:
	case GT_EV_GO_SYSBLOCK:
		return GT_LEAVES_ASLEEP;
	default:
		return GT_LEAVES_NOT;
	}
}

unsigned int gt_event_plain(unsigned int type)
{
	switch (type) {
	case GT_EV_GO_START_LOCAL:
		return GT_EV_GO_START;
	case GT_EV_GO_UNBLOCK_LOCAL:
		return GT_EV_GO_UNBLOCK;
	case GT_EV_GO_SYSEXIT_LOCAL:
		return GT_EV_GO_SYSEXIT;
	default:
		return type;
	}
}

/* Whose event it is, and who runs on the P after it. */
static void take_g(struct gt_decoder *d, struct gt_event *ev)
{
	ev->p = d->p;
	ev->g = d->g;

	switch (ev->type) {
	case GT_EV_GO_START:
	case GT_EV_GO_START_LOCAL:
	case GT_EV_GO_START_LABEL:
		d->g = ev->args[0];
		ev->g = d->g;
		break;
	case GT_EV_GO_SYSEXIT:
	case GT_EV_GO_SYSEXIT_LOCAL:
	case GT_EV_GO_WAITING:
	case GT_EV_GO_IN_SYSCALL:
		ev->g = ev->args[0];
		break;
	case GT_EV_GC_START:
	case GT_EV_GC_DONE:
	case GT_EV_STW_START:
	case GT_EV_STW_DONE:
		/* These are everyone's. */
		ev->g = 0;
		break;
	case GT_EV_CPU_SAMPLE:
		/* Written some time later, by someone else. */
		ev->ticks = (int64_t)ev->args[0];
		ev->p = (int64_t)ev->args[1];
		ev->g = ev->args[2];
		break;
	default:
		if (gt_event_leaves(ev->type) != GT_LEAVES_NOT)
			d->g = 0;
		break;
	}
}

enum gt_decode_result gt_decode(struct gt_decoder *d,
				const struct gt_record *rec, uint64_t off,
				struct gt_event *ev)
{
	const struct gt_event_desc *desc = rec->desc;

	if (rec->type == GT_EV_BATCH)
		return begin_batch(d, rec);
	if (!desc->timed)
		return GT_DECODE_OTHER;
	/* Field by field: clearing it all first would be most of the work. */
	ev->desc = desc;
	ev->type = rec->type;
	ev->off = off;
	ev->text = rec->text;
	ev->text_len = rec->text_len;
	take_args(d, rec, ev);
	take_g(d, ev);
	return GT_DECODE_EVENT;
}
