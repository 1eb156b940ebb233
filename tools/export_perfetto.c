// SPDX-License-Identifier: GPL-2.0
/*
 * A trace for Perfetto: a row of packets, which its reader sorts by their times.
 *
 *	switches, wake-ups	as ftrace's sched_switch and sched_waking, from which
 *				Perfetto makes the CPUs' tracks and the threads' states
 *	system calls		slices on the thread's track
 *	wake-ups by tasks	flows from the waker to where the woken one runs
 *	regions, reclaim	slices on tracks below the thread's, since they begin and
 *				end in different calls
 *	user tasks		slices on a track each
 *	CPU samples		as of perf, with their stacks
 *
 * A task of which the trace does not say to which process it belongs is one of its
 * own. Goroutines are threads of one.
 */
#include "export.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "out.h"
#include "proto/perfetto.pb-c.h"
#include "triples.h"
#include "utf8.h"

typedef Perfetto__TracePacket packet;
typedef Perfetto__TrackEvent track_event;
typedef Perfetto__TrackDescriptor descriptor;

/* Tracks are told apart by what they are of, and which one it is. */
enum track {
	TRACK_MACHINE = 1,
	TRACK_PROCESS,
	TRACK_THREAD,
	TRACK_REGIONS,
	TRACK_RECLAIM,
	TRACK_UNTRACED,
	TRACK_CPU,
	TRACK_COUNTER,
	TRACK_OWN,		/* of one slice */
};

enum counter { COUNTER_RUNNABLE, COUNTER_HEAP, COUNTER_HEAP_GOAL };

/* task_struct's states as sched_switch prints them. */
enum { STATE_RUNNABLE = 0, STATE_SLEEP = 1, STATE_DISK = 2, STATE_DEAD = 16 };

/* What the first packet says, and what all others do. */
enum { SEQUENCE_CLEARED = 1, SEQUENCE_NEEDS_STATE = 2 };
#define SEQUENCE 1

#define GO_PID 1

struct thread {
	int32_t tid;
	uint64_t flow;		/* that ends where it runs next, 0: none */
};

struct perfetto {
	uint8_t *packed;
	size_t size_packed;
	struct gt_map tracks;		/* those that were described */
	struct thread *threads;		/* by gt_g.index */
	size_t n_threads, size_threads;
	struct gt_map tids;		/* that are taken */
	uint64_t flows, slices;
	struct gt_map tasks;		/* user task -> its TRACK_OWN */
	bool is_call;			/* this event begins or ends one */

	struct gt_map strings, stacks;	/* those that were interned */
	struct triples frames;		/* function, pc */
	uint64_t *ids;			/* of the stack in hand */
	size_t size_ids;
};

static void put(struct export *e, packet *pk)
{
	Perfetto__Trace m = PERFETTO__TRACE__INIT;
	struct perfetto *p = e->own;
	uint8_t *bigger;
	size_t len;

	pk->has_trusted_packet_sequence_id = true;
	pk->trusted_packet_sequence_id = SEQUENCE;
	pk->has_sequence_flags = true;
	if (!pk->sequence_flags)
		pk->sequence_flags = SEQUENCE_NEEDS_STATE;
	m.n_packet = 1;
	m.packet = &pk;
	len = perfetto__trace__get_packed_size(&m);
	if (len > p->size_packed) {
		bigger = realloc(p->packed, len);
		if (!bigger) {
			export_fail(e);
			return;
		}
		p->packed = bigger;
		p->size_packed = len;
	}
	perfetto__trace__pack(&m, p->packed);
	out_bytes(p->packed, len);
}

/* ---- Names ---- */

/* To be freed; NULL without memory. */
static char *text(struct export *e, struct gt_string s)
{
	char *t = utf8_dup(s.text, s.len);

	if (!t)
		export_fail(e);
	return t;
}

static char *string_text(struct export *e, uint64_t id)
{
	return text(e, export_string(e, id));
}

static char *g_text(struct export *e, const struct gt_g *g)
{
	return text(e, gt_timeline_g_name(e->t, g));
}

/* ---- Threads and tracks ---- */

/* Their numbers have 31 bits there: who has a greater one gets a free one. */
static int32_t choose_tid(struct export *e, const struct gt_g *g)
{
	struct perfetto *p = e->own;
	uint64_t tid = g->id <= INT32_MAX ? g->id : INT32_MAX, *taken;

	for (;; tid--) {
		taken = gt_map_add(&p->tids, tid);
		if (!taken)
			return export_fail(e);
		if (!*taken) {
			*taken = 1;
			return tid;
		}
	}
}

static struct thread *thread(struct export *e, const struct gt_g *g)
{
	static struct thread nobody;
	struct perfetto *p = e->own;

	while (p->n_threads <= g->index) {
		if (!array_reserve(&p->threads, p->n_threads, &p->size_threads,
				   sizeof(*p->threads))) {
			export_fail(e);
			return &nobody;
		}
		p->threads[p->n_threads] = (struct thread){
			.tid = choose_tid(e, gt_state_g(&e->t->state,
							p->n_threads)),
		};
		p->n_threads++;
	}
	return &p->threads[g->index];
}

static int32_t pid_of(struct export *e, const struct gt_g *g)
{
	uint64_t process = gt_timeline_g_process(e->t, g);

	if (process && process <= INT32_MAX)
		return process;
	return e->t->kernel ? thread(e, g)->tid : GO_PID;
}

static uint64_t uuid(enum track track, uint64_t n)
{
	return (uint64_t)track << 56 | (n + 1);
}

/* Is it new? Then it is to be described. */
static bool is_new(struct export *e, uint64_t id)
{
	struct perfetto *p = e->own;
	uint64_t *at = gt_map_add(&p->tracks, id);

	if (!at)
		return export_fail(e);
	if (*at)
		return false;
	*at = 1;
	return true;
}

static void describe(struct export *e, descriptor *d, uint64_t id)
{
	packet pk = PERFETTO__TRACE_PACKET__INIT;

	d->has_uuid = true;
	d->uuid = id;
	pk.track_descriptor = d;
	put(e, &pk);
}

/* Named by its first thread, which may come later than others. */
static void describe_process(struct export *e, const struct gt_g *g, char *name)
{
	Perfetto__ProcessDescriptor process = PERFETTO__PROCESS_DESCRIPTOR__INIT;
	uint64_t id = uuid(TRACK_PROCESS, pid_of(e, g));
	descriptor d = PERFETTO__TRACK_DESCRIPTOR__INIT;

	bool is_first = thread(e, g)->tid == pid_of(e, g);

	if (!is_new(e, id) && !(e->t->kernel && is_first))
		return;
	process.has_pid = true;
	process.pid = pid_of(e, g);
	if (!e->t->kernel)
		process.process_name = (char *)"Go program";
	else if (is_first)
		process.process_name = name;
	d.process = &process;
	describe(e, &d, id);
}

static uint64_t thread_track(struct export *e, const struct gt_g *g)
{
	Perfetto__ThreadDescriptor th = PERFETTO__THREAD_DESCRIPTOR__INIT;
	descriptor d = PERFETTO__TRACK_DESCRIPTOR__INIT;
	uint64_t id = uuid(TRACK_THREAD, g->index);
	char *name;

	if (!is_new(e, id))
		return id;
	name = g_text(e, g);
	if (!name)
		return id;
	describe_process(e, g, name);
	th.has_pid = true;
	th.pid = pid_of(e, g);
	th.has_tid = true;
	th.tid = thread(e, g)->tid;
	th.thread_name = name;
	d.thread = &th;
	describe(e, &d, id);
	free(name);
	return id;
}

static uint64_t track(struct export *e, enum track kind, uint64_t n,
		      const char *name, uint64_t parent)
{
	descriptor d = PERFETTO__TRACK_DESCRIPTOR__INIT;
	uint64_t id = uuid(kind, n);

	if (!is_new(e, id))
		return id;
	d.name = (char *)name;
	d.has_parent_uuid = parent != 0;
	d.parent_uuid = parent;
	describe(e, &d, id);
	return id;
}

static uint64_t g_track(struct export *e, enum track kind, const char *name,
			const struct gt_g *g)
{
	return track(e, kind, g->index, name, thread_track(e, g));
}

static uint64_t cpu_track(struct export *e, int64_t p)
{
	char name[32];

	snprintf(name, sizeof(name), "CPU %lld", (long long)p);
	return track(e, TRACK_CPU, p, name, 0);
}

/* ---- Slices, instants, counters ---- */

static void put_event(struct export *e, track_event *ev, int64_t time,
		      Perfetto__TrackEvent__Type type, uint64_t on)
{
	packet pk = PERFETTO__TRACE_PACKET__INIT;

	ev->has_type = true;
	ev->type = type;
	ev->has_track_uuid = true;
	ev->track_uuid = on;
	pk.has_timestamp = true;
	pk.timestamp = time;
	pk.track_event = ev;
	put(e, &pk);
}

static void put_begin(struct export *e, int64_t time, uint64_t on,
		      const char *name)
{
	track_event ev = PERFETTO__TRACK_EVENT__INIT;

	ev.name = (char *)name;
	put_event(e, &ev, time, PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN,
		  on);
}

static void put_end(struct export *e, int64_t time, uint64_t on)
{
	track_event ev = PERFETTO__TRACK_EVENT__INIT;

	put_event(e, &ev, time, PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_END, on);
}

static void put_instant(struct export *e, int64_t time, uint64_t on,
			track_event *ev)
{
	put_event(e, ev, time, PERFETTO__TRACK_EVENT__TYPE__TYPE_INSTANT, on);
}

static void put_slice(struct export *e, const struct gt_interval *iv,
		      uint64_t on, const char *name)
{
	put_begin(e, iv->start, on, name);
	put_end(e, iv->end, on);
}

/* Above all that began under our eyes, which would have to be nested in it. */
static void put_own_slice(struct export *e, const struct gt_interval *iv,
			  const char *name)
{
	struct perfetto *p = e->own;

	put_slice(e, iv, track(e, TRACK_OWN, p->slices++, name,
			       thread_track(e, iv->g)), name);
}

static void put_counter(struct export *e, enum counter counter,
			const char *name, int64_t value)
{
	Perfetto__CounterDescriptor unit = PERFETTO__COUNTER_DESCRIPTOR__INIT;
	descriptor d = PERFETTO__TRACK_DESCRIPTOR__INIT;
	track_event ev = PERFETTO__TRACK_EVENT__INIT;
	uint64_t id = uuid(TRACK_COUNTER, counter);

	if (is_new(e, id)) {
		unit.has_unit = true;
		unit.unit = counter == COUNTER_RUNNABLE ?
			PERFETTO__COUNTER_DESCRIPTOR__UNIT__UNIT_COUNT :
			PERFETTO__COUNTER_DESCRIPTOR__UNIT__UNIT_SIZE_BYTES;
		d.name = (char *)name;
		d.counter = &unit;
		describe(e, &d, id);
	}
	ev.has_counter_value = true;
	ev.counter_value = value;
	put_event(e, &ev, e->t->time,
		  PERFETTO__TRACK_EVENT__TYPE__TYPE_COUNTER, id);
}

/* ---- The scheduler ---- */

static void put_ftrace(struct export *e, int64_t p, int64_t time,
		       const struct gt_g *who, Perfetto__FtraceEvent *ev)
{
	Perfetto__FtraceEventBundle bundle = PERFETTO__FTRACE_EVENT_BUNDLE__INIT;
	packet pk = PERFETTO__TRACE_PACKET__INIT;

	ev->has_timestamp = true;
	ev->timestamp = time;
	ev->has_pid = true;
	ev->pid = who ? thread(e, who)->tid : 0;
	bundle.has_cpu = true;
	bundle.cpu = p == GT_NO_P ? 0 : p;
	bundle.n_event = 1;
	bundle.event = &ev;
	pk.ftrace_events = &bundle;
	put(e, &pk);
}

/* Between two tasks the CPU is idle, were it for a tick: so the trace has it. */
static void put_switch(struct export *e, int64_t p, int64_t time,
		       const struct gt_g *prev, int64_t state,
		       const struct gt_g *next)
{
	Perfetto__FtraceEvent ev = PERFETTO__FTRACE_EVENT__INIT;
	Perfetto__SchedSwitch sw = PERFETTO__SCHED_SWITCH__INIT;
	static char idle[] = "swapper";
	char *name = g_text(e, prev ? prev : next);

	if (!name)
		return;
	thread_track(e, prev ? prev : next);
	sw.prev_comm = prev ? name : idle;
	sw.has_prev_pid = true;
	sw.prev_pid = prev ? thread(e, prev)->tid : 0;
	sw.has_prev_prio = true;
	sw.prev_prio = 120;
	sw.has_prev_state = true;
	sw.prev_state = state;
	sw.next_comm = next ? name : idle;
	sw.has_next_pid = true;
	sw.next_pid = next ? thread(e, next)->tid : 0;
	sw.has_next_prio = true;
	sw.next_prio = 120;
	ev.sched_switch = &sw;
	put_ftrace(e, p, time, prev, &ev);
	free(name);
}

static void put_waking(struct export *e, int64_t p, int64_t time,
		       const struct gt_g *by, const struct gt_g *g)
{
	Perfetto__FtraceEvent ev = PERFETTO__FTRACE_EVENT__INIT;
	Perfetto__SchedWaking w = PERFETTO__SCHED_WAKING__INIT;
	char *name = g_text(e, g);

	if (!name)
		return;
	thread_track(e, g);
	w.comm = name;
	w.has_pid = true;
	w.pid = thread(e, g)->tid;
	w.has_prio = true;
	w.prio = 120;
	w.has_success = true;
	w.success = 1;
	w.has_target_cpu = true;
	w.target_cpu = p == GT_NO_P ? 0 : p;
	ev.sched_waking = &w;
	put_ftrace(e, p, time, by, &ev);
	free(name);
}

static int64_t state_after(unsigned int then)
{
	switch (gt_event_leaves(then)) {
	case GT_LEAVES_DEAD:
		return STATE_DEAD;
	case GT_LEAVES_ASLEEP:
		return then == GT_EV_GO_SYSBLOCK ? STATE_DISK : STATE_SLEEP;
	default:
		return STATE_RUNNABLE;
	}
}

/* From the waker, while it does it, to where the woken one runs. */
static void begin_flow(struct export *e, const struct gt_interval *iv)
{
	track_event ev = PERFETTO__TRACK_EVENT__INIT;
	struct perfetto *p = e->own;
	char *name = g_text(e, iv->g), *wakes;
	uint64_t id = ++p->flows;

	if (!name)
		return;
	if (asprintf(&wakes, "wakes %s", name) < 0) {
		export_fail(e);
	} else {
		ev.name = wakes;
		ev.n_flow_ids = 1;
		ev.flow_ids = &id;
		put_instant(e, iv->end, thread_track(e, iv->by), &ev);
		thread(e, iv->g)->flow = id;
		free(wakes);
	}
	free(name);
}

static void end_flow(struct export *e, const struct gt_interval *iv)
{
	track_event ev = PERFETTO__TRACK_EVENT__INIT;
	struct thread *th = thread(e, iv->g);
	static char woken[] = "woken";

	if (!th->flow)
		return;
	ev.name = woken;
	ev.n_terminating_flow_ids = 1;
	ev.terminating_flow_ids = &th->flow;
	put_instant(e, iv->end, thread_track(e, iv->g), &ev);
	th->flow = 0;
}

static bool is_start(unsigned int type)
{
	return type == GT_EV_GO_START || type == GT_EV_GO_START_LABEL;
}

static void take_state(struct export *e, const struct gt_interval *iv)
{
	if (iv->kind == GT_IV_RUNNING) {
		put_switch(e, iv->p, iv->end, iv->g, state_after(iv->then),
			   NULL);
		return;
	}
	if (iv->kind == GT_IV_UNTRACED)
		put_slice(e, iv, g_track(e, TRACK_UNTRACED, "untraced", iv->g),
			  "untraced");
	/* That it is there and could run is known only now. */
	if (iv->kind == GT_IV_RUNNABLE && iv->why == GT_EV_GO_CREATE &&
	    iv->then != GT_EV_GO_WAITING && iv->then != GT_EV_GO_IN_SYSCALL)
		put_waking(e, iv->p, iv->start, iv->by, iv->g);
	if (iv->kind == GT_IV_ASLEEP && !iv->unfinished) {
		put_waking(e, iv->end_p, iv->end, iv->by, iv->g);
		if (iv->by)
			begin_flow(e, iv);
	}
	if (is_start(iv->then)) {
		put_switch(e, iv->end_p, iv->end, NULL, STATE_RUNNABLE, iv->g);
		end_flow(e, iv);
	}
}

/* ---- Calls, regions, reclaim ---- */

/* Begun by a region it has an end, by GoSysCall it has none. */
static void take_enter(struct export *e, const struct gt_interval *iv)
{
	track_event ev = PERFETTO__TRACK_EVENT__INIT;
	struct perfetto *p = e->own;
	uint64_t on = thread_track(e, iv->g);
	char *name = string_text(e, iv->name);

	if (!name)
		return;
	ev.name = name;
	p->is_call = iv->why == GT_EV_USER_REGION;
	if (p->is_call)
		put_begin(e, iv->start, on, name);
	else
		put_instant(e, iv->start, on, &ev);
	free(name);
}

static bool goes_on(const struct export *e, const struct gt_interval *iv)
{
	return iv->unfinished && iv->end == e->t->time;
}

static void take_call(struct export *e, const struct gt_interval *iv)
{
	uint64_t on = thread_track(e, iv->g);
	char *name;

	if (iv->since_before) {
		name = string_text(e, iv->name);
		if (name)
			put_begin(e, iv->start, on, name);
		free(name);
	}
	if (!goes_on(e, iv))
		put_end(e, iv->end, on);
}

static void take_region(struct export *e, const struct gt_interval *iv)
{
	char *name;

	if (!iv->since_before) {
		if (!goes_on(e, iv))
			put_end(e, iv->end,
				g_track(e, TRACK_REGIONS, "regions", iv->g));
		return;
	}
	name = string_text(e, iv->name);
	if (name)
		put_own_slice(e, iv, name);
	free(name);
}

static void take(struct export *e, const struct gt_interval *iv)
{
	static const char reclaim[] = "reclaim", gc[] = "GC";
	const char *memory = e->t->kernel ? reclaim : gc;

	switch (iv->kind) {
	case GT_IV_RUNNING:
	case GT_IV_RUNNABLE:
	case GT_IV_ASLEEP:
	case GT_IV_UNTRACED:
		take_state(e, iv);
		break;
	case GT_IV_ENTER:
		take_enter(e, iv);
		break;
	case GT_IV_CALL:
		take_call(e, iv);
		break;
	case GT_IV_REGION:
		take_region(e, iv);
		break;
	case GT_IV_ASSIST:
		put_slice(e, iv, g_track(e, TRACK_RECLAIM, memory, iv->g),
			  memory);
		break;
	case GT_IV_GC:
		put_slice(e, iv, track(e, TRACK_MACHINE, 0, memory, 0), memory);
		break;
	case GT_IV_STW:
		put_slice(e, iv, track(e, TRACK_MACHINE, 1, "stopped", 0),
			  "stopped");
		break;
	default:
		break;
	}
}

/* ---- CPU samples ---- */

static void intern_frame(struct export *e, const struct gt_frame *f, uint64_t i)
{
	Perfetto__InternedString str = PERFETTO__INTERNED_STRING__INIT;
	Perfetto__InternedString *strs = &str;
	Perfetto__Frame frame = PERFETTO__FRAME__INIT, *frames = &frame;
	Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
	packet pk = PERFETTO__TRACE_PACKET__INIT;
	struct perfetto *p = e->own;
	uint64_t *at = gt_map_add(&p->strings, f->fn);
	char *name = string_text(e, f->fn);

	if (!at || !name) {
		export_fail(e);
		free(name);
		return;
	}
	if (!*at) {
		*at = p->strings.used;
		str.has_iid = true;
		str.iid = *at;
		str.has_str = true;
		str.str.data = (uint8_t *)name;
		str.str.len = strlen(name);
		data.n_function_names = 1;
		data.function_names = &strs;
	}
	frame.has_iid = true;
	frame.iid = i;
	frame.has_function_name_id = true;
	frame.function_name_id = *at;
	frame.has_mapping_id = true;
	frame.mapping_id = 1;
	frame.has_rel_pc = true;
	frame.rel_pc = f->pc;
	data.n_frames = 1;
	data.frames = &frames;
	pk.interned_data = &data;
	put(e, &pk);
	free(name);
}

static void intern_stack(struct export *e, uint64_t stk, uint64_t iid)
{
	const struct gt_names *names = &e->t->trace.names;
	Perfetto__Callstack stack = PERFETTO__CALLSTACK__INIT, *stacks = &stack;
	Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
	packet pk = PERFETTO__TRACE_PACKET__INIT;
	struct perfetto *p = e->own;
	size_t n = gt_names_stack(names, stk);
	struct gt_frame f;
	bool new;

	for (size_t i = 0; i < n; i++) {
		f = gt_names_frame(names, stk, n - 1 - i);
		if (!array_reserve(&p->ids, i, &p->size_ids, sizeof(*p->ids))) {
			export_fail(e);
			return;
		}
		p->ids[i] = triples_add(&p->frames, f.fn, f.pc, 0, &new);
		if (!p->ids[i]) {
			export_fail(e);
			return;
		}
		if (new)
			intern_frame(e, &f, p->ids[i]);
	}
	stack.has_iid = true;
	stack.iid = iid;
	stack.n_frame_ids = n;
	stack.frame_ids = p->ids;
	data.n_callstacks = 1;
	data.callstacks = &stacks;
	pk.interned_data = &data;
	put(e, &pk);
}

static void put_sample(struct export *e, const struct gt_event *ev)
{
	Perfetto__PerfSample sample = PERFETTO__PERF_SAMPLE__INIT;
	const struct gt_g *g = ev->g ? e->t->state.g : NULL;
	packet pk = PERFETTO__TRACE_PACKET__INIT;
	struct perfetto *p = e->own;
	uint64_t *at = gt_map_add(&p->stacks, ev->stk);

	if (!at) {
		export_fail(e);
		return;
	}
	if (!*at) {
		*at = p->stacks.used;
		intern_stack(e, ev->stk, *at);
	}
	if (g)
		thread_track(e, g);
	sample.has_cpu = ev->p != GT_NO_P;
	sample.cpu = ev->p;
	sample.has_pid = true;
	sample.pid = g ? pid_of(e, g) : 0;
	sample.has_tid = true;
	sample.tid = g ? thread(e, g)->tid : 0;
	sample.has_callstack_iid = true;
	sample.callstack_iid = *at;
	pk.has_timestamp = true;
	pk.timestamp = e->t->time;
	pk.perf_sample = &sample;
	put(e, &pk);
}

/* ---- Annotations ---- */

static void begin_region(struct export *e, const struct gt_event *ev)
{
	char *name = string_text(e, ev->args[2]);

	if (name)
		put_begin(e, e->t->time,
			  g_track(e, TRACK_REGIONS, "regions", e->t->state.g),
			  name);
	free(name);
}

static void begin_task(struct export *e, const struct gt_event *ev)
{
	struct perfetto *p = e->own;
	uint64_t *at = gt_map_add(&p->tasks, ev->args[0]);
	char *name = string_text(e, ev->args[2]);

	if (!at)
		export_fail(e);
	if (at && name) {
		*at = track(e, TRACK_OWN, p->slices++, name, 0);
		put_begin(e, e->t->time, *at, name);
	}
	free(name);
}

static void end_task(struct export *e, const struct gt_event *ev)
{
	struct perfetto *p = e->own;
	uint64_t *at = gt_map_find(&p->tasks, ev->args[0]);

	if (at && *at)
		put_end(e, e->t->time, *at);
	if (at)
		*at = 0;
}

static void put_log(struct export *e, const struct gt_event *ev)
{
	Perfetto__DebugAnnotation a = PERFETTO__DEBUG_ANNOTATION__INIT;
	Perfetto__DebugAnnotation *as = &a;
	track_event log = PERFETTO__TRACK_EVENT__INIT;
	static char what[] = "message";
	char *name = string_text(e, ev->args[1]);
	char *said = text(e, (struct gt_string){ (const char *)ev->text,
						 ev->text_len });

	if (name && said) {
		log.name = name;
		a.name = what;
		a.string_value = said;
		log.n_debug_annotations = 1;
		log.debug_annotations = &as;
		put_instant(e, e->t->time, ev->g ?
			    thread_track(e, e->t->state.g) :
			    cpu_track(e, ev->p), &log);
	}
	free(name);
	free(said);
}

static void event(struct export *e)
{
	const struct gt_event *ev = e->t->ev;
	struct perfetto *p = e->own;

	switch (ev->type) {
	case GT_EV_CPU_SAMPLE:
		put_sample(e, ev);
		break;
	case GT_EV_HEAP_ALLOC:
		put_counter(e, COUNTER_HEAP, "heap", ev->args[0]);
		break;
	case GT_EV_HEAP_GOAL:
		put_counter(e, COUNTER_HEAP_GOAL, "heap goal", ev->args[0]);
		break;
	case GT_EV_USER_REGION:
		if (ev->g && ev->args[1] == 0 && !p->is_call)
			begin_region(e, ev);
		break;
	case GT_EV_USER_TASK_CREATE:
		begin_task(e, ev);
		break;
	case GT_EV_USER_TASK_END:
		end_task(e, ev);
		break;
	case GT_EV_USER_LOG:
		put_log(e, ev);
		break;
	}
	p->is_call = false;
	if (export_count_runnable(e))
		put_counter(e, COUNTER_RUNNABLE, "runnable", e->runnable);
}

/* ---- The whole ---- */

/* All frames are of one mapping: older readers drop those that have none. */
static void put_mapping(struct export *e)
{
	Perfetto__InternedString path = PERFETTO__INTERNED_STRING__INIT;
	Perfetto__InternedString *paths = &path;
	Perfetto__Mapping mapping = PERFETTO__MAPPING__INIT;
	Perfetto__Mapping *mappings = &mapping;
	Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
	packet pk = PERFETTO__TRACE_PACKET__INIT;
	static uint8_t name[] = "trace";
	uint64_t one = 1;

	path.has_iid = true;
	path.iid = one;
	path.has_str = true;
	path.str.data = name;
	path.str.len = sizeof(name) - 1;
	mapping.has_iid = true;
	mapping.iid = one;
	mapping.n_path_string_ids = 1;
	mapping.path_string_ids = &one;
	data.n_mapping_paths = 1;
	data.mapping_paths = &paths;
	data.n_mappings = 1;
	data.mappings = &mappings;
	pk.interned_data = &data;
	pk.sequence_flags = SEQUENCE_CLEARED | SEQUENCE_NEEDS_STATE;
	put(e, &pk);
}

static void begin(struct export *e)
{
	const struct gt_loss *l;
	uint64_t on;

	e->own = calloc(1, sizeof(struct perfetto));
	if (!e->own) {
		export_fail(e);
		return;
	}
	put_mapping(e);
	for (size_t i = 0; i < e->t->losses.n; i++) {
		l = &e->t->losses.all[i];
		on = cpu_track(e, l->p);
		put_begin(e, l->from, on, "events lost");
		put_end(e, l->to, on);
	}
}

static void end(struct export *e)
{
	struct perfetto *p = e->own;

	if (!p)
		return;
	gt_map_exit(&p->tracks);
	gt_map_exit(&p->tids);
	gt_map_exit(&p->tasks);
	gt_map_exit(&p->strings);
	gt_map_exit(&p->stacks);
	triples_exit(&p->frames);
	free(p->threads);
	free(p->ids);
	free(p->packed);
	free(p);
}

const struct export_format export_perfetto = {
	.name = "perfetto",
	.binary = true,
	.begin = begin,
	.take = take,
	.event = event,
	.exit = end,
};
