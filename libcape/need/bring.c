// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * bring.c - what known loops read comes to those who read it: read by them from the memory of
 * others (gather.c), or sent by these (flow.c).
 */
#include "memory/directory.h"
#include "need/divided.h"
#include "need/need.h"

static bool is_sent(const struct cape_runtime *runtime)
{
	return runtime->need->divided.sends;
}

void cape_divided_bring(struct cape_runtime *runtime, const struct cape_ranges *reads)
{
	const struct cape_ranges *own = &reads[runtime->node];

	if (is_sent(runtime))
		cape_divided_flow(runtime, reads);
	else
		cape_divided_copy(runtime, own->range, own->count);
}

void cape_divided_bring_to_all(struct cape_runtime *runtime, const struct cape_range *range,
			       size_t count)
{
	if (is_sent(runtime))
		cape_divided_flow_to_all(runtime, range, count);
	else
		cape_divided_copy(runtime, range, count);
}

void cape_divided_bring_alone(struct cape_runtime *runtime, struct cape_range range)
{
	if (is_sent(runtime))
		cape_divided_flow_to_all(runtime, &range, 1);
	else
		cape_divided_copy_alone(runtime, range);
}

void cape_divided_settle(struct cape_runtime *runtime)
{
	if (runtime->need->divided.count)
		cape_directory_each(runtime, CAPE_PAGES_OWNED, cape_divided_choose_owners, runtime);
	if (is_sent(runtime))
		cape_divided_flow_home(runtime);
	else
		cape_divided_copy_home(runtime);
	cape_divided_close(runtime);
	runtime->need->divided.before.count = 0;
	cape_divided_forget_all(runtime);
}

void cape_divided_settle_pages(struct cape_runtime *runtime, struct cape_area *area,
			       struct cape_range pages)
{
	if (!runtime->need->divided.count)
		return;
	cape_divided_choose_owners(runtime, area, pages);
	if (is_sent(runtime))
		cape_divided_flow_home_of(runtime, area, pages);
	else
		cape_divided_copy_home_of(runtime, area, pages);
	cape_divided_close_now(runtime);
	for (uint64_t at = pages.start; at < pages.end; at += CAPE_PAGE)
		if (cape_directory_page(area, at)->local.divided)
			cape_divided_forget(runtime, at);
}
