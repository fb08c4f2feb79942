// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * profile.c - for --profile: which memory a sync point has sent from here, to how many nodes, and
 * what of it others write to, too.
 */
#include "profile/profile.h"
#include "need/parts.h"

static bool is_contested(struct cape_runtime *runtime, uint64_t address)
{
	const struct cape_area *area = cape_areas_find(runtime->areas, address, 1);
	const struct cape_directory_page *page = area ? cape_directory_page(area, address) : NULL;

	return page && page->agreed.stays;
}

/* RANGE goes to NODES, as TRAFFIC unless other nodes write to its pages. */
static void note(struct cape_runtime *runtime, enum cape_traffic traffic, struct cape_range range,
		 unsigned nodes)
{
	for (uint64_t next; range.start < range.end; range.start = next) {
		next = cape_page_end(range.start, range.end);
		cape_profile_memory(runtime,
				    is_contested(runtime, range.start) ? CAPE_TRAFFIC_CONTESTED
								       : traffic,
				    (struct cape_range){range.start, next}, nodes);
	}
}

void cape_need_profile(struct cape_runtime *runtime, const struct cape_runs *runs)
{
	const struct cape_need *need = runtime->need;
	const struct cape_runs *nonowner = &need->nonowner.runs;
	unsigned others = runtime->nodes - 1;

	for (size_t i = 0; i < runs->count; i++)
		note(runtime, CAPE_TRAFFIC_SENT, cape_run_range(&runs->run[i]), others);
	cape_profile_runs(runtime, CAPE_TRAFFIC_CONTESTED, nonowner, others);
	for (size_t i = 0; i < need->pieces; i++) {
		const struct cape_need_piece *piece = &need->piece[i];
		unsigned nodes = cape_node_set_count(need->sets, piece->destinations) -
				 cape_node_set_has(need->sets, piece->destinations, runtime->node);

		note(runtime, piece->exact ? CAPE_TRAFFIC_CONTESTED : CAPE_TRAFFIC_PUSHED,
		     (struct cape_range){piece->address, piece->address + piece->length}, nodes);
		cape_profile_sent(runtime, piece->length, nodes);
	}
}
