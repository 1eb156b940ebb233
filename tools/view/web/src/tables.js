// SPDX-License-Identifier: GPL-2.0
// The report's tables, with ways back into the timeline.
import { el, toast } from './dom.js';
import * as api from './api.js';
import * as f from './format.js';

const NAMES = { task: 'Tasks', comm: 'Names', cpu: 'CPUs', syscall: 'System calls', stack: 'Sleeps', waker: 'Who wakes whom' };
const SORTED = { task: 'running_ns', comm: 'running_ns', cpu: 'cpu', syscall: 'total_ns', stack: 'asleep_ns', waker: 'wakes' };
const ROWS = 300;	// at once
const MOST = 3000;	// fetched

// Which column has the task of a moment's, and of a name's.
const WHOSE = {
	wait_max_at_ns: { task: 'id', cpu: 'wait_max_id', waker: 'woken' },
	call_max_at_ns: { syscall: 'call_max_id' },
	sleep_max_at_ns: { stack: 'sleep_max_id' },
};
const ID_OF = { name: 'id', wait_max_held_by_name: 'wait_max_held_by', call_max_name: 'call_max_id', waker_name: 'waker', woken_name: 'woken', id: 'id', waker: 'waker', woken: 'woken', wait_max_held_by: 'wait_max_held_by' };

export class Tables {
	constructor(trace, hooks) {
		this.trace = trace;
		this.hooks = hooks;	// go(task id, time), window()
		this.by = 'task';
		this.sort = {};
		this.window = null;
		this.all = false;
		this.shown = ROWS;
		this.tabs = el('div.tabs', {}, Object.entries(NAMES).map(([by, name]) => el('button', { 'data-by': by, onclick: () => { this.by = by; this.shown = ROWS; this.load(); } }, name)));
		this.filter = el('input', { type: 'search', placeholder: 'rows with…', spellcheck: 'false', oninput: () => this.render() });
		this.every = el('input', { type: 'checkbox', onchange: () => this.render() });
		this.scope = el('span.scope');
		this.body = el('div.tablebox');
		this.root = el('section.tables', {}, el('div.bar', {}, this.tabs, this.filter, el('label', {}, this.every, ' all columns'), el('span.gap'), this.scope), this.body);
	}

	open() {
		if (!this.rows)
			this.load();
	}

	setWindow(from, to) {
		this.window = from === undefined ? null : [from, to];
		this.load();
	}

	drawScope() {
		const w = this.window;
		this.scope.replaceChildren(
			w ? `${f.moment(w[0])} to ${f.moment(w[1])} ` : 'the whole trace ',
			el('button', { onclick: () => this.setWindow(...this.hooks.window()) }, 'only what is in view'),
			w ? el('button', { onclick: () => this.setWindow() }, 'the whole') : '');
	}

	async load() {
		this.drawScope();
		for (const b of this.tabs.children)
			b.classList.toggle('on', b.dataset.by === this.by);
		const { by, window: w } = this;
		this.body.replaceChildren(el('p.dim', {}, 'adding up…'));
		try {
			this.columns ??= await api.json('columns');
			const rows = await api.lines('report', { by, top: MOST, sort: (this.sort[by] ?? {}).key, ...(w ? { from: Math.floor(w[0]), to: Math.ceil(w[1]) } : {}) });
			if (by !== this.by || w !== this.window)
				return;
			this.rows = rows.filter((r) => r.row === by);
			this.most = this.rows.length === MOST;
		} catch (e) {
			toast(e.message);
			this.rows = [];
		}
		this.render();
	}

	format(c, v) {
		if (v === null || v === undefined)
			return '–';
		switch (c.type) {
		case 'time': return f.time(v);
		case 'moment': return f.moment(v);
		case 'percent': return f.percent(v);
		case 'count': return f.count(v);
		case 'stack': return v.length ? v.join(' ← ') : '–';
		default: return String(v);
		}
	}

	cell(c, row) {
		const text = this.format(c, row[c.key]);
		const wide = c.type === 'text' || c.type === 'stack';
		const td = el(wide ? 'td' : 'td.n', c.type === 'stack' ? { title: (row[c.key] ?? []).join('\n') } : {});
		const link = (go) => td.append(el('a.link', { href: '#', onclick: (e) => { e.preventDefault(); go(); } }, text));
		const whose = row[WHOSE[c.key]?.[this.by]], id = row[ID_OF[c.key]];
		if (c.type === 'moment' && row[c.key] !== null && whose !== null && whose !== undefined)
			link(() => this.hooks.go(String(whose), row[c.key]));
		else if (ID_OF[c.key] && id !== null && id !== undefined && text !== '–')
			link(() => this.hooks.go(String(id), null));
		else
			td.append(text);
		return td;
	}

	sorted() {
		const { key, up } = this.sort[this.by] ?? { key: SORTED[this.by], up: SORTED[this.by] === 'cpu' };
		const text = this.filter.value.toLowerCase();
		const hit = (v) => typeof v === 'string' ? v.toLowerCase().includes(text) : Array.isArray(v) ? v.some(hit) : String(v) === text;
		const rows = this.rows.filter((r) => !text || Object.entries(r).some(([k, v]) => k !== 'row' && hit(v)));
		const value = (r) => Array.isArray(r[key]) ? r[key].join() : r[key];
		return rows.map((r, i) => [r, i]).sort(([a, i], [b, j]) => {
			const x = value(a), y = value(b);
			if (x === null || y === null)
				return (x === null) - (y === null) || i - j;
			const d = x < y ? -1 : x > y ? 1 : 0;
			return (up ? d : -d) || i - j;
		}).map(([r]) => r);
	}

	render() {
		if (!this.rows || !this.columns)
			return;
		const all = this.every.checked;
		const columns = this.columns[this.by].filter((c) => c.title || (all && this.rows.some((r) => r[c.key])));
		const { key, up } = this.sort[this.by] ?? { key: SORTED[this.by], up: SORTED[this.by] === 'cpu' };
		const rows = this.sorted();
		const head = columns.map((c) => el(c.type === 'text' || c.type === 'stack' ? 'th' : 'th.n', { title: c.key, onclick: () => {
			this.sort[this.by] = { key: c.key, up: key === c.key ? !up : c.type === 'text' || c.type === 'id' };
			// There are more: others of them come first now.
			if (this.most)
				this.load();
			else
				this.render();
		} }, (c.title ?? c.key.replace(/_ns$/, '').replace(/_/g, ' ')).toLowerCase(), key === c.key ? (up ? ' ▲' : ' ▼') : ''));
		// A bar behind what the rows are sorted by.
		const most = Math.max(...rows.map((r) => typeof r[key] === 'number' ? r[key] : 0), 0);
		const body = rows.slice(0, this.shown).map((r) => el('tr', {}, columns.map((c) => {
			const td = this.cell(c, r);
			if (c.key === key && most > 0 && typeof r[key] === 'number' && ['time', 'count', 'percent'].includes(c.type))
				td.style.setProperty('--bar-w', `${100 * r[key] / most}%`);
			return td;
		})));
		this.body.replaceChildren(rows.length ? el('table', {}, el('thead', {}, el('tr', {}, head)), el('tbody', {}, body)) : el('p.dim', {}, 'nothing'),
			rows.length > this.shown ? el('button', { onclick: () => { this.shown *= 4; this.render(); } }, `and ${f.count(rows.length - this.shown)} more`) : '',
			this.most ? el('p.dim', {}, `of more than ${f.count(MOST)}, those are here that have most of what they are sorted by`) : '');
	}
}
