// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * layout.c - the bytes of a file's head and of a section's header, and errors with their place.
 */
#include "file/layout.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t file_sum(const void *bytes, uint64_t size, uint64_t seed)
{
	return XXH64(bytes, size, seed);
}

uint64_t file_head_put(const struct file_head *head, unsigned char *bytes)
{
	uint64_t sum;

	memset(bytes, 0, FILE_HEAD_SIZE);
	file_put(bytes, FILE_MAGIC, 8);
	file_put(bytes + 8, FILE_VERSION, 4);
	file_put(bytes + 12, FILE_HEAD_SIZE, 4);
	file_put(bytes + 16,
		 FILE_FEATURE_ZSTD | (head->kind == FILE_INCREMENT ? FILE_FEATURE_SAME : 0), 8);
	file_put(bytes + 32, head->kind, 4);
	file_put(bytes + 36, head->node, 4);
	file_put(bytes + 40, head->nodes, 4);
	file_put(bytes + 44, head->page_size, 4);
	file_put(bytes + 48, head->time, 8);
	file_put(bytes + 56, head->run, 8);
	file_put(bytes + 64, head->number, 8);
	file_put(bytes + 72, head->previous, 8);
	sum = file_sum(bytes, FILE_HEAD_SIZE - 8, 0);
	file_put(bytes + FILE_HEAD_SIZE - 8, sum, 8);
	return sum;
}

bool file_head_get(struct file_head *head, const unsigned char *bytes)
{
	*head = (struct file_head){
		.kind = (enum file_kind)file_get(bytes + 32, 4),
		.node = (uint32_t)file_get(bytes + 36, 4),
		.nodes = (uint32_t)file_get(bytes + 40, 4),
		.page_size = (uint32_t)file_get(bytes + 44, 4),
		.time = file_get(bytes + 48, 8),
		.run = file_get(bytes + 56, 8),
		.number = file_get(bytes + 64, 8),
		.previous = file_get(bytes + 72, 8),
	};
	return head->kind >= FILE_STATE && head->kind <= FILE_SYNC_POINT &&
	       head->node < head->nodes && head->page_size >= 32 &&
	       head->page_size <= CAPE_PAGE_LIMIT &&
	       (head->page_size & (head->page_size - 1)) == 0 && file_get(bytes + 80, 8) == 0;
}

uint64_t file_section_put(const struct file_section *section, uint64_t sum, uint64_t seed,
			  unsigned char *bytes)
{
	memset(bytes, 0, FILE_HEADER_SIZE);
	file_put(bytes, section->kind, 4);
	file_put(bytes + 4, section->packing, 4);
	file_put(bytes + 8, section->size, 8);
	file_put(bytes + 16, section->stored, 8);
	if (section->kind == FILE_NAMED) {
		memcpy(bytes + 24, section->name, strnlen(section->name, FILE_NAME_SIZE - 1));
		file_put(bytes + 40, section->number, 4);
	} else {
		file_put(bytes + 24, section->address, 8);
		file_put(bytes + 32, section->stamp.time, 8);
		file_put(bytes + 40, section->stamp.node, 4);
	}
	file_put(bytes + 48, sum, 8);
	sum = file_sum(bytes, FILE_HEADER_SIZE - 8, seed);
	file_put(bytes + FILE_HEADER_SIZE - 8, sum, 8);
	return sum;
}

void file_section_get(struct file_section *section, const unsigned char *bytes)
{
	*section = (struct file_section){
		.kind = (enum file_section_kind)file_get(bytes, 4),
		.packing = (uint32_t)file_get(bytes + 4, 4),
		.size = file_get(bytes + 8, 8),
		.stored = file_get(bytes + 16, 8),
	};
	if (section->kind == FILE_NAMED) {
		memcpy(section->name, bytes + 24, FILE_NAME_SIZE - 1);
		section->number = (uint32_t)file_get(bytes + 40, 4);
	} else {
		section->address = file_get(bytes + 24, 8);
		section->stamp.time = file_get(bytes + 32, 8);
		section->stamp.node = (uint32_t)file_get(bytes + 40, 4);
	}
}

void file_error_note(struct file_error *error, int number, const char *path, uint64_t offset,
		     const char *format, ...)
{
	va_list arguments;
	int used;

	error->number = number;
	error->offset = offset;
	used = snprintf(error->text, sizeof(error->text), "%.300s: at byte %llu: ", path,
			(unsigned long long)offset);
	va_start(arguments, format);
	vsnprintf(error->text + used, sizeof(error->text) - (size_t)used, format, arguments);
	va_end(arguments);
}
