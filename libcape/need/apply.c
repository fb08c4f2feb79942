// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * apply.c - after the merge: who holds which pages, alike on all nodes; pages that become stale,
 * and pages that are pushed here.
 */
#include <sys/mman.h>
#include <sys/syscall.h>
#include "need/divided.h"
#include "need/parts.h"
#include "need/said.h"
#include "system/libc.h"
#include "system/number.h"

/* -- stretches of pages ------------------------------------------------------------------------ */

static bool travels(const struct cape_area *area, uint64_t address)
{
	return cape_directory_page(area, address)->local.travels;
}

/* Lists a page of AREA after those listed, if it is like them, or in their place. */
static void list(struct cape_runtime *runtime, const struct cape_area *area, uint64_t address,
		 struct cape_range *pages, void (*end)(struct cape_runtime *runtime))
{
	if (pages->end != address || pages->start < area->start ||
	    travels(area, address) != travels(area, pages->start))
		end(runtime);
	if (!pages->end)
		pages->start = address;
	pages->end = address + CAPE_PAGE;
}

/* -- pages that their owner pushes to others ------------------------------------------------- */

/* What was listed can be used before it comes. */
static void open_coming(struct cape_runtime *runtime)
{
	struct cape_range pages = runtime->need->coming;

	if (pages.end)
		cape_need_protect(runtime, pages, false);
	runtime->need->coming = (struct cape_range){0, 0};
}

/* It has come.  At the first access it is noticed that it was of use. */
static void shut_coming(struct cape_runtime *runtime)
{
	struct cape_range pages = runtime->need->coming;

	if (!pages.end)
		return;
	cape_need_protect(runtime, pages, true);
	cape_ranges_remove(runtime, &runtime->need->divided.opened, pages);
	cape_directory_open(runtime, cape_areas_find(runtime->areas, pages.start, 1), pages, false);
	runtime->need->coming = (struct cape_range){0, 0};
}

/* The page is to come, though it was not asked for. */
static void expect_page(struct cape_runtime *runtime, struct cape_area *area, uint64_t address)
{
	struct cape_directory_page *page = cape_directory_page(area, address);

	if (cape_directory_holds(runtime, page))
		return;
	cape_need_page_expect(page);
	cape_divided_forget(runtime, address);
	cape_directory_add(runtime, area, address, runtime->directory->self, CAPE_EVENT_EXPECT);
	list(runtime, area, address, &runtime->need->coming, open_coming);
}

/* As if the nodes to which its owner pushes it had fetched it before they came to the sync point.
 */
static void note_pushed(struct cape_runtime *runtime, unsigned node, struct cape_area *area,
			uint64_t address)
{
	struct cape_directory_page *page = cape_directory_page(area, address);
	struct cape_need *need = runtime->need;

	if (!page->agreed.holders || cape_node_set_has(need->sets, need->pushed_to, node))
		cape_need_malformed(runtime, node);
	if (page->agreed.owner != node)
		return;
	cape_need_page_join(need, page, need->pushed_to);
	if (cape_node_set_has(need->sets, need->pushed_to, runtime->node))
		expect_page(runtime, area, address);
}

/* A node that claims a page may push it to others, if no other node wrote to it. */
static void note_taken(struct cape_runtime *runtime, unsigned node, struct cape_area *area,
		       uint64_t address)
{
	struct cape_directory_page *page = cape_directory_page(area, address);
	struct cape_need *need = runtime->need;

	if (page->agreed.owner == node)
		return;
	if (!page->meeting.claimed)
		cape_need_malformed(runtime, node);
	if (page->meeting.claimed != node + 1)
		return;
	cape_need_page_take(page, need->pushed_to);
	if (node == runtime->node)
		cape_need_piece_add(need, (struct cape_need_piece){address, CAPE_PAGE,
								   need->pushed_to, false, false});
	if (!cape_node_set_has(need->sets, need->pushed_to, runtime->node))
		return;
	cape_node_bits_put(&need->contested, node, true);
	expect_page(runtime, area, address);
}

/* This node has a page that was pushed to it: it will be seen whether the page is used. */
static void take_pushed(struct cape_runtime *runtime, const struct cape_area *area,
			uint64_t address)
{
	struct cape_directory_page *page = cape_directory_page(area, address);

	cape_need_page_pushed(page);
	cape_need_learn_came(page);
	list(runtime, area, address, &runtime->need->coming, shut_coming);
}

static void add_pushed(struct cape_runtime *runtime, unsigned node, struct cape_area *area,
		       uint64_t address)
{
	struct cape_directory_page *page = cape_directory_page(area, address);
	cape_node_set readers = runtime->need->pushed_to;

	if (!page->agreed.holders || page->agreed.owner != node)
		return;
	cape_need_page_joined(page);
	if (node == runtime->node)
		cape_need_page_travels(page);
	cape_directory_add(runtime, area, address, readers, CAPE_EVENT_PUSH);
	/* It may have fetched it itself. */
	if (cape_node_set_has(runtime->need->sets, readers, runtime->node) && page->local.fresh)
		take_pushed(runtime, area, address);
}

static void note_unread(struct cape_runtime *runtime, unsigned node, struct cape_area *area,
			uint64_t address)
{
	struct cape_directory_page *page = cape_directory_page(area, address);

	/* The node that pushed it may not own it any more. */
	if (page->learned.places)
		cape_need_unlearn(runtime->need, page, address, node);
}

void cape_need_note_if_unread(struct cape_runtime *runtime, struct cape_directory_page *page,
			      uint64_t address)
{
	if (page->local.unused)
		cape_need_list_add(&runtime->need->unread,
				   (struct cape_range){address, address + CAPE_PAGE});
	cape_need_page_used(page);
	cape_need_learn_changed(page);
}

void cape_need_expect_pushed(struct cape_runtime *runtime)
{
	cape_need_each_said(runtime, CAPE_SAID_UNREAD, note_unread);
	runtime->need->unread.count = 0;
	cape_need_each_pushed(runtime, note_pushed);
}

void cape_need_expect_taken(struct cape_runtime *runtime)
{
	size_t pieces = runtime->need->pieces;

	cape_need_each_pushed(runtime, note_taken);
	open_coming(runtime);
	if (runtime->need->pieces != pieces)
		cape_need_sort_pieces(runtime->need);
}

/* -- after the merge ----------------------------------------------------------------------- */

static void add_holder(struct cape_runtime *runtime, unsigned node, struct cape_area *area,
		       uint64_t address)
{
	struct cape_directory_page *page = cape_directory_page(area, address);

	cape_need_page_joined(page);
	if (node == runtime->node)
		cape_need_page_known(page);
	/* It was made common meanwhile. */
	if (!page->agreed.holders)
		return;
	if (page->agreed.holders == runtime->directory->self)
		cape_area_settled(area, address, CAPE_PAGE, runtime->need->keeps);
	cape_directory_add(runtime, area, address, cape_node_set_of(node), CAPE_EVENT_NOTICE);
	if (page->agreed.owner == runtime->node)
		cape_need_learn_read(runtime, page);
}

/* Makes the pages that were listed stale. */
static void drop_stretch(struct cape_runtime *runtime)
{
	struct cape_range pages = runtime->need->dropped;
	struct cape_area *area;

	if (!pages.end)
		return;
	area = cape_areas_find(runtime->areas, pages.start, 1);
	if (travels(area, pages.start)) {
		cape_area_leave(area, pages);
	} else {
		cape_area_forget(area, pages);
		/* Pages of a file would come back with what the file holds. */
		if (area->kind == CAPE_AREA_HEAP)
			syscall(SYS_madvise, pages.start, pages.end - pages.start, MADV_DONTNEED);
	}
	cape_need_protect(runtime, pages, true);
	cape_ranges_remove(runtime, &runtime->need->divided.opened, pages);
	runtime->need->dropped = (struct cape_range){0, 0};
}

/* Of those that were listed no base is needed. */
static void forget_stretch(struct cape_runtime *runtime)
{
	struct cape_range pages = runtime->need->alone;
	struct cape_area *area;

	if (!pages.end)
		return;
	area = cape_areas_find(runtime->areas, pages.start, 1);
	if (travels(area, pages.start))
		cape_area_leave(area, pages);
	else
		cape_area_forget(area, pages);
	runtime->need->alone = (struct cape_range){0, 0};
}

static void drop(struct cape_runtime *runtime, const struct cape_area *area, uint64_t address)
{
	list(runtime, area, address, &runtime->need->dropped, drop_stretch);
}

/* OWNER holds the page from now on, alone except for those to whom it pushes it. */
static void leave_to(struct cape_runtime *runtime, unsigned owner, struct cape_area *area,
		     uint64_t address)
{
	struct cape_directory_page *page = cape_directory_page(area, address);
	bool here = cape_directory_is_here(runtime, area, address);
	struct cape_node_sets *sets = runtime->need->sets;
	cape_node_set taken = page->meeting.taken;

	cape_need_note_if_unread(runtime, page, address);
	cape_need_page_take(page, CAPE_NO_NODES);
	cape_directory_set(runtime, area, address, cape_node_set_with(sets, taken, owner), owner,
			   CAPE_EVENT_CLAIM);
	if (owner == runtime->node)
		cape_need_learn_left(runtime->need, page);
	if (owner == runtime->node && taken)
		cape_need_page_travels(page);
	if (cape_node_set_has(sets, taken, runtime->node))
		take_pushed(runtime, area, address);
	else if (owner == runtime->node && !taken)
		list(runtime, area, address, &runtime->need->alone, forget_stretch);
	else if (owner != runtime->node && here)
		drop(runtime, area, address);
}

/* Those who write to a common page hold it from now on. */
static void leave_to_writers(struct cape_runtime *runtime, struct cape_area *area, uint64_t address)
{
	struct cape_directory_page *page = cape_directory_page(area, address);

	cape_directory_set(runtime, area, address, page->meeting.joining,
			   cape_node_set_next(runtime->need->sets, page->meeting.joining, 0),
			   CAPE_EVENT_JOIN);
	cape_need_keep_together(runtime, page);
	if (!cape_directory_holds(runtime, page))
		drop(runtime, area, address);
}

static void take_claim(struct cape_runtime *runtime, unsigned node, struct cape_area *area,
		       uint64_t address)
{
	struct cape_directory_page *page = cape_directory_page(area, address);

	if (page->meeting.claimed == CAPE_CLAIMED_JOINTLY) {
		if (!page->agreed.holders)
			leave_to_writers(runtime, area, address);
	} else if (page->meeting.claimed != CAPE_CLAIMED_TWICE) {
		cape_need_page_clear_common_due(page);
		leave_to(runtime, node, area, address);
	} else if (page->agreed.holders &&
		   page->agreed.holders != cape_node_set_of(page->agreed.owner)) {
		cape_need_note_nonowner(runtime, area, address);
		leave_to(runtime, page->agreed.owner, area, address);
	}
}

bool cape_need_is_new(const struct cape_runtime *runtime, uint64_t address)
{
	const struct cape_area *area = cape_areas_find(runtime->areas, address, 1);
	const struct cape_directory_page *page = area ? cape_directory_page(area, address) : NULL;

	return page && page->local.fresh;
}

static void settle_pieces(struct cape_runtime *runtime, bool keep)
{
	const struct cape_need *need = runtime->need;

	for (size_t i = 0; i < need->pieces; i++) {
		const struct cape_need_piece *piece = &need->piece[i];
		struct cape_area *area = cape_areas_find(runtime->areas, piece->address, 1);

		if (!piece->exact)
			cape_area_settled(area, piece->address, piece->length, keep);
	}
}

/* -- sets of nodes ---------------------------------------------------------------------------- */

static int keep_sets(void *context, struct cape_area *area, struct cape_range pages)
{
	struct cape_node_sets *sets = context;

	for (uint64_t at = pages.start; at < pages.end; at += CAPE_PAGE)
		cape_node_sets_keep(sets, cape_directory_page(area, at)->agreed.holders);
	return 0;
}

/* Of those that have become many the ones go that no page has, and nothing that was learned. */
static void sweep_sets(struct cape_runtime *runtime)
{
	const struct cape_need *need = runtime->need;

	if (!cape_node_sets_are_due(need->sets) && !(runtime->channel->flags & CAPE_CHANNEL_STRESS))
		return;
	cape_directory_each(runtime, CAPE_PAGES_OWNED, keep_sets, need->sets);
	for (size_t i = 0; i < need->places; i++)
		for (size_t j = 0; j < need->place[i].pieces; j++)
			cape_node_sets_keep(need->sets, need->place[i].piece[j].destinations);
	cape_node_sets_sweep(need->sets);
	/* The numbers of sets get another meaning. */
	runtime->directory->state = cape_number_mix(runtime->directory->state, 0);
}

/* What was said and pushed in this sync point is dealt with. */
static void forget(struct cape_need *need)
{
	need->fetched.count = need->pushed.count = need->pieces = 0;
	need->made_for = CAPE_NO_NODES;
	need->piece_made = (struct cape_range){0, 0};
	need->entries_size = 0;
	/* What this node had changed when it came to the sync point was announced there. */
	need->unannounced.count = 0;
}

void cape_need_apply(struct cape_runtime *runtime, bool keep)
{
	runtime->need->keeps = keep;
	settle_pieces(runtime, keep);
	cape_need_each_said(runtime, CAPE_SAID_FETCHED, add_holder);
	cape_need_each_pushed(runtime, add_pushed);
	cape_need_each_said(runtime, CAPE_SAID_CLAIMED, take_claim);
	shut_coming(runtime);
	cape_need_each_said(runtime, CAPE_SAID_CLAIMED, cape_need_forget_claim);
	drop_stretch(runtime);
	forget_stretch(runtime);
	forget(runtime->need);
	sweep_sets(runtime);
	runtime->need->pieces_left = runtime->directory->pieces < CAPE_NEED_BORDERS
					     ? CAPE_NEED_BORDERS - runtime->directory->pieces
					     : 0;
	cape_need_settled(runtime->need, keep);
}
