// SPDX-License-Identifier: GPL-2.0
// Latencies: how long tasks waited for a CPU, how long calls took.
import { el, tip, toast } from './dom.js';
import * as api from './api.js';
import * as f from './format.js';
import { theme } from './colors.js';
import { FONT } from './draw.js';

const PER_OCTAVE = 4;	// bars

// To bars whose width grows with the time: [from, to, n].
function bars(h) {
	const all = new Map();
	for (const [low, high, n] of h.buckets) {
		const at = low < 1 ? -1 : Math.floor(Math.log2((low + high) / 2) * PER_OCTAVE);
		all.set(at, (all.get(at) ?? 0) + n);
	}
	return [...all].sort((a, b) => a[0] - b[0]).map(([at, n]) => [at < 0 ? 0 : 2 ** (at / PER_OCTAVE), 2 ** ((at + 1) / PER_OCTAVE), n, at]);
}

export class Hists {
	constructor(trace, hooks) {
		this.trace = trace;
		this.hooks = hooks;	// window(), go(g, time, kind)
		this.kind = 'waits';
		this.window = null;
		this.tabs = el('div.tabs', {}, [['waits', 'Waiting for a CPU'], ['calls', 'System calls']].map(([k, name]) =>
			el('button', { 'data-kind': k, onclick: () => { this.kind = k; this.chosen = 0; this.render(); } }, name)));
		this.logY = el('input', { type: 'checkbox', onchange: () => this.draw() });
		this.scope = el('span.scope');
		this.list = el('div.list');
		this.canvas = el('canvas', { 'aria-label': 'Histogram' });
		this.figures = el('div.figures');
		this.root = el('section.hists', {}, el('div.bar', {}, this.tabs, el('label', {}, this.logY, ' logarithmic counts'), el('span.gap'), this.scope),
			el('div.split', {}, this.list, el('div.big', {}, this.figures, this.canvas)));
		this.chosen = 0;
		this.canvas.addEventListener('mousemove', (e) => this.hover(e));
		this.canvas.addEventListener('mouseleave', () => tip(0, 0, null));
		new ResizeObserver(() => this.draw()).observe(this.root);
	}

	open() {
		if (!this.data)
			this.load();
	}

	setWindow(from, to) {
		this.window = from === undefined ? null : [from, to];
		this.load();
	}

	async load() {
		const w = this.window;
		this.scope.replaceChildren(...[
			w ? `${f.moment(w[0])} to ${f.moment(w[1])} ` : 'the whole trace ',
			el('button', { onclick: () => this.setWindow(...this.hooks.window()) }, 'only what is in view'),
			w && el('button', { onclick: () => this.setWindow() }, 'the whole'),
		].filter((x) => x));
		try {
			this.data = await api.json('hists', w ? { from: Math.floor(w[0]), to: Math.ceil(w[1]) } : {});
		} catch (e) {
			toast(e.message);
			return;
		}
		this.render();
	}

	hists() {
		if (!this.data)
			return [];
		return this.kind === 'waits' ? [this.data.all, ...this.data.waits] : this.data.calls;
	}

	render() {
		for (const b of this.tabs.children)
			b.classList.toggle('on', b.dataset.kind === this.kind);
		const list = this.hists();
		this.list.replaceChildren(list.length ? el('table', {}, el('thead', {}, el('tr', {}, el('th', {}, this.kind === 'waits' ? 'task' : 'call'), ...['times', 'p50', 'p99', 'longest'].map((h) => el('th.n', {}, h)))),
			el('tbody', {}, list.map((h, i) => el(i === this.chosen ? 'tr.on' : 'tr', { onclick: () => { this.chosen = i; this.render(); } },
				el('td', {}, f.call(h.name)), el('td.n', {}, f.count(h.n)), el('td.n', {}, f.time(h.p50)), el('td.n', {}, f.time(h.p99)), el('td.n', {}, f.time(h.max)))))) :
			el('p.dim', {}, 'nothing: calls are timed with --syscalls regions'));
		this.draw();
	}

	draw() {
		const h = this.hists()[this.chosen], c = this.canvas;
		if (!h || !c.isConnected || !c.parentElement.clientWidth) {
			this.figures.replaceChildren();
			c.hidden = !h;
			return;
		}
		c.hidden = false;
		this.figures.replaceChildren(el('h2', {}, this.kind === 'waits' ? `${f.call(h.name)}: from ready to running` : `${f.call(h.name)}: from entry to return`),
			el('div.numbers', {}, [['times', f.count(h.n)], ['half are within', f.time(h.p50)], ['90 % within', f.time(h.p90)], ['99 % within', f.time(h.p99)],
				['longest', h.g ? el('a.link', { href: '#', title: 'show it', onclick: (e) => { e.preventDefault(); this.hooks.go(h.g, h.at, this.kind); } }, f.time(h.max)) : f.time(h.max)]].map(([k, v]) => el('div', {}, el('b', {}, v), el('span', {}, k)))));
		const W = c.parentElement.clientWidth - 16, H = Math.max(160, c.parentElement.clientHeight - this.figures.offsetHeight - 24), r = devicePixelRatio;
		c.width = W * r;
		c.height = H * r;
		c.style.width = `${W}px`;
		c.style.height = `${H}px`;
		const ctx = c.getContext('2d');
		ctx.setTransform(r, 0, 0, r, 0, 0);
		ctx.font = FONT;
		this.plot(ctx, h, W, H);
	}

	plot(ctx, h, W, H) {
		const all = bars(h);
		if (!all.length)
			return;
		const left = 54, bottom = 34, top = 22;
		const first = Math.max(0, all[0][3]), last = all[all.length - 1][3] + 1;
		const lo = first - 1, hi = Math.max(last + 1, lo + 12);
		const x = (ns) => left + (Math.log2(Math.max(ns, 1)) * PER_OCTAVE - lo) / (hi - lo) * (W - left - 12);
		const most = Math.max(...all.map((b) => b[2]));
		const height = (n) => (this.logY.checked ? Math.log(1 + n) / Math.log(1 + most) : n / most) * (H - bottom - top);
		this.spots = [];
		ctx.strokeStyle = theme.line;
		ctx.fillStyle = theme.dim;
		ctx.textAlign = 'right';
		ctx.textBaseline = 'middle';
		const marks = this.logY.checked ? [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7].filter((n) => n <= most) : [0.25, 0.5, 0.75, 1].map((p) => Math.round(most * p));
		for (const n of new Set(marks)) {
			const y = H - bottom - height(n);
			ctx.fillText(f.count(n), left - 6, y);
			ctx.beginPath();
			ctx.moveTo(left, y + 0.5);
			ctx.lineTo(W - 12, y + 0.5);
			ctx.stroke();
		}
		ctx.textAlign = 'center';
		for (let e = 0; e < 12; e++) {
			for (const m of [1, 3]) {
				const v = m * 10 ** e, at = x(v);
				if (at < left || at > W - 12)
					continue;
				ctx.fillStyle = theme.line;
				ctx.fillRect(at, H - bottom, 1, 5);
				ctx.fillStyle = theme.dim;
				if (m === 1 || (hi - lo) < 60)
					ctx.fillText(f.time(v), at, H - bottom + 14);
			}
		}
		for (const [from, to, n] of all) {
			const x0 = x(from), x1 = x(to), hh = Math.max(1.5, height(n));
			ctx.fillStyle = this.kind === 'waits' ? theme.runnable : theme.call;
			ctx.fillRect(x0, H - bottom - hh, Math.max(1, x1 - x0 - 1), hh);
			this.spots.push([x0, x1, from, to, n, h.n]);
		}
		ctx.textAlign = 'left';
		[['p50', h.p50], ['p90', h.p90], ['p99', h.p99], ['max', h.max]].forEach(([name, v], i) => {
			ctx.fillStyle = theme.text;
			ctx.fillRect(x(v), top - 10 + i % 2 * 0, 1, H - bottom - top + 10);
			ctx.fillText(name, Math.min(x(v) + 3, W - 30), top - 6 + (i % 2) * 11);
		});
	}

	hover(e) {
		const s = this.spots?.find((b) => e.offsetX >= b[0] && e.offsetX < b[1]);
		tip(e.clientX, e.clientY, s ? [`${f.time(s[2])} to ${f.time(s[3])}`, `${f.count(s[4])} times, ${f.share(s[4], s[5])}`] : null);
	}
}
