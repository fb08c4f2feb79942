// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * saved.c - who owns which pages, saved with a run: one that goes on has each of them at its owner
 * only, and gives other nodes none of it before they touch it.
 *
 * With fewer nodes each has what several had; with more, some have nothing at first.
 */
#include <string.h>
#include "base/saved.h"
#include "memory/shared.h"
#include "need/parts.h"

struct stretch {
	struct cape_range pages; /* of one area */
	uint64_t owner;
};

struct cape_need_saved {
	uint64_t nodes;
	uint64_t stretches;
	struct stretch stretch[];
};

struct putting {
	struct cape_need_saved *to; /* NULL: they are counted only */
	struct stretch last;
	uint64_t stretches;
};

static void put_page(struct putting *putting, uint64_t address, uint64_t owner)
{
	struct stretch *last = &putting->last;

	if (last->pages.end == address && last->owner == owner) {
		last->pages.end += CAPE_PAGE;
	} else {
		*last = (struct stretch){{address, address + CAPE_PAGE}, owner};
		putting->stretches++;
	}
	if (putting->to)
		putting->to->stretch[putting->stretches - 1] = *last;
}

static int put_pages(void *context, struct cape_area *area, struct cape_range pages)
{
	struct putting *putting = context;

	putting->last = (struct stretch){0};
	for (uint64_t at = pages.start; at < pages.end; at += CAPE_PAGE)
		put_page(putting, at, cape_directory_page(area, at)->agreed.owner);
	return 0;
}

static uint64_t put(struct cape_runtime *runtime, unsigned char *to)
{
	struct putting putting = {.to = (struct cape_need_saved *)to};

	if (!runtime->directory->count)
		return 0;
	cape_directory_each(runtime, CAPE_PAGES_OWNED, put_pages, &putting);
	if (to) {
		putting.to->nodes = runtime->nodes;
		putting.to->stretches = putting.stretches;
	}
	return sizeof(struct cape_need_saved) + putting.stretches * sizeof(struct stretch);
}

/* What it is taken from stays. */
static void take(struct cape_runtime *runtime, const unsigned char *from, uint64_t size)
{
	const struct cape_need_saved *saved = (const struct cape_need_saved *)from;

	if (size >= sizeof(*saved) && saved->nodes && saved->nodes <= CAPE_NODES_LIMIT &&
	    saved->stretches == (size - sizeof(*saved)) / sizeof(saved->stretch[0]))
		runtime->need->saved = saved;
}

CAPE_SAVED(need, .put = put, .take = take);

/* The area that STRETCH is of, or NULL: it makes no sense here. */
static struct cape_area *area_of(struct cape_runtime *runtime, const struct stretch *stretch,
				 uint64_t nodes)
{
	struct cape_range pages = stretch->pages;
	struct cape_area *area = cape_areas_find(runtime->areas, pages.start, 1);

	if (!area || !area->directory || stretch->owner >= nodes || pages.start % CAPE_PAGE ||
	    pages.end % CAPE_PAGE || pages.end <= pages.start ||
	    pages.end > cape_page_ceiling(area->end))
		return NULL;
	return area;
}

static void leave_to_owner(struct cape_runtime *runtime, const struct stretch *stretch,
			   uint64_t nodes)
{
	struct cape_area *area = area_of(runtime, stretch, nodes);
	struct cape_range pages = stretch->pages;
	unsigned owner = (unsigned)(stretch->owner * runtime->nodes / nodes);

	if (!area || cape_shared_reach(runtime, area, pages.start, pages.end - pages.start) < 0)
		return;
	for (uint64_t at = pages.start; at < pages.end; at += CAPE_PAGE)
		/* What the run time needs at any time may be more of it than it was. */
		if (!cape_directory_page(area, at)->agreed.stays)
			cape_directory_set(runtime, area, at, cape_node_set_of(owner), owner,
					   CAPE_EVENT_RESTORE);
}

void cape_need_restore(struct cape_runtime *runtime)
{
	struct cape_need *need = runtime->need;
	const struct cape_need_saved *saved = need->saved;

	if (!saved)
		return;
	need->saved = NULL;
	cape_need_start(runtime);
	for (uint64_t i = 0; cape_need_is_on(runtime) && i < saved->stretches; i++)
		leave_to_owner(runtime, &saved->stretch[i], saved->nodes);
}

static int shut(void *context, struct cape_area *area, struct cape_range pages)
{
	(void)area;
	cape_need_protect(context, pages, true);
	return 0;
}

void cape_need_restored(struct cape_runtime *runtime)
{
	if (!cape_need_is_on(runtime))
		return;
	cape_directory_each(runtime, CAPE_PAGES_ABSENT, shut, runtime);
	cape_need_leave(runtime, false);
}
