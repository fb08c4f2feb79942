// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * nonowner.c - what nodes wrote to pages that others own, byte by byte: sent to all, or to those
 * who hold them.
 */
#include "checkpoint/exact.h"
#include "message/exchange.h"
#include "need/parts.h"

_Noreturn void cape_need_malformed(struct cape_runtime *runtime, unsigned node)
{
	cape_fail(runtime, 0, "what node %u says of its pages is malformed", node);
}

/* Where RUN, which lies in one page, goes; not into a page that is not here. */
static bool reach_page(struct cape_runtime *runtime, const struct cape_exact_run *run,
		       struct cape_area **area, unsigned char **memory, unsigned char **twin)
{
	*area = cape_areas_find(runtime->areas, run->address, run->length);
	if (!*area || !(*area)->directory || run->address % CAPE_PAGE + run->length > CAPE_PAGE)
		return false;
	if (cape_directory_is_here(runtime, *area, run->address)) {
		*memory = (unsigned char *)(uintptr_t)run->address;
		*twin = cape_area_twin(*area, run->address, run->length);
	} else {
		*memory = runtime->need->unused;
		*twin = runtime->need->unused + CAPE_PAGE;
	}
	return true;
}

/* What is merged, and what becomes of a page that it reaches. */
struct nonowner {
	struct cape_runtime *runtime;
	void (*note)(struct cape_runtime *runtime, const struct cape_area *area, uint64_t address);
};

void cape_need_note_nonowner(struct cape_runtime *runtime, const struct cape_area *area,
			     uint64_t address)
{
	struct cape_directory_page *page = cape_directory_page(area, address);

	cape_directory_note_nonowner(runtime, area, address);
	if (page->agreed.holders && page->agreed.owner == runtime->node)
		cape_need_page_set_common_due(runtime->need, page);
}

static bool reach(void *context, const struct cape_exact_run *run, uint64_t after,
		  unsigned char **memory, unsigned char **twin)
{
	const struct nonowner *nonowner = context;
	struct cape_area *area;

	(void)after;
	if (!reach_page(nonowner->runtime, run, &area, memory, twin))
		return false;
	nonowner->note(nonowner->runtime, area, run->address);
	return true;
}

static void keep_together(struct cape_runtime *runtime, const struct cape_area *area,
			  uint64_t address)
{
	cape_need_keep_together(runtime, cape_directory_page(area, address));
}

void cape_need_merge_nonowner(struct cape_runtime *runtime)
{
	struct cape_exact_source *source = __builtin_alloca(runtime->nodes * sizeof(*source));
	struct nonowner nonowner = {runtime, cape_need_note_nonowner};
	struct cape_exact_memory memory = {&nonowner, reach};
	uint32_t node;

	for (unsigned n = 0; n < runtime->nodes; n++) {
		const struct cape_message *message = cape_exchange_message(runtime, n);

		source[n] = (struct cape_exact_source){
			{message->time_stamp, n},
			cape_message_get(message, CAPE_SECTION_EXACT),
			message->size[CAPE_SECTION_EXACT],
		};
	}
	if (cape_exact_merge(source, runtime->nodes, &memory, &node) < 0)
		cape_need_malformed(runtime, node);
	nonowner.note = keep_together;
	for (unsigned i = 0; i < 2 * runtime->nodes; i++) {
		unsigned n = i / 2;
		uint64_t size;
		const void *bytes = cape_need_pushed_exact(runtime, n, i % 2 == 0, &size);

		if (cape_exact_apply_all(bytes, size, cape_exact_set, &memory) < 0)
			cape_need_malformed(runtime, n);
	}
}
