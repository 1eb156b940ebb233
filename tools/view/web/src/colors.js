// SPDX-License-Identifier: GPL-2.0
// Colours, for both themes: as strings for shapes and as numbers for pixels.

const THEMES = {
	light: {
		bg: '#ffffff', panel: '#f6f7f9', line: '#e2e5ea', grid: '#edf0f3', text: '#1d2430',
		dim: '#6b7585', select: '#1a56db', arrow: '#3554a5', lost: '#c81e1e', hover: '#0000000f',
		running: '#34a76f', runnable: '#f29d38', untraced: '#d5d9df', call: '#7d96c9',
		callText: '#13203d', region: '#b48ad6', reclaim: '#d96c6c', heap: '#7aa5d8', goal: '#c0392b',
		sleep: { sleep: '#c9d3e0', net: '#9cc3ee', select: '#b8d2f0', sync: '#cdb4ea',
			cond: '#dccbee', recv: '#a3d9d6', send: '#93cdbf', syscall: '#e39a92',
			gc: '#e0717b', other: '#d4d8de', before: '#e9ecf0' },
		task: [38, 64],
	},
	dark: {
		bg: '#14181f', panel: '#1b212a', line: '#2c3440', grid: '#212833', text: '#e4e9f0',
		dim: '#8f9bad', select: '#6ea0ff', arrow: '#8fb0ff', lost: '#ff6b6b', hover: '#ffffff14',
		running: '#2f9e68', runnable: '#d9862a', untraced: '#3a4350', call: '#5670a8',
		callText: '#e7edfb', region: '#85609f', reclaim: '#b34d4d', heap: '#4d7db5', goal: '#e0675a',
		sleep: { sleep: '#39465a', net: '#2f5680', select: '#36506f', sync: '#58437a',
			cond: '#4c4063', recv: '#2b6462', send: '#27594f', syscall: '#7d413c',
			gc: '#8a3940', other: '#353c47', before: '#262c36' },
		task: [32, 50],
	},
};

export let theme = THEMES.light;
export let themeName = 'light';

export function setTheme(name) {
	themeName = name;
	theme = THEMES[name];
	document.documentElement.dataset.theme = name;
	hues.clear();
	numbers.clear();
}

const hues = new Map();
const numbers = new Map();

function hash(text) {
	let h = 2166136261;
	for (let i = 0; i < text.length; i++)
		h = Math.imul(h ^ text.charCodeAt(i), 16777619);
	return h >>> 0;
}

// A task's own colour, by its name: threads of a program look alike.
export function taskColor(name) {
	let c = hues.get(name);
	if (!c) {
		const h = hash(name), [s, l] = theme.task;
		c = hsl(h % 360, s + (h >>> 9) % 16, l + (h >>> 17) % 12 - 6);
		hues.set(name, c);
	}
	return c;
}

function hsl(h, s, l) {
	s /= 100;
	l /= 100;
	const f = (n) => {
		const k = (n + h / 30) % 12;
		const v = l - s * Math.min(l, 1 - l) * Math.max(-1, Math.min(k - 3, 9 - k, 1));
		return Math.round(255 * v).toString(16).padStart(2, '0');
	};
	return `#${f(0)}${f(8)}${f(4)}`;
}

// ABGR, as pixels of a little-endian machine are.
export function number(color) {
	let n = numbers.get(color);
	if (n === undefined) {
		const v = parseInt(color.slice(1, 7), 16);
		n = (255 << 24 | (v & 255) << 16 | (v >> 8 & 255) << 8 | v >> 16) >>> 0;
		numbers.set(color, n);
	}
	return n;
}

// Black or white, whichever can be read on it.
export function inkOn(color) {
	const v = parseInt(color.slice(1, 7), 16);
	return 0.3 * (v >> 16) + 0.59 * (v >> 8 & 255) + 0.11 * (v & 255) > 125 ? '#10151d' : '#ffffff';
}
