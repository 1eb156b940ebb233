// SPDX-License-Identifier: GPL-2.0
// Questions to the server (api.c has them all).

function url(name, params) {
	const q = new URLSearchParams();
	for (const [k, v] of Object.entries(params))
		if (v !== undefined && v !== null)
			q.set(k, typeof v === 'number' ? String(Math.round(v)) : v);
	const s = q.toString();
	return `api/${name}${s ? `?${s}` : ''}`;
}

async function ask(name, params) {
	let r;
	try {
		r = await fetch(url(name, params));
	} catch {
		throw new Error('gotrace view does not run any more');
	}
	if (!r.ok)
		throw new Error((await r.text()).trim());
	return r;
}

export const json = async (name, params = {}) => (await ask(name, params)).json();
export const binary = async (name, params = {}) => (await ask(name, params)).arrayBuffer();
export const lines = async (name, params = {}) =>
	(await (await ask(name, params)).text()).split('\n').filter((l) => l).map((l) => JSON.parse(l));
