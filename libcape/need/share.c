// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * share.c - sequential code, which runs alike on all nodes, comes to a page that is not common: all
 * nodes come to it, its owner too, and it becomes common before any of them goes on.
 */
#include <string.h>
#include "message/exchange.h"
#include "need/divided.h"
#include "need/parts.h"
#include "profile/profile.h"

#define WINDOW_FIRST 16u /* pages */
#define WINDOW_MOST  1024u

/* Bytes of those of PAGES that NODE owns. */
static uint64_t size_of(const struct cape_area *area, struct cape_range pages, unsigned node)
{
	uint64_t size = 0;

	for (uint64_t at = pages.start; at < pages.end; at += CAPE_PAGE)
		if (cape_directory_page(area, at)->agreed.owner == node)
			size += CAPE_PAGE;
	return size;
}

/* This node's pages of PAGES, in their order, after where these begin. */
static void send_own(struct cape_runtime *runtime, struct cape_area *area, struct cape_range pages)
{
	static const struct cape_place place = {"sequential code that reaches what a node has", 0};
	struct cape_message_writer writer;
	uint64_t size = sizeof(pages.start) + size_of(area, pages, runtime->node);
	unsigned char *to;

	to = cape_exchange_open(runtime, &writer, CAPE_SYNC_SHARE, size, &place);
	memcpy(to, &pages.start, sizeof(pages.start));
	to += sizeof(pages.start);
	for (uint64_t at = pages.start; at < pages.end; at += CAPE_PAGE) {
		if (cape_directory_page(area, at)->agreed.owner != runtime->node)
			continue;
		memcpy(to, (const void *)(uintptr_t)at, CAPE_PAGE);
		to += CAPE_PAGE;
		cape_profile_memory(runtime, CAPE_TRAFFIC_SHARED,
				    (struct cape_range){at, at + CAPE_PAGE}, runtime->nodes - 1);
	}
	cape_exchange_close(runtime, &writer);
	cape_profile_sent(runtime, writer.used, runtime->nodes - 1);
}

/* What NODE sent, all of SIZE bytes of pages. */
static const unsigned char *sent_by(struct cape_runtime *runtime, unsigned node, uint64_t start,
				    uint64_t size)
{
	const struct cape_message *message = cape_exchange_message(runtime, node);
	const unsigned char *bytes = cape_message_get(message, CAPE_SECTION_FREE);
	uint64_t theirs = 0;

	if (message->size[CAPE_SECTION_FREE] >= sizeof(theirs))
		memcpy(&theirs, bytes, sizeof(theirs));
	if (theirs != start || message->size[CAPE_SECTION_FREE] != sizeof(theirs) + size)
		cape_fail(runtime, start,
			  "sequential code ran differently: node %u does not reach @ where node %u "
			  "does",
			  node, runtime->node);
	return bytes + sizeof(theirs);
}

/* Those of PAGES that are here, and so are what they are, can be used. */
static void open_held(struct cape_runtime *runtime, const struct cape_area *area,
		      struct cape_range pages)
{
	for (uint64_t at = pages.start, end; at < pages.end; at = end) {
		end = at + CAPE_PAGE;
		if (!cape_directory_is_here(runtime, area, at))
			continue;
		while (end < pages.end && cape_directory_is_here(runtime, area, end))
			end += CAPE_PAGE;
		cape_need_protect(runtime, (struct cape_range){at, end}, false);
	}
}

/* NODE's pages, those that are not here. */
static void take_from(struct cape_runtime *runtime, const struct cape_area *area,
		      struct cape_range pages, unsigned node)
{
	const unsigned char *from = sent_by(runtime, node, pages.start, size_of(area, pages, node));

	for (uint64_t at = pages.start, end; at < pages.end; at = end) {
		end = at + CAPE_PAGE;
		if (cape_directory_page(area, at)->agreed.owner != node)
			continue;
		if (!cape_directory_is_here(runtime, area, at)) {
			while (end < pages.end && !cape_directory_is_here(runtime, area, end) &&
			       cape_directory_page(area, end)->agreed.owner == node)
				end += CAPE_PAGE;
			cape_need_fill(runtime, (struct cape_range){at, end}, from);
		}
		from += end - at;
	}
}

static void share(struct cape_runtime *runtime, struct cape_area *area, struct cape_range pages)
{
	open_held(runtime, area, pages);
	send_own(runtime, area, pages);
	for (unsigned node = 0; node < runtime->nodes; node++)
		take_from(runtime, area, pages, node);
	for (uint64_t at = pages.start; at < pages.end; at += CAPE_PAGE) {
		cape_need_page_clear_common_due(cape_directory_page(area, at));
		cape_directory_set(runtime, area, at, CAPE_NO_NODES, 0, CAPE_EVENT_SHARE);
	}
	cape_area_settled(area, pages.start, pages.end - pages.start, false);
}

void cape_need_share(struct cape_runtime *runtime, struct cape_area *area, uint64_t address)
{
	struct cape_need *need = runtime->need;
	struct cape_range pages = {.start = cape_page_floor(address)};

	need->share_window = need->share_expected != pages.start    ? WINDOW_FIRST
			     : need->share_window < WINDOW_MOST / 2 ? 2 * need->share_window
								    : WINDOW_MOST;
	if (runtime->channel->flags & CAPE_CHANNEL_STRESS)
		need->share_window = 1;
	pages.end = pages.start + need->share_window * CAPE_PAGE;
	if (pages.end > cape_page_ceiling(area->end))
		pages.end = cape_page_ceiling(area->end);
	pages = cape_directory_next(area, pages, CAPE_PAGES_OWNED);
	need->share_expected = pages.end;
	cape_divided_settle_pages(runtime, area, pages);
	share(runtime, area, pages);
}

void cape_need_share_all(struct cape_runtime *runtime)
{
	cape_divided_settle(runtime);
	for (size_t i = 0; i < runtime->areas->count && runtime->directory->count; i++) {
		struct cape_area *area = &runtime->areas->area[i];
		struct cape_range pages, left = {area->start, area->end};

		while ((pages = cape_directory_next(area, left, CAPE_PAGES_OWNED)).start !=
		       UINT64_MAX) {
			if (pages.end - pages.start > WINDOW_MOST * CAPE_PAGE)
				pages.end = pages.start + WINDOW_MOST * CAPE_PAGE;
			share(runtime, area, pages);
			left.start = pages.end;
		}
	}
}
