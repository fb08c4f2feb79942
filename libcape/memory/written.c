// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * written.c - the blocks of the heap that a region writes to, by the pointers that it uses.
 *
 * The twin of the rest is not kept up to date: the next region's fold does that, if it needs it.
 */
#include "memory/written.h"

#include <stdarg.h>
#include <string.h>
#include "base/context.h"
#include "base/model.h"
#include "base/saved.h"
#include "base/way.h"
#include "heap/heap.h"
#include "memory/apart.h"

CAPE_PART(said, NULL);
CAPE_PART(written, NULL);
CAPE_PART(written_blocks, NULL);

/* Keeps the list in order and its ranges apart. */
static bool add(struct cape_written *written, struct cape_range range)
{
	size_t at = 0, end;

	while (at < written->count && written->range[at].end < range.start)
		at++;
	for (end = at; end < written->count && written->range[end].start <= range.end; end++) {
		if (written->range[end].start < range.start)
			range.start = written->range[end].start;
		if (written->range[end].end > range.end)
			range.end = written->range[end].end;
	}
	if (at == end && written->count == CAPE_WRITTEN_LIMIT)
		return false;
	memmove(&written->range[at + 1], &written->range[end],
		(written->count - end) * sizeof(range));
	written->count += 1 - (end - at);
	written->range[at] = range;
	return true;
}

/* What says so is in shared memory, before the block, and need not be here. */
CAPE_APART(size_t, cape_written_read_size, (struct cape_runtime * runtime, const void *block))
{
	uint64_t start = (uint64_t)(uintptr_t)block;

	if (runtime->way->waits(runtime))
		runtime->way->touched_read(runtime, &(struct cape_range){start - 8, start});
	return cape_heap_usable(runtime->heap, block);
}

/* All nodes know alike, or do not know, how large BLOCK is. */
static size_t size_of(struct cape_runtime *runtime, const void *block)
{
	uint64_t start = (uint64_t)(uintptr_t)block, changes;
	struct cape_written_block *known =
		&runtime->written_blocks->block[start / 16 % CAPE_WRITTEN_BLOCKS];

	if (!cape_heap_changes(runtime->heap, block, &changes))
		return cape_written_read_size(runtime, block);
	if (known->start != start || known->changes != changes || !known->size)
		*known = (struct cape_written_block){start, cape_written_read_size(runtime, block),
						     changes};
	return known->size;
}

/* A pointer into a block, rather than to its beginning, does not identify the block. */
static bool add_block(struct cape_runtime *runtime, const void *block)
{
	uint64_t start = (uint64_t)(uintptr_t)block;
	size_t size;

	if (!cape_heap_owns(runtime->heap, block))
		return true;
	size = size_of(runtime, block);
	return size && add(runtime->said, (struct cape_range){
						  cape_page_floor(start),
						  cape_page_ceiling(start + size),
					  });
}

CAPE_EXPORT void cape_set_writes(unsigned long count, ...)
{
	struct cape_runtime *runtime = cape_runtime_get();
	va_list list;

	/* Where jobs are handed out, all is compared. */
	if (runtime->in_region || !runtime->channel || runtime->model->hands_out)
		return;
	*runtime->said = (struct cape_written){.known = true};
	va_start(list, count);
	while (count--)
		runtime->said->known &= add_block(runtime, va_arg(list, void *));
	va_end(list);
}

void cape_written_enter(struct cape_runtime *runtime)
{
	runtime->written = runtime->said;
	runtime->said->known = false;
}

void cape_written_leave(struct cape_runtime *runtime)
{
	runtime->written->known = false;
}

/* -- for saving inside a region ------------------------------------------------------------ */

static uint64_t put_written(struct cape_runtime *runtime, unsigned char *to)
{
	if (!runtime->in_region)
		return 0;
	if (to)
		memcpy(to, runtime->written, sizeof(*runtime->written));
	return sizeof(*runtime->written);
}

/* As if the program had said so before the region, which is entered again. */
static void take_written(struct cape_runtime *runtime, const unsigned char *from, uint64_t size)
{
	if (size == sizeof(*runtime->said))
		memcpy(runtime->said, from, size);
}

CAPE_SAVED(written, .of_node = true, .put = put_written, .take = take_written);
