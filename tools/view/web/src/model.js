// SPDX-License-Identifier: GPL-2.0
// The trace: its CPUs, tasks and tracks.
import * as api from './api.js';

// enum gt_interval_kind
export const KIND = {
	RUNNING: 0, RUNNABLE: 1, ASLEEP: 2, UNTRACED: 3, CREATED: 4, ENTER: 5, CALL: 6,
	REGION: 7, ASSIST: 8, IDLE: 9, STOPPED: 10, GC: 11, STW: 12,
};
// enum view_class
export const CLASS = { RUNNING: 0, RUNNABLE: 1, ASLEEP: 2, UNTRACED: 3 };
export const FLAG = { SINCE_BEFORE: 1, UNFINISHED: 2, DOUBTFUL: 4, IRQ: 8, CUT: 64 };

// Why tasks sleep, in words.
export const REASONS = {
	sleep: 'sleeps for a time', net: 'waits for the network', select: 'polls',
	sync: 'waits for a lock', cond: 'waits for a child, a signal',
	recv: 'reads from a pipe or the like', send: 'writes to a pipe or the like',
	syscall: 'uninterruptible, as for a disk', gc: 'waits for memory',
	other: 'other sleep', before: 'since before the trace',
};

export async function load() {
	const t = await api.json('trace');
	const tasks = t.tasks.map((a) => ({
		i: a[0], id: a[1], name: a[2], running: a[3], runnable: a[4], asleep: a[5],
		untraced: a[6], start: a[7], end: a[8], state: a[9], calls: a[10],
		assists: a[11], regions: a.slice(12),
	}));
	const byIndex = new Map(tasks.map((x) => [x.i, x]));
	const byId = new Map(tasks.map((x) => [x.id, x]));
	const reason = (why) => (t.reasons[why] || ['', 'other'])[1];
	const event = (why) => (t.reasons[why] || [''])[0];
	const lossesOf = new Map();
	for (const l of t.losses)
		(lossesOf.get(l[0]) ?? lossesOf.set(l[0], []).get(l[0])).push(l);
	return { ...t, lossesOf, end: Math.max(t.end, 1), tasks, byIndex, byId, reason, event };
}
