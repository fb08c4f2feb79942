// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * resolve.c - what all nodes say of pages, put together before the merge: the same on every node.
 */
#include "need/divided.h"
#include "need/parts.h"
#include "need/said.h"

/* -- pages that several nodes hold and write to ---------------------------------------------- */

static void note_reader(struct cape_runtime *runtime, unsigned node, struct cape_area *area,
			uint64_t address)
{
	cape_need_page_join(runtime->need, cape_directory_page(area, address),
			    cape_node_set_of(node));
}

/* Whether this node holds PAGE, as all know, and so has got what others changed of it. */
static bool has_come_early(const struct cape_runtime *runtime,
			   const struct cape_directory_page *page)
{
	return runtime->need->early && cape_directory_holds(runtime, page) && !page->local.fresh;
}

/* NODE will push what it changed of a page, its own or another's. */
static void expect(struct cape_runtime *runtime, unsigned node, struct cape_area *area,
		   uint64_t address)
{
	struct cape_directory_page *page = cape_directory_page(area, address);

	cape_need_note_if_unread(runtime, page, address);
	if (page->agreed.holders && page->agreed.owner != node && !has_come_early(runtime, page) &&
	    cape_node_set_has(runtime->need->sets, cape_need_receivers(runtime, page),
			      runtime->node))
		cape_node_bits_put(&runtime->need->contested, node, true);
}

static void push_joined(void *context, const struct cape_need_page *changed, uint64_t address,
			uint64_t length)
{
	struct cape_runtime *runtime = context;
	const struct cape_area *area = cape_areas_find(runtime->areas, address, 1);

	const struct cape_directory_page *page = cape_directory_page(area, address);
	cape_node_set more;

	if (changed->fate != CAPE_FATE_JOINED)
		return;
	more = cape_need_receivers(runtime, page);
	if (runtime->need->early)
		more = cape_node_set_minus(runtime->need->sets, more, page->agreed.holders);
	if (more)
		cape_need_piece_add(runtime->need,
				    (struct cape_need_piece){address, length, more, true, false});
}

static void resolve_joined(struct cape_runtime *runtime)
{
	cape_need_each_said(runtime, CAPE_SAID_WRITTEN, expect);
	if (!runtime->need->joined)
		return;
	cape_need_each_changed(runtime->need, push_joined, runtime);
	cape_need_sort_pieces(runtime->need);
}

/* -- before the merge ----------------------------------------------------------------------- */

/* Its owner sends all of it, or all nodes have it; a common one NODE keeps so. */
static void make_common(struct cape_runtime *runtime, unsigned node, struct cape_area *area,
			uint64_t address)
{
	struct cape_directory_page *page = cape_directory_page(area, address);

	if (page->agreed.holders && page->agreed.owner != node)
		cape_need_malformed(runtime, node);
	cape_need_page_common(page);
	cape_need_learn_changed(page);
	if (!page->agreed.holders)
		return;
	if (!cape_directory_is_open(area, address))
		cape_need_protect(runtime, (struct cape_range){address, address + CAPE_PAGE},
				  false);
	/* This node may have had a copy that nobody knew of. */
	cape_divided_forget(runtime, address);
	cape_directory_set(runtime, area, address, CAPE_NO_NODES, 0, CAPE_EVENT_PUBLISH);
}

static void begin_opening(struct cape_runtime *runtime, unsigned node, struct cape_area *area,
			  uint64_t address)
{
	(void)runtime;
	(void)node;
	cape_need_page_open(cape_directory_page(area, address));
}

/* Who will push something to this node now. */
static struct cape_node_bits pushers(struct cape_runtime *runtime)
{
	struct cape_node_bits from = runtime->need->contested;

	for (unsigned node = 0; node < runtime->nodes; node++) {
		const struct cape_need_said *said = cape_need_said_by(runtime, node);

		if (said && !runtime->need->early && cape_need_is_destination(runtime, said))
			cape_node_bits_put(&from, node, true);
	}
	return from;
}

static void look_for_threads(struct cape_runtime *runtime)
{
	for (unsigned node = 0; node < runtime->nodes; node++) {
		const struct cape_need_said *said = cape_need_said_by(runtime, node);

		runtime->need->ends |= said && said->threads;
	}
}

void cape_need_resolve(struct cape_runtime *runtime)
{
	struct cape_node_bits from;

	look_for_threads(runtime);
	cape_need_each_said(runtime, CAPE_SAID_PUBLISHED, begin_opening);
	cape_need_each_said(runtime, CAPE_SAID_FETCHED, note_reader);
	cape_need_expect_pushed(runtime);
	cape_need_resolve_claims(runtime);
	cape_need_expect_taken(runtime);
	resolve_joined(runtime);
	cape_need_each_said(runtime, CAPE_SAID_PUBLISHED, make_common);
	from = pushers(runtime);
	cape_need_push(runtime, &from);
}
