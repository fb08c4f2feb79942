// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nodes.c - which nodes' files of a saved set a file is made of.
 */
#include "nodes.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
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
	size_t merged = file_reader_find(reader, NODES_SECTION, 0);
	size_t sections = file_reader_sections(reader), size = 4;
	unsigned char own[4];
	const unsigned char *numbers = own;
	int failed = 0;

	file_put(own, file_reader_head(reader)->node, 4);
	if (merged < sections) {
		failed = file_read(reader, merged, &numbers, error);
		size = file_reader_section(reader, merged)->size;
	} else if (file_reader_has(reader, SET_LAUNCH)) {
		size = 0;
	}
	if (failed)
		return failed;
	failed = add(nodes, numbers, size);
	if (failed)
		snprintf(error->text, sizeof(error->text), "%s: %s", file_reader_path(reader),
			 strerror(-failed));
	return failed;
}
