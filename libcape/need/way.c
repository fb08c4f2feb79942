// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * way.c - exchange by need as a way of exchange, and whether the run takes it.
 */
#include "base/way.h"

#include <errno.h>
#include "memory/directory.h"
#include "need/parts.h"

void cape_way_choose(struct cape_runtime *runtime)
{
	int saved = errno;

	if (!runtime->need->started)
		cape_need_start(runtime);
	errno = saved;
	if (runtime->need->prepare)
		runtime->need->prepare(runtime);
}

static void nothing(struct cape_runtime *runtime)
{
	(void)runtime;
}

static bool waits(const struct cape_runtime *runtime)
{
	return runtime->need->waits;
}

/* What all nodes have can be read at any time. */
static void touched_read(struct cape_runtime *runtime, const struct cape_range *range)
{
	if (!cape_directory_is_common(runtime, *range))
		cape_need_touched(runtime);
}

/* Whether one of the values lies on two pages, which not all nodes hold. */
static bool is_split(const struct cape_area *area, uint64_t address, uint64_t size, uint64_t count)
{
	uint64_t end = address + count * size;

	for (uint64_t at = cape_page_floor(address) + CAPE_PAGE; at < end; at += CAPE_PAGE)
		if ((at - address) % size && area->directory &&
		    (cape_directory_page(area, at - CAPE_PAGE)->agreed.holders ||
		     cape_directory_page(area, at)->agreed.holders))
			return true;
	return false;
}

/* A function of the program's may use any memory, and of half a value nothing can be made. */
static bool postpones(const struct cape_area *area, uint64_t address, uint64_t size, uint64_t count,
		      bool by_program)
{
	return by_program || is_split(area, address, size, count);
}

static uint64_t part(uint64_t address, uint64_t length)
{
	return cape_page_end(address, address + length) - address;
}

static bool look_at(struct cape_runtime *runtime, uint64_t address, uint64_t length)
{
	cape_need_touch((const void *)(uintptr_t)address, length);
	cape_need_look_at_served(runtime);
	/* Announced by itself now, it would be announced again with the rest. */
	return !runtime->need->unannounced.count;
}

static int reach(struct cape_runtime *runtime, const struct cape_area *area,
		 const struct cape_exact_run *run, unsigned char **memory, unsigned char **twin)
{
	if (run->address % CAPE_PAGE + run->length > CAPE_PAGE)
		return -EBADMSG;
	return cape_need_reach_entry(runtime, area, run, memory, twin);
}

/* Others fetch a page from its owner alone, as it is in memory. */
static bool yields(struct cape_runtime *runtime, const struct cape_area *area, uint64_t address)
{
	const struct cape_directory_page *page = cape_directory_page(area, address);

	return page && page->agreed.holders && page->agreed.owner == runtime->node;
}

static void note_sent(struct cape_runtime *runtime, const struct cape_runs *runs, unsigned others)
{
	(void)others;
	cape_need_profile(runtime, runs);
}

const struct cape_exchange_way cape_way_need = {
	.enter = cape_need_enter,
	.leave = cape_need_leave,
	.touched = cape_need_touched,
	.touched_read = touched_read,
	.waits = waits,
	.share_all = cape_need_share_all,
	.forget_said = nothing,
	.look = cape_need_look_before_telling,
	.list = cape_need_sort,
	.list_all = cape_need_send_all,
	.is_contested = cape_need_is_contested,
	.put_changes = cape_need_put_nonowner,
	.put = cape_need_put,
	.send_parts = cape_need_push_early,
	.take_parts = cape_need_take_early,
	.resolve = cape_need_resolve,
	.merge = cape_need_merge_nonowner,
	.apply = cape_need_apply,
	.settle = cape_need_reduced,
	.open_part = cape_need_pushed,
	.postpones = postpones,
	.begin_alike = cape_need_close,
	.end_alike = cape_need_reopen,
	.part = part,
	.look_at = look_at,
	.before_taking = cape_need_look_at_served,
	.after_taking = cape_need_look_after_taking,
	.reach = reach,
	.yields = yields,
	.took = cape_need_took_entry,
	.note_sent = note_sent,
	.is_new = cape_need_is_new,
};
