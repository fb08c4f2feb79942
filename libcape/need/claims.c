// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * claims.c - who claims which pages, and which of them others have changed, too: those stay or
 * become common, are held by those who write to them, or are their owner's.
 */
#include "checkpoint/exact.h"
#include "message/exchange.h"
#include "need/parts.h"
#include "need/said.h"

static void claim(struct cape_runtime *runtime, unsigned node, struct cape_area *area,
		  uint64_t address)
{
	struct cape_directory_page *page = cape_directory_page(area, address);

	if (!page->agreed.holders && page->agreed.stays)
		cape_need_malformed(runtime, node);
	cape_need_page_claim(page,
			     page->meeting.claimed ? CAPE_CLAIMED_TWICE : (uint16_t)(node + 1));
	cape_need_page_join(runtime->need, page, cape_node_set_of(node));
}

void cape_need_forget_claim(struct cape_runtime *runtime, unsigned node, struct cape_area *area,
			    uint64_t address)
{
	(void)runtime;
	(void)node;
	cape_need_page_claim(cape_directory_page(area, address), 0);
	cape_need_page_joined(cape_directory_page(area, address));
}

/* NODE has changed a page that another claims. */
static void contest_page(struct cape_runtime *runtime, unsigned node, struct cape_area *area,
			 uint64_t address)
{
	struct cape_directory_page *page = cape_directory_page(area, address);

	if (!page->meeting.claimed || page->meeting.claimed == node + 1)
		return;
	cape_need_page_claim(page, CAPE_CLAIMED_TWICE);
	if (!page->agreed.holders)
		cape_need_page_join(runtime->need, page, cape_node_set_of(node));
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
	const struct cape_node_sets *sets = runtime->need->sets;

	return page->agreed.holders
		       ? !cape_node_set_has(sets, page->meeting.joining, page->agreed.owner)
		       : page->meeting.joining != sets->all;
}

cape_node_set cape_need_receivers(const struct cape_runtime *runtime,
				  const struct cape_directory_page *page)
{
	struct cape_node_sets *sets = runtime->need->sets;

	if (page->meeting.opening ||
	    (!page->agreed.holders && page->meeting.claimed == CAPE_CLAIMED_TWICE))
		return sets->all;
	return cape_node_set_union(sets, page->agreed.holders, page->meeting.joining);
}

/* Whether the page at ADDRESS, so far common, may have HOLDERS; the same on all nodes. */
static bool may_be_held(struct cape_need *need, uint64_t address, cape_node_set holders)
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

static cape_node_set holders_to_be(const struct cape_directory_page *page)
{
	return page->meeting.claimed == CAPE_CLAIMED_JOINTLY
		       ? page->meeting.joining
		       : cape_node_set_of(page->meeting.claimed - 1u);
}

/*
 * NODE claims a page that another has changed, too.  They hold it together, or it stays or becomes
 * common; but if its owner claims it, too, that has it alone then.
 */
static void note_contested(struct cape_runtime *runtime, unsigned node, struct cape_area *area,
			   uint64_t address)
{
	struct cape_directory_page *page = cape_directory_page(area, address);

	if (page->meeting.claimed == CAPE_CLAIMED_TWICE && is_joint(runtime, page))
		cape_need_page_claim(page, CAPE_CLAIMED_JOINTLY);
	if (!page->agreed.holders && page->meeting.claimed != CAPE_CLAIMED_TWICE &&
	    !may_be_held(runtime->need, address, holders_to_be(page)))
		cape_need_page_claim(page, CAPE_CLAIMED_TWICE);
	if (page->meeting.claimed < CAPE_CLAIMED_JOINTLY ||
	    (page->agreed.holders && page->agreed.owner == node))
		return;
	if (!page->agreed.holders && page->meeting.claimed == CAPE_CLAIMED_TWICE)
		cape_directory_stay(runtime, area, address);
	if (cape_node_set_has(runtime->need->sets, cape_need_receivers(runtime, page),
			      runtime->node))
		cape_node_bits_put(&runtime->need->contested, node, true);
}

/* The same for a piece of what this node changed. */
static void push_contested(void *context, const struct cape_need_page *changed, uint64_t address,
			   uint64_t length)
{
	struct cape_runtime *runtime = context;
	struct cape_need *need = runtime->need;
	const struct cape_directory_page *page;

	if (changed->fate != CAPE_FATE_CLAIMED)
		return;
	page = cape_directory_page(cape_areas_find(runtime->areas, address, 1), address);
	if (page->meeting.claimed >= CAPE_CLAIMED_JOINTLY &&
	    !(page->agreed.holders && page->agreed.owner == runtime->node))
		cape_need_piece_add(need,
				    (struct cape_need_piece){address, length,
							     cape_need_receivers(runtime, page),
							     page->agreed.holders, false});
}

/* What each page that is claimed is, as all messages say.  False: none is. */
static bool find_claimed(struct cape_runtime *runtime)
{
	bool any = false;

	for (unsigned node = 0; node < runtime->nodes; node++) {
		const struct cape_need_said *said = cape_need_said_by(runtime, node);

		any |= said && said->count[CAPE_SAID_CLAIMED];
	}
	if (!any)
		return false;
	cape_need_each_said(runtime, CAPE_SAID_CLAIMED, claim);
	cape_need_each_said(runtime, CAPE_SAID_WRITTEN, contest_page);
	cape_need_each_said(runtime, CAPE_SAID_PUSHED, contest_page);
	for (unsigned node = 0; node < runtime->nodes; node++) {
		contest_runs(runtime, node);
		contest_exact(runtime, node);
	}
	return true;
}

static void look_if_contested(struct cape_runtime *runtime, unsigned node, struct cape_area *area,
			      uint64_t address)
{
	(void)node;
	runtime->need->is_contested |=
		cape_directory_page(area, address)->meeting.claimed == CAPE_CLAIMED_TWICE;
}

bool cape_need_is_contested(struct cape_runtime *runtime)
{
	if (!find_claimed(runtime))
		return false;
	runtime->need->is_contested = false;
	cape_need_each_said(runtime, CAPE_SAID_CLAIMED, look_if_contested);
	cape_need_each_said(runtime, CAPE_SAID_CLAIMED, cape_need_forget_claim);
	return runtime->need->is_contested;
}

void cape_need_resolve_claims(struct cape_runtime *runtime)
{
	runtime->need->contested = (struct cape_node_bits){{0}};
	runtime->need->piece_made = (struct cape_range){0, 0};
	if (!find_claimed(runtime))
		return;
	cape_need_each_said(runtime, CAPE_SAID_CLAIMED, note_contested);
	if (!runtime->need->claims.count)
		return;
	cape_need_each_changed(runtime->need, push_contested, runtime);
	cape_need_sort_pieces(runtime->need);
}
