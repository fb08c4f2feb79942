/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * private.c - the run time's own memory: parts of one reserved stretch of address space.
 */
#include "base/private.h"

#include <errno.h>
#include <string.h>
#include <stdint.h>
#include "channel/capture.h"
#include "system/libc.h"

#define PAGE 4096ul

int cape_private_start(struct cape_private *private)
{
	private->next = (char *)(uintptr_t)CAPE_PRIVATE_START;
	private->end = (char *)(uintptr_t)CAPE_PRIVATE_END;
	return 0;
}

void *cape_private_reserve(struct cape_private *private, size_t size)
{
	void *got;

	size = (size + PAGE - 1) & -PAGE;
	if (size > (size_t)(private->end - private->next)) {
		errno = ENOMEM;
		return NULL;
	}
	got = mmap(private->next, size, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	if (got == MAP_FAILED)
		return NULL;
	private->next += size;
	return got;
}

static void *array_resize(struct cape_memory *memory, void *old, size_t old_size, size_t new_size)
{
	struct cape_private_array *array = (struct cape_private_array *)memory;

	(void)old;
	(void)old_size;
	return new_size <= array->limit ? array->start : NULL;
}

void cape_private_array_init(struct cape_private_array *array, void *start, size_t limit)
{
	*array = (struct cape_private_array){
		.memory.resize = array_resize,
		.start = start,
		.limit = limit,
	};
}

static unsigned power_of(size_t size)
{
	return size <= PAGE ? (unsigned)__builtin_ctzl(PAGE)
			    : 64 - (unsigned)__builtin_clzl(size - 1);
}

static void *blocks_resize(struct cape_memory *memory, void *old, size_t old_size, size_t new_size)
{
	struct cape_private_blocks *blocks = (struct cape_private_blocks *)memory;
	unsigned before = power_of(old_size), after = power_of(new_size);
	void *block;

	if (old && new_size && before == after)
		return old;
	if (!new_size || after >= sizeof(blocks->free) / sizeof(blocks->free[0])) {
		block = NULL;
	} else if (blocks->free[after]) {
		block = blocks->free[after];
		blocks->free[after] = *(void **)block;
	} else {
		block = cape_private_reserve(blocks->private, 1ul << after);
	}
	if (new_size && !block)
		return NULL;
	if (old && new_size)
		memcpy(block, old, old_size);
	if (old) {
		*(void **)old = blocks->free[before];
		blocks->free[before] = old;
	}
	return block;
}

void cape_private_blocks_init(struct cape_private_blocks *blocks, struct cape_private *private)
{
	*blocks = (struct cape_private_blocks){.memory.resize = blocks_resize, .private = private};
}
