// SPDX-License-Identifier: GPL-2.0
// The timeline: rows of CPUs and tasks, moving about in them, what is selected.
import { el, tip, toast } from './dom.js';
import * as api from './api.js';
import * as f from './format.js';
import { FLAG, KIND } from './model.js';
import { Tiles } from './tiles.js';
import { LOOKS, FONT, busy, drawBand, fit, forgetHatches, hatch } from './draw.js';
import { theme, taskColor } from './colors.js';

const RULER = 24;
const OVERVIEW = 46;
const CPU_H = 24, STATE_H = 15, CALL_H = 12, REGION_H = 12, GAP = 7, HEAD_H = 26, HEAP_H = 40;
const ARROWS = 250;	// more are no help
const LEAST = 50;	// ns, of a view

const SORTS = {
	'running time': (a, b) => b.running - a.running,
	'waiting time': (a, b) => b.runnable - a.runnable,
	'name': (a, b) => a.name < b.name ? -1 : a.name > b.name ? 1 : a.i - b.i,
	'id': (a, b) => a.i - b.i,
	'first seen': (a, b) => a.start - b.start || a.i - b.i,
};

export class Timeline {
	constructor(trace, hooks) {
		this.trace = trace;
		this.hooks = hooks;	// selected(slice), ranged(from, to), moved()
		this.t0 = 0;
		this.t1 = trace.end;
		this.slice = null;
		this.range = null;
		this.pinned = [];
		this.wakes = null;
		this.marks = null;
		this.heap = null;
		this.keys = new Set();
		this.tiles = new Tiles(trace.end, () => this.dirty(), (e) => toast(e.message));
		this.gutter = 216;
		this.width = 1000;
		this.build();
		this.layout();
		this.listen();
		if (trace.heap > 1)
			api.json('heap').then((h) => { this.heap = h; this.layout(); }, () => {});
	}

	// ---- Elements ----

	build() {
		this.filter = el('input', { type: 'search', placeholder: 'tasks: name or id', 'aria-label': 'Show tasks', spellcheck: 'false', oninput: () => this.layout() });
		this.sort = el('select', { 'aria-label': 'Sort tasks by', onchange: () => this.layout() },
			Object.keys(SORTS).map((s) => el('option', { value: s }, s)));
		this.showCalls = el('input', { type: 'checkbox', checked: true, onchange: () => this.layout() });
		this.showSleepers = el('input', { type: 'checkbox', onchange: () => this.layout() });
		this.inView = el('input', { type: 'checkbox', onchange: () => this.layout() });
		this.showArrows = el('input', { type: 'checkbox', checked: true, onchange: () => this.dirty() });
		this.where = el('span.where');
		this.bar = el('div.bar', {},
			this.filter, el('label', {}, 'by ', this.sort),
			el('label', {}, this.showCalls, ' calls'), el('label', {}, this.showArrows, ' wake-ups'),
			el('label', { title: 'only tasks that run, or want to, in what is shown; the busiest first' }, this.inView, ' active in view'),
			el('label', { title: 'tasks that did not run' }, this.showSleepers, ' who only slept'),
			el('span.gap'), this.where,
			el('button', { title: 'zoom out ( s )', onclick: () => this.zoom(2) }, '−'),
			el('button', { title: 'zoom in ( w )', onclick: () => this.zoom(0.5) }, '+'),
			el('button', { title: 'all of it ( 0 )', onclick: () => this.show(0, this.trace.end) }, 'all'));
		this.overview = el('canvas.overview', { 'aria-label': 'The whole trace' });
		this.ruler = el('canvas.ruler', { 'aria-label': 'Time' });
		this.canvas = el('canvas.rows', { 'aria-label': 'CPUs and tasks', tabindex: '0' });
		this.spacer = el('div.spacer');
		this.scroller = el('div.scroller', {}, this.canvas, this.spacer);
		this.root = el('section.timeline', {}, this.bar, this.overview, this.ruler, this.scroller, this.legend());
	}

	legend() {
		const item = (cls, text) => el('span.key', {}, el(`i.${cls}`), text);
		return el('div.legend', {}, item('k-running', 'runs'), item('k-runnable', 'waits for a CPU'),
			item('k-sleep', 'asleep'), item('k-syscall', 'disk'), item('k-untraced', 'not traced'), item('k-call', 'in a call'), item('k-lost', 'events lost'),
			el('span.gap'), el('span', {}, 'drag: move · shift-drag: choose a range · ctrl-wheel: zoom · click: details'));
	}

	// ---- Rows ----

	// What stands where. A row: {y, h, kind, name, bands: [{track, y, h, look}]}.
	layout() {
		const rows = [];
		let y = 0;
		const push = (row, h) => {
			rows.push({ ...row, y, h });
			y += h;
		};
		const t = this.trace;
		push({ kind: 'head', name: t.kernel ? 'CPUs' : 'Processors' }, HEAD_H);
		for (const cpu of t.cpus)
			push({ kind: 'cpu', cpu, name: `${t.kernel ? 'CPU' : 'P'} ${cpu.id}`, bands: cpu.track ? [{ track: cpu.track, y: 2, h: CPU_H - 5, look: 'cpu' }] : [] }, CPU_H);
		if (t.gc)
			push({ kind: 'global', name: t.kernel ? 'Background reclaim' : 'GC', bands: [{ track: t.gc, y: 2, h: 13, look: 'gc' }] }, 19);
		if (t.stw)
			push({ kind: 'global', name: 'World stopped', bands: [{ track: t.stw, y: 2, h: 13, look: 'stw' }] }, 19);
		if (this.heap?.length)
			push({ kind: 'heap', name: t.kernel ? 'Memory in use' : 'Heap', bands: [] }, HEAP_H);
		if (t.marks)
			push({ kind: 'marks', name: 'Messages', bands: [] }, 20);
		const shown = this.chosen();
		push({ kind: 'head', name: `${t.kernel ? 'Tasks' : 'Goroutines'}: ${f.count(shown.length)}${shown.length < t.tasks.length ? ` of ${f.count(t.tasks.length)}` : ''}` }, HEAD_H);
		for (const task of shown)
			this.pushTask(push, task);
		this.rows = rows;
		this.height = y + 20;
		this.spacer.style.height = `${this.height}px`;
		this.dirty();
	}

	pushTask(push, task) {
		const bands = [{ track: task.state, y: 3, h: STATE_H, look: 'state' }];
		let h = 3 + STATE_H;
		const add = (track, bh, look) => {
			bands.push({ track, y: h + 1, h: bh, look });
			h += bh + 1;
		};
		if (this.showCalls.checked && task.calls)
			add(task.calls, CALL_H, 'call');
		if (task.assists)
			add(task.assists, 8, 'reclaim');
		for (const r of task.regions)
			add(r, REGION_H, 'region');
		push({ kind: 'task', task, name: task.name, bands, pinned: this.pinned.includes(task.i) }, h + GAP - 2);
	}

	chosen() {
		const text = this.filter.value.trim().toLowerCase();
		const some = this.showSleepers.checked || text, { active } = this;
		if (this.inView.checked && !text && active)
			return [...this.pinned.map((i) => this.trace.byIndex.get(i)),
				...active.map((a) => this.trace.byIndex.get(a[0])).filter((t) => t && !this.pinned.includes(t.i))];
		const tasks = this.trace.tasks.filter((t) => (!text || t.name.toLowerCase().includes(text) || t.id === text) &&
			(some || t.running + t.runnable > 0));
		tasks.sort(SORTS[this.sort.value]);
		const pinned = this.pinned.map((i) => this.trace.byIndex.get(i));
		return [...pinned, ...tasks.filter((t) => !this.pinned.includes(t.i))];
	}

	pin(i) {
		this.pinned = this.pinned.includes(i) ? this.pinned.filter((x) => x !== i) : [...this.pinned, i];
		this.layout();
	}

	rowOfTask(i) { return this.rows.find((r) => r.task?.i === i); }
	rowOfCpu(i) { return this.rows.find((r) => r.cpu?.i === i); }

	// ---- Moving ----

	// Asking for sizes makes the browser lay out the page: once for a frame.
	measure() {
		const all = this.scroller.clientWidth;
		this.gutter = Math.round(Math.max(118, Math.min(216, all * 0.3)));	// for names
		this.width = Math.max(10, all - this.gutter);
	}
	get scale() { return this.width / (this.t1 - this.t0); }
	x(t) { return this.gutter + (t - this.t0) * this.scale; }
	t(x) { return this.t0 + (x - this.gutter) / this.scale; }

	show(t0, t1) {
		const end = this.trace.end;
		let w = Math.max(LEAST, Math.min(t1 - t0, end));
		t0 = Math.max(0, Math.min(t0, end - w));
		if (w >= end) {
			w = end;
			t0 = 0;
		}
		this.t0 = t0;
		this.t1 = t0 + w;
		this.hooks.moved();
		this.dirty();
	}

	zoom(factor, at = (this.t0 + this.t1) / 2) {
		this.show(at - (at - this.t0) * factor, at + (this.t1 - at) * factor);
	}

	pan(part) {
		const d = (this.t1 - this.t0) * part;
		this.show(this.t0 + d, this.t1 + d);
	}

	scrollTo(row) {
		if (!row)
			return;
		const top = this.scroller.scrollTop, h = this.scroller.clientHeight;
		if (row.y < top || row.y + row.h > top + h)
			this.scroller.scrollTop = Math.max(0, row.y - h / 3);
	}

	// Make a task's row be there and in sight.
	reveal(i) {
		if (!this.rowOfTask(i)) {
			this.filter.value = '';
			this.inView.checked = false;
			const t = this.trace.byIndex.get(i);
			if (t && t.running + t.runnable === 0)
				this.showSleepers.checked = true;
			this.layout();
		}
		this.scrollTo(this.rowOfTask(i));
	}

	// Bring a length of time into view, with something around it.
	frame(start, end) {
		const w = end - start, v = this.t1 - this.t0;
		if (w > v * 0.9 || w < v / 400)
			this.show(start - Math.max(w, 20) * 1.5, end + Math.max(w, 20) * 1.5);
		else if (start < this.t0 || end > this.t1)
			this.show(start - v / 2 + w / 2, start + v / 2 + w / 2);
		else
			this.dirty();
	}

	// ---- Choosing ----

	async choose(params, show = true) {
		let slice;
		try {
			slice = await api.json('slice', params);
		} catch (e) {
			toast(e.message);
			return;
		}
		this.take(slice, show);
	}

	take(slice, show = true) {
		this.slice = slice;
		this.range = null;
		if (show) {
			this.frame(slice.start, slice.end);
			if (slice.g)
				this.reveal(slice.g.i);
		}
		this.hooks.selected(slice);
		this.dirty();
	}

	clear() {
		this.slice = null;
		this.range = null;
		this.hooks.selected(null);
		this.dirty();
	}

	setRange(from, to) {
		this.range = [Math.max(0, Math.floor(Math.min(from, to))), Math.min(this.trace.end, Math.ceil(Math.max(from, to)))];
		this.slice = null;
		this.dirty();
	}

	neighbour(which) {
		const s = this.slice;
		if (s?.[which])
			this.choose({ track: s.track, index: s[which].i });
	}

	// ---- The pointer ----

	rowAt(y) {
		let low = 0, high = this.rows.length;
		while (low < high) {
			const mid = (low + high) >> 1;
			if (this.rows[mid].y + this.rows[mid].h > y)
				high = mid;
			else
				low = mid + 1;
		}
		return this.rows[low];
	}

	// What is at a place of the canvas.
	hit(x, y) {
		const row = this.rowAt(y + this.scroller.scrollTop);
		if (!row)
			return null;
		const inner = y + this.scroller.scrollTop - row.y;
		const band = row.bands?.find((b) => inner >= b.y - 1 && inner < b.y + b.h + 1);
		const hit = { row, band, time: this.t(x), tile: null, i: -1 };
		if (x < this.gutter || !band)
			return hit;
		const time = hit.time;
		for (const [tile] of this.tiles.cover(band.track, this.level(), time, time, [])) {
			let i = tile.at(time);
			// What is less than a pixel long is hard to point at.
			const slack = 2 / this.scale;
			if (i < 0)
				i = tile.at(time + slack);
			if (i < 0)
				i = tile.at(time - slack);
			if (i >= 0)
				Object.assign(hit, { tile, i });
		}
		return hit;
	}

	describe(hit) {
		const { row, tile, i, band } = hit;
		if (row.kind === 'marks')
			return this.describeMark(hit);
		if (row.kind === 'heap')
			return this.describeHeap(hit);
		const loss = row.cpu && this.trace.lossesOf.get(row.cpu.id)?.find((l) => hit.time >= l[1] && hit.time < l[2]);
		if (loss)
			return [`${f.count(loss[3])} events lost here`, `from ${f.moment(loss[1])}, for ${f.time(loss[2] - loss[1])}`, 'what others did meanwhile may be told wrong too'];
		if (!tile)
			return [row.task ? f.task(row.task) : row.name, f.moment(hit.time)];
		const lines = [];
		const t = this.trace, n = tile.count(i), who = t.byIndex.get(tile.who(i));
		if (n > 1 || tile.flags(i) & FLAG.CUT) {
			lines.push(row.cpu ? `mostly ${f.task(who)}` : row.task ? f.task(row.task) : row.name);
			lines.push(`${f.count(n)} piece${n > 1 ? 's' : ''} in ${f.time(tile.to(i) - tile.from(i))}`);
			const words = row.cpu ? ['busy', '', 'idle', t.kernel ? 'not traced' : 'stopped'] : band.look === 'state' ? ['runs', 'waits for a CPU', 'asleep', 'not traced'] : ['in it', '', '', ''];
			words.forEach((w, c) => {
				if (w && tile.share(i, c) > 0)
					lines.push(`${w}: ${f.percent(100 * tile.share(i, c))}`);
			});
			lines.push('zoom in to see them');
			return lines;
		}
		const label = LOOKS[band.look].label(t, tile, i);
		lines.push(label || (tile.kind(i) === KIND.IDLE ? 'idle' : row.name));
		lines.push(`${f.time(tile.to(i) - tile.from(i))}, from ${f.moment(tile.from(i))}`);
		if (row.task)
			lines.push(f.task(row.task));
		if (tile.kind(i) === KIND.ASLEEP && row.task && tile.by(i))
			lines.push(`in ${f.call(t.names[tile.by(i)] ?? '')}`);
		if (tile.kind(i) === KIND.RUNNABLE && tile.by(i))
			lines.push(`woken by ${f.task(t.byIndex.get(tile.by(i)))}`);
		return lines;
	}

	describeMark(hit) {
		const near = this.nearMark(hit.time);
		if (this.marks && this.marks.n > this.marks.marks.length)
			return [`${f.count(this.marks.n)} messages in view`, 'zoom in to read them'];
		if (!near)
			return [hit.row.name, f.moment(hit.time)];
		return [near.name || near.what, near.text, near.what === 'log' ? '' : `task ${near.what}s`, near.g ? f.task(near.g) : '', f.moment(near.at)].filter((x) => x);
	}

	nearMark(time) {
		let best = null;
		for (const m of this.marks?.marks ?? [])
			if (Math.abs(m.at - time) * this.scale < 5 && (!best || Math.abs(m.at - time) < Math.abs(best.at - time)))
				best = m;
		return best;
	}

	describeHeap(hit) {
		let last = this.heap[0];
		for (const h of this.heap) {
			if (h[0] > hit.time)
				break;
			last = h;
		}
		return [hit.row.name, f.bytes(last[1]), last[2] ? `until reclaim begins: ${f.bytes(Math.max(0, last[2] - last[1]))}` : '', f.moment(hit.time)].filter((x) => x);
	}

	click(hit) {
		if (!hit)
			return;
		if (hit.row.kind === 'marks') {
			const m = this.nearMark(hit.time);
			if (m?.g)
				this.choose({ g: m.g.i, time: m.at });
		} else if (hit.tile) {
			this.choose({ track: hit.band.track, index: hit.tile.index(hit.i) }, false);
		} else {
			this.clear();
		}
	}

	listen() {
		const c = this.canvas;
		let drag = null;
		const place = (e) => {
			const box = c.getBoundingClientRect();
			return [e.clientX - box.left, e.clientY - box.top];
		};
		c.addEventListener('pointerdown', (e) => {
			if (e.button)
				return;
			const [x, y] = place(e);
			if (x < this.gutter) {
				const row = this.rowAt(y + this.scroller.scrollTop);
				if (row?.task)
					x > this.gutter - 24 ? this.pin(row.task.i) : this.choose({ g: row.task.i, time: (this.t0 + this.t1) / 2 }, false);
				return;
			}
			drag = { x, y, t0: this.t0, t1: this.t1, top: this.scroller.scrollTop, range: e.shiftKey, moved: false, at: this.t(x) };
			c.setPointerCapture(e.pointerId);
		});
		c.addEventListener('pointermove', (e) => {
			const [x, y] = place(e);
			if (!drag) {
				this.hover(x, y, e);
				return;
			}
			if (Math.abs(x - drag.x) + Math.abs(y - drag.y) > 3)
				drag.moved = true;
			if (!drag.moved)
				return;
			tip(0, 0, null);
			if (drag.range) {
				this.setRange(drag.at, this.t(x));
				return;
			}
			const d = (drag.x - x) / this.scale;
			this.show(drag.t0 + d, drag.t1 + d);
			this.scroller.scrollTop = drag.top + drag.y - y;
		});
		c.addEventListener('pointerup', (e) => {
			const [x, y] = place(e);
			if (drag && !drag.moved)
				this.click(this.hit(x, y));
			else if (drag?.range && this.range)
				this.hooks.ranged(...this.range);
			drag = null;
		});
		c.addEventListener('pointerleave', () => {
			this.pointer = null;
			tip(0, 0, null);
			this.dirty();
		});
		c.addEventListener('dblclick', () => {
			if (this.slice)
				this.show(this.slice.start - (this.slice.end - this.slice.start) / 8, this.slice.end + (this.slice.end - this.slice.start) / 8);
		});
		c.addEventListener('wheel', (e) => this.wheel(e, place(e)[0]), { passive: false });
		this.ruler.addEventListener('wheel', (e) => this.wheel(e, e.offsetX, true), { passive: false });
		this.scroller.addEventListener('scroll', () => this.dirty());
		this.listenRuler();
		this.listenOverview();
		new ResizeObserver(() => this.dirty()).observe(this.root);
	}

	wheel(e, x, always = false) {
		if (always || e.ctrlKey || e.altKey || e.metaKey) {
			e.preventDefault();
			this.zoom(Math.exp(Math.sign(e.deltaY) * Math.min(Math.abs(e.deltaY), 120) / 300), this.t(Math.max(this.gutter, x)));
		} else if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) {
			e.preventDefault();
			this.pan((e.deltaX || e.deltaY) / this.width);
		}
	}

	listenRuler() {
		const r = this.ruler;
		let from = null;
		r.addEventListener('pointerdown', (e) => {
			from = this.t(e.offsetX);
			r.setPointerCapture(e.pointerId);
		});
		r.addEventListener('pointermove', (e) => {
			if (from !== null && Math.abs(this.x(from) - e.offsetX) > 3)
				this.setRange(from, this.t(e.offsetX));
		});
		r.addEventListener('pointerup', () => {
			if (from !== null && this.range)
				this.hooks.ranged(...this.range);
			from = null;
		});
	}

	// In the overview, a drag chooses what is shown, and a click where.
	listenOverview() {
		const o = this.overview;
		const t = (e) => Math.max(0, Math.min(this.trace.end, (e.offsetX - this.gutter) / this.width * this.trace.end));
		let from = null;
		o.addEventListener('pointerdown', (e) => {
			from = t(e);
			o.setPointerCapture(e.pointerId);
			const half = (this.t1 - this.t0) / 2;
			if (from < this.t0 || from > this.t1)
				this.show(from - half, from + half);
			o.grab = from >= this.t0 && from <= this.t1 && this.t1 - this.t0 < this.trace.end * 0.98 ? from - this.t0 : null;
		});
		o.addEventListener('pointermove', (e) => {
			if (from === null)
				return;
			const at = t(e), w = this.t1 - this.t0;
			if (o.grab !== null)
				this.show(at - o.grab, at - o.grab + w);
			else if (Math.abs(at - from) / this.trace.end * this.width > 4)
				this.show(Math.min(from, at), Math.max(from, at));
		});
		o.addEventListener('pointerup', () => { from = null; });
	}

	hover(x, y, e) {
		this.pointer = { x, y };
		const hit = x >= this.gutter ? this.hit(x, y) : null;
		this.canvas.style.cursor = x < this.gutter ? 'pointer' : hit?.tile ? 'pointer' : 'grab';
		if (x < this.gutter) {
			const row = this.rowAt(y + this.scroller.scrollTop);
			const g = row?.task;
			tip(e.clientX, e.clientY, g ? [f.task(g), `runs ${f.time(g.running)}, ${f.share(g.running, this.trace.end)}`, `waits for a CPU ${f.time(g.runnable)}`,
				`asleep ${f.time(g.asleep)}`, x > this.gutter - 24 ? 'click: keep it at the top' : ''].filter((l) => l) : null);
		} else {
			tip(e.clientX, e.clientY, hit && hit.row.kind !== 'head' ? this.describe(hit) : null);
		}
		this.dirty();
	}

	// ---- Keys, which go on while they are held ----

	key(e) {
		const k = e.key;
		if ('wasd'.includes(k) || ['ArrowLeft', 'ArrowRight'].includes(k)) {
			this.keys.add(k);
			this.tick();
		} else if (k === 'ArrowUp' || k === 'ArrowDown') {
			this.scroller.scrollTop += k === 'ArrowUp' ? -48 : 48;
		} else if (k === '0') {
			this.show(0, this.trace.end);
		} else if (k === 'f' && (this.slice || this.range)) {
			const [a, b] = this.range ?? [this.slice.start, this.slice.end];
			this.show(a - (b - a) / 8, b + (b - a) / 8);
		} else if (k === 'Escape') {
			if (!this.slice && !this.range && this.filter.value) {
				this.filter.value = '';
				this.layout();
			}
			this.clear();
		} else if (k === ',' || k === '[') {
			this.neighbour('before');
		} else if (k === '.' || k === ']') {
			this.neighbour('after');
		} else if (k === 'g') {
			this.hooks.waker();
		} else if (k === 'p' && this.slice?.g) {
			this.pin(this.slice.g.i);
		} else {
			return false;
		}
		return true;
	}

	keyUp(e) { this.keys.delete(e.key); }

	tick() {
		if (this.ticking)
			return;
		this.ticking = true;
		let last = performance.now() - 16;
		const step = (now) => {
			const d = Math.min(0.05, (now - last) / 1000), k = this.keys;
			last = now;
			if (!k.size || document.hidden) {
				this.ticking = false;
				return;
			}
			const at = this.pointer && this.pointer.x > this.gutter ? this.t(this.pointer.x) : undefined;
			if (k.has('w'))
				this.zoom(Math.exp(-2.5 * d), at);
			if (k.has('s'))
				this.zoom(Math.exp(2.5 * d), at);
			if (k.has('a') || k.has('ArrowLeft'))
				this.pan(-d);
			if (k.has('d') || k.has('ArrowRight'))
				this.pan(d);
			requestAnimationFrame(step);
		};
		requestAnimationFrame(step);
	}

	// ---- Drawing ----

	level() { return Tiles.level(1 / (this.scale * Math.min(devicePixelRatio, 2))); }

	dirty() {
		if (this.frameAsked)
			return;
		this.frameAsked = true;
		requestAnimationFrame(() => {
			this.frameAsked = false;
			if (this.root.isConnected && this.root.offsetParent)
				this.draw();
		});
	}

	redraw() {
		this.tiles.dropStrips();
		forgetHatches();
		this.dirty();
	}

	size(canvas, w, h) {
		const r = devicePixelRatio;
		if (canvas.width !== Math.round(w * r) || canvas.height !== Math.round(h * r)) {
			canvas.width = Math.round(w * r);
			canvas.height = Math.round(h * r);
			canvas.style.width = `${w}px`;
			canvas.style.height = `${h}px`;
		}
		const ctx = canvas.getContext('2d');
		ctx.setTransform(r, 0, 0, r, 0, 0);
		ctx.imageSmoothingEnabled = false;
		ctx.fillStyle = theme.bg;
		ctx.fillRect(0, 0, w, h);
		return ctx;
	}

	draw() {
		const start = performance.now();
		this.measure();
		const w = this.gutter + this.width, h = this.scroller.clientHeight;
		const missing = [];
		this.drawOverview(w, missing);
		this.drawRuler(w);
		const ctx = this.size(this.canvas, w, h);
		const top = this.scroller.scrollTop;
		const p = { ctx, trace: this.trace, t0: this.t0, scale: this.scale, left: this.gutter, right: w };
		ctx.save();
		ctx.beginPath();
		ctx.rect(this.gutter, 0, w - this.gutter, h);
		ctx.clip();
		this.drawGrid(ctx, h);
		const level = this.level(), rowsMissing = [];
		for (const row of this.rows) {
			if (row.y + row.h < top || row.y > top + h)
				continue;
			this.drawRow(p, row, row.y - top, level, rowsMissing);
		}
		this.drawArrows(ctx, top, h);
		this.drawSelection(ctx, top, h);
		ctx.restore();
		this.drawNames(ctx, top, h);
		this.where.textContent = `${f.moment(this.t0, (this.t1 - this.t0) / 100)} – ${f.moment(this.t1, (this.t1 - this.t0) / 100)}  (${f.time(this.t1 - this.t0)})`;
		// The overview's tiles are few, and of another level.
		if (missing.length)
			this.tiles.want(this.overviewLevel(), missing);
		else
			this.tiles.want(level, rowsMissing);
		this.pending = missing.length + rowsMissing.length;
		this.askMoments();
		this.took = performance.now() - start;
	}

	drawRow(p, row, y, level, missing) {
		const { ctx } = p;
		if (row.kind === 'head') {
			ctx.fillStyle = theme.panel;
			ctx.fillRect(0, y, p.right, row.h);
			return;
		}
		if (row.kind === 'heap')
			this.drawHeap(p, row, y);
		if (row.kind === 'marks')
			this.drawMarks(p, y);
		for (const band of row.bands ?? [])
			drawBand(p, LOOKS[band.look], this.tiles.cover(band.track, level, this.t0, this.t1, missing), y + band.y, band.h);
		if (row.cpu)
			this.drawLosses(p, row, y);
		ctx.fillStyle = theme.grid;
		ctx.fillRect(0, y + row.h - 1, p.right, 1);
	}

	drawLosses(p, row, y) {
		let drawn = 0;
		for (const [, from, to] of this.trace.lossesOf.get(row.cpu.id) ?? []) {
			if (to < this.t0 || from > this.t1 || this.x(to) < drawn)
				continue;
			const x0 = Math.max(this.gutter, this.x(from)), x1 = Math.min(p.right, Math.max(this.x(to), this.x(from) + 2));
			drawn = x1;
			p.ctx.fillStyle = theme.bg;
			p.ctx.fillRect(x0, y + 1, x1 - x0, row.h - 3);
			p.ctx.fillStyle = `${theme.lost}33`;
			p.ctx.fillRect(x0, y + 1, x1 - x0, row.h - 3);
			hatch(p.ctx, x0, y + 1, x1 - x0, row.h - 3, theme.lost);
			if (x1 - x0 > 60) {
				p.ctx.font = `600 ${FONT}`;
				p.ctx.textBaseline = 'middle';
				p.ctx.fillStyle = theme.bg;
				p.ctx.fillRect(x0 + 5, y + 4, Math.min(76, x1 - x0 - 8), row.h - 9);
				p.ctx.fillStyle = theme.lost;
				p.ctx.fillText(fit('events lost', x1 - x0), x0 + 8, y + row.h / 2);
			}
		}
	}

	drawHeap(p, row, y) {
		const top = Math.max(...this.heap.map((h) => Math.max(h[1], h[2]))) || 1, { ctx } = p;
		const yy = (v) => y + row.h - 3 - v / top * (row.h - 8);
		ctx.beginPath();
		ctx.moveTo(this.gutter, y + row.h - 3);
		let last = 0;
		for (const [at, heap] of this.heap) {
			ctx.lineTo(this.x(at), yy(last));
			ctx.lineTo(this.x(at), yy(heap));
			last = heap;
		}
		ctx.lineTo(this.x(this.trace.end), yy(last));
		ctx.lineTo(this.x(this.trace.end), y + row.h - 3);
		ctx.fillStyle = `${theme.heap}66`;
		ctx.fill();
		ctx.beginPath();
		let level = 0;
		for (const [at, , goal] of [...this.heap, [this.trace.end, 0, 0]]) {
			if (level)
				ctx.lineTo(this.x(at), yy(level));
			if (goal)
				ctx.lineTo(this.x(at), yy(goal));
			level = goal || level;
		}
		ctx.strokeStyle = theme.goal;
		ctx.lineWidth = 1;
		ctx.stroke();
	}

	drawMarks(p, y) {
		const { ctx } = p;
		ctx.font = FONT;
		ctx.textBaseline = 'middle';
		const list = this.marks?.marks ?? [];
		list.forEach((m, i) => {
			const thin = this.marks.n > list.length;
			const x = this.x(m.at), room = thin ? 0 : (i + 1 < list.length ? this.x(list[i + 1].at) : p.right) - x;
			if (x < this.gutter - 200 || x > p.right)
				return;
			ctx.fillStyle = m.what === 'log' ? theme.select : theme.region;
			ctx.beginPath();
			ctx.arc(x, y + 10, 3.2, 0, 7);
			ctx.fill();
			if (room > 40) {
				ctx.fillStyle = theme.text;
				ctx.fillText(fit(m.text ? `${m.name}: ${m.text}` : m.name, room - 8), x + 6, y + 10);
			}
		});
	}

	ticks() {
		const want = (this.t1 - this.t0) / Math.max(2, this.width / 110);
		const power = 10 ** Math.floor(Math.log10(Math.max(want, 1)));
		const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= want) ?? power * 10;
		const all = [];
		for (let t = Math.ceil(this.t0 / step) * step; t <= this.t1; t += step)
			all.push(t);
		return { step, all };
	}

	drawGrid(ctx, h) {
		ctx.fillStyle = theme.grid;
		for (const t of this.ticks().all)
			ctx.fillRect(Math.round(this.x(t)), 0, 1, h);
	}

	drawRuler(w) {
		const ctx = this.size(this.ruler, w, RULER);
		const { step, all } = this.ticks();
		ctx.fillStyle = theme.panel;
		ctx.fillRect(0, 0, w, RULER);
		ctx.font = FONT;
		ctx.textBaseline = 'middle';
		for (const t of all) {
			const x = Math.round(this.x(t));
			if (x < this.gutter)
				continue;
			ctx.fillStyle = theme.line;
			ctx.fillRect(x, RULER - 7, 1, 7);
			ctx.fillStyle = theme.dim;
			ctx.fillText(f.moment(t, step), x + 4, RULER / 2);
		}
		if (this.range) {
			const [a, b] = this.range.map((t) => Math.max(this.gutter, this.x(t)));
			ctx.fillStyle = `${theme.select}55`;
			ctx.fillRect(a, 0, Math.max(1, b - a), RULER);
			const text = f.time(this.range[1] - this.range[0]), at = Math.min(a + 4, w - 60);
			ctx.fillStyle = theme.panel;
			ctx.fillRect(at - 3, 3, ctx.measureText(text).width + 6, RULER - 6);
			ctx.fillStyle = theme.text;
			ctx.fillText(text, at, RULER / 2);
		}
		ctx.fillStyle = theme.panel;
		ctx.fillRect(0, 0, this.gutter, RULER);
		if (this.pointer && this.pointer.x > this.gutter) {
			const text = f.moment(this.t(this.pointer.x), (this.t1 - this.t0) / 1000);
			ctx.fillStyle = theme.text;
			ctx.textAlign = 'right';
			ctx.fillText(text, this.gutter - 8, RULER / 2);
			ctx.textAlign = 'left';
		}
	}

	overviewLevel() { return Tiles.level(this.trace.end / this.width); }

	drawOverview(w, missing) {
		const ctx = this.size(this.overview, w, OVERVIEW), { end } = this.trace;
		const covers = this.trace.cpus.filter((c) => c.track).map((c) => this.tiles.cover(c.track, this.overviewLevel(), 0, end, missing));
		const key = `${this.width}:${missing.length}:${theme.bg}`;
		if (this.busyKey !== key) {
			this.busyKey = key;
			this.busy = busy(covers, 0, end, Math.floor(this.width));
		}
		const h = OVERVIEW - 6;
		ctx.fillStyle = theme.running;
		this.busy.forEach((v, x) => {
			if (v > 0)
				ctx.fillRect(this.gutter + x, 3 + h * (1 - v), 1, h * v);
		});
		let marked = 0;
		ctx.fillStyle = theme.lost;
		for (const [, from, to] of this.trace.losses) {
			const x1 = this.gutter + to / end * this.width;
			if (x1 < marked)
				continue;
			marked = x1 + 0.5;
			ctx.fillRect(this.gutter + from / end * this.width, 0, Math.max(2, (to - from) / end * this.width), 4);
		}
		const a = this.gutter + this.t0 / end * this.width, b = this.gutter + this.t1 / end * this.width;
		ctx.fillStyle = theme.bg === '#ffffff' ? '#ffffffb0' : '#14181fb0';
		ctx.fillRect(this.gutter, 0, a - this.gutter, OVERVIEW);
		ctx.fillRect(b, 0, w - b, OVERVIEW);
		ctx.strokeStyle = theme.select;
		ctx.lineWidth = 1.5;
		ctx.strokeRect(a, 1, Math.max(2, b - a - 1), OVERVIEW - 2);
		ctx.font = FONT;
		ctx.textBaseline = 'middle';
		ctx.fillStyle = theme.dim;
		ctx.fillText(this.trace.kernel ? 'all CPUs, busy' : 'all Ps, busy', 12, OVERVIEW / 2 - 7);
		ctx.fillStyle = theme.text;
		ctx.fillText(f.share(this.busyAll(), this.trace.cpus.length * end), 12, OVERVIEW / 2 + 8);
	}

	busyAll() { return this.trace.tasks.reduce((sum, t) => sum + t.running, 0); }

	drawNames(ctx, top, h) {
		ctx.fillStyle = theme.bg;
		ctx.fillRect(0, 0, this.gutter - 1, h);
		ctx.fillStyle = theme.line;
		ctx.fillRect(this.gutter - 1, 0, 1, h);
		ctx.font = FONT;
		ctx.textBaseline = 'middle';
		for (const row of this.rows) {
			const y = row.y - top;
			if (y + row.h < 0 || y > h)
				continue;
			if (row.kind === 'head')
				this.drawHead(ctx, row, y);
			else
				this.drawName(ctx, row, y);
		}
	}

	drawHead(ctx, row, y) {
		ctx.fillStyle = theme.panel;
		ctx.fillRect(0, y, this.gutter, row.h);
		ctx.fillStyle = theme.text;
		ctx.font = `600 ${FONT}`;
		ctx.fillText(row.name, 12, y + row.h / 2);
		ctx.font = FONT;
	}

	drawName(ctx, row, y) {
		const middle = y + (row.task ? 3 + STATE_H / 2 : row.h / 2);
		if (row.task && this.slice?.g?.i === row.task.i) {
			ctx.fillStyle = `${theme.select}22`;
			ctx.fillRect(0, y, this.gutter - 1, row.h - 1);
		}
		if (!row.task) {
			ctx.fillStyle = theme.text;
			ctx.fillText(fit(row.name, this.gutter - 20), 12, middle);
			return;
		}
		ctx.fillStyle = taskColor(row.task.name);
		ctx.fillRect(4, y + 4, 3, row.h - 8);
		ctx.fillStyle = theme.dim;
		ctx.textAlign = 'right';
		ctx.fillText(row.task.id, this.gutter - 26, middle);
		ctx.textAlign = 'left';
		const room = this.gutter - 44 - ctx.measureText(row.task.id).width;
		ctx.fillStyle = theme.text;
		ctx.fillText(fit(row.name || '(no name)', room), 12, middle);
		ctx.fillStyle = row.pinned ? theme.select : theme.line;
		ctx.fillText(row.pinned ? '★' : '☆', this.gutter - 20, middle);
		const share = row.task.running / this.trace.end;
		if (row.h > 26 && share > 0) {
			ctx.fillStyle = theme.grid;
			ctx.fillRect(12, y + 3 + STATE_H + 5, this.gutter / 2, 3);
			ctx.fillStyle = theme.running;
			ctx.fillRect(12, y + 3 + STATE_H + 5, Math.max(1, this.gutter / 2 * share), 3);
		}
	}

	// ---- Wake-ups, messages ----

	askMoments() {
		const key = `${this.t0}:${this.t1}:${this.inView.checked}`;
		if (this.momentsKey === key)
			return;
		this.momentsKey = key;
		clearTimeout(this.momentsTimer);
		this.momentsTimer = setTimeout(async () => {
			const [from, to] = [Math.floor(this.t0), Math.ceil(this.t1) + 1];
			try {
				const wakes = await api.json('wakes', { from, to, max: ARROWS });
				if (this.inView.checked) {
					const active = await api.json('active', { from, to });
					this.active = active.sort((a, b) => b[1] + b[2] - a[1] - a[2]);
					this.layout();
				}
				const marks = this.trace.marks ? await api.json('marks', { from, to, max: 1000 }) : null;
				this.wakes = wakes;
				this.marks = marks;
				this.dirty();
			} catch (e) {
				toast(e.message);
			}
		}, 120);
	}

	arrow(ctx, x0, y0, x1, y1, color, width = 1) {
		ctx.strokeStyle = color;
		ctx.fillStyle = color;
		ctx.lineWidth = width;
		ctx.beginPath();
		ctx.moveTo(x0, y0);
		const bend = Math.max(6, Math.min(60, Math.abs(x1 - x0) / 2));
		ctx.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1, y1);
		ctx.stroke();
		ctx.beginPath();
		ctx.moveTo(x1, y1);
		ctx.lineTo(x1 - 5 - width, y1 - 3 - width / 2);
		ctx.lineTo(x1 - 5 - width, y1 + 3 + width / 2);
		ctx.fill();
	}

	drawArrows(ctx, top, h) {
		if (this.showArrows.checked && this.wakes)
			for (const [at, by, g, cpu, ran, onto] of this.wakes.wakes)
				this.drawWake(ctx, top, h, { at, by, g, cpu, ran, onto }, `${theme.arrow}70`, 1);
		const w = this.slice?.wake;
		if (!w || !this.slice.g)
			return;
		const cpu = this.trace.cpus.find((c) => c.id === w.cpu), onto = this.trace.cpus.find((c) => c.id === w.to_cpu);
		this.drawWake(ctx, top, h, { at: w.at, by: w.by?.i, g: this.slice.g.i, cpu: cpu?.i, ran: w.ran, onto: onto?.i }, theme.select, 2);
	}

	drawWake(ctx, top, h, w, color, width) {
		const from = this.rowOfCpuFast(w.cpu), to = this.rowOfCpuFast(w.onto);
		const seen = (r) => r && r.y + r.h > top && r.y < top + h;
		if (from && to && (seen(from) || seen(to)))
			this.arrow(ctx, this.x(w.at), from.y - top + CPU_H / 2, this.x(w.ran), to.y - top + CPU_H / 2, color, width);
		const a = w.by ? this.rowOfTaskFast(w.by) : null, b = this.rowOfTaskFast(w.g);
		if (a && b && (seen(a) || seen(b)))
			this.arrow(ctx, this.x(w.at), a.y - top + 3 + STATE_H / 2, this.x(w.ran), b.y - top + 3 + STATE_H / 2, color, width);
	}

	// Rows by what they are of, found once for each layout.
	rowMaps() {
		if (this.mapsOf !== this.rows) {
			this.mapsOf = this.rows;
			this.taskRows = new Map(this.rows.filter((r) => r.task).map((r) => [r.task.i, r]));
			this.cpuRows = new Map(this.rows.filter((r) => r.cpu).map((r) => [r.cpu.i, r]));
		}
	}
	rowOfTaskFast(i) { this.rowMaps(); return this.taskRows.get(i); }
	rowOfCpuFast(i) { this.rowMaps(); return this.cpuRows.get(i); }

	drawSelection(ctx, top, h) {
		if (this.range) {
			const [a, b] = this.range.map((t) => this.x(t));
			ctx.fillStyle = `${theme.select}22`;
			ctx.fillRect(a, 0, b - a, h);
			ctx.fillStyle = theme.select;
			ctx.fillRect(a, 0, 1, h);
			ctx.fillRect(b, 0, 1, h);
		}
		const s = this.slice;
		if (s) {
			for (const row of this.rows) {
				const band = row.bands?.find((b) => b.track === s.track);
				if (band)
					this.outline(ctx, s, row.y - top + band.y, band.h);
				else if (row.cpu && s.kind === 'running' && row.cpu.id === s.cpu)
					this.outline(ctx, s, row.y - top + 2, CPU_H - 5);
			}
		}
		if (this.pointer && this.pointer.x > this.gutter) {
			ctx.fillStyle = `${theme.text}40`;
			ctx.fillRect(this.pointer.x, 0, 1, h);
		}
	}

	outline(ctx, s, y, h) {
		const x0 = Math.max(this.gutter - 4, this.x(s.start)), x1 = Math.min(this.x(s.end), this.gutter + this.width + 4);
		ctx.strokeStyle = theme.select;
		ctx.lineWidth = 2;
		ctx.strokeRect(x0, y - 1, Math.max(2, x1 - x0), h + 2);
	}
}
