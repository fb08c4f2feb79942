// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * resolve.c - what all nodes say of pages, put together: the same on every node.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include "channel/fetch.h"
#include "checkpoint/exact.h"
#include "message/exchange.h"
#include "need/parts.h"
#include "need/said.h"
#include "system/libc.h"

/* -- reading -------------------------------------------------------------------------------- */

/* NULL: nothing. */
static const struct cape_need_said *said_by(struct cape_runtime *runtime, unsigned node)
{
	const struct cape_message *message = cape_exchange_message(runtime, node);
	const struct cape_need_said *said =
		(const struct cape_need_said *)cape_message_get(message, CAPE_SECTION_NEED);
	uint64_t size = message->size[CAPE_SECTION_NEED], left;

	if (!size)
		return NULL;
	left = size < sizeof(*said) ? 0 : size - sizeof(*said);
	for (unsigned i = 0; size >= sizeof(*said) && i < CAPE_SAID_LISTS; i++) {
		uint64_t each = sizeof(said->range[0]) + (i == CAPE_SAID_GIVEN) * sizeof(uint64_t);

		if (said->count[i] > left / each)
			cape_need_malformed(runtime, node);
		left -= said->count[i] * each;
	}
	if (size < sizeof(*said) || left)
		cape_need_malformed(runtime, node);
	return said;
}

typedef void (*visit_page)(struct cape_runtime *runtime, unsigned node, struct cape_area *area,
			   uint64_t address);

static void each_page(struct cape_runtime *runtime, unsigned node, struct cape_range range,
		      visit_page visit)
{
	struct cape_area *area = cape_areas_find(runtime->areas, range.start, 1);

	if (!area || !area->directory || range.start % CAPE_PAGE || range.end % CAPE_PAGE ||
	    range.end <= range.start || range.end > cape_page_ceiling(area->end))
		cape_need_malformed(runtime, node);
	for (uint64_t at = range.start; at < range.end; at += CAPE_PAGE)
		visit(runtime, node, area, at);
}

/* Where LIST begins in what was SAID. */
static uint64_t first_of(const struct cape_need_said *said, enum cape_said_list list)
{
	uint64_t first = 0;

	for (unsigned before = 0; before < list; before++)
		first += said->count[before];
	return first;
}

/* Calls VISIT for every page that NODE has in LIST. */
static void each_of(struct cape_runtime *runtime, unsigned node, enum cape_said_list list,
		    visit_page visit)
{
	const struct cape_need_said *said = said_by(runtime, node);
	uint64_t first;

	if (!said)
		return;
	first = first_of(said, list);
	for (uint64_t i = first; i < first + said->count[list]; i++)
		each_page(runtime, node, said->range[i], visit);
}

static void each(struct cape_runtime *runtime, enum cape_said_list list, visit_page visit)
{
	for (unsigned node = 0; node < runtime->nodes; node++)
		each_of(runtime, node, list, visit);
}

/* Calls VISIT for every page that its owner gives, while READERS are to whom. */
static void each_given(struct cape_runtime *runtime, visit_page visit)
{
	for (unsigned node = 0; node < runtime->nodes; node++) {
		const struct cape_need_said *said = said_by(runtime, node);
		uint64_t count = said ? said->count[CAPE_SAID_GIVEN] : 0;
		uint64_t first = count ? first_of(said, CAPE_SAID_GIVEN) : 0;

		for (uint64_t i = 0; i < count; i++) {
			const void *readers = &said->range[first + count];

			runtime->need->given_to = ((const uint64_t *)readers)[i];
			each_page(runtime, node, said->range[first + i], visit);
		}
	}
}

/* -- claims --------------------------------------------------------------------------------- */

static void claim(struct cape_runtime *runtime, unsigned node, struct cape_area *area,
		  uint64_t address)
{
	struct cape_directory_page *page = cape_directory_page(area, address);

	if (!page->holders && page->stays)
		cape_need_malformed(runtime, node);
	page->claimed = page->claimed ? CAPE_CLAIMED_TWICE : (uint8_t)(node + 1);
	page->joining |= 1ull << node;
}

/* NODE has changed a page that another claims. */
static void contest_page(struct cape_runtime *runtime, unsigned node, struct cape_area *area,
			 uint64_t address)
{
	struct cape_directory_page *page = cape_directory_page(area, address);

	(void)runtime;
	if (!page->claimed || page->claimed == node + 1)
		return;
	page->claimed = CAPE_CLAIMED_TWICE;
	if (!page->holders)
		page->joining |= 1ull << node;
}

static void contest(struct cape_runtime *runtime, unsigned node, uint64_t start, uint64_t end)
{
	struct cape_area *area = cape_areas_find(runtime->areas, start, 1);

	if (!area || !area->directory)
		return;
	for (uint64_t at = cape_page_floor(start); at < end && at < area->end; at += CAPE_PAGE)
		contest_page(runtime, node, area, at);
}

/* What it sent byte by byte. */
static void contest_exact(struct cape_runtime *runtime, unsigned node)
{
	const struct cape_message *message = cape_exchange_message(runtime, node);
	struct cape_exact_cursor cursor;
	struct cape_exact_run run;

	cape_exact_open(&cursor, cape_message_get(message, CAPE_SECTION_EXACT),
			message->size[CAPE_SECTION_EXACT]);
	while (cape_exact_next(&cursor, &run) > 0)
		contest(runtime, node, run.address, run.address + run.length);
}

static void contest_runs(struct cape_runtime *runtime, unsigned node)
{
	const struct cape_message *message = cape_exchange_message(runtime, node);
	const unsigned char *data;
	struct cape_cursor cursor;
	struct cape_run run;
	int got = cape_cursor_open(&cursor, cape_message_get(message, CAPE_SECTION_TABLE),
				   message->size[CAPE_SECTION_TABLE],
				   cape_message_get(message, CAPE_SECTION_DATA),
				   message->size[CAPE_SECTION_DATA]);

	while (got >= 0 && (got = cape_cursor_next(&cursor, &run, &data)) > 0)
		contest(runtime, node, run.address, run.address + run.length);
	if (got < 0)
		cape_need_malformed(runtime, node);
}

/* Whether the page, which was claimed twice, is to be held by several nodes, but not by all. */
static bool is_joint(const struct cape_runtime *runtime, const struct cape_directory_page *page)
{
	return page->holders ? !(page->joining >> page->owner & 1)
			     : page->joining != runtime->need->all;
}

/* To whom goes what one of several writers changed of a page. */
static uint64_t told(const struct cape_runtime *runtime, const struct cape_directory_page *page)
{
	if (page->opening || (!page->holders && page->claimed == CAPE_CLAIMED_TWICE))
		return runtime->need->all;
	return page->holders | page->joining;
}

/* Whether the page at ADDRESS, so far common, may have HOLDERS; the same on all nodes. */
static bool may_be_held(struct cape_need *need, uint64_t address, uint64_t holders)
{
	struct cape_range *made = &need->piece_made;

	if (made->end != address || need->made_for != holders) {
		if (!need->pieces_left)
			return false;
		need->pieces_left--;
		made->start = address;
		need->made_for = holders;
	}
	made->end = address + CAPE_PAGE;
	return true;
}

static uint64_t holders_to_be(const struct cape_directory_page *page)
{
	return page->claimed == CAPE_CLAIMED_JOINTLY ? page->joining : 1ull << (page->claimed - 1);
}

/*
 * NODE claims a page that another has changed, too.  They hold it together, or it stays or becomes
 * common; but if its owner claims it, too, that has it alone then.
 */
static void note_contested(struct cape_runtime *runtime, unsigned node, struct cape_area *area,
			   uint64_t address)
{
	struct cape_directory_page *page = cape_directory_page(area, address);

	if (page->claimed == CAPE_CLAIMED_TWICE && is_joint(runtime, page))
		page->claimed = CAPE_CLAIMED_JOINTLY;
	if (!page->holders && page->claimed != CAPE_CLAIMED_TWICE &&
	    !may_be_held(runtime->need, address, holders_to_be(page)))
		page->claimed = CAPE_CLAIMED_TWICE;
	if (page->claimed < CAPE_CLAIMED_JOINTLY || (page->holders && page->owner == node))
		return;
	if (!page->holders && page->claimed == CAPE_CLAIMED_TWICE)
		page->stays = true;
	if (told(runtime, page) & runtime->directory->self)
		runtime->need->contested |= 1ull << node;
}

/* Likewise, for a piece of what this node changed. */
static void push_contested(void *context, const struct cape_need_page *changed, uint64_t address,
			   uint64_t length)
{
	struct cape_runtime *runtime = context;
	struct cape_need *need = runtime->need;
	const struct cape_directory_page *page;

	if (changed->fate != CAPE_FATE_CLAIMED)
		return;
	page = cape_directory_page(cape_areas_find(runtime->areas, address, 1), address);
	if (page->claimed >= CAPE_CLAIMED_JOINTLY &&
	    !(page->holders && page->owner == runtime->node))
		cape_need_piece_add(need,
				    (struct cape_need_piece){address, length, told(runtime, page),
							     page->holders != 0, false});
}

static void resolve_claims(struct cape_runtime *runtime)
{
	bool any = false;

	runtime->need->contested = 0;
	runtime->need->piece_made = (struct cape_range){0, 0};
	for (unsigned node = 0; node < runtime->nodes; node++) {
		const struct cape_need_said *said = said_by(runtime, node);

		any |= said && said->count[CAPE_SAID_CLAIMED];
	}
	if (!any)
		return;
	each(runtime, CAPE_SAID_CLAIMED, claim);
	each(runtime, CAPE_SAID_WRITTEN, contest_page);
	each(runtime, CAPE_SAID_GIVEN, contest_page);
	for (unsigned node = 0; node < runtime->nodes; node++) {
		contest_runs(runtime, node);
		contest_exact(runtime, node);
	}
	each(runtime, CAPE_SAID_CLAIMED, note_contested);
	if (!runtime->need->claims.count)
		return;
	cape_need_each_changed(runtime->need, push_contested, runtime);
	cape_need_sort_pieces(runtime->need);
}

/* -- pages that several nodes hold and write to ---------------------------------------------- */

static void note_reader(struct cape_runtime *runtime, unsigned node, struct cape_area *area,
			uint64_t address)
{
	(void)runtime;
	cape_directory_page(area, address)->joining |= 1ull << node;
}

/* Whether this node holds PAGE, as all know, and so has got what others changed of it. */
static bool has_come_early(const struct cape_runtime *runtime,
			   const struct cape_directory_page *page)
{
	return runtime->need->early && (page->holders & runtime->directory->self) && !page->fresh;
}

/* PAGE, which this node was given, is another by now. */
static void note_if_vain(struct cape_runtime *runtime, struct cape_directory_page *page,
			 uint64_t address)
{
	if (page->unused)
		cape_need_list_add(&runtime->need->vain,
				   (struct cape_range){address, address + CAPE_PAGE});
	page->unused = page->latest = false;
}

/* NODE will push what it changed of a page, its own or another's. */
static void expect(struct cape_runtime *runtime, unsigned node, struct cape_area *area,
		   uint64_t address)
{
	struct cape_directory_page *page = cape_directory_page(area, address);

	note_if_vain(runtime, page, address);
	if (page->holders && page->owner != node && !has_come_early(runtime, page) &&
	    (told(runtime, page) & runtime->directory->self))
		runtime->need->contested |= 1ull << node;
}

static void push_joined(void *context, const struct cape_need_page *changed, uint64_t address,
			uint64_t length)
{
	struct cape_runtime *runtime = context;
	const struct cape_area *area = cape_areas_find(runtime->areas, address, 1);

	const struct cape_directory_page *page = cape_directory_page(area, address);
	uint64_t more;

	if (changed->fate != CAPE_FATE_JOINED)
		return;
	more = told(runtime, page) & ~(runtime->need->early ? page->holders : 0);
	if (more)
		cape_need_piece_add(runtime->need,
				    (struct cape_need_piece){address, length, more, true, false});
}

static void resolve_joined(struct cape_runtime *runtime)
{
	each(runtime, CAPE_SAID_WRITTEN, expect);
	if (!runtime->need->joined)
		return;
	cape_need_each_changed(runtime->need, push_joined, runtime);
	cape_need_sort_pieces(runtime->need);
}

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

/* -- before the merge ----------------------------------------------------------------------- */

static void stay_common(struct cape_directory_page *page)
{
	page->wanted = page->opening = false;
	if (page->claimed == CAPE_CLAIMED_JOINTLY)
		page->claimed = CAPE_CLAIMED_TWICE;
}

/* Its owner sends all of it, or all nodes have it; a common one NODE keeps so. */
static void make_common(struct cape_runtime *runtime, unsigned node, struct cape_area *area,
			uint64_t address)
{
	struct cape_directory_page *page = cape_directory_page(area, address);

	if (page->holders && page->owner != node)
		cape_need_malformed(runtime, node);
	stay_common(page);
	page->unused = page->latest = false;
	if (!page->holders)
		return;
	if (!cape_directory_is_open(area, address))
		cape_need_protect(runtime, (struct cape_range){address, address + CAPE_PAGE},
				  false);
	cape_directory_set(runtime, area, address, 0, 0);
}

static void begin_opening(struct cape_runtime *runtime, unsigned node, struct cape_area *area,
			  uint64_t address)
{
	(void)runtime;
	(void)node;
	cape_directory_page(area, address)->opening = true;
}

/* Who will push something to this node now. */
static uint64_t pushers(struct cape_runtime *runtime)
{
	uint64_t from = runtime->need->contested;

	for (unsigned node = 0; node < runtime->nodes; node++) {
		const struct cape_need_said *said = said_by(runtime, node);

		if (said && !runtime->need->early &&
		    (said->destinations & runtime->directory->self))
			from |= 1ull << node;
	}
	return from;
}

static void look_for_threads(struct cape_runtime *runtime)
{
	for (unsigned node = 0; node < runtime->nodes; node++) {
		const struct cape_need_said *said = said_by(runtime, node);

		runtime->need->ends |= said && said->threads;
	}
}

void cape_need_resolve(struct cape_runtime *runtime)
{
	look_for_threads(runtime);
	each(runtime, CAPE_SAID_VAIN, note_vain);
	runtime->need->vain.count = 0;
	each(runtime, CAPE_SAID_PUBLISHED, begin_opening);
	each(runtime, CAPE_SAID_FETCHED, note_reader);
	each_given(runtime, note_given);
	resolve_claims(runtime);
	each_given(runtime, note_taken);
	open_coming(runtime);
	cape_need_sort_pieces(runtime->need);
	resolve_joined(runtime);
	each(runtime, CAPE_SAID_PUBLISHED, make_common);
	cape_need_push(runtime, pushers(runtime));
}

/* -- behind the merge ------------------------------------------------------------------------ */

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

	note_if_vain(runtime, page, address);
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
	each(runtime, CAPE_SAID_FETCHED, add_holder);
	each_given(runtime, add_given);
	each(runtime, CAPE_SAID_CLAIMED, take_claim);
	shut_coming(runtime);
	each(runtime, CAPE_SAID_CLAIMED, forget_claim);
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
