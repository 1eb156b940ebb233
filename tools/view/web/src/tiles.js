// SPDX-License-Identifier: GPL-2.0
// Looks of tracks, fetched tile by tile (tiles.h) and kept.
import * as api from './api.js';

export const BUCKETS = 512;
const SEG = 40;		// sizeof(struct view_seg)
const AT_ONCE = 1500;	// tiles in one question
const KEPT = 4000;

// A tile: its segments, read in place.
class Tile {
	constructor(buffer, offset, n, level, number) {
		this.n = n;
		this.level = level;
		this.start = number * BUCKETS * 2 ** level;
		this.bucket = 2 ** level;
		this.f64 = new Float64Array(buffer, offset, n * SEG / 8);
		this.u32 = new Uint32Array(buffer, offset, n * SEG / 4);
		this.u8 = new Uint8Array(buffer, offset, n * SEG);
		this.strip = null;	// the pixels of what is small (draw.js)
	}
	from(i) { return this.f64[i * 5]; }
	to(i) { return this.f64[i * 5 + 1]; }
	index(i) { return this.u32[i * 10 + 4]; }
	who(i) { return this.u32[i * 10 + 5]; }
	by(i) { return this.u32[i * 10 + 6]; }
	count(i) { return this.u32[i * 10 + 7]; }
	kind(i) { return this.u8[i * SEG + 32]; }
	why(i) { return this.u8[i * SEG + 33]; }
	flags(i) { return this.u8[i * SEG + 34]; }
	cpu(i) { return this.u8[i * SEG + 35]; }
	share(i, c) { return this.u8[i * SEG + 36 + c] / 255; }

	// The segment at a time; -1: none. They are in order.
	at(time) {
		let low = 0, high = this.n;
		while (low < high) {
			const mid = (low + high) >> 1;
			if (this.to(mid) > time)
				high = mid;
			else
				low = mid + 1;
		}
		return low < this.n && this.from(low) <= time ? low : -1;
	}
}

export class Tiles {
	constructor(end, arrived, failed) {
		this.end = end;
		this.arrived = arrived;
		this.failed = failed;
		this.kept = new Map();		// in order of their last use
		this.asked = new Set();
		this.busy = false;
		this.wanted = null;
	}

	// The level whose buckets are one or two pixels wide.
	static level(nsPerPixel) {
		return Math.max(0, Math.min(44, Math.ceil(Math.log2(Math.max(nsPerPixel, 1)))));
	}

	get(track, level, number) {
		const key = `${track}:${level}:${number}`;
		const tile = this.kept.get(key);
		if (tile) {
			this.kept.delete(key);
			this.kept.set(key, tile);
		}
		return tile;
	}

	dropStrips() {
		for (const tile of this.kept.values())
			tile.strip = null;
	}

	// What a track has between two times, as [tile…]: of this level, or what there is.
	cover(track, level, from, to, missing) {
		const size = BUCKETS * 2 ** level, tiles = [];
		const last = Math.floor(Math.min(to, this.end) / size);
		for (let n = Math.max(0, Math.floor(from / size)); n <= last; n++) {
			const tile = this.get(track, level, n);
			if (tile) {
				tiles.push([tile, n * size, (n + 1) * size]);
				continue;
			}
			missing.push([track, n]);
			// A coarser one, cut, until it comes.
			for (let up = 1; up <= 8; up++) {
				const coarse = this.get(track, level + up, Math.floor(n / 2 ** up));
				if (coarse) {
					tiles.push([coarse, n * size, (n + 1) * size]);
					break;
				}
			}
		}
		return tiles;
	}

	// Fetch what is missing; of several calls while one is under way, the last counts.
	want(level, missing) {
		this.wanted = missing.length ? { level, missing } : null;
		if (!this.busy)
			this.fetch();
	}

	async fetch() {
		this.busy = true;
		while (this.wanted) {
			const { level, missing } = this.wanted;
			this.wanted = null;
			try {
				await this.fetchSome(level, missing);
			} catch (e) {
				this.failed(e);
				break;
			}
			this.arrived();
		}
		this.busy = false;
	}

	async fetchSome(level, missing) {
		const first = Math.min(...missing.map((m) => m[1]));
		const count = Math.min(64, Math.max(...missing.map((m) => m[1])) - first + 1);
		const tracks = [...new Set(missing.map((m) => m[0]))].slice(0, Math.floor(AT_ONCE / count));
		const buffer = await api.binary('tiles', { level, tile: first, count, tracks: tracks.join(',') });
		const head = new Uint32Array(buffer, 0);
		let offset = 0;
		for (const track of tracks) {
			for (let n = first; n < first + count; n++) {
				const segs = head[offset / 4];
				this.kept.set(`${track}:${level}:${n}`, new Tile(buffer, offset + 8, segs, level, n));
				offset += 8 + segs * SEG;
			}
		}
		for (const key of this.kept.keys()) {
			if (this.kept.size <= KEPT)
				break;
			this.kept.delete(key);
		}
	}
}
