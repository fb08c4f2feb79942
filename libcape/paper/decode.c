// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * decode.c - reading the structures of a checkpoint's memory members, whoever wrote them.
 */
#include "paper/encode.h"

#include <errno.h>
#include "paper/format.h"
#include "checkpoint/varint.h"

struct source {
	const struct cape_format *format;
	const unsigned char *at, *end;
	struct cape_runs *runs;
	struct cape_buffer *data;
};

static size_t left(const struct source *source)
{
	return (size_t)(source->end - source->at);
}

static int get_number(struct source *source, unsigned width, uint64_t *number)
{
	if (left(source) < width)
		return -EBADMSG;
	*number = 0;
	for (unsigned i = 0; i < width; i++)
		*number |= (uint64_t)*source->at++ << 8 * i;
	return 0;
}

static int get_varint(struct source *source, uint64_t *number)
{
	return cape_varint_get(&source->at, source->end, number) ? 0 : -EBADMSG;
}

/* The order of addresses is checked here, for all structures. */
static int add_run(struct source *source, uint64_t address, uint64_t length)
{
	int error = cape_runs_add(source->runs, address, length);

	return error == -EINVAL ? -EBADMSG : error;
}

static int get_memory(struct source *source, uint64_t address, uint64_t length)
{
	int error;

	if (!length || length > left(source))
		return -EBADMSG;
	error = add_run(source, address, length);
	if (!error)
		error = cape_buffer_append(source->data, source->at, length);
	source->at += length;
	return error;
}

/* SD and EP: a record is an address and UNIT bytes. */
static int get_units(struct source *source, uint64_t unit)
{
	uint64_t address;
	int error = get_number(source, source->format->address_size, &address);

	if (!error && address % unit)
		error = -EBADMSG;
	return error ? error : get_memory(source, address, unit);
}

static int get_run(struct source *source)
{
	uint64_t address, length;
	int error = get_number(source, source->format->address_size, &address);

	if (!error)
		error = get_number(source, source->format->length_size, &length);
	return error ? error : get_memory(source, address, length);
}

typedef int (*use_words)(struct source *source, uint64_t address, uint64_t length);

static bool bit_is_set(const unsigned char *map, uint64_t bit)
{
	return map[bit / 8] >> bit % 8 & 1;
}

/* Hands the words that a bitmap names to USE, in stretches. */
static int get_map(struct source *source, uint64_t page, use_words use)
{
	const unsigned char *map = source->at;
	uint64_t bits = source->format->page_size / CAPE_WORD, start, end;
	bool any = false;
	int error = 0;

	if (left(source) < cape_map_size(source->format) ||
	    page > UINT64_MAX - source->format->page_size)
		return -EBADMSG;
	source->at += cape_map_size(source->format);
	for (start = 0; start < bits && !error; start = end) {
		end = start + 1;
		if (!bit_is_set(map, start))
			continue;
		while (end < bits && bit_is_set(map, end))
			end++;
		any = true;
		error = use(source, page + start * CAPE_WORD, (end - start) * CAPE_WORD);
	}
	return !error && !any ? -EBADMSG : error;
}

static int get_page_of_words(struct source *source)
{
	uint64_t page;
	int error = get_number(source, source->format->address_size, &page);

	if (!error && page % source->format->page_size)
		error = -EBADMSG;
	return error ? error : get_map(source, page, get_memory);
}

/* An entry of COMPACT's table; *POSITION is where the one before ended. */
static int get_entry(struct source *table, uint64_t *position)
{
	uint64_t gap, length, size = table->format->page_size;
	int error = get_varint(table, &gap);

	if (!error)
		error = get_varint(table, &length);
	if (error)
		return error;
	if (length) {
		if (gap > UINT64_MAX - *position || length > UINT64_MAX - *position - gap)
			return -EBADMSG;
		error = add_run(table, *position + gap, length);
		*position += gap + length;
		return error;
	}
	*position &= -size;
	if (gap > (UINT64_MAX - *position) / size)
		return -EBADMSG;
	*position += gap * size;
	error = get_map(table, *position, add_run);
	*position += size;
	return error;
}

static int get_compact(struct source *source)
{
	struct source table = *source;
	uint64_t size, position = 0;
	int error = get_varint(source, &size);

	if (error)
		return error;
	if (size > left(source))
		return -EBADMSG;
	table.at = source->at;
	table.end = source->at + size;
	source->at += size;
	while (table.at < table.end && !error)
		error = get_entry(&table, &position);
	if (error)
		return error;
	if (source->runs->bytes != left(source))
		return -EBADMSG;
	error = cape_buffer_append(source->data, source->at, left(source));
	source->at = source->end;
	return error;
}

static int get_record(struct source *source)
{
	switch (source->format->structure) {
	case CAPE_SD:
		return get_units(source, CAPE_WORD);
	case CAPE_SSD:
		return get_run(source);
	case CAPE_MD:
		return get_page_of_words(source);
	case CAPE_EP:
		return get_units(source, source->format->page_size);
	case CAPE_COMPACT:
		return get_compact(source);
	}
	return -EINVAL;
}

int cape_decode(const struct cape_format *format, const void *bytes, size_t size,
		struct cape_runs *runs, struct cape_buffer *data)
{
	struct source source = {.format = format, .runs = runs, .data = data};
	int error = 0;

	if (!cape_format_valid(format) || format->structure > CAPE_COMPACT || runs->count ||
	    data->size)
		return -EINVAL;
	if (!size)
		return format->structure == CAPE_COMPACT ? -EBADMSG : 0;
	source.at = bytes;
	source.end = source.at + size;
	while (source.at < source.end && !error)
		error = get_record(&source);
	return error;
}
