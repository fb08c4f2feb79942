// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * list.c - lists that grow by doubling.
 */
#include "list.h"

#include <stdlib.h>

#define FIRST_CAPACITY 16

void *list_room(void *list, size_t count, size_t *capacity, size_t size)
{
	size_t larger = *capacity ? 2 * *capacity : FIRST_CAPACITY;
	void *moved;

	if (count < *capacity)
		return list;
	moved = realloc(list, larger * size);
	if (moved)
		*capacity = larger;
	return moved;
}
