// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * buffer.c - bytes that grow at the end.
 */
#include "paper/buffer.h"

#include <errno.h>
#include <string.h>

void cape_buffer_init(struct cape_buffer *buffer, struct cape_memory *memory)
{
	*buffer = (struct cape_buffer){.memory = memory};
}

void cape_buffer_free(struct cape_buffer *buffer)
{
	if (buffer->bytes)
		buffer->memory->resize(buffer->memory, buffer->bytes, buffer->capacity, 0);
	cape_buffer_init(buffer, buffer->memory);
}

unsigned char *cape_buffer_extend(struct cape_buffer *buffer, size_t size)
{
	size_t total;

	/* At least one byte, so that NULL means one thing. */
	if (__builtin_add_overflow(buffer->size, size, &total) ||
	    cape_memory_grow(buffer->memory, (void **)&buffer->bytes, &buffer->capacity,
			     total ? total : 1, 1) < 0)
		return NULL;
	buffer->size = total;
	return buffer->bytes + total - size;
}

int cape_buffer_append(struct cape_buffer *buffer, const void *bytes, size_t size)
{
	unsigned char *at;

	if (!size)
		return 0;
	at = cape_buffer_extend(buffer, size);
	if (!at)
		return -ENOMEM;
	memcpy(at, bytes, size);
	return 0;
}
