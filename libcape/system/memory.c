// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * memory.c - growing an array, whatever memory it lies in.
 */
#include "system/memory.h"

#include <errno.h>

#define FIRST_BYTES 4096ul

int cape_memory_grow(struct cape_memory *memory, void **array, size_t *capacity, size_t count,
		     size_t size)
{
	size_t old_size = *capacity * size, new_size, least = memory->least ?: FIRST_BYTES;
	void *grown;

	if (count <= *capacity)
		return 0;
	if (__builtin_mul_overflow(count, size, &new_size))
		return -ENOMEM;
	if (new_size < least)
		new_size = least;
	if (new_size / 2 < old_size && old_size <= (size_t)-1 / 2)
		new_size = 2 * old_size;
	grown = memory->resize(memory, *array, old_size, new_size / size * size);
	if (!grown)
		return -ENOMEM;
	*array = grown;
	*capacity = new_size / size;
	return 0;
}
