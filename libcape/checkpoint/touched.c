// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * touched.c - bytes that checkpoints have set: a bitmap for each page, found by a hash table.
 */
#include "checkpoint/touched.h"

#include <errno.h>
#include <string.h>

/* COUNT bits, 8 at most, from bit AT on. */
static unsigned get_bits(const unsigned char *bits, uint64_t at, uint64_t count)
{
	unsigned word = bits[at / 8] >> at % 8;

	if (at % 8 + count > 8)
		word |= (unsigned)bits[at / 8 + 1] << (8 - at % 8);
	return word & ((1u << count) - 1);
}

static void set_bits(unsigned char *bits, uint64_t at, uint64_t count, unsigned word)
{
	bits[at / 8] |= (unsigned char)(word << at % 8);
	if (at % 8 + count > 8)
		bits[at / 8 + 1] |= (unsigned char)(word >> (8 - at % 8));
}

/* Which of COUNT bytes from byte AT of RUN on count. */
static unsigned counting(const struct cape_exact_run *run, uint64_t at, uint64_t count)
{
	return run->mask ? get_bits(run->mask, at, count) : (1u << count) - 1;
}

/* How many of RUN's bytes from byte AT on lie in one page. */
static uint64_t part_of_page(const struct cape_exact_run *run, uint64_t at)
{
	uint64_t room = CAPE_TOUCHED_PAGE - (run->address + at) % CAPE_TOUCHED_PAGE;

	return room < run->length - at ? room : run->length - at;
}

static size_t bucket_of(uint64_t address)
{
	return (size_t)(address / CAPE_TOUCHED_PAGE * 0x9e3779b97f4a7c15ull >> 32) %
	       CAPE_TOUCHED_BUCKETS;
}

static struct cape_touched_page *find(const struct cape_touched *touched, uint64_t address)
{
	uint64_t start = address - address % CAPE_TOUCHED_PAGE;
	uint32_t number = touched->bucket[bucket_of(start)];

	while (number && touched->page[number - 1].address != start)
		number = touched->page[number - 1].next;
	return number ? &touched->page[number - 1] : NULL;
}

static struct cape_touched_page *find_or_add(struct cape_touched *touched, uint64_t address)
{
	struct cape_touched_page *page = find(touched, address);
	uint32_t *bucket;

	if (page)
		return page;
	if (touched->count == UINT32_MAX ||
	    cape_memory_grow(touched->memory, (void **)&touched->page, &touched->capacity,
			     touched->count + 1, sizeof(*touched->page)) < 0)
		return NULL;
	page = &touched->page[touched->count++];
	memset(page, 0, sizeof(*page));
	page->address = address - address % CAPE_TOUCHED_PAGE;
	bucket = &touched->bucket[bucket_of(page->address)];
	page->next = *bucket;
	*bucket = (uint32_t)touched->count;
	return page;
}

static int add_run(struct cape_touched *touched, const struct cape_exact_run *run)
{
	for (uint64_t at = 0, length; at < run->length; at += length) {
		struct cape_touched_page *page = find_or_add(touched, run->address + at);
		uint64_t offset = (run->address + at) % CAPE_TOUCHED_PAGE;

		if (!page)
			return -ENOMEM;
		length = part_of_page(run, at);
		for (uint64_t i = 0; i < length; i += 8) {
			uint64_t count = length - i < 8 ? length - i : 8;

			set_bits(page->bits, offset + i, count, counting(run, at + i, count));
		}
	}
	return 0;
}

int cape_touched_add(struct cape_touched *touched, const void *bytes, uint64_t size)
{
	struct cape_exact_cursor cursor;
	struct cape_exact_run run;
	int got, error = 0;

	cape_exact_open(&cursor, bytes, size);
	while (!error && (got = cape_exact_next(&cursor, &run)) > 0)
		error = add_run(touched, &run);
	return error ? error : got;
}

/*
 * Of RUN the LENGTH bytes from byte AT on, those of PAGE's set, or OUTSIDE of it, in MASK.
 * False: none of them is in it.
 */
static bool cut(const struct cape_touched_page *page, const struct cape_exact_run *run, uint64_t at,
		uint64_t length, bool outside, unsigned char *mask)
{
	uint64_t offset = (run->address + at) % CAPE_TOUCHED_PAGE;
	unsigned any = 0;

	for (uint64_t i = 0; i < length; i += 8) {
		uint64_t count = length - i < 8 ? length - i : 8;
		unsigned bits = counting(run, at + i, count);
		unsigned in = bits & get_bits(page->bits, offset + i, count);

		mask[i / 8] = (unsigned char)(outside ? bits & ~in : in);
		any |= in;
	}
	return any;
}

int cape_touched_take(const struct cape_touched *touched, const void *bytes, uint64_t size,
		      const struct cape_exact_memory *memory)
{
	unsigned char mask[CAPE_TOUCHED_PAGE / 8], *to, *twin;
	struct cape_exact_run run, part;
	struct cape_exact_cursor cursor;
	int got;

	cape_exact_open(&cursor, bytes, size);
	while ((got = cape_exact_next(&cursor, &run)) > 0) {
		for (uint64_t at = 0, length; at < run.length; at += length) {
			const struct cape_touched_page *page = find(touched, run.address + at);

			length = part_of_page(&run, at);
			if (run.yields || !page || !cut(page, &run, at, length, false, mask))
				continue;
			part = (struct cape_exact_run){run.address + at, length, run.data + at,
						       mask, false};
			if (!memory->reach(memory->context, &part,
					   (uint64_t)(cursor.end - cursor.at), &to, &twin))
				return -EBADMSG;
			cape_exact_take(&part, to, twin);
		}
	}
	return got;
}

/* RUN once more, in parts of one page each. */
static unsigned char *put_without(const struct cape_touched *touched,
				  const struct cape_exact_run *run, unsigned char *out,
				  uint64_t *end)
{
	static const struct cape_touched_page none;
	unsigned char mask[CAPE_TOUCHED_PAGE / 8];

	for (uint64_t at = 0, length; at < run->length; at += length) {
		const struct cape_touched_page *page =
			run->yields ? find(touched, run->address + at) : NULL;
		struct cape_exact_run part = *run;

		length = part_of_page(run, at);
		part.address += at;
		part.length = length;
		part.data += at;
		cut(page ? page : &none, run, at, length, true, mask);
		out = cape_exact_put_masked(out, end, &part, mask);
	}
	return out;
}

int cape_touched_without(struct cape_touched *touched, const void **bytes, uint64_t *size)
{
	struct cape_exact_cursor cursor;
	struct cape_exact_run run;
	unsigned char *to;
	uint64_t end = 0;
	int got;

	if (cape_touched_is_empty(touched))
		return 0;
	if (cape_memory_grow(touched->memory, (void **)&touched->left, &touched->left_room,
			     CAPE_TOUCHED_BOUND(*size), 1) < 0)
		return -ENOMEM;
	to = touched->left;
	cape_exact_open(&cursor, *bytes, *size);
	while ((got = cape_exact_next(&cursor, &run)) > 0)
		to = put_without(touched, &run, to, &end);
	if (got < 0)
		return got;
	*bytes = touched->left;
	*size = (uint64_t)(to - touched->left);
	return 0;
}

void cape_touched_clear(struct cape_touched *touched)
{
	for (size_t i = 0; i < touched->count; i++)
		touched->bucket[bucket_of(touched->page[i].address)] = 0;
	touched->count = 0;
}
