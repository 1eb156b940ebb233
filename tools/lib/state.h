/* SPDX-License-Identifier: LGPL-2.1 OR MIT */
/*
 * What the Gs, the Ps and the user tasks of a trace are doing, from event to
 * event. An event that cannot be (a G starts that runs already) is an error; the
 * rules are those of Go's reader.
 *
 * Memory: a struct gt_g for each G of the trace, a struct gt_p for each P, what
 * is open. Nothing is forgotten: pointers to Gs and Ps stay good.
 */
#ifndef GT_STATE_H
#define GT_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "event.h"
#include "map.h"
#include "names.h"

enum gt_g_status {
	GT_G_UNKNOWN,		/* no GoCreate yet, only samples */
	GT_G_RUNNABLE,
	GT_G_RUNNING,
	GT_G_WAITING,
	GT_G_SYSCALL,		/* waiting, since GoSysBlock or GoInSyscall */
	GT_G_DEAD,
	GT_G_STATUSES,
};

/**
 * struct gt_span - a time that a G spends in one status
 * @status: which
 * @why:    the type of the event that began it (never a Local one)
 * @since:  when, in ns
 * @p:      the P of that event
 * @by:     the G that did it, if another: creator or waker; 0: none
 * @stk:    that event's stack; of GoSysBlock, that of the GoSysCall before it
 * @off:    that event's offset
 */
struct gt_span {
	enum gt_g_status status;
	unsigned int why;
	int64_t since;
	int64_t p;
	uint64_t by;
	uint64_t stk;
	uint64_t off;
};

/* An open region, or the one that an event closed. */
struct gt_region {
	uint64_t task;
	uint64_t name;		/* string */
	uint64_t stk;		/* of its start */
	uint64_t off;
	int64_t since;
};

struct gt_g {
	uint64_t id;
	size_t index;		/* from 0 on, for tables of the caller's */
	struct gt_span now;

	/* From its GoCreate. */
	bool created;
	int64_t create_time;
	uint64_t creator;	/* G, 0: none */
	uint64_t newstk;	/* where it begins; ours: its task's name */

	uint64_t label;		/* string of the last GoStartLabel, 0: none */
	bool assists;		/* in a mark assist (direct reclaim) */
	int64_t assist_since;

	/* The last GoSysCall; the call may have returned long ago. */
	int64_t call_time;	/* -1: none */
	uint64_t call_stk;

	struct gt_region *regions;	/* open ones, the innermost last */
	size_t n_regions, size_regions;
};

struct gt_p {
	int64_t id;
	size_t index;		/* from 0 on */
	bool running;		/* between ProcStart and ProcStop */
	uint64_t thread;	/* of the last ProcStart */
	int64_t since;		/* of the last ProcStart or ProcStop, -1: none */
	struct gt_g *g;		/* NULL: none, the P is idle */
	bool sweeps;
	int64_t sweep_since;
	/* Only before Go 1.10: later it is the whole machine's. */
	bool stw;
};

/* A user task that has not ended, or the one that an event ended. */
struct gt_task {
	uint64_t id;
	uint64_t parent;
	uint64_t name;		/* string */
	uint64_t creator;	/* G */
	uint64_t off;
	int64_t since;
	bool open;
};

/* Gs or Ps, which never move. */
struct gt_pool {
	void **chunks;
	size_t n, n_chunks, size_chunks;
	struct gt_map by_id;	/* id -> index, plus 1 */
};

struct gt_state {
	/* Read-only for callers. */
	size_t n_gs, n_ps;
	uint64_t procs;		/* of the last Gomaxprocs, 0: none */
	uint64_t heap, goal;	/* bytes; 0: not known */
	bool gc, stw;		/* going on, since */
	int64_t gc_since, stw_since;
	uint64_t stw_kind;
	struct gt_g *stw_g;	/* who stopped the world, and where; NULL: none */
	int64_t stw_p;

	/*
	 * What the last event did. @g is the G that it belongs to and @p the P
	 * it happened on, NULL for none. @moved is the G whose status it
	 * changed, with the span that ended thereby in @was; else NULL.
	 * @region is the one that an end closed, @task the one that ended;
	 * NULL if that began before the trace.
	 */
	struct gt_g *g;
	struct gt_p *p;
	struct gt_g *moved;
	struct gt_span was;
	const struct gt_region *region;
	const struct gt_task *task;
	bool stray;		/* a GCMarkAssistDone of none that began */

	/* The state's own. */
	unsigned int version;
	bool lenient;		/* samples may know Gs that are created later */
	uint64_t strangers;	/* so many did */
	const struct gt_names *names;
	struct gt_pool gs, ps;
	struct gt_g nobody;	/* G 0: what is done while no G runs */
	struct gt_map task_of;	/* id -> index in tasks, plus 1 */
	struct gt_task *tasks;
	size_t n_tasks, size_tasks;
	struct gt_region closed;
};

/* names stay the caller's, and are there as long as the state is. */
void gt_state_init(struct gt_state *s, unsigned int version, bool lenient,
		   const struct gt_names *names);
void gt_state_exit(struct gt_state *s);

/*
 * Take in the next event, at so many ns. Return: 0, or -1 with an error: then
 * the event has changed nothing.
 */
int gt_state_apply(struct gt_state *s, const struct gt_event *ev, int64_t time,
		   struct gt_error *e);

/* By index, less than s->n_gs or s->n_ps. */
struct gt_g *gt_state_g(const struct gt_state *s, size_t index);
struct gt_p *gt_state_p(const struct gt_state *s, size_t index);
/* By id; NULL if the trace said nothing about it so far. */
struct gt_g *gt_state_find_g(const struct gt_state *s, uint64_t id);
struct gt_p *gt_state_find_p(const struct gt_state *s, int64_t id);

/* An open user task; NULL if there is none. */
const struct gt_task *gt_state_find_task(const struct gt_state *s, uint64_t id);

/* "runnable", "waiting", ... */
const char *gt_g_status_word(enum gt_g_status status);

#endif
