/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * paper_size.c - counting a checkpoint as the thesis does.
 *
 * CAPE's own runs go over short gaps of words that have not changed; here these count for nothing,
 * and so memory is compared with its base once more.  Only --stats asks for that.
 */
#include "memory/paper_size.h"

#include <emmintrin.h>
#include <string.h>
#include "base/method.h"
#include "memory/area.h"
#include "checkpoint/runs.h"

#define HEADER 8 /* address and length */

struct count {
	bool by_page;
	uint64_t end; /* of the run that is open, 0: none is */
	uint64_t bytes;
};

static void add(struct count *count, uint64_t address, uint64_t length)
{
	bool goes_on = count->end == address && !(count->by_page && address % CAPE_PAGE == 0);

	count->bytes += length + (goes_on ? 0 : HEADER);
	count->end = address + length;
}

/* How many bytes from ADDRESS on, up to LENGTH, are whole groups of four words that all changed. */
static uint64_t all_changed(const unsigned char *memory, const unsigned char *base, uint64_t length)
{
	uint64_t at = 0;

	for (; length - at >= sizeof(__m128i); at += sizeof(__m128i)) {
		__m128i now = _mm_loadu_si128((const __m128i *)(memory + at));
		__m128i then =
			base ? _mm_loadu_si128((const __m128i *)(base + at)) : _mm_setzero_si128();

		if (_mm_movemask_epi8(_mm_cmpeq_epi32(now, then)))
			break;
	}
	return at;
}

/* Words from ADDRESS on that follow each other and changed; they end at a page's end, if at all. */
static uint64_t add_block(struct count *count, uint64_t address, uint64_t length,
			  const unsigned char *base)
{
	uint64_t page_end = (address / CAPE_PAGE + 1) * CAPE_PAGE;

	if (length > page_end - address)
		length = page_end - address;
	length = all_changed((const unsigned char *)(uintptr_t)address, base, length);
	if (length)
		add(count, address, length);
	return length;
}

/* LENGTH bytes at ADDRESS with the base BASE, NULL: zeros. */
static void add_changed(struct count *count, uint64_t address, uint64_t length,
			const unsigned char *base)
{
	static const unsigned char zeros[CAPE_WORD];
	const unsigned char *memory = (const unsigned char *)(uintptr_t)address;

	for (uint64_t at = 0, part; at < length; at += part) {
		uint64_t within = (address + at) % CAPE_WORD;

		part = within ? 0
			      : add_block(count, address + at, length - at,
					  base ? base + at : NULL);
		if (part)
			continue;
		part = CAPE_WORD - within;
		if (part > length - at)
			part = length - at;
		if (memcmp(memory + at, base ? base + at : zeros, part) != 0)
			add(count, address + at, part);
	}
}

static const unsigned char *base_at(struct cape_runtime *runtime, uint64_t address, uint64_t end,
				    uint64_t *known)
{
	const struct cape_area *area = cape_areas_find(runtime->areas, address, 1);

	return (area ? area->base : runtime->areas->base)->at(area, address, end, known);
}

uint64_t cape_paper_size(struct cape_runtime *runtime, const struct cape_runs *runs)
{
	struct count count = {.by_page = runtime->method->by_page};

	for (size_t i = 0; i < runs->count; i++) {
		const struct cape_run *run = &runs->run[i];
		uint64_t end = run->address + run->length;

		for (uint64_t at = run->address, known; at < end; at = known) {
			const unsigned char *base = base_at(runtime, at, end, &known);

			add_changed(&count, at, known - at, base);
		}
	}
	return count.bytes;
}
