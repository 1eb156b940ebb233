// SPDX-License-Identifier: GPL-2.0
// The page: its tabs, keys, search, and who talks to whom.
import { $, el, toast } from './dom.js';
import * as api from './api.js';
import * as f from './format.js';
import { load, FLAG } from './model.js';
import { setTheme, themeName } from './colors.js';
import { Timeline } from './timeline.js';
import { Details } from './details.js';
import { Tables } from './tables.js';
import { Flame } from './flame.js';
import { Hists } from './hists.js';
import './style.css';

const KEYS = [
	['w s', 'zoom in and out, where the pointer is'], ['a d', 'move to the left and right'], ['↑ ↓', 'scroll the rows'],
	['0', 'the whole trace'], ['f', 'zoom to what is chosen'], [', .', 'what its row has before and after'],
	['g', 'go to the waker'], ['p', "keep the task's row at the top"], ['/', 'find'], ['Esc', 'choose nothing'],
	['1 2 3 4', 'timeline, flame graphs, latencies, tables'], ['t', 'light or dark'], ['?', 'these keys'],
	['drag', 'move; on the ruler, or with shift, choose a range'], ['wheel', 'scroll; with ctrl zoom, with shift move'],
	['double click', 'zoom to what is there'],
];

function facts(trace, timeline) {
	const lost = trace.losses.reduce((sum, l) => sum + l[2] - l[1], 0);
	return [
		el('span', {}, f.time(trace.end)), el('span', {}, `${f.count(trace.cpus.length)} ${trace.kernel ? 'CPUs' : 'Ps'}`),
		el('span', {}, `${f.count(trace.tasks.length)} ${trace.kernel ? 'tasks' : 'goroutines'}`), el('span', {}, `${f.count(trace.events)} events`),
		trace.kernel ? null : el('span', {}, 'a Go program'),
		trace.lost ? el('button.lost', { title: 'show where', onclick: () => nextLoss(trace, timeline) },
			`${f.count(trace.lost)} events lost in ${f.time(lost)}`) : null,
		trace.deep ? el('span.dim', {}, `${f.count(trace.deep)} regions nest too deep to be shown`) : null,
		trace.more_marks ? el('span.dim', {}, `${f.count(trace.more_marks)} messages more than are shown`) : null,
	].filter((x) => x);
}

let lossAt = -1;
function nextLoss(trace, timeline) {
	lossAt = (lossAt + 1) % trace.losses.length;
	const [, from, to] = trace.losses[lossAt];
	timeline.show(from - (to - from), to + (to - from));
}

function start(trace) {
	const pages = {};
	let page = 'timeline';
	const window = () => [timeline.t0, timeline.t1];

	const timeline = new Timeline(trace, {
		selected: (s) => s ? details.slice(s) : details.hide(),
		ranged: (from, to) => details.range(from, to),
		waker: () => {
			const w = timeline.slice?.wake;
			if (w?.by)
				timeline.choose({ g: w.by.i, time: w.at });
			else
				toast(timeline.slice ? 'no waker is known' : 'choose something first');
		},
		moved: () => {
			clearTimeout(start.timer);
			start.timer = setTimeout(() => history.replaceState(null, '', `#${Math.round(timeline.t0)}-${Math.round(timeline.t1)}`), 300);
		},
	});
	const tables = new Tables(trace, {
		window,
		go: (id, time) => {
			const g = trace.byId.get(id);
			if (!g) {
				toast(`task ${id} is not in the trace`);
				return;
			}
			open('timeline');
			timeline.choose({ g: g.i, time: time ?? Math.max(g.start, Math.min(g.end - 1, (timeline.t0 + timeline.t1) / 2)) });
		},
	});
	const flame = new Flame(trace, { window });
	const hists = new Hists(trace, {
		window,
		go: (g, time, kind) => {
			const task = trace.byIndex.get(g);
			open('timeline');
			timeline.choose(kind === 'calls' && task.calls ? { track: task.calls, time } : { g, time });
		},
	});
	const details = new Details(trace, timeline, {
		flame: (what, options) => { open('flame'); flame.set(what, options); },
		tables: (from, to) => { open('tables'); tables.setWindow(from, to); },
		hists: (from, to) => { open('hists'); hists.setWindow(from, to); },
	});

	pages.timeline = el('div.page', {}, timeline.root, details.root);
	pages.flame = el('div.page', {}, flame.root);
	pages.hists = el('div.page', {}, hists.root);
	pages.tables = el('div.page', {}, tables.root);
	$('pages').append(...Object.values(pages));
	const titles = { timeline: 'Timeline', flame: 'Flame graphs', hists: 'Latencies', tables: 'Tables' };
	$('tabs').append(...Object.entries(titles).map(([k, name]) => el('button', { role: 'tab', 'data-page': k, onclick: () => open(k) }, name)));

	function open(name) {
		page = name;
		for (const [k, p] of Object.entries(pages))
			p.hidden = k !== name;
		for (const b of $('tabs').children)
			b.setAttribute('aria-selected', b.dataset.page === name);
		({ timeline: () => timeline.dirty(), flame: () => flame.open($('pages').clientWidth), hists: () => hists.open(), tables: () => tables.open() })[name]();
	}

	// ---- Find ----

	async function find(back) {
		const text = $('search-text').value;
		if (!text)
			return;
		const now = timeline.slice ? timeline.slice.start : back ? timeline.t1 : Math.max(0, timeline.t0 - 1);
		open('timeline');
		// Tasks first: their rows are enough.
		const low = text.toLowerCase();
		const tasks = trace.tasks.filter((t) => t.id === text || t.name.toLowerCase().includes(low));
		if (tasks.length && find.text !== text) {
			find.text = text;
			timeline.filter.value = text;
			timeline.layout();
			timeline.scrollTo(timeline.rowOfTask(timeline.chosen()[0].i));
			toast(`${f.count(tasks.length)} ${trace.kernel ? 'tasks' : 'goroutines'} with that name; once more to find it in calls and stacks`);
			return;
		}
		if (find.text === text && tasks.length)
			timeline.filter.value = '';
		find.text = text;
		timeline.layout();
		let hit;
		try {
			hit = await api.json('find', { text, time: now, back: back ? 1 : undefined });
		} catch (e) {
			toast(e.message);
			return;
		}
		if (!hit)
			toast(back ? 'nothing before this has it' : 'nothing after this has it');
		else if (hit.what !== undefined)
			timeline.choose({ g: hit.g?.i, time: hit.at });
		else
			timeline.take(hit);
	}
	$('search').addEventListener('submit', (e) => { e.preventDefault(); find(false); });
	$('search-back').addEventListener('click', () => find(true));
	$('search-text').addEventListener('keydown', (e) => {
		if (e.key === 'Enter' && e.shiftKey) {
			e.preventDefault();
			find(true);
		} else if (e.key === 'Escape') {
			e.target.blur();
		}
	});

	// ---- Keys ----

	const help = (show = $('help').hidden) => { $('help').hidden = !show; };
	$('help').append(el('div', {}, el('h2', {}, 'Keys'), el('table', {}, KEYS.map(([k, v]) => el('tr', {}, el('td', {}, k.split(' ').length > 1 && k !== 'double click' ? k.split(' ').map((x) => el('kbd', {}, x)) : el('kbd', {}, k)), el('td', {}, v)))),
		el('p.dim', {}, 'The bundled libraries: ', el('a.link', { href: 'licenses.txt', target: '_blank' }, 'licenses'))));
	$('help').addEventListener('click', (e) => { if (e.target === $('help')) help(false); });
	$('keys').addEventListener('click', () => help());
	const turn = () => {
		setTheme(themeName === 'dark' ? 'light' : 'dark');
		timeline.redraw();
		flame.draw();
		hists.draw();
	};
	$('theme').addEventListener('click', turn);
	document.addEventListener('keydown', (e) => {
		if (e.target.closest('input[type=search], select') || e.ctrlKey || e.metaKey || e.altKey)
			return;
		const n = ['timeline', 'flame', 'hists', 'tables'][Number(e.key) - 1];
		if (e.key === '?')
			help();
		else if (e.key === 'Escape' && !$('help').hidden)
			help(false);
		else if (e.key === '/')
			$('search-text').focus();
		else if (e.key === 't')
			turn();
		else if (n)
			open(n);
		else if (page !== 'timeline' || !timeline.key(e))
			return;
		e.preventDefault();
	});
	document.addEventListener('keyup', (e) => timeline.keyUp(e));
	window_blur(() => timeline.keys.clear());

	$('file').textContent = trace.name.split('/').pop();
	$('file').title = trace.name;
	document.title = `${trace.name.split('/').pop()} – gotrace`;
	$('facts').replaceChildren(...facts(trace, timeline));
	const m = /^#(\d+)-(\d+)$/.exec(location.hash);
	if (m)
		timeline.show(Number(m[1]), Number(m[2]));
	open('timeline');
	// For the tests, and for the curious.
	globalThis.gotrace = { trace, timeline, tables, flame, hists, details, open, FLAG };
}

function window_blur(fn) { globalThis.addEventListener('blur', fn); }

setTheme(globalThis.matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
load().then(start, (e) => toast(e.message));
