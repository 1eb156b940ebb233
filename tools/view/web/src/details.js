// SPDX-License-Identifier: GPL-2.0
// The pane below the timeline: all about what was clicked on, or what a range has.
import { el } from './dom.js';
import * as api from './api.js';
import * as f from './format.js';
import { REASONS } from './model.js';

const TITLES = {
	running: 'Running', runnable: 'Waiting for a CPU', asleep: 'Asleep', untraced: 'Not traced',
	call: 'System call', enter: 'Enters a system call', region: 'Region', reclaim: 'Reclaims memory',
	idle: 'CPU idle', stopped: 'CPU not traced', gc: 'Background reclaim', stw: 'World stopped',
};

export class Details {
	constructor(trace, timeline, hooks) {
		this.trace = trace;
		this.timeline = timeline;
		this.hooks = hooks;	// flame(what, opts), tables(from, to)
		this.root = el('aside.details', { hidden: true, 'aria-label': 'Details' });
	}

	show(...parts) {
		this.inner = el('div.inner', {}, ...parts.filter((x) => x));
		this.root.replaceChildren(this.inner, el('button.close', { title: 'close ( Esc )', onclick: () => this.timeline.clear() }, '×'));
		this.root.hidden = false;
	}

	hide() { this.root.hidden = true; }

	link(text, title, go) { return el('a.link', { href: '#', title, onclick: (e) => { e.preventDefault(); go(); } }, text); }

	taskLink(g, time) {
		if (!g)
			return 'nobody known';
		return this.link(f.task(g), 'show what it did then', () => this.timeline.choose({ g: g.i, time }));
	}

	rows(list) {
		return el('dl', {}, list.filter((r) => r && r[1] !== null && r[1] !== undefined).flatMap(([k, v]) => [el('dt', {}, k), el('dd', {}, v)]));
	}

	stack(title, frames, none) {
		const list = (frames ?? []).map((x) => el('li', { title: x.file && x.file !== '?' ? `${x.fn}  ${x.file}:${x.line}` : x.fn },
			el(x.fn.startsWith('syscall.') ? 'b' : 'span', {}, x.fn || '?'),
			x.file && x.line && x.file !== '?' && x.file !== 'vmlinux' ? el('small', {}, ` ${x.file.split('/').pop()}${x.line ? `:${x.line}` : ''}`) : null));
		return el('div.stack', {}, el('h3', {}, title), list.length ? el('ol', {}, list) : el('p.dim', {}, none));
	}

	// ---- A record ----

	slice(s) {
		const w = s.wake;
		const isTask = ['running', 'runnable', 'asleep', 'untraced'].includes(s.kind);
		this.show(
			el('div.column', {},
				el('h2', {}, el(`i.k-${s.kind}${s.reason ? `.r-${s.reason}` : ''}`), s.kind === 'stopped' && !this.trace.kernel ? 'P stopped' : s.kind === 'gc' && !this.trace.kernel ? 'GC' : TITLES[s.kind] ?? s.kind, ' ', el('em', {}, f.time(s.end - s.start))),
				this.rows([
					s.g && ['task', this.taskLink(s.g, s.start)],
					s.name && s.kind !== 'asleep' && ['name', f.call(s.name)],
					s.reason && ['reason', `${s.reason}: ${REASONS[s.reason]}`],
					s.call && ['system call', f.call(s.call)],
					s.region && ['region', s.region],
					['from', `${f.moment(s.start)}${s.since_before ? ', or earlier' : ''}`],
					['to', `${f.moment(s.end)}${s.unfinished ? ', and on' : ''}`],
					isTask || s.kind === 'idle' ? ['CPU', s.kind === 'runnable' && s.end_cpu !== null && s.end_cpu !== s.cpu ? `${s.end_cpu} at last` : s.cpu ?? '–'] : null,
					s.asleep ? ['asleep of that', `${f.time(s.asleep)}, ${f.share(s.asleep, s.end - s.start)}`] : null,
					s.holder && ['CPU had by', el('span', {}, this.taskLink(s.holder, s.end - 1), ` for ${f.time(s.held)}`)],
					s.why && ['began with', s.why], s.then && ['ended with', s.then],
					s.doubtful && ['doubtful', 'events were lost meanwhile'],
				]),
				el('div.buttons', {},
					el('button', { disabled: !s.before, title: 'previous ( , )', onclick: () => this.timeline.neighbour('before') }, '‹ before'),
					el('button', { disabled: !s.after, title: 'next ( . )', onclick: () => this.timeline.neighbour('after') }, 'after ›'),
					el('button', { title: 'zoom to it ( f )', onclick: () => this.timeline.key({ key: 'f' }) }, 'zoom'),
					s.g && el('button', { title: 'keep its row at the top ( p )', onclick: () => this.timeline.pin(s.g.i) }, 'pin'),
					s.g && el('button', { onclick: () => this.hooks.flame(s.kind === 'running' ? 'cpu' : 'offcpu', { g: s.g }) }, 'flame graph'))),
			w || s.kind !== 'runnable' ? this.stack(s.kind === 'asleep' ? 'Where it sleeps' : s.kind === 'call' ? 'Called from' : s.kind === 'running' ? 'Where it stopped running' : 'Stack',
				s.kind === 'running' ? s.end_stack : s.stack, s.since_before ? 'it slept before the trace began' : 'no stack (record with --stacks both)') : this.stack('Where it stopped running', s.stack, 'no stack'),
			isTask && s.kind !== 'untraced' ? this.waker(s) : null);
		if (isTask && s.g)
			this.chain(s);
	}

	waker(s) {
		const w = s.wake;
		const box = el('div.column.waker', {}, el('h3', {}, w?.created ? 'Who made it' : 'Who woke it'));
		if (!w) {
			box.append(el('p.dim', {}, s.kind === 'asleep' ? 'nobody within the trace' : 'it was not woken, it was ready'));
			return box;
		}
		box.append(this.rows([
			['waker', w.irq ? 'an interrupt' : w.by ? this.taskLink(w.by, w.at) : 'not known'],
			['at', f.moment(w.at)], w.cpu !== null ? ['on CPU', w.cpu] : null,
			['then waited', `${f.time(w.ran - w.at)}${w.unfinished ? ', and on' : ` for CPU ${w.to_cpu ?? '–'}`}`],
		]));
		if (w.by)
			box.append(el('div.buttons', {}, el('button.primary', { title: 'go to the waker ( g )', onclick: () => this.timeline.choose({ g: w.by.i, time: w.at }) }, 'go to the waker')));
		box.append(this.stack('Its stack', w.stack, 'no stack'));
		return box;
	}

	// Who woke the waker, and so on.
	async chain(s) {
		const at = s.kind === 'asleep' ? s.end : s.start;
		let list;
		try {
			list = await api.json('chain', { g: s.g.i, time: at, max: 12 });
		} catch {
			return;
		}
		if (this.timeline.slice !== s || list.length < 2)
			return;
		this.inner.append(el('div.column.led', {}, el('h3', {}, 'What led to it'),
			el('ol.chain', {}, list.map((c) => el('li', {},
				this.link(f.moment(c.at), 'show it', () => this.timeline.choose({ track: c.track, index: c.index })), ' ',
				c.irq ? 'an interrupt' : c.by ? f.task(c.by) : 'somebody', c.call ? el('small', {}, ` in ${f.call(c.call)}`) : null,
				el('small', {}, ` woke ${f.task(c.g)}${c.slept !== undefined ? `, which slept ${f.time(c.slept)} (${c.reason})` : ''}`))))));
	}

	// ---- A range ----

	async range(from, to) {
		const all = (title, go) => el('button', { onclick: go }, title);
		const head = el('div.column', {}, el('h2', {}, 'Range ', el('em', {}, f.time(to - from))),
			this.rows([['from', f.moment(from)], ['to', f.moment(to)]]),
			el('div.buttons', {},
				el('button', { title: 'zoom to it ( f )', onclick: () => this.timeline.show(from, to) }, 'zoom'),
				all('on-CPU flame graph', () => this.hooks.flame('cpu', { from, to })),
				all('off-CPU flame graph', () => this.hooks.flame('offcpu', { from, to })),
				all('latencies', () => this.hooks.hists(from, to)),
				all('tables', () => this.hooks.tables(from, to))));
		this.show(head, el('p.dim', {}, 'adding up…'));
		let tables;
		try {
			tables = [];
			for (const sort of ['running_ns', 'runnable_ns', 'wait_max_ns'])
				tables.push((await api.lines('report', { by: 'task', from, to, sort, top: 8 })).filter((r) => r.row === 'task' && r[sort] > 0));
		} catch (e) {
			this.show(head, el('p.dim', {}, e.message));
			return;
		}
		if (this.timeline.range?.[0] !== from || this.timeline.range?.[1] !== to)
			return;
		const table = (title, key, rows) => el('div.column', {}, el('h3', {}, title), el('table.mini', {}, rows.map((t) => el('tr', {},
			el('td', {}, this.link(`${t.name} ${t.id}`, 'show it', () => {
				const g = this.trace.byId.get(String(t.id));
				if (g)
					this.timeline.reveal(g.i);
			})),
			el('td.n', {}, f.time(t[key])), el('td.n.dim', {}, f.share(t[key], to - from)))),
			rows.length ? null : el('tr', {}, el('td.dim', {}, 'nobody'))));
		this.show(head, table('Ran', 'running_ns', tables[0]), table('Waited for a CPU', 'runnable_ns', tables[1]), table('Longest wait', 'wait_max_ns', tables[2]));
	}
}
