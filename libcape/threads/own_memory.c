// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * own_memory.c - memory for threads and their teams: the C library's or, of a node, which shares
 * the program's heap with others, what is not shared.
 */
#include <stdlib.h>
#include "heap/heap_lock.h"
#include "threads/worker.h"

static bool is_apart(const struct cape_runtime *runtime)
{
	return runtime->threads > 1;
}

void *cape_must_resize(void *block, size_t size)
{
	struct cape_runtime *runtime = cape_runtime_get();
	void *resized = is_apart(runtime) ? cape_heap_lock_resize_apart(runtime, block, size)
					  : realloc(block, size);

	if (!resized)
		cape_fail(cape_runtime_get(), 0, "out of memory for threads (%zu bytes)", size);
	return resized;
}

void *cape_try_allocate(size_t size)
{
	struct cape_runtime *runtime = cape_runtime_get();

	size = (size + CAPE_CACHE_LINE - 1) / CAPE_CACHE_LINE * CAPE_CACHE_LINE;
	return is_apart(runtime) ? cape_heap_lock_allocate_apart(runtime, size, CAPE_CACHE_LINE)
				 : aligned_alloc(CAPE_CACHE_LINE, size);
}

void cape_release(void *block)
{
	struct cape_runtime *runtime = cape_runtime_get();

	if (!is_apart(runtime))
		free(block);
	else if (block)
		cape_heap_lock_release(runtime, block);
}
