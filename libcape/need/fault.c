// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * fault.c - the first access to a page that is not here, or that sequential code must not use
 * alone: it comes, or all nodes share it, before the access is made again.
 */
#include <sys/syscall.h>
#include <time.h>
#include "base/ordering.h"
#include "need/divided.h"
#include "need/parts.h"
#include "system/libc.h"
#include "system/ranges.h"

#define WINDOW_MOST 256u   /* pages of a fetch */
#define KNOWN_MOST  64u	   /* pages that are brought at once in a known loop */
#define PIECES_MOST 40000u /* of protected memory: from then on no fetch makes more */
#define AWAIT_PAUSE 100000 /* nanoseconds */

/* Returns where the window ends. */
static uint64_t fetch_window(struct cape_runtime *runtime, const struct cape_area *area,
			     uint64_t address)
{
	uint64_t end = address + WINDOW_MOST * CAPE_PAGE;

	cape_need_plan(runtime, cape_directory_page(area, address)->agreed.owner);
	cape_need_plan_add(runtime, area, (struct cape_range){address, end});
	cape_need_fetch(runtime);
	return end;
}

static bool is_absent(const struct cape_runtime *runtime, const struct cape_area *area,
		      uint64_t address)
{
	return address < area->end && !cape_directory_is_here(runtime, area, address);
}

static void fetch_on_fault(struct cape_runtime *runtime, const struct cape_area *area,
			   uint64_t address)
{
	cape_need_plan(runtime, cape_directory_page(area, address)->agreed.owner);
	cape_need_foresee(runtime, area, address);
	cape_need_fetch(runtime);
	if (runtime->directory->borders <= PIECES_MOST)
		return;
	for (address += CAPE_PAGE; is_absent(runtime, area, address);)
		address = fetch_window(runtime, area, address);
}

static bool is_shut(const struct cape_runtime *runtime, const struct cape_area *area,
		    uint64_t address)
{
	const struct cape_directory_page *page = cape_directory_page(area, address);

	return cape_directory_holds(runtime, page) && !cape_directory_is_open(area, address) &&
	       !page->local.divided;
}

static bool is_unused(const struct cape_area *area, uint64_t address)
{
	return cape_directory_page(area, address)->local.unused;
}

/* Up to where pages from ADDRESS on can be opened with it; UNUSED, all of them, or none. */
static uint64_t end_of_stretch(const struct cape_runtime *runtime, const struct cape_area *area,
			       uint64_t address, bool unused)
{
	while (address < area->end && is_shut(runtime, area, address) &&
	       is_unused(area, address) == unused)
		address += CAPE_PAGE;
	return address;
}

/*
 * What came without being asked for is opened bit by bit, so that it is known what of it was of
 * use: each time half as much more as was used up to here.
 */
static struct cape_range unused_stretch(struct cape_runtime *runtime, const struct cape_area *area,
					uint64_t address)
{
	struct cape_range *opened = &runtime->need->opening;
	uint64_t start = opened->end == address ? opened->start : address;
	uint64_t most = address + cape_page_floor((address - start) / 2) + CAPE_PAGE;
	uint64_t end = end_of_stretch(runtime, area, address, true);

	*opened = (struct cape_range){start, end < most ? end : most};
	return (struct cape_range){address, opened->end};
}

/* What this node holds and cannot use around ADDRESS. */
static struct cape_range stretch_around(const struct cape_runtime *runtime,
					const struct cape_area *area, uint64_t address)
{
	struct cape_range pages = {.start = cape_page_floor(address)};

	while (pages.start > area->start && is_shut(runtime, area, pages.start - CAPE_PAGE) &&
	       !is_unused(area, pages.start - CAPE_PAGE))
		pages.start -= CAPE_PAGE;
	pages.end = end_of_stretch(runtime, area, pages.start, false);
	return pages;
}

/* A region comes to what this node holds: all around it that it holds can be used. */
static void open_stretch(struct cape_runtime *runtime, struct cape_area *area, uint64_t address)
{
	if (is_unused(area, address))
		cape_need_open(runtime, area,
			       unused_stretch(runtime, area, cape_page_floor(address)));
	else
		cape_need_open(runtime, area, stretch_around(runtime, area, address));
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
				fetch_window(runtime, area, pages.start);
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
			  "a thread that a library made accessed @, which is on another node; run "
			  "with --exchange eager");
	syscall(SYS_nanosleep, &moment, NULL);
	return true;
}

/*
 * Nothing keeps the program from using ADDRESS: its page has been opened since the access, which is
 * made once more.  False: that was done, and nothing has been opened or protected meanwhile.
 */
static bool try_again(struct cape_need *need, uint64_t address)
{
	uint64_t thread = (uint64_t)syscall(SYS_gettid);
	uint64_t what = address * 0x9e3779b97f4a7c15 ^ thread * 0xc2b2ae3d27d4eb4f ^
			__atomic_load_n(&need->protections, __ATOMIC_ACQUIRE) * 0x165667b19e3779f9;

	return __atomic_exchange_n(&need->last_try[thread % CAPE_NEED_TRIES], what,
				   __ATOMIC_RELAXED) != what;
}

/*
 * Before a known loop, and while it runs, nobody else gets to know what is read here: what decides
 * on its sets, and what the run time itself has in such pages.
 */
static void bring_known(struct cape_runtime *runtime, struct cape_area *area, uint64_t address,
			bool writes)
{
	const struct cape_directory_page *page = cape_directory_page(area, address);
	struct cape_range *window = &runtime->need->window;
	uint64_t start = cape_page_floor(address), pages = 1;
	struct cape_range own;

	/* A compiler may read, and not use, what the source reads under a condition. */
	if (page->local.divided && runtime->need->runs_known && writes)
		cape_fail(
			runtime, address,
			"a loop has written to @, which cape-cc did not find in the source: please "
			"report it with the source, and build the program with --no-plan");
	if (is_shut(runtime, area, start)) {
		own = stretch_around(runtime, area, start);
		if (is_unused(area, start))
			open_stretch(runtime, area, start);
		else
			cape_divided_open(runtime, &own, 1);
		return;
	}
	/* Who goes on where the last one ended gets twice as much. */
	if (start == window->end)
		pages = cape_least(2 * (window->end - window->start) / CAPE_PAGE, KNOWN_MOST);
	*window = (struct cape_range){start, start + CAPE_PAGE};
	/* This node may write to what is open. */
	while (window->end < area->end && (window->end - start) / CAPE_PAGE < pages &&
	       !cape_divided_is_open(runtime, area, window->end))
		window->end += CAPE_PAGE;
	cape_ranges_add(runtime, &runtime->need->faults, *window);
	cape_divided_copy(runtime, window, 1);
}

/* By a thread of the node, none of whose others is in here meanwhile. */
static bool bring(struct cape_runtime *runtime, struct cape_area *area, uint64_t address,
		  bool writes)
{
	const struct cape_directory_page *page = cape_directory_page(area, address);

	if (!page->agreed.holders)
		return try_again(runtime->need, address);
	if (runtime->need->closed)
		cape_need_share(runtime, area, address);
	else if (runtime->need->known)
		bring_known(runtime, area, address, writes);
	else if (!cape_directory_holds(runtime, page))
		fetch_on_fault(runtime, area, cape_page_floor(address));
	else if (!cape_directory_is_open(area, address))
		open_stretch(runtime, area, address);
	else
		return try_again(runtime->need, address);
	return true;
}

bool cape_need_handle(struct cape_runtime *runtime, uint64_t address, bool writes)
{
	struct cape_area *area;
	const struct cape_directory_page *page;
	bool done;

	if (!runtime || !cape_need_is_on(runtime))
		return false;
	area = cape_areas_find(runtime->areas, address, 1);
	page = area ? cape_directory_page(area, address) : NULL;
	if (!page)
		return false;
	if (!cape_is_member(runtime))
		return !page->agreed.holders || (cape_directory_is_open(area, address) &&
						 !runtime->need->threads)
			       ? try_again(runtime->need, address)
			       : await_page(runtime, address);
	runtime->ordering->begin_access(runtime);
	done = bring(runtime, area, address, writes);
	runtime->ordering->end_access(runtime);
	return done;
}
