// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * entries.c - entries of the log about pages which are not here: stored until the next sync
 * point, and put on what is fetched.
 *
 * They go to its twin first, of which memory then becomes a copy.  A page that is fetched holds
 * what its owner has taken from the log and changed itself; this node may have taken more.  What it
 * put on the page that the owner has newer, the owner announces again.
 */
#include <string.h>
#include "checkpoint/exact.h"
#include "message/message.h"
#include "need/parts.h"

#define ENTRIES_LIMIT (1ul << 36)

/* The entry's bytes follow, padded. */
struct stored {
	uint64_t size;
};

static void keep(struct cape_runtime *runtime, const unsigned char *bytes, uint64_t size)
{
	struct cape_need *need = runtime->need;
	struct stored stored = {size};

	if (!need->entries)
		need->entries = cape_must_reserve(runtime, ENTRIES_LIMIT);
	if (size > ENTRIES_LIMIT - need->entries_size - sizeof(stored) - 8)
		cape_fail(runtime, 0, "out of memory for what other nodes have released");
	memcpy(need->entries + need->entries_size, &stored, sizeof(stored));
	memcpy(need->entries + need->entries_size + sizeof(stored), bytes, size);
	need->entries_size += sizeof(stored) + cape_message_padded(size);
}

void cape_need_took_entry(struct cape_runtime *runtime, const unsigned char *bytes, uint64_t size)
{
	if (runtime->need->missed)
		keep(runtime, bytes, size);
	runtime->need->missed = false;
}

/* Only the stored entries about these pages count. */
struct fetched {
	struct cape_runtime *runtime;
	struct cape_range pages;
};

static bool reach(void *context, const struct cape_exact_run *run, uint64_t after,
		  unsigned char **memory, unsigned char **twin)
{
	const struct fetched *fetched = context;
	struct cape_runtime *runtime = fetched->runtime;

	(void)after;
	if (run->address < fetched->pages.start || run->address >= fetched->pages.end) {
		*memory = runtime->need->unused;
		*twin = runtime->need->unused + CAPE_PAGE;
		return true;
	}
	*memory = *twin = cape_area_twin(cape_areas_find(runtime->areas, run->address, run->length),
					 run->address, run->length);
	return true;
}

void cape_need_put_entries(struct cape_runtime *runtime, struct cape_range pages)
{
	const struct cape_need *need = runtime->need;
	struct fetched fetched = {runtime, pages};
	struct cape_exact_memory memory = {&fetched, reach};

	for (size_t at = 0; at < need->entries_size;) {
		struct stored stored;

		memcpy(&stored, need->entries + at, sizeof(stored));
		at += sizeof(stored);
		/* They were well-formed when they were stored. */
		cape_exact_apply_all(need->entries + at, stored.size, cape_exact_take, &memory);
		at += cape_message_padded(stored.size);
	}
}

bool cape_need_reach_entry(struct cape_runtime *runtime, const struct cape_area *area,
			   const struct cape_exact_run *run, unsigned char **memory,
			   unsigned char **twin)
{
	struct cape_need *need = runtime->need;

	if (cape_directory_is_here(runtime, area, run->address))
		return false;
	need->missed = true;
	*memory = need->unused;
	*twin = need->unused + CAPE_PAGE;
	return true;
}
