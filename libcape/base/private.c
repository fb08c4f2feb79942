/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * private.c - the run time's own memory: parts of one reserved stretch of address space.
 */
#include "base/private.h"

#include <errno.h>
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
