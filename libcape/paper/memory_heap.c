// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * memory_heap.c - memory from malloc; a program that does not use it does not link it.
 */
#include "system/memory.h"

#include <stdlib.h>

static void *heap_resize(struct cape_memory *memory, void *old, size_t old_size, size_t new_size)
{
	(void)memory;
	(void)old_size;
	if (new_size)
		return realloc(old, new_size);
	free(old);
	return NULL;
}

struct cape_memory cape_memory_heap = {.resize = heap_resize};
