// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nodes.c - which nodes' files of a saved set a file is made of.
 */
#include "nodes.h"

#include "content.h"
#include "file/layout.h"
#include "save/set.h"

bool nodes_has(const struct cape_buffer *nodes, uint32_t node)
{
	for (size_t at = 0; at + 4 <= nodes->size; at += 4)
		if (file_get(nodes->bytes + at, 4) == node)
			return true;
	return false;
}

static int add(struct cape_buffer *nodes, const unsigned char *numbers, size_t size)
{
	int failed = 0;

	for (size_t at = 0; at + 4 <= size && !failed; at += 4)
		if (!nodes_has(nodes, (uint32_t)file_get(numbers + at, 4)))
			failed = cape_buffer_append(nodes, numbers + at, 4);
	return failed;
}

int nodes_merge(struct cape_buffer *nodes, const struct cape_buffer *other)
{
	return add(nodes, other->bytes, other->size);
}

int nodes_add(struct cape_buffer *nodes, struct file_reader *reader, struct file_error *error)
{
	uint64_t size;
	const unsigned char *merged = file_read_named(reader, NODES_SECTION, &size, error);
	unsigned char own[4];

	if (error->number)
		return -error->number;
	if (merged)
		return content_note(error, reader, add(nodes, merged, size));
	file_put(own, file_reader_head(reader)->node, 4);
	size = file_reader_has(reader, SET_LAUNCH) ? 0 : sizeof(own);
	return content_note(error, reader, add(nodes, own, size));
}
