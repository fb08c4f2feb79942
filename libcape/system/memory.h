/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * memory.h - where the checkpoint core gets its memory from.
 *
 * The core runs inside the user's program, whose malloc is the shared heap: it never calls
 * malloc itself, whoever uses it says where growable arrays live.
 */
#ifndef CAPE_MEMORY_H
#define CAPE_MEMORY_H

#include <stddef.h>

struct cape_memory {
	/*
	 * Changes the OLD_SIZE bytes at OLD to NEW_SIZE bytes and returns where they are now; the
	 * contents stay.  OLD NULL: new memory.  NEW_SIZE 0: frees.  NULL: out of memory, and OLD
	 * stays as it was.
	 */
	void *(*resize)(struct cape_memory *memory, void *old, size_t old_size, size_t new_size);
	size_t least; /* bytes that an array begins with; 0: a page */
};

extern struct cape_memory cape_memory_heap;  /* malloc: for the monitor and the tools */
extern struct cape_memory cape_memory_pages; /* mmap, whole pages: grow without copying */

/*
 * Makes room for COUNT elements of SIZE bytes in the array at *ARRAY, which has room for
 * *CAPACITY; it grows to at least twice its size.  0, or -ENOMEM and nothing has changed.
 */
int cape_memory_grow(struct cape_memory *memory, void **array, size_t *capacity, size_t count,
		     size_t size);

#endif
