// SPDX-License-Identifier: GPL-2.0
// The page of gotrace view, used as people use it. TAP on stdout; see ../browser.sh.
import { chromium } from 'playwright-core';
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';

const { CASES, GOTRACE, OUT, TRACE } = process.env;
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
	'--disable-background-networking', '--disable-component-update', '--disable-sync'];
let points = 0, failed = 0;

function ok(what, good, why = '') {
	points++;
	if (!good) {
		failed++;
		for (const line of String(why).split('\n'))
			console.log(`# ${line}`);
	}
	console.log(`${good ? 'ok' : 'not ok'} ${points} ${what}`);
}
const is = (what, got, want) => ok(what, got === want, `got '${got}', not '${want}'`);
const has = (what, text, part) => ok(what, text.includes(part), `no '${part}' in: ${text}`);

const report = (trace, ...options) => {
	let text;
	try {
		text = execFileSync(GOTRACE, ['report', '--json', ...options, trace], { maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'ignore'] });
	} catch (e) {
		if (e.status !== 3)	// events were lost
			throw e;
		text = e.stdout;
	}
	return text.toString().split('\n').filter((l) => l).map((l) => JSON.parse(l));
};

// "12.3 ms" to ns, with how far off it may be, by rounding.
function parse(text) {
	const m = /^([\d.]+) (ns|µs|ms|s)$/.exec(text.trim());
	if (!m)
		return [NaN, 0];
	const unit = { ns: 1, 'µs': 1e3, ms: 1e6, s: 1e9 }[m[2]];
	return [m[1] * unit, unit * 0.51 / 10 ** ((m[1].split('.')[1] ?? '').length)];
}
const close = (text, ns) => {
	const [got, slack] = parse(text);
	return Math.abs(got - ns) <= slack;
};

async function serve(trace) {
	const start = Date.now();
	const child = spawn(GOTRACE, ['view', '--no-browser', trace], { stdio: ['ignore', 'pipe', 'inherit'] });
	const url = await new Promise((done, fail) => {
		let text = '';
		child.stdout.on('data', (d) => { text += d; if (text.includes('\n')) done(text.trim()); });
		child.on('exit', () => fail(new Error(`no address of ${trace}`)));
	});
	return { url, ms: Date.now() - start, pid: child.pid, stop: () => new Promise((done) => { child.on('exit', done); child.kill('SIGINT'); }) };
}

// A page that tells of whatever went wrong in it, and of whom it asked.
async function look(context, url) {
	const page = await context.newPage(), wrong = [];
	page.on('console', (m) => { if (['error', 'warning'].includes(m.type()) && !m.text().includes('willReadFrequently')) wrong.push(m.text()); });
	page.on('pageerror', (e) => wrong.push(e.stack));
	page.on('dialog', (d) => { wrong.push(`dialog ${d.message()}`); d.dismiss(); });
	page.on('request', (r) => { if (!r.url().startsWith(url) && !r.url().startsWith('data:')) wrong.push(`asked ${r.url()}`); });
	await page.goto(url);
	await settled(page);
	return { page, wrong };
}

// Nothing is on its way any more.
const settled = async (page) => {
	await page.waitForFunction(() => {
		const t = globalThis.gotrace?.timeline;
		return t && t.pending === 0 && !t.tiles.busy;
	}, null, { timeout: 30000 });
	await page.waitForTimeout(250);
};
const shot = (page, name) => page.screenshot({ path: join(OUT, `${name}.png`) });
const view = (page) => page.evaluate(() => [gotrace.timeline.t0, gotrace.timeline.t1]);

// Where a task's or CPU's band is at a time, on the screen.
const place = (page, what, id, time, look) => page.evaluate(([what, id, time, look]) => {
	const t = gotrace.timeline, row = t.rows.find((r) => what === 'cpu' ? r.cpu?.id === id : r.task?.id === id);
	t.scrollTo(row);
	const band = row.bands.find((b) => b.look === look), box = t.canvas.getBoundingClientRect();
	return [box.left + t.x(time), box.top + row.y - t.scroller.scrollTop + band.y + band.h / 2];
}, [what, id, time, look]);
const click = async (page, ...where) => {
	const [x, y] = await place(page, ...where);
	await page.mouse.move(x - 20, y);
	await page.mouse.click(x, y);
	await page.waitForTimeout(400);
};
const details = (page) => page.locator('.details').innerText();
const tip = (page) => page.locator('#tip').innerText();

// ---- A trace of which all is known

async function known(context) {
	const trace = join(OUT, 'known.trace'), server = await serve(trace), ms = 1e6;
	const { page, wrong } = await look(context, server.url);
	const [whole] = report(trace, '--by', 'task');
	const facts = await page.locator('#facts').innerText();
	for (const part of ['40.0 ms', '2 CPUs', '4 tasks', `${whole.events} events`, '7 events lost in 6.00 ms'])
		has(`the trace: ${part}`, facts, part);
	await shot(page, 'known');

	// Where events were lost, CPU 1 is hatched. (Reading pixels warns of being slow.)
	const red = await page.evaluate(() => {
		const t = gotrace.timeline, row = t.rows.find((r) => r.cpu?.id === 1), r = devicePixelRatio;
		const count = (a, b) => {
			const d = t.canvas.getContext('2d').getImageData(t.x(a) * r, (row.y + 3) * r, (t.x(b) - t.x(a)) * r, 16 * r).data;
			let n = 0;
			for (let i = 0; i < d.length; i += 4)
				n += d[i] > d[i + 1] + 30 && d[i] > d[i + 2] + 30 && d[i] > 180;
			return n / (d.length / 4);
		};
		return [count(28.2e6, 33.8e6), count(1.2e6, 3.8e6)];
	});
	ok('a loss is red', red[0] > 0.5 && red[1] < 0.1, red);
	const [lx, ly] = await place(page, 'cpu', 1, 31 * ms, 'cpu');
	await page.mouse.move(lx, ly);
	has('what was lost, where the pointer is', await tip(page), '7 events lost here');

	await click(page, 'task', '10', 8 * ms, 'state');
	let text = await details(page);
	for (const part of ['Asleep 6.00 ms', 'player 10', 'net: waits for the network', 'recvfrom', 'syscall.recvfrom', 'GoBlockNet', 'server 12', '0.013000 s', '2.50 ms for CPU 1', 'syscall.sendto', 'What led to it'])
		has(`a click: ${part}`, text, part);
	await shot(page, 'known-click');
	await page.keyboard.press('g');
	await page.waitForTimeout(400);
	text = await details(page);
	has('g goes to the waker', text, 'server 12');
	has('which ran', text, 'Running');
	await page.keyboard.press('.');
	await page.waitForTimeout(300);
	ok('. is what came then', !(await details(page)).startsWith('×\nRunning'), await details(page));
	await page.keyboard.press(',');
	await page.waitForTimeout(300);
	has(', is what was before', await details(page), 'Running');
	await click(page, 'task', '10', 14 * ms, 'state');
	text = await details(page);
	has('who waits for a CPU', text, 'Waiting for a CPU 2.50 ms');
	has('and who has it', text, 'server 12 for 2.00 ms');
	await click(page, 'cpu', 0, 18 * ms, 'cpu');
	has('a click on a CPU is on its task', await details(page), 'hog 11');
	await click(page, 'task', '12', 9 * ms, 'call');
	has('a call', await details(page), 'System call');
	has('and how much of it was asleep', await details(page), '500 µs, 25.0 %');

	// Moving.
	await page.keyboard.press('Escape');
	is('Esc closes', await page.locator('.details').isHidden(), true);
	let [a, b] = await view(page);
	is('all of it at first', `${a} ${b}`, `0 ${40 * ms}`);
	await page.mouse.move(...await place(page, 'task', '10', 20 * ms, 'state'));
	await page.keyboard.down('w');
	await page.waitForTimeout(500);
	await page.keyboard.up('w');
	let [c, d] = await view(page);
	ok('w zooms in, where the pointer is', d - c < 0.8 * (b - a) && c < 20 * ms && d > 20 * ms, `${c} ${d}`);
	await page.keyboard.down('d');
	await page.waitForTimeout(200);
	await page.keyboard.up('d');
	let [e, f] = await view(page);
	ok('d moves', e > c && Math.abs((f - e) - (d - c)) < 2, `${e} ${f}`);
	await page.keyboard.down('Control');
	await page.mouse.wheel(0, 300);
	await page.keyboard.up('Control');
	await page.waitForTimeout(200);
	let [g, h] = await view(page);
	ok('ctrl and the wheel zoom', h - g > f - e, `${g} ${h}`);
	await page.keyboard.press('0');
	is('0 is all of it', String(await view(page)), `0,${40 * ms}`);
	const [x, y] = await place(page, 'task', '10', 20 * ms, 'state');
	await page.evaluate(() => gotrace.timeline.show(10e6, 30e6));
	await page.mouse.move(x, y);
	await page.mouse.down();
	await page.mouse.move(x + 100, y, { steps: 4 });
	await page.mouse.up();
	[a, b] = await view(page);
	ok('a drag moves', a < 10 * ms && Math.abs(b - a - 20 * ms) < 2, `${a} ${b}`);
	await page.keyboard.press('0');

	// A range, by the ruler: 16 to 22 ms, as the report has it.
	const ruler = await page.locator('.ruler').boundingBox();
	const at = await page.evaluate(() => [gotrace.timeline.x(16e6), gotrace.timeline.x(22e6)]);
	await page.mouse.move(ruler.x + at[0], ruler.y + 8);
	await page.mouse.down();
	await page.mouse.move(ruler.x + at[1], ruler.y + 8, { steps: 5 });
	await page.mouse.up();
	await page.waitForFunction(() => document.querySelector('.details .mini'));
	const [from, to] = await page.evaluate(() => gotrace.timeline.range);
	const inside = report(trace, '--by', 'task', '--from', `${(from / 1e9).toFixed(9)}`, '--to', `${(to / 1e9).toFixed(9)}`).filter((r) => r.row === 'task');
	const rows = await page.locator('.details .mini').first().locator('tr').allInnerTexts();
	for (const r of inside.filter((t) => t.running_ns > 0)) {
		const row = rows.map((t) => t.split('\t')).find((t) => t[0] === `${r.name} ${r.id}`);
		ok(`in a range, ${r.name} ran as long as the report says`, row && close(row[1], r.running_ns), `${row}, not ${r.running_ns}`);
	}
	await shot(page, 'known-range');
	await page.keyboard.press('Escape');

	// Finding.
	const find = async (text, ...keys) => {
		await page.fill('#search-text', text);
		for (const k of keys) {
			await page.press('#search-text', k);
			await page.waitForTimeout(500);
		}
	};
	await find('recvfrom', 'Enter');
	has('a call is found by its name', await details(page), 'System call 10.0 ms');
	await find('recvfrom', 'Enter');
	has('and then who sleeps in it', await details(page), 'Asleep 6.00 ms');
	await find('recvfrom', 'Shift+Enter');
	has('and back', await details(page), 'System call 10.0 ms');
	await find('shrink_node', 'Enter');
	has('a function is found', await details(page), 'waits for memory');
	await find('server', 'Enter');
	is('a task is found', await page.evaluate(() => gotrace.timeline.rows.filter((r) => r.task).map((r) => r.name).join()), 'server');
	await find('no such thing', 'Enter');
	has('what is not there is not found', await page.locator('#toast').innerText(), 'nothing after this has it');
	await page.evaluate(() => { gotrace.timeline.filter.value = ''; gotrace.timeline.layout(); });

	await tables(page, trace);
	await flames(page, trace);
	await hists(page, trace);

	// Pinned, filtered, sorted.
	await page.click('[data-page=timeline]');
	const order = () => page.evaluate(() => gotrace.timeline.rows.filter((r) => r.task).map((r) => r.name).join());
	is('by running time', await order(), 'hog,player,server,a "child"');
	const active = page.locator('label', { hasText: 'active in view' }).locator('input');
	await page.evaluate(() => gotrace.timeline.show(0, 3.9e6));
	await active.check();
	await page.waitForTimeout(600);
	is('only who is active in view', await order(), 'hog');
	await active.uncheck();
	await page.keyboard.press('0');
	await page.selectOption('.timeline select', 'name');
	is('by name', await order(), 'a "child",hog,player,server');
	await click(page, 'task', '12', 9 * ms, 'state');
	await page.keyboard.press('p');
	is('a task that is kept at the top', await order(), 'server,a "child",hog,player');
	is('nothing went wrong, and nobody else was asked', wrong.join('\n'), '');
	await page.close();
	await server.stop();
}

// All cells of all tables.
async function tables(page, trace) {
	await page.click('[data-page=tables]');
	for (const by of ['task', 'comm', 'cpu', 'syscall', 'stack', 'waker']) {
		await page.click(`[data-by=${by}]`);
		await page.waitForFunction((by) => gotrace.tables.by === by && document.querySelector('.tablebox tbody'), by);
		await page.waitForTimeout(300);
		const want = report(trace, '--by', by).filter((r) => r.row === by);
		const keys = await page.locator('.tablebox th').evaluateAll((all) => all.map((h) => h.title));
		const rows = await page.locator('.tablebox tbody tr').evaluateAll((all) => all.map((r) => [...r.children].map((c) => c.textContent)));
		let bad = want.length === rows.length ? '' : `${rows.length} rows, not ${want.length}`, n = 0;
		want.forEach((r, i) => keys.forEach((k, j) => {
			const text = rows[i]?.[j] ?? '', v = r[k];
			const good = v === null ? text === '–' : k.endsWith('_at_ns') ? Math.abs(parseFloat(text) * 1e9 - v) < 501 : k.endsWith('_ns') ? close(text, v) :
				typeof v === 'number' ? Math.abs(parseFloat(text.replace(/ /g, '')) - v) < 0.051 : Array.isArray(v) ? text === (v.join(' ← ') || '–') : text === v;
			n++;
			if (!good)
				bad = `row ${i}, ${k}: '${text}' for ${JSON.stringify(v)}`;
		}));
		ok(`table by ${by}: ${n} cells are the report's`, !bad && n, bad);
	}
	await page.click('[data-by=task]');
	await page.waitForTimeout(300);
	await page.fill('.tables input[type=search]', 'player');
	is('rows with a word: its own, and who waited for it', await page.locator('.tablebox tbody tr').count(), 2);
	await shot(page, 'known-tables');
	const link = page.locator('.tablebox td a', { hasText: '0.017000 s' });
	await link.click();
	await page.waitForTimeout(600);
	has('a moment in a table leads to the timeline', await details(page), 'Waiting for a CPU 3.50 ms');
	await page.evaluate(() => { gotrace.tables.filter.value = ''; gotrace.tables.render(); });
}

async function flames(page, trace) {
	await page.click('[data-page=flame]');
	const tasks = report(trace, '--by', 'task').filter((r) => r.row === 'task');
	const sum = (k) => tasks.reduce((s, t) => s + t[k], 0);
	const before = sum('sleep_before_ns');
	for (const [what, key, word] of [['cpu', 'running_ns', 'ran'], ['offcpu', 'asleep_ns', 'asleep'], ['sched', 'runnable_ns', 'waited']]) {
		await page.click(`[data-what=${what}]`);
		await page.waitForTimeout(700);
		const total = (await page.locator('.flame .where').innerText()).split(` ${word}`);
		ok(`flame graph ${what}: as much as the report has`, close(total[0], sum(key) - (what === 'offcpu' ? before : 0)), total);
	}
	await page.click('[data-what=offcpu]');
	await page.waitForTimeout(700);
	const labels = await page.locator('.d3-flame-graph-label').allTextContents();
	for (const part of ['player', 'syscall.recvfrom', '[net]', 'shrink_node', '[gc]'])
		ok(`flame graph: ${part}`, labels.includes(part), labels);
	await shot(page, 'known-flame');
	await page.locator('.d3-flame-graph g', { hasText: 'player' }).first().click();
	await page.waitForTimeout(500);
	const wide = await page.locator('.d3-flame-graph g', { hasText: 'player' }).first().evaluate((g) => g.getBoundingClientRect().width / g.closest('svg').getBoundingClientRect().width);
	ok('a click makes it as wide as the graph', wide > 0.95, wide);
}

async function hists(page, trace) {
	await page.click('[data-page=hists]');
	await page.waitForTimeout(600);
	for (const [kind, by, keys] of [['waits', 'comm', ['waits', 'wait_p50_ns', 'wait_p99_ns', 'wait_max_ns']], ['calls', 'syscall', [null, 'call_p50_ns', 'call_p99_ns', 'call_max_ns']]]) {
		await page.click(`[data-kind=${kind}]`);
		const rows = await page.locator('.list tbody tr').evaluateAll((all) => all.map((r) => [...r.children].map((c) => c.textContent)));
		let bad = '', n = 0;
		for (const r of report(trace, '--by', by).filter((x) => x.row === by && x[keys[1]] !== null)) {
			const row = rows.find((c) => c[0] === r.name);
			n++;
			if (!row || !keys.every((k, i) => !k || (i ? close(row[i + 1], r[k]) : Number(row[1].replace(/ /g, '')) === r[k])))
				bad = `${row} for ${r.name}`;
		}
		ok(`latencies, ${kind}: ${n} are the report's`, !bad && n, bad);
	}
	await page.click('[data-kind=waits]');
	await shot(page, 'known-latencies');
	await page.click('.numbers a');
	await page.waitForTimeout(500);
	has('the longest wait leads to the timeline', await details(page), 'Waiting for a CPU 3.50 ms');
}

// ---- Names that want to be more than names

async function odd(context) {
	const trace = join(OUT, 'odd.trace'), server = await serve(trace);
	const { page, wrong } = await look(context, server.url);
	const name = 'q"uo\'te,d;\\ \t\n</script>';
	is('a hostile name is a name', await page.evaluate(() => gotrace.trace.tasks[0].name), name);
	await click(page, 'task', '10', 3e8 + 1e5, 'state');
	has('in the details', await page.locator('.details').textContent(), name);
	const [x, y] = await place(page, 'task', '10', 5e5, 'state');
	await page.mouse.move(x, y);
	await page.keyboard.press('4');
	await page.waitForFunction(() => document.querySelector('.tablebox tbody'));
	has('in the tables', await page.locator('.tablebox').textContent(), name);
	await page.keyboard.press('2');
	await page.waitForTimeout(600);
	const graph = await page.locator('.flamebox').textContent();
	has('in the flame graph', graph, name);
	has('of CPU samples', graph, 'f"<\ufffd>');
	await shot(page, 'odd-flame');
	await page.keyboard.press('1');
	is('what it shows are its own elements', await page.evaluate(() => document.querySelectorAll('script, iframe, object, embed, img').length), 1);
	await shot(page, 'odd');
	is('nothing went wrong', wrong.join('\n'), '');
	await page.close();
	await server.stop();
}

// ---- Small ones, and a Go program's

async function others(context) {
	for (const trace of readdirSync(CASES).filter((f) => f.endsWith('.trace')).map((f) => join(CASES, f))) {
		const server = await serve(trace);
		const { page, wrong } = await look(context, server.url);
		for (const key of ['2', '3', '4', '1', 'w', '0']) {
			await page.keyboard.press(key);
			await page.waitForTimeout(150);
		}
		is(`nothing goes wrong with ${basename(trace)}`, wrong.join('\n'), '');
		await page.close();
		await server.stop();
	}
}

// ---- Ten million events

async function big(context) {
	const trace = join(OUT, 'big.trace'), server = await serve(trace);
	const [whole] = report(trace, '--by', 'cpu');
	const { page, wrong } = await look(context, server.url);
	const memory = () => Object.fromEntries(readFileSync(`/proc/${server.pid}/status`, 'utf8').split('\n').filter((l) => l.startsWith('Rss')).map((l) => l.split(/:\s+| kB/)));
	console.log(`# ${whole.events} events: ${(server.ms / 1000).toFixed(1)} s until the page is there; memory ${JSON.stringify(memory())} KB`);
	has('all events', await page.locator('#facts').innerText(), `${whole.events.toLocaleString('en').replace(/,/g, ' ')} events`);
	await shot(page, 'big');
	// One way in, to the ns, and out again, then along: as if keys were held.
	const run = await page.evaluate(async () => {
		const t = gotrace.timeline, frames = [], draws = [], end = t.trace.end;
		performance.clearResourceTimings();
		performance.setResourceTimingBufferSize(10000);
		const at = end * 0.4217;
		let last = performance.now();
		const frame = (change) => new Promise((done) => requestAnimationFrame((now) => {
			frames.push(now - last);
			last = now;
			change();
			requestAnimationFrame(() => { draws.push(t.took); done(); });
		}));
		for (let i = 0; i < 120; i++)
			await frame(() => t.zoom(0.88, at));
		const least = t.t1 - t.t0;
		for (let i = 0; i < 120; i++)
			await frame(() => t.zoom(1 / 0.88, at));
		t.show(end * 0.1, end * 0.1 + end / 200);
		for (let i = 0; i < 120; i++)
			await frame(() => t.pan(0.05));
		const answers = performance.getEntriesByType('resource').filter((r) => r.name.includes('/tiles')).map((r) => r.duration);
		const stats = (a) => { a.sort((x, y) => x - y); return { n: a.length, median: a[a.length >> 1], p95: a[Math.floor(a.length * 0.95)], max: a[a.length - 1] }; };
		return { draws: stats(draws), frames: stats(frames.slice(1)), answers: stats(answers), least };
	});
	const words = (s) => `median ${s.median.toFixed(1)}, 95 % ${s.p95.toFixed(1)}, longest ${s.max.toFixed(1)} ms of ${s.n}`;
	console.log(`# a frame is drawn in ${words(run.draws)}; two of them take ${words(run.frames)}`);
	console.log(`# tiles are answered in ${words(run.answers)}`);
	ok('it zooms in to what is short', run.least < 1e4, run.least);
	ok('it is smooth: half of the frames are drawn within 16 ms', run.draws.median < 16, run.draws.median);
	ok('and nearly all within 50', run.draws.p95 < 50, run.draws.p95);
	ok('half of the answers come within 50 ms', run.answers.median < 50, run.answers.median);
	await settled(page);
	await page.evaluate(() => gotrace.timeline.show(gotrace.trace.end * 0.42, gotrace.trace.end * 0.42 + 60000));
	await settled(page);
	await shot(page, 'big-zoomed');
	const anon = Number(memory().RssAnon);
	console.log(`# memory after that: ${JSON.stringify(memory())} KB`);
	ok('memory is of tasks, stacks and names', anon < 200000, anon);
	is('nothing went wrong', wrong.join('\n'), '');
	await page.close();
	await server.stop();
}

// ---- Sizes and themes

async function sizes(browser, trace, name) {
	const server = await serve(trace);
	for (const [w, h] of [[1920, 1080], [1024, 700], [480, 820]]) {
		for (const scheme of ['light', 'dark']) {
			const context = await browser.newContext({ viewport: { width: w, height: h }, colorScheme: scheme });
			const { page, wrong } = await look(context, server.url);
			await page.keyboard.press('3');
			await page.waitForTimeout(300);
			await page.keyboard.press('1');
			const end = await page.evaluate(() => gotrace.trace.end);
			const g = await page.evaluate(() => [...gotrace.trace.tasks].sort((a, b) => b.running - a.running)[0].i);
			await page.evaluate(([g, t]) => gotrace.timeline.choose({ g, time: t }), [g, Math.floor(end * 0.41)]);
			await settled(page);
			await shot(page, `${name}-${w}-${scheme}`);
			const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
			ok(`${name}, ${w} wide, ${scheme}: it fits`, over <= 0 && !wrong.length, `${over} ${wrong}`);
			await context.close();
		}
	}
	await server.stop();
}

const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', headless: true, args: FLAGS });
const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme: 'light' });
try {
	await known(context);
	await odd(context);
	await others(context);
	await sizes(browser, TRACE || join(OUT, 'known.trace'), TRACE ? 'trace' : 'known');
	await big(context);
} catch (e) {
	ok('the test came to its end', false, e.stack);
} finally {
	await browser.close();
}
console.log(`1..${points}`);
process.exit(failed ? 1 : 0);
