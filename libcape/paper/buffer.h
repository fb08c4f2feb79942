/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * buffer.h - bytes that grow at the end.
 */
#ifndef CAPE_BUFFER_H
#define CAPE_BUFFER_H

#include <stddef.h>
#include "system/memory.h"

struct cape_buffer {
	struct cape_memory *memory;
	unsigned char *bytes;
	size_t size, capacity;
};

/* An empty buffer whose bytes will come from MEMORY, which must outlive it. */
void cape_buffer_init(struct cape_buffer *buffer, struct cape_memory *memory);

/* Empties the buffer and gives its memory back; it may be used again. */
void cape_buffer_free(struct cape_buffer *buffer);

/* Adds SIZE bytes, not yet set, and returns where they are; NULL: out of memory. */
unsigned char *cape_buffer_extend(struct cape_buffer *buffer, size_t size);

/* Adds a copy of the SIZE bytes at BYTES.  0 or -ENOMEM. */
int cape_buffer_append(struct cape_buffer *buffer, const void *bytes, size_t size);

#endif
