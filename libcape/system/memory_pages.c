// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * memory_pages.c - memory from the kernel, in whole pages; grows without copying.
 */
#include "system/memory.h"

#include "system/libc.h"

static void *pages_resize(struct cape_memory *memory, void *old, size_t old_size, size_t new_size)
{
	void *got;

	(void)memory;
	if (!new_size) {
		if (old)
			munmap(old, old_size);
		return NULL;
	}
	if (old)
		got = mremap(old, old_size, new_size, MREMAP_MAYMOVE);
	else
		got = mmap(NULL, new_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			   0);
	return got == MAP_FAILED ? NULL : got;
}

struct cape_memory cape_memory_pages = {.resize = pages_resize};
