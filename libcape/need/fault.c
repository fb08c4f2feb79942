// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * fault.c - the first access to a page that is not here, or that sequential code must not use
 * alone: it comes, or all nodes share it, before the access is made again.
 */
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include "channel/fetch.h"
#include "need/parts.h"
#include "system/libc.h"

#define WINDOW_MOST 256u   /* pages of a fetch */
#define PIECES_MOST 40000u /* of protected memory: from then on no fetch makes more */
#define AWAIT_PAUSE 100000 /* nanoseconds */

/* How many pages from ADDRESS on are not here and with the same owner, up to MOST. */
static uint32_t pages_alike(const struct cape_runtime *runtime, const struct cape_area *area,
			    uint64_t address, uint64_t most)
{
	const struct cape_directory_page *page = cape_directory_page(area, address);
	uint32_t count = 1;

	while (count < most && address + count * CAPE_PAGE < area->end && page[count].holders &&
	       !(page[count].holders & runtime->directory->self) &&
	       page[count].owner == page->owner)
		count++;
	return count;
}

/* They are what their owner has at this moment. */
static void take_pages(struct cape_runtime *runtime, struct cape_area *area,
		       struct cape_range pages)
{
	const unsigned char *from = cape_channel_fetched(runtime->channel);
	uint64_t length = pages.end - pages.start;

	cape_need_protect(runtime, pages, false);
	memcpy((void *)(uintptr_t)pages.start, from, length);
	memcpy(cape_area_twin(area, pages.start, length), from, length);
	for (uint64_t at = pages.start; at < pages.end; at += CAPE_PAGE) {
		struct cape_directory_page *page = cape_directory_page(area, at);

		page->fresh = true;
		cape_directory_set(runtime, area, at, page->holders | runtime->directory->self,
				   page->owner);
	}
	cape_need_list_add(&runtime->need->fetched, pages);
	cape_need_put_entries(runtime, pages);
}

/* Fetches the page of ADDRESS, and up to MOST behind it.  Returns where they end. */
static uint64_t fetch(struct cape_runtime *runtime, struct cape_area *area, uint64_t address,
		      uint64_t most)
{
	struct cape_channel_fetch *request = &runtime->channel->fetch;
	struct cape_range pages = {.start = cape_page_floor(address)};
	uint64_t took;

	request->owner = cape_directory_page(area, address)->owner;
	request->address = pages.start;
	request->pages = pages_alike(runtime, area, pages.start, most);
	pages.end = pages.start + request->pages * CAPE_PAGE;
	took = cape_now();
	cape_channel_request(runtime->channel, CAPE_REQUEST_FETCH);
	took = cape_now() - took;
	if (!runtime->need->quickest || took < runtime->need->quickest)
		runtime->need->quickest = took;
	take_pages(runtime, area, pages);
	return pages.end;
}

static void fetch_on_fault(struct cape_runtime *runtime, struct cape_area *area, uint64_t address)
{
	struct cape_need *need = runtime->need;
	bool goes_on = need->expected == cape_page_floor(address);

	/* Twice as much every other time: 1, 1, 2, 2, 4 ... pages. */
	if (!goes_on)
		need->window = 1;
	else if (need->again && need->window < WINDOW_MOST)
		need->window *= 2;
	need->again = goes_on && !need->again;
	if (runtime->channel->flags & CAPE_CHANNEL_STRESS)
		need->window = 1;
	need->expected = fetch(runtime, area, address, need->window);
	while (runtime->directory->borders > PIECES_MOST && need->expected < area->end &&
	       !cape_directory_is_here(runtime, area, need->expected))
		need->expected = fetch(runtime, area, need->expected, WINDOW_MOST);
}

static bool is_shut(const struct cape_runtime *runtime, const struct cape_area *area,
		    uint64_t address)
{
	const struct cape_directory_page *page = cape_directory_page(area, address);

	return (page->holders & runtime->directory->self) && !cape_directory_is_open(area, address);
}

/* A region comes to what this node holds: all around it that it holds can be used. */
static void open_stretch(struct cape_runtime *runtime, struct cape_area *area, uint64_t address)
{
	struct cape_range pages = {.start = cape_page_floor(address)};

	pages.end = pages.start + CAPE_PAGE;
	while (pages.start > area->start && is_shut(runtime, area, pages.start - CAPE_PAGE))
		pages.start -= CAPE_PAGE;
	while (pages.end < area->end && is_shut(runtime, area, pages.end))
		pages.end += CAPE_PAGE;
	cape_need_protect(runtime, pages, false);
	cape_directory_open(area, pages, true);
}

void cape_need_fetch_all(struct cape_runtime *runtime)
{
	for (size_t i = 0; i < runtime->areas->count; i++) {
		struct cape_area *area = &runtime->areas->area[i];
		struct cape_range pages, left = {area->start, area->end};

		while ((pages = cape_directory_next(area, left, CAPE_PAGES_SHUT)).start !=
		       UINT64_MAX) {
			if (is_shut(runtime, area, pages.start))
				open_stretch(runtime, area, pages.start);
			else
				fetch(runtime, area, pages.start, WINDOW_MOST);
			left.start = pages.start + CAPE_PAGE;
		}
	}
}

/* Another thread: the initial one is at a sync point, and fetches all before it goes on. */
static bool await_page(struct cape_runtime *runtime, uint64_t address)
{
	struct timespec moment = {0, AWAIT_PAUSE};

	if (!runtime->need->threads)
		cape_fail(runtime, address,
			  "a thread that a library made reached @, which another node has; run "
			  "with --exchange eager");
	syscall(SYS_nanosleep, &moment, NULL);
	return true;
}

bool cape_need_handle(struct cape_runtime *runtime, uint64_t address)
{
	struct cape_area *area;
	const struct cape_directory_page *page;

	if (!runtime || !runtime->directory->on)
		return false;
	area = cape_areas_find(runtime->areas, address, 1);
	page = area ? cape_directory_page(area, address) : NULL;
	if (!page || !page->holders)
		return false;
	if (!cape_is_initial_thread(runtime))
		return await_page(runtime, address);
	if (runtime->need->closed)
		cape_need_share(runtime, area, address);
	else if (!(page->holders & runtime->directory->self))
		fetch_on_fault(runtime, area, address);
	else if (!cape_directory_is_open(area, address))
		open_stretch(runtime, area, address);
	else
		return false;
	return true;
}
