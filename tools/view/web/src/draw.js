// SPDX-License-Identifier: GPL-2.0
// Drawing tracks. What is small is drawn as pixels, once for each tile: a bar of
// shares for each bucket. What is long enough to be seen is a box with its name.
import { BUCKETS } from './tiles.js';
import { CLASS, FLAG, KIND } from './model.js';
import { theme, taskColor, number, inkOn } from './colors.js';

const STRIP = 24;	// pixels high
export const FONT = '11px system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';
const LETTER = 6.1;	// about as wide

// What is narrower is part of a strip, in buckets.
const LONG = 3;

export const isLong = (tile, i) => tile.count(i) === 1 && tile.to(i) - tile.from(i) >= LONG * tile.bucket;

// ---- How a band of some type looks: shares of each class, and boxes ----

const STATE = {
	colors(trace, tile, i) {
		const k = tile.kind(i);
		const sleep = theme.sleep[k === KIND.ASLEEP ? trace.reason(tile.why(i)) : 'other'];
		return [theme.running, theme.runnable, sleep, theme.untraced];
	},
	box(trace, tile, i) {
		switch (tile.kind(i)) {
		case KIND.RUNNING: return theme.running;
		case KIND.RUNNABLE: return theme.runnable;
		case KIND.UNTRACED: return theme.untraced;
		default: return theme.sleep[trace.reason(tile.why(i))];
		}
	},
	label(trace, tile, i) {
		switch (tile.kind(i)) {
		case KIND.RUNNING: return tile.cpu(i) && tile.cpu(i) < 255 ? `CPU ${trace.cpus[tile.cpu(i) - 1]?.id ?? ''}` : 'runs';
		case KIND.RUNNABLE: return 'waits for a CPU';
		case KIND.UNTRACED: return 'untraced';
		default: return trace.reason(tile.why(i));
		}
	},
};

// A Go program's Ps are stopped when they have nothing to do.
const stopped = (trace) => trace.kernel ? theme.untraced : null;

const CPU = {
	colors(trace, tile, i) {
		const g = trace.byIndex.get(tile.who(i));
		return [g && tile.kind(i) === KIND.RUNNING ? taskColor(g.name) : theme.running, null, null, stopped(trace)];
	},
	box(trace, tile, i) {
		switch (tile.kind(i)) {
		case KIND.RUNNING: return taskColor(trace.byIndex.get(tile.who(i))?.name ?? '');
		case KIND.STOPPED: return stopped(trace);
		default: return null;
		}
	},
	label(trace, tile, i) {
		const g = trace.byIndex.get(tile.who(i));
		return tile.kind(i) === KIND.RUNNING && g ? `${g.name} ${g.id}` : tile.kind(i) === KIND.STOPPED ? (trace.kernel ? 'not traced' : 'stopped') : '';
	},
};

const plain = (color) => ({
	colors: () => [theme[color], null, null, null],
	box: () => theme[color],
	label: (trace, tile, i) => {
		const name = trace.names[tile.by(i)] ?? '';
		return name.startsWith('syscall.') ? name.slice(8) : name;
	},
});

export const LOOKS = {
	state: STATE, cpu: CPU, call: plain('call'), region: plain('region'),
	reclaim: { ...plain('reclaim'), label: () => 'reclaims memory' },
	gc: { ...plain('reclaim'), label: (trace) => trace.kernel ? 'kswapd runs' : 'GC' },
	stw: { ...plain('lost'), label: () => 'stopped' },
};

// ---- Strips ----

function makeStrip(trace, tile, look) {
	const image = new ImageData(BUCKETS, STRIP);
	const pixels = new Uint32Array(image.data.buffer);
	let any = false;
	for (let i = 0; i < tile.n; i++) {
		if (isLong(tile, i))
			continue;
		any = true;
		const x0 = Math.max(0, Math.floor((tile.from(i) - tile.start) / tile.bucket));
		const x1 = Math.min(BUCKETS, Math.max(x0 + 1, Math.ceil((tile.to(i) - tile.start) / tile.bucket)));
		const colors = look.colors(trace, tile, i);
		let y = STRIP;
		for (let c = 0; c < 4; c++) {
			const s = tile.share(i, c);
			if (!s)
				continue;
			// A little is seen, too.
			let h = Math.max(1, Math.round(s * STRIP));
			if (tile.count(i) === 1 && s === 1)
				h = STRIP;
			const top = Math.max(0, y - h);
			if (colors[c]) {
				const n = number(colors[c]);
				for (let yy = top; yy < y; yy++)
					pixels.fill(n, yy * BUCKETS + x0, yy * BUCKETS + x1);
			}
			y = top;
		}
		// A moment without length, an entry.
		if (y === STRIP && tile.kind(i) === KIND.ENTER && colors[0])
			for (let yy = 0; yy < STRIP; yy++)
				pixels[yy * BUCKETS + x0] = number(colors[0]);
	}
	if (!any)
		return null;
	const canvas = new OffscreenCanvas(BUCKETS, STRIP);
	canvas.getContext('2d').putImageData(image, 0, 0);
	return canvas;
}

// ---- A band of a row ----

export function fit(text, width) {
	const n = Math.floor((width - 6) / LETTER);
	if (n < 2)
		return '';
	return text.length <= n ? text : `${text.slice(0, n - 1)}…`;
}

// p: {ctx, trace, t0, scale (pixels a ns), left, right}; tiles: [[tile, from, to]…].
export function drawBand(p, look, tiles, y, h) {
	const { ctx } = p;
	let drawn = -1;
	for (const [tile, from, to] of tiles) {
		if (tile.strip === null)
			tile.strip = makeStrip(p.trace, tile, look) ?? 0;
		if (!tile.strip)
			continue;
		// A coarser tile stands in for a part of it.
		const sx = Math.max(0, (from - tile.start) / tile.bucket);
		const sw = Math.min(BUCKETS - sx, (to - from) / tile.bucket);
		const x = p.left + (from - p.t0) * p.scale;
		if (x < p.right)
			ctx.drawImage(tile.strip, sx, 0, sw, STRIP, x, y, (to - from) * p.scale, h);
	}
	const labels = [];
	for (const [tile, from, to] of tiles) {
		for (let i = 0; i < tile.n; i++) {
			if (!isLong(tile, i) || tile.to(i) <= from || tile.from(i) >= to || tile.index(i) === drawn)
				continue;
			const color = look.box(p.trace, tile, i);
			drawn = tile.index(i);
			const x0 = Math.max(p.left, p.left + (tile.from(i) - p.t0) * p.scale);
			const x1 = Math.min(p.right, p.left + (tile.to(i) - p.t0) * p.scale);
			if (x1 <= x0 || !color)
				continue;
			ctx.fillStyle = color;
			// A gap where it ends, if there is room for one.
			ctx.fillRect(x0, y, x1 - x0 > 4 ? x1 - x0 - 0.6 : x1 - x0, h);
			if (tile.flags(i) & FLAG.DOUBTFUL)
				hatch(ctx, x0, y, x1 - x0, h, theme.lost);
			else if (color === theme.untraced)
				hatch(ctx, x0, y, x1 - x0, h, theme.dim);
			if (h >= 11 && x1 - x0 > 22)
				labels.push(x0, x1, color, look.label(p.trace, tile, i));
		}
	}
	ctx.font = FONT;
	ctx.textBaseline = 'middle';
	for (let i = 0; i < labels.length; i += 4) {
		ctx.fillStyle = inkOn(labels[i + 2]);
		ctx.fillText(fit(labels[i + 3], labels[i + 1] - labels[i]), labels[i] + 3, y + h / 2 + 0.5);
	}
}

let hatches = new Map();
export function forgetHatches() { hatches = new Map(); }

export function hatch(ctx, x, y, w, h, color) {
	let pattern = hatches.get(color);
	if (!pattern) {
		const c = new OffscreenCanvas(8, 8), k = c.getContext('2d');
		k.strokeStyle = color;
		k.globalAlpha = 0.45;
		k.lineWidth = 1.5;
		k.beginPath();
		for (const d of [-8, 0, 8]) {
			k.moveTo(d, 8);
			k.lineTo(d + 8, 0);
		}
		k.stroke();
		pattern = ctx.createPattern(c, 'repeat');
		hatches.set(color, pattern);
	}
	ctx.fillStyle = pattern;
	ctx.fillRect(x, y, w, h);
}

// How busy CPUs are over a length of time, from their tiles: shares, a pixel each.
export function busy(covers, from, to, width) {
	const sum = new Float32Array(width), scale = width / (to - from);
	for (const tiles of covers) {
		for (const [tile, a, b] of tiles) {
			for (let i = 0; i < tile.n; i++) {
				const s = tile.share(i, CLASS.RUNNING);
				if (!s)
					continue;
				const x0 = (Math.max(tile.from(i), a) - from) * scale, x1 = (Math.min(tile.to(i), b) - from) * scale;
				for (let x = Math.max(0, Math.floor(x0)); x < Math.min(width, x1); x++)
					sum[x] += s * Math.max(0, Math.min(x + 1, x1) - Math.max(x, x0));
			}
		}
	}
	for (let x = 0; x < width; x++)
		sum[x] = Math.min(1, sum[x] / Math.max(1, covers.length));
	return sum;
}
