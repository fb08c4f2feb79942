// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * structures.c - the size of a page's checkpoint in each structure (thesis Fig. 2.14).
 *
 * Usage: structures UPDATES      changed 4-byte words of one 4-kB page, 1 to 1024
 *
 * The words lie in one piece (best) or in as many as can be (worst).  What each structure encodes
 * is decoded again and compared, so that no size is counted that would not do.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "paper/encode.h"

#define PAGE  4096
#define WORDS (PAGE / CAPE_WORD)
#define FIRST 0x8000000ull /* address of the page: any that fits 32 bits */

struct page {
	unsigned char bytes[PAGE];
	struct cape_runs runs;
};

static int read_page(void *context, uint64_t address, void *bytes, size_t length)
{
	const struct page *page = context;

	if (address < FIRST || address + length > FIRST + PAGE)
		return -EFAULT;
	memcpy(bytes, page->bytes + (address - FIRST), length);
	return 0;
}

/* One piece at the page's begin. */
static int change_together(struct page *page, size_t updates)
{
	return cape_runs_add(&page->runs, FIRST, updates * CAPE_WORD);
}

/* Every second word; the rest fills gaps from the end, where the last one joins nothing. */
static int change_apart(struct page *page, size_t updates)
{
	size_t filled = updates > WORDS / 2 ? updates - WORDS / 2 : 0;
	int error = 0;

	for (size_t word = 0; word < WORDS && !error; word++)
		if (word % 2 ? word / 2 >= WORDS / 2 - filled : word / 2 < updates)
			error = cape_runs_add(&page->runs, FIRST + word * CAPE_WORD, CAPE_WORD);
	return error;
}

/* Whether what was encoded brings back the bytes of all runs. */
static int decodes(const struct cape_format *format, const struct page *page,
		   const struct cape_buffer *encoded)
{
	unsigned char copy[PAGE] = {0};
	const unsigned char *from;
	struct cape_buffer data;
	struct cape_runs runs;
	int good;

	cape_runs_init(&runs, &cape_memory_heap);
	cape_buffer_init(&data, &cape_memory_heap);
	good = cape_decode(format, encoded->bytes, encoded->size, &runs, &data) == 0;
	from = data.bytes;
	for (size_t i = 0; good && i < runs.count; from += runs.run[i++].length)
		memcpy(copy + (runs.run[i].address - FIRST), from, runs.run[i].length);
	for (size_t i = 0; good && i < page->runs.count; i++) {
		size_t at = page->runs.run[i].address - FIRST;

		good = memcmp(copy + at, page->bytes + at, page->runs.run[i].length) == 0;
	}
	cape_buffer_free(&data);
	cape_runs_free(&runs);
	return good;
}

/* Prints the bytes that STRUCTURE takes for the runs of PAGE. */
static int measure(const char *name, enum cape_structure structure, struct page *page)
{
	const struct cape_reader memory = {.context = page, .read = read_page};
	struct cape_format format = CAPE_FORMAT_THESIS(structure);
	struct cape_buffer encoded;
	int error;

	cape_buffer_init(&encoded, &cape_memory_heap);
	error = cape_encode(&format, &page->runs, &memory, &encoded);
	if (!error && (encoded.size != cape_encoded_size(&format, &page->runs) ||
		       !decodes(&format, page, &encoded)))
		error = -EBADMSG;
	if (!error)
		printf("%s %zu\n", name, encoded.size);
	cape_buffer_free(&encoded);
	return error;
}

static int measure_all(struct page *page, size_t updates)
{
	int error = change_together(page, updates);

	error = error ?: measure("sd", CAPE_SD, page);
	error = error ?: measure("ssd_best", CAPE_SSD, page);
	error = error ?: measure("md", CAPE_MD, page);
	error = error ?: measure("ep", CAPE_EP, page);
	error = error ?: measure("compact_best", CAPE_COMPACT, page);
	cape_runs_clear(&page->runs);
	error = error ?: change_apart(page, updates);
	error = error ?: measure("ssd_worst", CAPE_SSD, page);
	return error ?: measure("compact_worst", CAPE_COMPACT, page);
}

int main(int argc, char **argv)
{
	size_t updates = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
	struct page page;
	int error;

	if (updates < 1 || updates > WORDS) {
		fprintf(stderr, "usage: structures UPDATES      1 to %lu\n", WORDS);
		return 2;
	}
	for (size_t i = 0; i < PAGE; i++)
		page.bytes[i] = (unsigned char)(i * 2654435761u >> 24);
	cape_runs_init(&page.runs, &cape_memory_heap);
	error = measure_all(&page, updates);
	cape_runs_free(&page.runs);
	if (error)
		fprintf(stderr, "structures: %s\n", strerror(-error));
	return error ? 1 : 0;
}
