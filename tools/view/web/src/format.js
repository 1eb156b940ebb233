// SPDX-License-Identifier: GPL-2.0
// Numbers for people.

const UNITS = [['ns', 1], ['µs', 1e3], ['ms', 1e6], ['s', 1e9]];

// 12.3 ms: three digits, in the unit that fits.
export function time(ns) {
	if (ns === null || ns === undefined)
		return '–';
	const v = Math.abs(ns);
	let i = 0;
	while (i < 3 && v >= UNITS[i + 1][1] * 0.9995)
		i++;
	const n = ns / UNITS[i][1], a = Math.abs(n);
	return `${i === 0 ? Math.round(n) : n.toFixed(a < 9.995 ? 2 : a < 99.95 ? 1 : 0)} ${UNITS[i][0]}`;
}

// A moment of the trace, in seconds, with as many digits as the step needs.
export function moment(ns, step = 1e3) {
	const digits = Math.max(0, Math.min(9, 9 - Math.floor(Math.log10(Math.max(step, 1)) + 1e-9)));
	return `${(ns / 1e9).toFixed(digits)} s`;
}

export const count = (n) => n === null || n === undefined ? '–' : Math.round(n).toLocaleString('en').replace(/,/g, ' ');
export const percent = (v) => v === null || v === undefined ? '–' : `${v.toFixed(1)} %`;

export function bytes(n) {
	const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
	let i = 0;
	while (n >= 1024 && i < 4) {
		n /= 1024;
		i++;
	}
	return `${n.toFixed(i && n < 100 ? 1 : 0)} ${units[i]}`;
}

export const share = (part, of) => of > 0 ? percent(100 * part / of) : '–';

// A task, as everywhere.
export const task = (g) => g ? `${g.name || '(no name)'} ${g.id}` : 'nobody known';

// What people call a name of the trace's: "syscall.read" is read.
export const call = (name) => name.startsWith('syscall.') ? name.slice(8) : name;
