/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a track looks like at some zoom. A tile is a row of VIEW_BUCKETS buckets of
 * 2^level ns; it has each record that is at least two buckets long, and between those,
 * for each bucket, what its many small ones have in common. So it is never much longer
 * than the screen is wide, however many events there are.
 */
#ifndef VIEW_TILES_H
#define VIEW_TILES_H

#include <stdint.h>

#include "view/store.h"

#define VIEW_BUCKETS	512
#define VIEW_LEVEL_MAX	44

/**
 * struct view_seg - a piece of a tile, as the page gets it (little endian)
 * @start, @end: ns; of one record its own, whatever the tile has of it
 * @index:  the record; of many, the one that is longest
 * @who:    gt_g.index plus 1: whose that is
 * @by:     of a RUNNABLE, who woke it; else its name, see view_name()
 * @n:      records; 1: this one, and with VIEW_CUT a part of it
 * @kind:   of the record
 * @why:    likewise
 * @flags:  likewise
 * @cpu:    gt_p.index plus 1, 255 if it is more
 * @shares: of the time of each enum view_class, in 1/255
 */
struct view_seg {
	double start, end;
	uint32_t index;
	uint32_t who;
	uint32_t by;
	uint32_t n;
	uint8_t kind, why, flags, cpu;
	uint8_t shares[VIEW_CLASSES];
};

/* At most so many are in a tile. */
#define VIEW_SEGS_MAX	(2 * VIEW_BUCKETS + 2)

/*
 * Tile number n, from the beginning of the trace on, into segs, which have room for
 * VIEW_SEGS_MAX. Return: how many there are.
 */
unsigned int view_tile(const struct view_store *s, uint32_t track,
		       unsigned int level, uint64_t n, struct view_seg *segs);

#endif
