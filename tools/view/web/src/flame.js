// SPDX-License-Identifier: GPL-2.0
// Flame graphs: where tasks ran, where they slept, who made them wait for a CPU.
import flamegraph from 'd3-flame-graph';
import { select } from 'd3-selection';
import { el, tip, toast } from './dom.js';
import * as api from './api.js';
import * as f from './format.js';
import { theme, themeName } from './colors.js';

const WHAT = {
	cpu: ['On-CPU', 'time running, by what samples saw'],
	offcpu: ['Off-CPU', 'time asleep, by where tasks went to sleep'],
	sched: ['Waiting for a CPU', 'time runnable, by what made tasks so'],
};

const OFFSET = /\+0x[0-9a-f]+$/;

// Stacks to a tree; its root is all of it, tasks are its children. Functions of the
// kernel's are one, wherever in them it was.
function tree(answer) {
	const functions = answer.names?.map((n) => n.replace(OFFSET, ''));
	const ofKernel = new Set(answer.names?.filter((n) => OFFSET.test(n)).map((n) => n.replace(OFFSET, '')));
	const root = { name: 'all', value: 0, times: 0, children: [], by: new Map() };
	for (const s of answer.stacks) {
		const names = s.f.map((i) => functions[i]).reverse();
		if (!names.length)
			names.push('?');
		if (s.reason)
			names.push(`[${s.reason}]`);
		let node = root;
		node.value += s.ns;
		node.times += s.n;
		for (const name of names) {
			let next = node.by.get(name);
			if (!next) {
				next = { name, kernel: ofKernel.has(name), value: 0, times: 0, children: [], by: new Map() };
				node.by.set(name, next);
				node.children.push(next);
			}
			next.value += s.ns;
			next.times += s.n;
			node = next;
		}
	}
	return root;
}

function hash(text) {
	let h = 0;
	for (let i = 0; i < text.length; i++)
		h = Math.imul(h, 31) + text.charCodeAt(i) | 0;
	return Math.abs(h);
}

// Reasons, calls, the kernel and programs look different.
function color({ name, kernel }, depth) {
	const h = hash(name), dark = themeName === 'dark', light = (dark ? 34 : 72) + h % 9;
	if (depth === 0)
		return dark ? '#2c3440' : '#e4e7ec';
	if (name.startsWith('['))
		return theme.sleep[name.slice(1, -1)] ?? `hsl(30 12% ${light}%)`;
	if (name.startsWith('syscall.'))
		return `hsl(218 45% ${light}%)`;
	if (kernel && depth > 1)	// at 1 are tasks
		return `hsl(${18 + h % 26} 62% ${light}%)`;
	return `hsl(${130 + h % 45} 34% ${light}%)`;
}

export class Flame {
	constructor(trace, hooks) {
		this.trace = trace;
		this.hooks = hooks;	// window()
		this.what = 'cpu';
		this.window = null;
		this.g = null;
		this.named = false;
		this.tabs = el('div.tabs', {}, Object.entries(WHAT).map(([w, [name, title]]) => el('button', { 'data-what': w, title, onclick: () => { this.what = w; this.load(); } }, name)));
		this.text = el('input', { type: 'search', placeholder: 'functions with…', spellcheck: 'false', oninput: () => this.search() });
		this.down = el('input', { type: 'checkbox', checked: true, onchange: () => this.draw() });
		this.before = el('input', { type: 'checkbox', onchange: () => this.grow() });
		this.scope = el('span.scope');
		this.total = el('span.where');
		this.box = el('div.flamebox');
		this.root = el('section.flame', {}, el('div.bar', {}, this.tabs, this.text, el('label', {}, this.down, ' root at the top'),
			el('label', { title: 'sleeps that nobody saw begin: where is not known' }, this.before, ' since before the trace'),
			el('button', { onclick: () => this.chart?.resetZoom() }, 'unzoom'), this.total, el('span.gap'), this.scope), this.box);
	}

	open(width) {
		if (!this.data)
			this.load();
		else if (width !== this.width)
			this.draw();
	}

	set(what, { g = null, named = false, from, to } = {}) {
		this.what = what;
		this.g = g;
		this.named = named;
		this.window = from === undefined ? null : [from, to];
		this.load();
	}

	drawScope() {
		const w = this.window, { g } = this;
		const again = (change) => { Object.assign(this, change); this.load(); };
		this.scope.replaceChildren(...[
			`${w ? `${f.moment(w[0])} to ${f.moment(w[1])}` : 'the whole trace'}, ${g ? (this.named ? `all named ${g.name}` : f.task(g)) : 'all tasks'} `,
			el('button', { onclick: () => again({ window: this.hooks.window() }) }, 'only what is in view'),
			w && el('button', { onclick: () => again({ window: null }) }, 'the whole'),
			g && !this.named && el('button', { onclick: () => again({ named: true }) }, 'all of that name'),
			g && el('button', { onclick: () => again({ g: null, named: false }) }, 'all tasks'),
		].filter((x) => x));
	}

	async load() {
		this.drawScope();
		for (const b of this.tabs.children)
			b.classList.toggle('on', b.dataset.what === this.what);
		const w = this.window;
		const params = { what: this.what, g: this.g?.i, named: this.named ? 1 : undefined, from: w && Math.floor(w[0]), to: w && Math.ceil(w[1]) };
		const mine = this.asked = {};
		this.box.replaceChildren(el('p.dim', {}, 'adding up…'));
		let answer;
		try {
			answer = await api.json('flame', params);
		} catch (e) {
			toast(e.message);
			return;
		}
		if (mine !== this.asked)
			return;
		this.answer = answer;
		this.sampled = answer.stacks.some((s) => s.f.length > 1);
		this.grow();
	}

	// Sleeps from before the trace would be most of it, and say nothing.
	grow() {
		const { stacks } = this.answer ?? { stacks: [] };
		const without = this.what === 'offcpu' && !this.before.checked;
		this.leftOut = without ? stacks.reduce((sum, s) => sum + (s.reason === 'before' ? s.ns : 0), 0) : 0;
		this.data = tree({ ...this.answer, stacks: without ? stacks.filter((s) => s.reason !== 'before') : stacks });
		this.draw();
	}

	draw() {
		if (!this.data)
			return;
		const words = { cpu: 'ran', offcpu: 'asleep', sched: 'waited' };
		this.before.parentElement.hidden = this.what !== 'offcpu';
		this.total.textContent = `${f.time(this.data.value)} ${words[this.what]}${this.leftOut ? `, without ${f.time(this.leftOut)} since before the trace` : ''}`;
		const note = this.what === 'cpu' && !this.sampled ? el('p.note', {}, 'This trace has no CPU samples: only whose time it was is known. Record with -F 99 to see the functions.') : null;
		const mount = el('div.chart');
		this.box.replaceChildren(...[note, mount].filter((x) => x));
		if (!this.data.value) {
			mount.append(el('p.dim', {}, 'nothing'));
			return;
		}
		this.width = this.box.clientWidth;
		const total = this.data.value;
		const label = (d) => [d.data.name, `${f.time(d.value ?? d.data.value)}, ${f.share(d.data.value, total)}`, `${f.count(d.data.times)} times`];
		this.chart = flamegraph().width(Math.max(200, this.width - 18)).cellHeight(18).minFrameSize(1.5)
			.transitionDuration(150).selfValue(false).inverted(this.down.checked).sort((a, b) => b.value - a.value)
			.tooltip(false).title('')
			.setColorMapper((d) => d.highlight ? '#e5389b' : color(d.data, d.depth))
			.onHover((d) => { this.over = d; })
			.setLabelHandler((d) => `${d.data.name}: ${f.time(d.data.value)}`);
		select(mount).datum(this.data).call(this.chart);
		mount.addEventListener('mousemove', (e) => {
			const d = e.target.closest?.('g')?.__data__;
			tip(e.clientX, e.clientY, d ? label(d) : null);
		});
		mount.addEventListener('mouseleave', () => tip(0, 0, null));
		this.search();
	}

	search() {
		const text = this.text.value;
		if (!this.chart)
			return;
		if (text)
			this.chart.search(text);
		else
			this.chart.clear();
	}
}
