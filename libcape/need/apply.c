// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * apply.c - behind the merge: who holds what from now on, alike on all nodes; pages that are given
 * up, and those that come without being asked for.
 */
#include <sys/mman.h>
#include <sys/syscall.h>
#include "need/parts.h"
#include "need/said.h"
#include "system/libc.h"

/* -- stretches of pages ------------------------------------------------------------------------ */

static bool travels(const struct cape_area *area, uint64_t address)
{
	return cape_directory_page(area, address)->travels;
}

/* Lists a page of AREA behind those listed, if it is like them, or in their place. */
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

/* -- pages that their owner gives to others --------------------------------------------------- */

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
	cape_directory_open(cape_areas_find(runtime->areas, pages.start, 1), pages, false);
	runtime->need->coming = (struct cape_range){0, 0};
}

/* The page is to come, though it was not asked for. */
static void expect_page(struct cape_runtime *runtime, struct cape_area *area, uint64_t address)
{
	struct cape_directory_page *page = cape_directory_page(area, address);

	if (page->holders & runtime->directory->self)
		return;
	page->fresh = true;
	cape_directory_set(runtime, area, address, page->holders | runtime->directory->self,
			   page->owner);
	list(runtime, area, address, &runtime->need->coming, open_coming);
}

/* As if those whom its owner gives it to had fetched it before they came to the sync point. */
static void note_given(struct cape_runtime *runtime, unsigned node, struct cape_area *area,
		       uint64_t address)
{
	struct cape_directory_page *page = cape_directory_page(area, address);
	const struct cape_need *need = runtime->need;

	if (!page->holders || (need->given_to & ~need->all) || (need->given_to >> node & 1))
		cape_need_malformed(runtime, node);
	if (page->owner != node)
		return;
	page->joining |= need->given_to;
	if (need->given_to & runtime->directory->self)
		expect_page(runtime, area, address);
}

/* Who claims a page may give it to others, if nobody else wrote to it. */
static void note_taken(struct cape_runtime *runtime, unsigned node, struct cape_area *area,
		       uint64_t address)
{
	struct cape_directory_page *page = cape_directory_page(area, address);
	struct cape_need *need = runtime->need;

	if (page->owner == node)
		return;
	if (!page->claimed)
		cape_need_malformed(runtime, node);
	if (page->claimed != node + 1)
		return;
	page->taken = need->given_to;
	if (node == runtime->node)
		cape_need_piece_add(need, (struct cape_need_piece){address, CAPE_PAGE,
								   need->given_to, false, false});
	if (!(need->given_to & runtime->directory->self))
		return;
	need->contested |= 1ull << node;
	expect_page(runtime, area, address);
}

/* This node has a page that it was given: it will be known whether it was of use. */
static void take_given(struct cape_runtime *runtime, const struct cape_area *area, uint64_t address)
{
	struct cape_directory_page *page = cape_directory_page(area, address);

	page->fresh = false;
	page->latest = page->unused = page->travels = true;
	list(runtime, area, address, &runtime->need->coming, shut_coming);
}

static void add_given(struct cape_runtime *runtime, unsigned node, struct cape_area *area,
		      uint64_t address)
{
	struct cape_directory_page *page = cape_directory_page(area, address);
	uint64_t readers = runtime->need->given_to;

	if (!page->holders || page->owner != node)
		return;
	page->joining = 0;
	page->travels |= node == runtime->node;
	cape_directory_set(runtime, area, address, page->holders | readers, page->owner);
	/* It may have fetched it itself. */
	if ((readers & runtime->directory->self) && page->fresh)
		take_given(runtime, area, address);
}

static void note_vain(struct cape_runtime *runtime, unsigned node, struct cape_area *area,
		      uint64_t address)
{
	struct cape_directory_page *page = cape_directory_page(area, address);

	/* Who gave it may not own it any more. */
	if (page->learned)
		cape_need_unlearn(runtime->need, page, address, node);
}

void cape_need_note_if_vain(struct cape_runtime *runtime, struct cape_directory_page *page,
			    uint64_t address)
{
	if (page->unused)
		cape_need_list_add(&runtime->need->vain,
				   (struct cape_range){address, address + CAPE_PAGE});
	page->unused = page->latest = false;
}

void cape_need_expect_given(struct cape_runtime *runtime)
{
	cape_need_each_said(runtime, CAPE_SAID_VAIN, note_vain);
	runtime->need->vain.count = 0;
	cape_need_each_given(runtime, note_given);
}

void cape_need_expect_taken(struct cape_runtime *runtime)
{
	size_t pieces = runtime->need->pieces;

	cape_need_each_given(runtime, note_taken);
	open_coming(runtime);
	if (runtime->need->pieces != pieces)
		cape_need_sort_pieces(runtime->need);
}

/* -- behind the merge ----------------------------------------------------------------------- */

static void add_holder(struct cape_runtime *runtime, unsigned node, struct cape_area *area,
		       uint64_t address)
{
	struct cape_directory_page *page = cape_directory_page(area, address);
	bool stress = runtime->channel->flags & CAPE_CHANNEL_STRESS;
	unsigned pushes;

	page->joining = 0;
	if (node == runtime->node)
		page->fresh = false;
	/* It was made common meanwhile. */
	if (!page->holders)
		return;
	if (page->holders == runtime->directory->self)
		cape_area_settled(area, address, CAPE_PAGE, runtime->need->keeps);
	cape_directory_set(runtime, area, address, page->holders | 1ull << node, page->owner);
	if (page->owner != runtime->node)
		return;
	page->reads += page->reads < CAPE_NEED_READS_MOST;
	pushes = stress ? 0 : (1u << page->reads) - 1;
	if (stress || page->pushes < pushes)
		page->pushes = (uint8_t)pushes;
}

/* Gives up the pages that were listed. */
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

/* OWNER has the page from now on, alone but for those to whom it gives it. */
static void leave_to(struct cape_runtime *runtime, unsigned owner, struct cape_area *area,
		     uint64_t address)
{
	struct cape_directory_page *page = cape_directory_page(area, address);
	bool here = cape_directory_is_here(runtime, area, address);
	uint64_t taken = page->taken;

	cape_need_note_if_vain(runtime, page, address);
	page->taken = 0;
	cape_directory_set(runtime, area, address, taken | 1ull << owner, owner);
	if (owner == runtime->node)
		page->left = runtime->need->count;
	page->travels |= owner == runtime->node && taken;
	if (taken & runtime->directory->self)
		take_given(runtime, area, address);
	else if (owner == runtime->node && !taken)
		list(runtime, area, address, &runtime->need->alone, forget_stretch);
	else if (owner != runtime->node && here)
		drop(runtime, area, address);
}

/* Those who write to a common page hold it from now on. */
static void leave_to_writers(struct cape_runtime *runtime, struct cape_area *area, uint64_t address)
{
	struct cape_directory_page *page = cape_directory_page(area, address);

	cape_directory_set(runtime, area, address, page->joining,
			   (unsigned)__builtin_ctzll(page->joining));
	cape_need_keep_together(runtime, page);
	if (!(page->joining & runtime->directory->self))
		drop(runtime, area, address);
}

static void take_claim(struct cape_runtime *runtime, unsigned node, struct cape_area *area,
		       uint64_t address)
{
	struct cape_directory_page *page = cape_directory_page(area, address);

	if (page->claimed == CAPE_CLAIMED_JOINTLY) {
		if (!page->holders)
			leave_to_writers(runtime, area, address);
	} else if (page->claimed != CAPE_CLAIMED_TWICE) {
		page->wanted = false;
		leave_to(runtime, node, area, address);
	} else if (page->holders && page->holders != 1ull << page->owner) {
		cape_need_note_foreign(runtime, page);
		leave_to(runtime, page->owner, area, address);
	}
}

static void forget_claim(struct cape_runtime *runtime, unsigned node, struct cape_area *area,
			 uint64_t address)
{
	(void)runtime;
	(void)node;
	cape_directory_page(area, address)->claimed = 0;
	cape_directory_page(area, address)->joining = 0;
}

bool cape_need_is_new(const struct cape_runtime *runtime, uint64_t address)
{
	const struct cape_area *area = cape_areas_find(runtime->areas, address, 1);
	const struct cape_directory_page *page = area ? cape_directory_page(area, address) : NULL;

	return page && page->fresh;
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

void cape_need_apply(struct cape_runtime *runtime, bool keep)
{
	runtime->need->keeps = keep;
	settle_pieces(runtime, keep);
	cape_need_each_said(runtime, CAPE_SAID_FETCHED, add_holder);
	cape_need_each_given(runtime, add_given);
	cape_need_each_said(runtime, CAPE_SAID_CLAIMED, take_claim);
	shut_coming(runtime);
	cape_need_each_said(runtime, CAPE_SAID_CLAIMED, forget_claim);
	drop_stretch(runtime);
	forget_stretch(runtime);
	runtime->need->fetched.count = 0;
	runtime->need->entries_size = 0;
	/* What this node had changed when it came to the sync point it has told with it. */
	runtime->need->untold.count = 0;
	runtime->need->pieces_left = runtime->directory->pieces < CAPE_NEED_BORDERS
					     ? CAPE_NEED_BORDERS - runtime->directory->pieces
					     : 0;
	cape_need_settled(runtime->need, keep);
}
