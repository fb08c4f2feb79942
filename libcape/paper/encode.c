// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * encode.c - writing the structures of a checkpoint's memory members.
 *
 * One walk over the runs serves both sizes and contents: it puts records into a sink, which
 * counts, and stores when it has a buffer.
 */
#include "paper/encode.h"

#include <errno.h>
#include <string.h>
#include "paper/format.h"
#include "checkpoint/varint.h"

struct sink {
	const struct cape_format *format;
	const struct cape_reader *memory;
	struct cape_buffer *out; /* NULL: only count */
	uint64_t size;
};

static int put_bytes(struct sink *sink, const void *bytes, size_t length)
{
	sink->size += length;
	return sink->out ? cape_buffer_append(sink->out, bytes, length) : 0;
}

static int put_number(struct sink *sink, uint64_t number, unsigned width)
{
	unsigned char bytes[8];

	for (unsigned i = 0; i < 8; i++)
		bytes[i] = (unsigned char)(number >> 8 * i);
	if (sink->out && width < 8 && number >> 8 * width)
		return -ERANGE;
	return put_bytes(sink, bytes, width);
}

static int put_varint(struct sink *sink, uint64_t number)
{
	unsigned char bytes[10];

	return put_bytes(sink, bytes, (size_t)(cape_varint_put(bytes, number) - bytes));
}

/* The contents of memory at ADDRESS. */
static int put_memory(struct sink *sink, uint64_t address, uint64_t length)
{
	unsigned char *at;

	sink->size += length;
	if (!sink->out)
		return 0;
	at = cape_buffer_extend(sink->out, length);
	return at ? sink->memory->read(sink->memory->context, address, at, length) : -ENOMEM;
}

/* Goes through runs that are rounded to whole units, and so may have grown together. */
struct rounded {
	const struct cape_runs *runs;
	uint64_t unit; /* a power of 2 */
	size_t next;
	struct cape_run run;
};

static bool next_rounded(struct rounded *rounded)
{
	const struct cape_runs *runs = rounded->runs;
	uint64_t end = 0;

	if (rounded->next == runs->count)
		return false;
	rounded->run.address = runs->run[rounded->next].address & -rounded->unit;
	do {
		const struct cape_run *run = &runs->run[rounded->next++];

		end = (run->address + run->length + rounded->unit - 1) & -rounded->unit;
	} while (rounded->next < runs->count && runs->run[rounded->next].address < end);
	rounded->run.length = end - rounded->run.address;
	return true;
}

static int put_words(struct sink *sink, const struct cape_runs *runs)
{
	struct rounded words = {.runs = runs, .unit = CAPE_WORD};
	int error = 0;

	while (!error && next_rounded(&words)) {
		for (uint64_t i = 0; i < words.run.length && !error; i += CAPE_WORD) {
			error = put_number(sink, words.run.address + i, sink->format->address_size);
			if (!error)
				error = put_memory(sink, words.run.address + i, CAPE_WORD);
		}
	}
	return error;
}

static int put_run(struct sink *sink, uint64_t address, uint64_t length)
{
	int error = put_number(sink, address, sink->format->address_size);

	if (!error)
		error = put_number(sink, length, sink->format->length_size);
	return error ? error : put_memory(sink, address, length);
}

static int put_runs(struct sink *sink, const struct cape_runs *runs)
{
	uint64_t page = sink->format->page_size;
	int error = 0;

	for (size_t i = 0; i < runs->count; i++) {
		struct cape_run left = runs->run[i];

		while (left.length && !error) {
			uint64_t length = left.length, room = page - left.address % page;

			if (sink->format->by_page && length > room)
				length = room;
			error = put_run(sink, left.address, length);
			left.address += length;
			left.length -= length;
		}
	}
	return error;
}

static int put_whole_pages(struct sink *sink, const struct cape_runs *runs)
{
	uint64_t page = sink->format->page_size;
	struct rounded pages = {.runs = runs, .unit = page};
	int error = 0;

	while (!error && next_rounded(&pages)) {
		for (uint64_t i = 0; i < pages.run.length && !error; i += page) {
			error = put_number(sink, pages.run.address + i, sink->format->address_size);
			if (!error)
				error = put_memory(sink, pages.run.address + i, page);
		}
	}
	return error;
}

static void set_bits(unsigned char *map, uint64_t first, uint64_t count)
{
	for (uint64_t bit = first; bit < first + count; bit++)
		map[bit / 8] |= (unsigned char)(1u << bit % 8);
}

/* MD: the words of one page, of which RUN holds the first; RUN goes on after them. */
static int put_page_of_words(struct sink *sink, struct rounded *words, bool *more)
{
	unsigned char map[CAPE_PAGE_LIMIT / CAPE_WORD / 8] = {0};
	uint64_t size = sink->format->page_size, page = words->run.address & -size;
	size_t map_at = sink->out ? sink->out->size + sink->format->address_size : 0;
	int error = put_number(sink, page, sink->format->address_size);

	if (!error)
		error = put_bytes(sink, map, cape_map_size(sink->format));
	while (!error && *more && words->run.address - page < size) {
		uint64_t offset = words->run.address - page, length = words->run.length;

		if (length > size - offset)
			length = size - offset;
		set_bits(map, offset / CAPE_WORD, length / CAPE_WORD);
		error = put_memory(sink, words->run.address, length);
		words->run.address += length;
		words->run.length -= length;
		if (!words->run.length)
			*more = next_rounded(words);
	}
	if (!error && sink->out)
		memcpy(sink->out->bytes + map_at, map, cape_map_size(sink->format));
	return error;
}

static int put_pages_of_words(struct sink *sink, const struct cape_runs *runs)
{
	struct rounded words = {.runs = runs, .unit = CAPE_WORD};
	bool more = next_rounded(&words);
	int error = 0;

	while (more && !error)
		error = put_page_of_words(sink, &words, &more);
	return error;
}

/* The table of COMPACT as it grows. */
struct table {
	struct sink *sink;
	const struct cape_runs *runs;
	size_t next;	   /* run that comes next */
	uint64_t offset;   /* bytes of it that are in the table already */
	uint64_t position; /* the table has come to here */
	uint64_t plain;	   /* no bitmaps for pages below */
};

/* The part of run I, from OFFSET on, that lies in front of END. */
static struct cape_run part_before(const struct cape_runs *runs, size_t i, uint64_t offset,
				   uint64_t end)
{
	struct cape_run part = {runs->run[i].address + offset, runs->run[i].length - offset};

	if (part.length > end - part.address)
		part.length = end - part.address;
	return part;
}

/* Pages from the one that the table has come to. */
static uint64_t pages_to(const struct table *table, uint64_t page)
{
	uint64_t size = table->sink->format->page_size;

	return (page - (table->position & -size)) / size;
}

/* Sets the bitmap of PAGE; whether it is exact, and shorter than runs would be. */
static bool map_pays(const struct table *table, uint64_t page, unsigned char *map)
{
	uint64_t end = page + table->sink->format->page_size, position = table->position;
	uint64_t offset = table->offset;
	size_t size = 0;

	for (size_t i = table->next; i < table->runs->count; i++, offset = 0) {
		struct cape_run part;

		if (table->runs->run[i].address + offset >= end)
			break;
		part = part_before(table->runs, i, offset, end);
		if ((part.address | part.length) % CAPE_WORD)
			return false;
		set_bits(map, (part.address - page) / CAPE_WORD, part.length / CAPE_WORD);
		size += cape_varint_size(part.address - position) + cape_varint_size(part.length);
		position = part.address + part.length;
	}
	return size >
	       cape_varint_size(pages_to(table, page)) + 1 + cape_map_size(table->sink->format);
}

/* Moves on after what lies in front of END. */
static void pass(struct table *table, uint64_t end)
{
	const struct cape_runs *runs = table->runs;

	while (table->next < runs->count &&
	       runs->run[table->next].address + runs->run[table->next].length <= end) {
		table->next++;
		table->offset = 0;
	}
	if (table->next < runs->count && runs->run[table->next].address < end)
		table->offset = end - runs->run[table->next].address;
	table->position = end;
}

static int put_map_entry(struct table *table, uint64_t page, const unsigned char *map)
{
	uint64_t size = table->sink->format->page_size;
	int error = put_varint(table->sink, pages_to(table, page));

	if (!error)
		error = put_varint(table->sink, 0);
	if (!error)
		error = put_bytes(table->sink, map, cape_map_size(table->sink->format));
	pass(table, page + size);
	return error;
}

static int put_run_entry(struct table *table)
{
	const struct cape_run *run = &table->runs->run[table->next];
	int error = put_varint(table->sink, run->address + table->offset - table->position);

	if (!error)
		error = put_varint(table->sink, run->length - table->offset);
	pass(table, run->address + run->length);
	return error;
}

static int put_entry(struct table *table)
{
	unsigned char map[CAPE_PAGE_LIMIT / CAPE_WORD / 8];
	uint64_t size = table->sink->format->page_size;
	uint64_t address = table->runs->run[table->next].address + table->offset;
	uint64_t page = address & -size;

	/* A page at the end of the address space would wrap around. */
	if (page >= table->plain && page <= UINT64_MAX - size) {
		memset(map, 0, cape_map_size(table->sink->format));
		if (map_pays(table, page, map))
			return put_map_entry(table, page, map);
		table->plain = page + size;
	}
	return put_run_entry(table);
}

static int put_table(struct sink *sink, const struct cape_runs *runs)
{
	struct table table = {.sink = sink, .runs = runs};
	int error = 0;

	while (table.next < runs->count && !error)
		error = put_entry(&table);
	return error;
}

static int put_compact(struct sink *sink, const struct cape_runs *runs)
{
	struct sink counter = {.format = sink->format};
	int error = put_table(&counter, runs);

	if (!error)
		error = put_varint(sink, counter.size);
	if (!error)
		error = put_table(sink, runs);
	for (size_t i = 0; i < runs->count && !error; i++)
		error = put_memory(sink, runs->run[i].address, runs->run[i].length);
	return error;
}

static int put(struct sink *sink, const struct cape_runs *runs)
{
	if (!cape_format_valid(sink->format))
		return -EINVAL;
	switch (sink->format->structure) {
	case CAPE_SD:
		return put_words(sink, runs);
	case CAPE_SSD:
		return put_runs(sink, runs);
	case CAPE_MD:
		return put_pages_of_words(sink, runs);
	case CAPE_EP:
		return put_whole_pages(sink, runs);
	case CAPE_COMPACT:
		return put_compact(sink, runs);
	}
	return -EINVAL;
}

uint64_t cape_encoded_size(const struct cape_format *format, const struct cape_runs *runs)
{
	struct sink counter = {.format = format};

	return put(&counter, runs) ? 0 : counter.size;
}

int cape_encode(const struct cape_format *format, const struct cape_runs *runs,
		const struct cape_reader *memory, struct cape_buffer *out)
{
	struct sink sink = {.format = format, .memory = memory, .out = out};
	size_t size = out->size;
	int error = put(&sink, runs);

	if (error)
		out->size = size;
	return error;
}
