// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * page.c - what this node notes of a page: for itself, and of what all say in a sync point.  Nobody
 * else assigns these; who holds the page is the directory's matter, what was learned learn.c's.
 */
#include "need/parts.h"

/* -- what this node alone knows -------------------------------------------------------------- */

void cape_need_page_plan(struct cape_directory_page *page)
{
	page->local.planned = true;
}

void cape_need_page_fetched(struct cape_directory_page *page)
{
	page->local.planned = false;
	page->local.fresh = page->local.travels = true;
}

void cape_need_page_expect(struct cape_directory_page *page)
{
	page->local.fresh = true;
}

void cape_need_page_pushed(struct cape_directory_page *page)
{
	page->local.fresh = false;
	page->local.unused = page->local.travels = true;
}

void cape_need_page_known(struct cape_directory_page *page)
{
	page->local.fresh = false;
}

void cape_need_page_used(struct cape_directory_page *page)
{
	page->local.unused = false;
}

void cape_need_page_travels(struct cape_directory_page *page)
{
	page->local.travels = true;
}

void cape_need_page_divided(struct cape_directory_page *page, bool divided)
{
	page->local.divided = divided;
}

void cape_need_page_set_common_due(struct cape_need *need, struct cape_directory_page *page)
{
	page->local.common_due = need->common_due = true;
}

void cape_need_page_clear_common_due(struct cape_directory_page *page)
{
	page->local.common_due = false;
}

/* -- in a sync point ------------------------------------------------------------------------- */

void cape_need_page_join(struct cape_need *need, struct cape_directory_page *page,
			 cape_node_set nodes)
{
	page->meeting.joining = cape_node_set_union(need->sets, page->meeting.joining, nodes);
}

void cape_need_page_joined(struct cape_directory_page *page)
{
	page->meeting.joining = CAPE_NO_NODES;
}

void cape_need_page_claim(struct cape_directory_page *page, uint16_t claimed)
{
	page->meeting.claimed = claimed;
}

void cape_need_page_take(struct cape_directory_page *page, cape_node_set nodes)
{
	page->meeting.taken = nodes;
}

void cape_need_page_claiming(struct cape_directory_page *page, bool claiming)
{
	page->meeting.claiming = claiming;
}

void cape_need_page_open(struct cape_directory_page *page)
{
	page->meeting.opening = true;
}

void cape_need_page_common(struct cape_directory_page *page)
{
	page->local.common_due = page->local.unused = page->meeting.opening = false;
	/* Nobody holds it with others, then. */
	if (page->meeting.claimed == CAPE_CLAIMED_JOINTLY)
		page->meeting.claimed = CAPE_CLAIMED_TWICE;
}
