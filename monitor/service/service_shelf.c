// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * service_shelf.c - a hash table with chains; few things live at a time.
 *
 * By hand: uthash makes a table for the first thing and frees it with the last one, which a lock is
 * each time that it is taken and given back.
 */
#include "service_shelf.h"

#include <stdlib.h>

static size_t bucket_of(uint64_t id)
{
	return id * 0x9e3779b97f4a7c15u >> 56;
}

void *shelf_find(const struct shelf *shelf, uint64_t id)
{
	struct shelf_item *item = shelf->bucket[bucket_of(id)];

	while (item && item->id != id)
		item = item->next;
	return item;
}

void *shelf_get(struct shelf *shelf, uint64_t id, size_t size)
{
	struct shelf_item *item = shelf_find(shelf, id);
	struct shelf_item **bucket = &shelf->bucket[bucket_of(id)];

	if (item)
		return item;
	item = calloc(1, size);
	if (!item)
		return NULL;
	item->id = id;
	item->next = *bucket;
	*bucket = item;
	return item;
}

void shelf_remove(struct shelf *shelf, void *thing)
{
	struct shelf_item *item = thing;
	struct shelf_item **at = &shelf->bucket[bucket_of(item->id)];

	while (*at != item)
		at = &(*at)->next;
	*at = item->next;
	free(item);
}

void *shelf_any(const struct shelf *shelf)
{
	for (size_t i = 0; i < SHELF_BUCKETS; i++)
		if (shelf->bucket[i])
			return shelf->bucket[i];
	return NULL;
}
