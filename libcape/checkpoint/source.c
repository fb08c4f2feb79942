// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * source.c - reading a checkpoint, cut down to what counts of it.
 */
#include "checkpoint/source.h"

#include <stdbool.h>

static uint64_t end_of(const struct cape_run *run)
{
	return run->address + run->length;
}

/* The next part of REST that counts becomes RUN; false: none does. */
static bool next_part(struct cape_source *source)
{
	const struct cape_runs *within = source->within;
	uint64_t start = source->rest.address, end = end_of(&source->rest), last;
	const struct cape_run *range;

	while (source->next < within->count && end_of(&within->run[source->next]) <= start)
		source->next++;
	range = &within->run[source->next];
	if (!source->rest.length || source->next == within->count || range->address >= end)
		return false;
	if (range->address > start)
		start = range->address;
	last = end < end_of(range) ? end : end_of(range);
	source->data = source->rest_data + (start - source->rest.address);
	source->run = (struct cape_run){start, last - start};
	source->rest_data = source->data + source->run.length;
	source->rest = (struct cape_run){last, end - last};
	return true;
}

int cape_source_next(struct cape_source *source)
{
	int got;

	source->passed = 0;
	if (!source->within) {
		got = cape_cursor_next(&source->cursor, &source->run, &source->data);
	} else {
		got = 1;
		while (got > 0 && !next_part(source))
			got = cape_cursor_next(&source->cursor, &source->rest, &source->rest_data);
	}
	if (got <= 0)
		source->run = (struct cape_run){.address = UINT64_MAX, .length = 0};
	return got < 0 ? got : 0;
}

int cape_source_advance(struct cape_source *source, uint64_t length)
{
	source->run.address += length;
	source->run.length -= length;
	source->data += length;
	source->passed += length;
	return source->run.length ? 0 : cape_source_next(source);
}
