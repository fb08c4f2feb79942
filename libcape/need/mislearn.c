// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * mislearn.c - learns at random, for tests: what was learned may be wrong without harm.
 *
 * CAPE_TEST_LEARN=SEED: at each sync point each node forgets what it learned of pages that are not
 * common and of those that it changed, and believes something else, its own.
 */
#include <stdlib.h>
#include "need/parts.h"
#include "system/random.h"

static uint64_t random_below(struct cape_need *need, uint64_t end)
{
	return cape_random_below(&need->mislearns, end);
}

static uint8_t any_place(struct cape_need *need)
{
	return (uint8_t)random_below(need, need->places);
}

/* Others than this node, which are NODES in all. */
static unsigned any_reader(const struct cape_runtime *runtime)
{
	unsigned reader = (unsigned)random_below(runtime->need, runtime->nodes - 1);

	return reader + (reader >= runtime->node);
}

static void mislearn(struct cape_runtime *runtime, struct cape_area *area, uint64_t address)
{
	struct cape_directory_page *page = cape_directory_page(area, address);
	struct cape_need *need = runtime->need;

	if (!page || random_below(need, 4) == 0)
		return;
	page->learned = (struct cape_page_learned){
		.places = random_below(need, 2) ? 1ull << any_place(need) : 0,
		.pushes = (uint8_t)random_below(need, 4),
		.reads = (uint8_t)random_below(need, 4),
		.left = (uint8_t)random_below(need, 256),
		.pushed_with = (uint8_t)(need->count - random_below(need, 3)),
		.pushed_at = any_place(need),
		.pushed_before = any_place(need),
		.latest = random_below(need, 2),
	};
	if (random_below(need, 2))
		cape_need_learn(runtime, page, address, any_reader(runtime));
}

static int mislearn_stretch(void *context, struct cape_area *area, struct cape_range pages)
{
	for (uint64_t at = pages.start; at < pages.end; at += CAPE_PAGE)
		mislearn(context, area, at);
	return 0;
}

void cape_need_mislearn_start(struct cape_runtime *runtime)
{
	const char *seed = getenv("CAPE_TEST_LEARN");

	if (seed)
		runtime->need->mislearns =
			(uint64_t)strtol(seed, NULL, 10) * 1000 + runtime->node + 1;
}

void cape_need_mislearn(struct cape_runtime *runtime)
{
	struct cape_need *need = runtime->need;

	if (!need->mislearns)
		return;
	cape_directory_each(runtime, CAPE_PAGES_OPEN, mislearn_stretch, runtime);
	cape_directory_each(runtime, CAPE_PAGES_SHUT, mislearn_stretch, runtime);
	for (size_t i = 0; i < need->pages; i++) {
		struct cape_area *area = cape_areas_find(runtime->areas, need->page[i].address, 1);

		if (area)
			mislearn(runtime, area, need->page[i].address);
	}
}
