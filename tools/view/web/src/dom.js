// SPDX-License-Identifier: GPL-2.0
// Elements. What a trace says gets into the page as text here and nowhere else.

// el('div.class', {title: 'x', onclick: f}, child, 'text', …)
export function el(what, props = {}, ...children) {
	const [tag, ...classes] = what.split('.');
	const e = document.createElement(tag);
	if (classes.length)
		e.className = classes.join(' ');
	for (const [k, v] of Object.entries(props)) {
		if (k.startsWith('on'))
			e.addEventListener(k.slice(2), v);
		else if (k === 'style')
			for (const [name, value] of Object.entries(v))
				e.style.setProperty(name, value);
		else if (v === true)
			e.setAttribute(k, '');
		else if (v !== false && v !== undefined && v !== null)
			e.setAttribute(k, v);
	}
	e.append(...children.flat().filter((c) => c !== null && c !== undefined && c !== false));
	return e;
}

export const $ = (id) => document.getElementById(id);

export function toast(text) {
	const t = $('toast');
	t.textContent = text;
	t.hidden = false;
	clearTimeout(toast.timer);
	toast.timer = setTimeout(() => { t.hidden = true; }, 4000);
}

// A text beside the pointer: lines, the first one as a heading.
export function tip(x, y, lines) {
	const t = $('tip');
	if (!lines) {
		t.hidden = true;
		return;
	}
	t.replaceChildren(...lines.map((line, i) => el(i ? 'div' : 'b', {}, line)));
	t.hidden = false;
	const box = t.getBoundingClientRect();
	t.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - box.width - 8))}px`;
	t.style.top = `${y + 18 + box.height > innerHeight ? y - box.height - 10 : y + 18}px`;
}
