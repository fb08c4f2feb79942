// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * flow.c - where nodes cannot read each other's memory: what a node is to read is sent by those who
 * wrote it, without request, for they know what it reads, and what it has.
 *
 * Who writes a part of a page notes to whom it has sent that, and each node notes what it has: both
 * find the same pieces, in the same order, so that a message is nothing but bytes.
 */
#include <string.h>
#include "memory/directory.h"
#include "message/port.h"
#include "need/divided.h"
#include "need/parts.h"
#include "profile/profile.h"
#include "system/ranges.h"

/* -- parts that a node lacks ------------------------------------------------------------------- */

/* What READER is to get now.  TAKE: of PIECE, in the order of addresses; NODE is the other one. */
struct missing {
	struct cape_runtime *runtime;
	unsigned reader;
	void (*take)(struct cape_runtime *runtime, struct cape_range piece, unsigned node);
};

/* The page's entry where READER may lack what this node wrote, or this one what others did. */
static struct cape_divided *entry_of(const struct missing *missing, struct cape_area *area,
				     uint64_t address)
{
	struct cape_runtime *runtime = missing->runtime;
	const struct cape_directory_page *page = cape_directory_page(area, address);
	struct cape_divided *entry = cape_divided_find(runtime, page, address);
	bool own = missing->reader == runtime->node;

	if (entry)
		return entry;
	if ((!own && page->agreed.owner != runtime->node) ||
	    cape_node_set_has(&runtime->directory->sets, page->agreed.holders, missing->reader))
		return NULL;
	return cape_divided_get(runtime, area, address);
}

static bool is_missing(const struct missing *missing, const struct cape_divided_part *part)
{
	unsigned node = missing->runtime->node;

	return !(part->here & cape_divided_bit(missing->reader)) &&
	       (missing->reader == node) != (part->writer == node);
}

static void look_at_parts(const struct missing *missing, struct cape_divided *entry, uint64_t start,
			  uint64_t end)
{
	struct cape_runtime *runtime = missing->runtime;
	bool own = missing->reader == runtime->node;
	uint64_t from = entry->address, to;

	for (unsigned i = 0; i < entry->parts; i++, from = to) {
		to = entry->address + entry->part[i].end;
		if (from < start || to > end || !is_missing(missing, &entry->part[i]))
			continue;
		missing->take(runtime, (struct cape_range){from, to},
			      own ? entry->part[i].writer : missing->reader);
		cape_divided_add_here(runtime, entry, i, cape_divided_bit(missing->reader));
	}
}

static bool has_missing(const struct missing *missing, const struct cape_divided *entry,
			uint64_t start, uint64_t end)
{
	uint64_t from = entry->address, to;
	bool has = false;

	for (unsigned i = 0; i < entry->parts; i++, from = to) {
		to = entry->address + entry->part[i].end;
		has |= from < end && to > start && is_missing(missing, &entry->part[i]);
	}
	return has;
}

static void look_at_page(const struct missing *missing, struct cape_area *area, uint64_t start,
			 uint64_t end)
{
	struct cape_divided *entry = entry_of(missing, area, start);

	if (!entry || !has_missing(missing, entry, start, end))
		return;
	cape_divided_cut(missing->runtime, entry, start, end);
	look_at_parts(missing, entry, start, end);
	cape_divided_join(entry);
}

static void look_at_range(const struct missing *missing, struct cape_range range)
{
	struct cape_area *area = cape_areas_find(missing->runtime->areas, range.start, 1);
	struct cape_range pages;

	for (uint64_t at = range.start; at < range.end; at = pages.end) {
		pages = cape_directory_next(area, (struct cape_range){at, range.end},
					    CAPE_PAGES_OWNED);
		if (pages.start == UINT64_MAX)
			return;
		for (at = pages.start; at < pages.end; at += CAPE_PAGE)
			look_at_page(missing, area, at < range.start ? range.start : at,
				     at + CAPE_PAGE < range.end ? at + CAPE_PAGE : range.end);
	}
}

static void look_at_reads(const struct missing *missing, const struct cape_ranges *reads)
{
	for (size_t i = 0; i < reads->count; i++)
		look_at_range(missing, reads->range[i]);
}

/* -- what goes --------------------------------------------------------------------------------- */

/* The program can access it. */
static void put_open(struct cape_runtime *runtime, struct cape_range piece)
{
	struct cape_need_flow *flow = &runtime->need->flow;
	unsigned char *out = (unsigned char *)runtime->channel + CAPE_CHANNEL_OUT;
	uint64_t length = piece.end - piece.start;

	if (flow->out + length > CAPE_CHANNEL_LIMIT / 4)
		cape_fail(runtime, 0, "other nodes read more of node %u than CAPE can send",
			  runtime->node);
	memcpy(out + flow->out, (const void *)(uintptr_t)piece.start, length);
	flow->out += length;
}

static void put_piece(struct cape_runtime *runtime, struct cape_range piece, unsigned node)
{
	struct cape_area *area = cape_areas_find(runtime->areas, piece.start, 1);

	if (!cape_divided_is_open(runtime, area, piece.start))
		cape_divided_open(runtime, &piece, 1);
	put_open(runtime, piece);
	cape_divided_note_flow(runtime, node, piece, true);
}

/* Where in the out area nothing lies that is still of use. */
static uint64_t first_free(const struct cape_runtime *runtime)
{
	if (!runtime->need->flow.inside)
		return 0;
	return cape_greatest(cape_message_padded(runtime->channel->out_size),
			     runtime->need->parts_end);
}

/* Whether anything goes to another node. */
static bool put_all(struct cape_runtime *runtime, const struct cape_ranges *reads)
{
	struct cape_need_flow *flow = &runtime->need->flow;
	struct missing missing = {.runtime = runtime, .take = put_piece};

	flow->out = first_free(runtime);
	for (unsigned node = 0; node < runtime->nodes; node++) {
		struct cape_channel_message *push = cape_channel_push(runtime->channel, node);

		push->offset = flow->out;
		missing.reader = node;
		if (node != runtime->node)
			look_at_reads(&missing, &reads[node]);
		push->size = flow->out - push->offset;
		flow->out = cape_message_padded(flow->out);
	}
	return flow->out != first_free(runtime);
}

/* -- what comes -------------------------------------------------------------------------------- */

static void expect(struct cape_runtime *runtime, struct cape_range piece, unsigned node)
{
	struct cape_need_flow *flow = &runtime->need->flow;

	cape_must_grow(runtime, (void **)&flow->piece, &flow->room, flow->pieces + 1,
		       sizeof(*flow->piece));
	flow->piece[flow->pieces++] = (struct cape_need_flow_piece){piece, node};
}

static void expect_piece(struct cape_runtime *runtime, struct cape_range piece, unsigned node)
{
	expect(runtime, piece, node);
	cape_divided_note_flow(runtime, node, piece, false);
}

/* Who sends anything, and whether any does. */
static bool set_expected(struct cape_runtime *runtime)
{
	const struct cape_need_flow *flow = &runtime->need->flow;

	for (unsigned node = 0; node < runtime->nodes; node++)
		cape_channel_pushed(runtime->channel, node)->size = 0;
	for (size_t i = 0; i < flow->pieces; i++)
		cape_channel_pushed(runtime->channel, flow->piece[i].writer)->size = 1;
	return flow->pieces;
}

static bool expect_all(struct cape_runtime *runtime, const struct cape_ranges *reads)
{
	struct cape_need_flow *flow = &runtime->need->flow;
	struct missing missing = {runtime, runtime->node, expect_piece};

	flow->pieces = 0;
	cape_divided_open(runtime, reads->range, reads->count);
	look_at_reads(&missing, reads);
	return set_expected(runtime);
}

static void take_piece(struct cape_runtime *runtime, const struct cape_need_flow_piece *piece)
{
	struct cape_channel_message *from = cape_channel_pushed(runtime->channel, piece->writer);
	const char *in = (const char *)runtime->channel + CAPE_CHANNEL_IN;
	uint64_t length = piece->range.end - piece->range.start;

	if (from->size < length)
		cape_fail(runtime, piece->range.start,
			  "node %u has sent less of @ than node %u is to read: its bounds and "
			  "indices must be the same for all threads; build the program with "
			  "--no-plan",
			  piece->writer, runtime->node);
	memcpy((void *)(uintptr_t)piece->range.start, in + from->offset, length);
	from->offset += length;
	from->size -= length;
	cape_profile_memory(runtime, CAPE_TRAFFIC_FETCHED, piece->range, 1);
}

static void take_all(struct cape_runtime *runtime)
{
	const struct cape_need_flow *flow = &runtime->need->flow;

	for (size_t i = 0; i < flow->pieces; i++)
		take_piece(runtime, &flow->piece[i]);
	for (unsigned node = 0; node < runtime->nodes; node++)
		if (cape_channel_pushed(runtime->channel, node)->size)
			cape_fail(runtime, 0,
				  "node %u has sent more than node %u is to read: the bounds and "
				  "indices of a loop must be the same for all threads; build the "
				  "program with --no-plan",
				  node, runtime->node);
}

/* What is put goes, and what is expected comes.  Of a step one flow is noted. */
static void push(struct cape_runtime *runtime)
{
	struct cape_divided_recording *recording = &runtime->need->divided.recording;

	recording->other |= recording->flows;
	recording->flows = true;
	if (!runtime->need->flow.inside)
		runtime->channel->in_used = 0;
	cape_port(runtime)->push(runtime);
	take_all(runtime);
}

void cape_divided_flow(struct cape_runtime *runtime, const struct cape_ranges *reads)
{
	enum cape_phase phase = cape_profile_phase(runtime, CAPE_PHASE_FETCH);
	bool any = put_all(runtime, reads);

	any |= expect_all(runtime, &reads[runtime->node]);
	if (any)
		push(runtime);
	cape_profile_phase(runtime, phase);
}

void cape_divided_flow_again(struct cape_runtime *runtime,
			     const struct cape_divided_transfer *transfer, size_t sent,
			     size_t count)
{
	struct cape_need_flow *flow = &runtime->need->flow;
	enum cape_phase phase;
	size_t at = 0;

	if (!count)
		return;
	phase = cape_profile_phase(runtime, CAPE_PHASE_FETCH);
	flow->out = first_free(runtime);
	for (unsigned node = 0; node < runtime->nodes; node++) {
		struct cape_channel_message *part = cape_channel_push(runtime->channel, node);

		part->offset = flow->out;
		for (; at < sent && transfer[at].node == node; at++)
			put_open(runtime, transfer[at].range);
		part->size = flow->out - part->offset;
		flow->out = cape_message_padded(flow->out);
	}
	flow->pieces = 0;
	for (; at < count; at++)
		expect(runtime, transfer[at].range, (unsigned)transfer[at].node);
	set_expected(runtime);
	push(runtime);
	cape_profile_phase(runtime, phase);
}

/* -- lists that are the same for all, or come from the directory ------------------------------- */

/* Empty lists, by node. */
static struct cape_ranges *empty_lists(struct cape_runtime *runtime)
{
	struct cape_need_flow *flow = &runtime->need->flow;

	if (!flow->list)
		flow->list = cape_must_reserve(runtime, runtime->nodes * sizeof(*flow->list));
	for (unsigned node = 0; node < runtime->nodes; node++)
		flow->list[node].count = 0;
	return flow->list;
}

void cape_divided_flow_to_all(struct cape_runtime *runtime, const struct cape_range *range,
			      size_t count)
{
	struct cape_ranges *list = empty_lists(runtime);

	for (unsigned node = 0; node < runtime->nodes; node++) {
		cape_must_grow(runtime, (void **)&list[node].range, &list[node].room, count,
			       sizeof(*range));
		memcpy(list[node].range, range, count * sizeof(*range));
		list[node].count = count;
	}
	cape_divided_flow(runtime, list);
}

static int list_divided(void *context, struct cape_area *area, struct cape_range pages)
{
	struct cape_runtime *runtime = context;

	for (uint64_t at = pages.start; at < pages.end; at += CAPE_PAGE) {
		const struct cape_directory_page *page = cape_directory_page(area, at);

		if (page->local.divided)
			cape_ranges_add(runtime, &runtime->need->flow.list[page->agreed.owner],
					(struct cape_range){at, at + CAPE_PAGE});
	}
	return 0;
}

void cape_divided_flow_home(struct cape_runtime *runtime)
{
	const struct cape_ranges *list = empty_lists(runtime);

	cape_directory_each(runtime, CAPE_PAGES_OWNED, list_divided, runtime);
	cape_divided_flow(runtime, list);
}

void cape_divided_flow_home_of(struct cape_runtime *runtime, struct cape_area *area,
			       struct cape_range pages)
{
	const struct cape_ranges *list = empty_lists(runtime);

	list_divided(runtime, area, pages);
	cape_divided_flow(runtime, list);
}
