/* SPDX-License-Identifier: LGPL-2.1 OR MIT */
/* Arrays that grow. */
#ifndef GT_ARRAY_H
#define GT_ARRAY_H

#include <stdbool.h>
#include <stdlib.h>

/*
 * Room for one more entry behind the n there are. array is the address of the
 * pointer, first the entries that it begins with. False without memory; nothing
 * is lost then.
 */
static inline bool array_reserve_from(void *array, size_t n, size_t *size,
				      size_t entry, size_t first)
{
	size_t bigger = *size ? 2 * *size : first;
	void **data = array, *p;

	if (n < *size)
		return true;
	p = realloc(*data, bigger * entry);
	if (!p)
		return false;
	*data = p;
	*size = bigger;
	return true;
}

static inline bool array_reserve(void *array, size_t n, size_t *size,
				 size_t entry)
{
	return array_reserve_from(array, n, size, entry, 64);
}

#endif
