// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * spread.c - loops that sequential code meets, and that all nodes share out nevertheless.
 *
 * Such a loop would have one thread: every node would run all of it, and get all that it reads.  If
 * no node accesses what another one writes, it comes to the same if each runs a part.  Then it is a
 * region of its own.
 */
#include "channel/near.h"
#include "memory/directory.h"
#include "need/parts.h"
#include "openmp/region.h"
#include "openmp/team.h"
#include "planned/planned.h"
#include "profile/profile.h"

#define SPREAD_LEAST 4u /* one in so many of its pages is not on all nodes */

/* Whether all nodes can read each other's memory is known since the first planned loop. */
bool cape_plan_can_spread(struct cape_runtime *runtime, const void *frame)
{
	const struct cape_construct *construct;

	if (!runtime->channel || !runtime->need->on || runtime->in_region ||
	    !runtime->planned->usable || runtime->threads > 1 || !runtime->openmp->depth)
		return false;
	construct = cape_innermost(runtime);
	return !(runtime->channel->flags & CAPE_CHANNEL_SAVE) &&
	       cape_near_is_open(runtime->channel) && cape_region_can_spread(runtime, frame) &&
	       construct->schedule == CAPE_SCHEDULE_STATIC &&
	       construct->work.first < construct->work.last;
}

/* What NODE writes, or, if READS, reads. */
static bool find(struct cape_runtime *runtime, unsigned node, bool reads,
		 struct cape_intervals *set)
{
	const struct cape_planned *planned = runtime->planned;
	const struct cape_plan_plain *plain = &planned->plain;

	cape_intervals_empty(set);
	if (!cape_plan_add_plain(set, reads ? &plain->reads[node] : &plain->writes[node]))
		return false;
	for (size_t i = 0; i < planned->described_count; i++) {
		const struct cape_described *described = &planned->described[i];
		bool is_read = described->set == CAPE_SET_READ || described->set == CAPE_SET_INDEX;

		if (described->node == node && is_read == reads &&
		    cape_intervals_add(set, &described->box) < 0)
			return false;
	}
	return cape_intervals_sort(set) == 0;
}

/* Nothing on the stack, and nothing that is written at once on all nodes. */
static bool is_exchanged(const struct cape_runtime *runtime, const struct cape_intervals *set)
{
	for (size_t i = 0; i < set->count; i++) {
		struct cape_range rest = {set->list[i].start, set->list[i].end}, part;
		struct cape_area *area;

		for (; rest.start < rest.end; rest.start = part.end) {
			part = cape_areas_part(runtime->areas, rest, &area);
			if (!area || !area->directory)
				return false;
		}
	}
	return true;
}

/* Whether no node accesses what another one writes; all that they access is WITH's then. */
static bool is_independent(struct cape_runtime *runtime, struct cape_plan_reads *with)
{
	struct cape_intervals *writes = runtime->planned->scratch, *reads = &writes[runtime->nodes];
	struct cape_intervals *all = &reads[1];

	cape_intervals_empty(all);
	for (unsigned node = 0; node < runtime->nodes; node++) {
		if (!find(runtime, node, false, &writes[node]) ||
		    !is_exchanged(runtime, &writes[node]) ||
		    cape_intervals_add_all(all, &writes[node]) < 0)
			return false;
		for (unsigned other = 0; other < node; other++)
			if (cape_intervals_meet(&writes[node], &writes[other]))
				return false;
	}
	for (unsigned node = 0; node < runtime->nodes; node++) {
		if (!find(runtime, node, true, reads) || cape_intervals_add_all(all, reads) < 0)
			return false;
		for (unsigned other = 0; other < runtime->nodes; other++)
			if (other != node && cape_intervals_meet(reads, &writes[other]))
				return false;
	}
	if (cape_intervals_sort(all) < 0)
		return false;
	cape_plan_find_known(runtime, all, &with->all, NULL);
	return true;
}

void cape_plan_find_spread(struct cape_runtime *runtime, struct cape_plan_reads *with)
{
	with->all.count = 0;
	with->spreads =
		runtime->planned->spread && !with->anywhere && is_independent(runtime, with);
}

/* Whether much of what the loop accesses is not on all nodes. */
static bool is_worth(const struct cape_runtime *runtime, const struct cape_plan_reads *with)
{
	uint64_t all = 0, apart = 0;

	for (size_t i = 0; i < with->all.count; i++) {
		uint64_t at = with->all.range[i].start, end = with->all.range[i].end;
		const struct cape_area *area = cape_areas_find(runtime->areas, at, 1);

		for (; at < end; at = cape_page_end(at, end), all++) {
			if (at >= area->end)
				area = cape_areas_find(runtime->areas, at, 1);
			apart += cape_directory_page(area, at)->agreed.holders != 0;
		}
	}
	return apart && apart >= all / SPREAD_LEAST;
}

bool cape_plan_spread(struct cape_runtime *runtime, struct cape_plan *plan)
{
	struct cape_planned *planned = runtime->planned;

	if (plan->use != CAPE_PLANNED || plan->with->fails || !plan->with->spreads ||
	    !is_worth(runtime, plan->with))
		return false;
	cape_profile_planning(runtime, CAPE_PLANNED);
	planned->region = cape_innermost(runtime)->place;
	planned->passes = 0;
	cape_region_spread(runtime, planned->frame);
	return true;
}

/* Sequential code comes next. */
CAPE_EXPORT void cape_plan_end_spread(void)
{
	struct cape_runtime *runtime = cape_runtime_get();

	if (!runtime->need->on || !runtime->in_region || runtime->threads > 1 ||
	    !cape_innermost(runtime)->is_parallel)
		return;
	cape_plan_begin_quiet(runtime->planned, runtime->need->known);
}
