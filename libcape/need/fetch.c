// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * fetch.c - a fetch: pages of one owner, in stretches, are planned, asked for, and taken.
 */
#include <string.h>
#include "channel/fetch.h"
#include "message/port.h"
#include "need/parts.h"
#include "profile/profile.h"

void cape_need_plan(struct cape_runtime *runtime, unsigned owner)
{
	runtime->need->plan = (struct cape_need_plan){.owner = owner};
}

static bool is_fetchable(const struct cape_runtime *runtime, const struct cape_area *area,
			 uint64_t address)
{
	const struct cape_directory_page *page = cape_directory_page(area, address);

	return page->agreed.holders && !cape_directory_holds(runtime, page) &&
	       !page->local.planned && page->agreed.owner == runtime->need->plan.owner &&
	       !page->local.divided;
}

/* False: there is no room. */
static bool add_page(struct cape_runtime *runtime, const struct cape_area *area, uint64_t address)
{
	struct cape_range *stretch = cape_channel_wanted(runtime->channel);
	struct cape_need_plan *plan = &runtime->need->plan;

	if (plan->pages == CAPE_FETCH_PAGES)
		return false;
	if (plan->stretches && stretch[plan->stretches - 1].end == address)
		stretch[plan->stretches - 1].end += CAPE_PAGE;
	else if (plan->stretches < CAPE_FETCH_STRETCHES)
		stretch[plan->stretches++] = (struct cape_range){address, address + CAPE_PAGE};
	else
		return false;
	plan->pages++;
	cape_need_page_plan(cape_directory_page(area, address));
	return true;
}

bool cape_need_plan_add(struct cape_runtime *runtime, const struct cape_area *area,
			struct cape_range pages)
{
	if (pages.start < cape_page_floor(area->start))
		pages.start = cape_page_floor(area->start);
	if (pages.end > cape_page_ceiling(area->end))
		pages.end = cape_page_ceiling(area->end);
	for (uint64_t at = pages.start; at < pages.end; at += CAPE_PAGE)
		if (is_fetchable(runtime, area, at) && !add_page(runtime, area, at))
			return false;
	return true;
}

/*
 * PAGES are what their owner had at that moment, FROM, with what this node has taken from the log
 * and the owner had not: all of that before a thread can see them.
 */
static void take_pages(struct cape_runtime *runtime, struct cape_range pages,
		       const unsigned char *from)
{
	struct cape_area *area = cape_areas_find(runtime->areas, pages.start, 1);
	uint64_t length = pages.end - pages.start;
	unsigned char *twin;

	/* What the twin was means nothing, and memory cannot be read. */
	cape_area_leave(area, pages);
	twin = cape_area_twin(area, pages.start, length);
	memcpy(twin, from, length);
	cape_need_put_entries(runtime, pages);
	cape_need_fill(runtime, pages, twin);
	for (uint64_t at = pages.start; at < pages.end; at += CAPE_PAGE) {
		struct cape_directory_page *page = cape_directory_page(area, at);

		cape_need_page_fetched(page);
		cape_need_learn_came(page);
		cape_directory_add(runtime, area, at, runtime->directory->self, CAPE_EVENT_FETCH);
	}
	cape_need_list_add(&runtime->need->fetched, pages);
	cape_profile_memory(runtime, CAPE_TRAFFIC_FETCHED, pages, 1);
}

void cape_need_fetch(struct cape_runtime *runtime)
{
	const struct cape_range *stretch = cape_channel_wanted(runtime->channel);
	const unsigned char *from;
	struct cape_need *need = runtime->need;
	bool read;

	if (!need->plan.pages)
		return;
	runtime->channel->fetch.owner = need->plan.owner;
	runtime->channel->fetch.stretches = need->plan.stretches;
	from = cape_port(runtime)->get(runtime, need->plan.pages, &read);
	cape_node_bits_put(&need->reads, need->plan.owner, read);
	cape_profile_fetch(runtime);
	for (uint32_t i = 0; i < need->plan.stretches; i++) {
		take_pages(runtime, stretch[i], from);
		from += stretch[i].end - stretch[i].start;
	}
}
