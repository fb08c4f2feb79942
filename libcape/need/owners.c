// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * owners.c - whose a divided page is to be when it becomes whole: of the node that has written most
 * of it, which then needs least of others, now and after the next loops.  The same on all nodes.
 */
#include "memory/directory.h"
#include "need/divided.h"
#include "need/parts.h"

/* Bytes of ENTRY's that NODE has written. */
static unsigned bytes_of(const struct cape_divided *entry, unsigned node)
{
	unsigned bytes = 0, start = 0;

	for (unsigned i = 0; i < entry->parts; i++) {
		if (entry->part[i].writer == node)
			bytes += entry->part[i].end - start;
		start = entry->part[i].end;
	}
	return bytes;
}

static unsigned owner_of(const struct cape_divided *entry, unsigned owner)
{
	unsigned most = bytes_of(entry, owner);

	for (unsigned i = 0; i < entry->parts && most < CAPE_PAGE / 2; i++) {
		unsigned bytes = bytes_of(entry, entry->part[i].writer);

		if (bytes > most) {
			most = bytes;
			owner = entry->part[i].writer;
		}
	}
	return owner;
}

static void choose(struct cape_runtime *runtime, struct cape_area *area,
		   const struct cape_divided *entry)
{
	struct cape_directory_page *page = cape_directory_page(area, entry->address);
	unsigned owner = owner_of(entry, page->agreed.owner);
	bool open;

	if (owner == page->agreed.owner)
		return;
	open = cape_divided_is_open(runtime, area, entry->address);
	cape_need_page_used(page);
	cape_need_forget_readers(page);
	cape_need_page_clear_common_due(page);
	if (page->agreed.stays && owner == runtime->node)
		cape_need_page_set_common_due(runtime->need, page);
	cape_directory_set(runtime, area, entry->address, cape_node_set_of(owner), owner,
			   CAPE_EVENT_PLAN);
	cape_divided_set_open(runtime, area, entry->address, false, open);
}

int cape_divided_choose_owners(void *context, struct cape_area *area, struct cape_range pages)
{
	struct cape_runtime *runtime = context;

	for (uint64_t at = pages.start; at < pages.end; at += CAPE_PAGE) {
		const struct cape_divided *entry =
			cape_divided_find(runtime, cape_directory_page(area, at), at);

		if (entry)
			choose(runtime, area, entry);
	}
	return 0;
}
