/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * kept.c - --save-checkpoints: a file outlives the base by which runs are merged, so it gets the
 * bytes that changed alone, which a checkpoint's elements are.
 */
#include "sync/kept.h"

#include "checkpoint/exact.h"
#include "memory/area.h"
#include "message/exchange.h"
#include "sync/sync_point.h"

/* Cuts from LEFT a part whose base is in one piece; where that is nothing, the base is zeros. */
static struct cape_run next_part(struct cape_runtime *runtime, struct cape_run *left,
				 const unsigned char **base)
{
	static const unsigned char zeros[CAPE_PAGE];
	struct cape_run part = {left->address, 0};
	uint64_t end = cape_page_end(left->address, left->address + left->length), known = end;

	*base = cape_area_base_at(cape_areas_find(runtime->areas, left->address, 1), left->address,
				  end, &known);
	if (!*base)
		*base = zeros;
	part.length = known - left->address;
	left->address += part.length;
	left->length -= part.length;
	return part;
}

static uint64_t bound(struct cape_runtime *runtime)
{
	const unsigned char *base;
	uint64_t size = 0;

	for (size_t i = 0; i < runtime->sync->runs.count; i++)
		for (struct cape_run left = runtime->sync->runs.run[i]; left.length;)
			size += cape_exact_bound(next_part(runtime, &left, &base).length);
	return size;
}

static unsigned char *put(struct cape_runtime *runtime, unsigned char *out)
{
	uint64_t end = 0;

	for (size_t i = 0; i < runtime->sync->runs.count; i++) {
		struct cape_run left = runtime->sync->runs.run[i];

		while (left.length) {
			const unsigned char *base;
			struct cape_run part = next_part(runtime, &left, &base);

			out = cape_exact_put(out, &end, &part,
					     (const void *)(uintptr_t)part.address, base);
		}
	}
	return out;
}

void cape_kept_put(struct cape_runtime *runtime, struct cape_message_writer *writer)
{
	unsigned char *at = writer->start + writer->used;

	cape_exchange_section(runtime, writer, CAPE_SECTION_EXACT, bound(runtime));
	writer->used = (uint64_t)(at - writer->start);
	cape_exchange_section(runtime, writer, CAPE_SECTION_EXACT,
			      (uint64_t)(put(runtime, at) - at));
}
