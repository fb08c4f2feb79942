// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * sort.c - what becomes of the pages that this node changed: sent to all, claimed, pushed to those
 * who hold them, or, if another node owns them, byte by byte; and what is said of them.
 */
#include <string.h>
#include "checkpoint/exact.h"
#include "message/exchange.h"
#include "message/port.h"
#include "need/parts.h"
#include "need/said.h"

#define DENSE_BYTES	1024u /* changed in a page that is worth a claim */
#define DENSE_IN_STRESS 256u

/* -- pages ---------------------------------------------------------------------------------- */

/* PAGE is not common, and this node's. */
static enum cape_need_fate fate_of_own(const struct cape_runtime *runtime,
				       struct cape_directory_page *page, bool dense)
{
	if (page->local.common_due)
		return CAPE_FATE_PUBLISHED;
	if (dense && cape_need_is_read_elsewhere(runtime->need, page))
		return CAPE_FATE_CLAIMED;
	if (page->agreed.holders == runtime->need->sets->all)
		return CAPE_FATE_OPENED;
	return cape_need_is_doubted(runtime->need, page, dense) ? CAPE_FATE_CLAIMED
								: CAPE_FATE_PUSHED;
}

/* PAGE is another's. */
static enum cape_need_fate fate_of_other(const struct cape_runtime *runtime,
					 const struct cape_directory_page *page)
{
	return page->agreed.holders == runtime->need->sets->all ? CAPE_FATE_NONOWNER
								: CAPE_FATE_JOINED;
}

/*
 * PAGE is another's.  Who got it last, and writes to it before anybody else does, takes it over if
 * it writes much.
 */
static enum cape_need_fate fate_of_taken(const struct cape_runtime *runtime,
					 struct cape_directory_page *page, bool dense)
{
	bool latest = page->learned.latest;

	cape_need_learn_changed(page);
	return dense && latest ? CAPE_FATE_CLAIMED : fate_of_other(runtime, page);
}

static enum cape_need_fate fate_of(const struct cape_runtime *runtime,
				   struct cape_directory_page *page, bool dense)
{
	if (!page)
		return CAPE_FATE_SENT;
	if (page->agreed.holders)
		return page->agreed.owner == runtime->node ? fate_of_own(runtime, page, dense)
							   : fate_of_taken(runtime, page, dense);
	if (page->local.claims_forbidden)
		return CAPE_FATE_STAYS;
	if (!dense || page->agreed.stays)
		return CAPE_FATE_SENT;
	if (cape_need_is_read_elsewhere(runtime->need, page) ||
	    cape_need_is_doubted(runtime->need, page, true))
		return CAPE_FATE_CLAIMED;
	return CAPE_FATE_SENT;
}

static enum cape_need_fate without_claim(const struct cape_runtime *runtime,
					 const struct cape_directory_page *page)
{
	if (!page->agreed.holders)
		return CAPE_FATE_SENT;
	return page->agreed.owner == runtime->node ? CAPE_FATE_PUSHED
						   : fate_of_other(runtime, page);
}

/* The bytes of each page that was changed. */
static void list_pages(struct cape_need *need)
{
	need->pages = 0;
	for (size_t i = 0; i < need->changed.runs.count; i++) {
		const struct cape_run *run = &need->changed.runs.run[i];
		uint64_t end = run->address + run->length;

		for (uint64_t at = run->address, next; at < end; at = next) {
			struct cape_need_page *last =
				need->pages ? &need->page[need->pages - 1] : NULL;

			next = cape_page_end(at, end);
			if (!last || last->address != cape_page_floor(at)) {
				last = &need->page[need->pages++];
				*last = (struct cape_need_page){.address = cape_page_floor(at)};
			}
			last->bytes += (uint32_t)(next - at);
		}
	}
}

/* How many more stretches of pages this node may claim, and where the last one ends. */
struct stretches {
	uint64_t left;
	uint64_t end;
};

static struct stretches stretches_left(const struct cape_runtime *runtime)
{
	uint64_t borders = runtime->directory->borders;

	return (struct stretches){.left = borders < CAPE_NEED_BORDERS
						  ? (CAPE_NEED_BORDERS - borders) /
							    (2 * runtime->nodes)
						  : 0};
}

static bool is_too_much(struct stretches *stretches, uint64_t page)
{
	if (page != stretches->end) {
		if (!stretches->left)
			return true;
		stretches->left--;
	}
	stretches->end = page + CAPE_PAGE;
	return false;
}

static void decide(struct cape_runtime *runtime)
{
	bool stress = runtime->channel->flags & CAPE_CHANNEL_STRESS;
	uint32_t dense = stress ? DENSE_IN_STRESS : DENSE_BYTES;
	struct cape_need *need = runtime->need;
	struct stretches stretches = stretches_left(runtime);
	struct cape_area *area = NULL;

	for (size_t i = 0; i < need->pages; i++) {
		struct cape_need_page *page = &need->page[i];
		struct cape_directory_page *entry;

		if (!area || page->address < area->start || page->address >= area->end)
			area = cape_areas_find(runtime->areas, page->address, 1);
		entry = area ? cape_directory_page(area, page->address) : NULL;
		page->fate = fate_of(runtime, entry, page->bytes >= dense);
		if (entry && page->fate == CAPE_FATE_CLAIMED &&
		    is_too_much(&stretches, page->address))
			page->fate = without_claim(runtime, entry);
	}
}

/* Of a divided page others have parts that are not here: it has to be whole first. */
static int list_common_due(void *context, struct cape_area *area, struct cape_range pages)
{
	struct cape_need *need = context;

	for (uint64_t at = pages.start; at < pages.end; at += CAPE_PAGE) {
		const struct cape_directory_page *page = cape_directory_page(area, at);

		if (page->local.common_due && page->local.divided)
			need->common_due = true;
		else if (page->local.common_due)
			cape_need_list_add(&need->published,
					   (struct cape_range){at, at + CAPE_PAGE});
	}
	return 0;
}

/* Pages of this node's that others wrote to, too, become common. */
static void list_published(struct cape_runtime *runtime)
{
	struct cape_need *need = runtime->need;

	if (!need->common_due)
		return;
	need->common_due = false;
	cape_directory_each(runtime, CAPE_PAGES_HELD, list_common_due, need);
}

/* -- pieces --------------------------------------------------------------------------------- */

/* Where published pages go in the list of what is sent to all. */
struct place {
	struct cape_runtime *runtime;
	struct cape_runs *sent;
	size_t published; /* of the list, those that are in it */
};

static void send_to_all(const struct place *place, uint64_t address, uint64_t length)
{
	cape_need_runs_add(place->runtime, place->sent, address, length);
}

/* Those before ADDRESS are sent whole. */
static void send_published(struct place *place, uint64_t address)
{
	const struct cape_need_list *list = &place->runtime->need->published;

	for (; place->published < list->count && list->range[place->published].start <= address;
	     place->published++)
		send_to_all(place, list->range[place->published].start,
			    list->range[place->published].end -
				    list->range[place->published].start);
}

/* Of a page there may be several pieces. */
static void list_once(struct cape_need_list *list, uint64_t page)
{
	if (!list->count || list->range[list->count - 1].end <= page)
		cape_need_list_add(list, (struct cape_range){page, page + CAPE_PAGE});
}

/* EXACT: this node is one of them, for its own merge, too. */
static void push_to_holders(struct cape_runtime *runtime, uint64_t address, uint64_t length,
			    bool exact)
{
	const struct cape_area *area = cape_areas_find(runtime->areas, address, 1);
	cape_node_set to = cape_directory_page(area, address)->agreed.holders;

	if (!exact)
		to = cape_node_set_minus(runtime->need->sets, to, runtime->directory->self);
	cape_need_piece_add(runtime->need,
			    (struct cape_need_piece){address, length, to, exact, false});
}

static void claim(struct cape_runtime *runtime, uint64_t address)
{
	const struct cape_area *area = cape_areas_find(runtime->areas, address, 1);

	cape_need_page_claiming(cape_directory_page(area, address), true);
	list_once(&runtime->need->claims, address);
}

static void place_piece(void *context, const struct cape_need_page *page, uint64_t address,
			uint64_t length)
{
	struct place *place = context;
	struct cape_runtime *runtime = place->runtime;
	struct cape_need *need = runtime->need;

	send_published(place, address);
	switch (page->fate) {
	case CAPE_FATE_STAYS:
	case CAPE_FATE_OPENED:
		list_once(&need->opened, page->address);
		send_to_all(place, address, length);
		break;
	case CAPE_FATE_SENT:
		send_to_all(place, address, length);
		break;
	case CAPE_FATE_JOINED:
		list_once(&need->written, page->address);
		need->joined = true;
		if (need->early)
			push_to_holders(runtime, address, length, true);
		break;
	case CAPE_FATE_NONOWNER:
		cape_need_runs_add(runtime, &need->nonowner.runs, address, length);
		break;
	case CAPE_FATE_PUSHED:
		list_once(&need->written, page->address);
		push_to_holders(runtime, address, length, false);
		break;
	case CAPE_FATE_CLAIMED:
		claim(runtime, page->address);
		break;
	case CAPE_FATE_PUBLISHED:
		break;
	}
}

void cape_need_each_changed(struct cape_need *need, cape_need_visit visit, void *context)
{
	const struct cape_need_page *page = need->page;

	for (size_t i = 0; i < need->changed.runs.count; i++) {
		const struct cape_run *run = &need->changed.runs.run[i];
		uint64_t end = run->address + run->length;

		for (uint64_t at = run->address, next; at < end; at = next) {
			next = cape_page_end(at, end);
			while (page->address != cape_page_floor(at))
				page++;
			visit(context, page, at, next - at);
		}
	}
}

static void place_pieces(struct cape_runtime *runtime, struct cape_runs *sent)
{
	struct place place = {runtime, sent, 0};

	cape_need_each_changed(runtime->need, place_piece, &place);
	send_published(&place, UINT64_MAX);
}

static void forget_claims(struct cape_runtime *runtime)
{
	const struct cape_need_list *claims = &runtime->need->claims;

	for (size_t i = 0; i < claims->count; i++) {
		uint64_t at = claims->range[i].start;
		const struct cape_area *area = cape_areas_find(runtime->areas, at, 1);

		for (; at < claims->range[i].end; at += CAPE_PAGE)
			cape_need_page_claiming(cape_directory_page(area, at), false);
	}
}

/* This sync point says nothing of pages yet. */
static void clear(struct cape_runtime *runtime)
{
	struct cape_need *need = runtime->need;

	forget_claims(runtime);
	need->claims.count = need->published.count = need->opened.count = need->pieces = 0;
	need->written.count = need->pushed.count = 0;
	need->joined = false;
}

void cape_need_sort(struct cape_runtime *runtime, struct cape_runs *runs,
		    const struct cape_place *place)
{
	struct cape_need *need = runtime->need;

	clear(runtime);
	cape_need_come_to(need, place);
	/* All nodes do or do not: on one machine monitors have no part in most exchanges. */
	need->early =
		cape_port(runtime)->by_monitors || (runtime->channel->flags & CAPE_CHANNEL_STRESS);
	cape_need_runs_clear(runtime, &need->changed);
	cape_need_runs_clear(runtime, &need->nonowner);
	if (runs->count || need->common_due) {
		for (size_t i = 0; i < runs->count; i++)
			cape_need_runs_add(runtime, &need->changed.runs, runs->run[i].address,
					   runs->run[i].length);
		cape_runs_clear(runs);
		list_pages(need);
		cape_need_mislearn(runtime);
		decide(runtime);
		list_published(runtime);
		place_pieces(runtime, runs);
	}
	cape_need_push_pages(runtime);
	cape_need_sort_pieces(need);
}

/* What goes to all. */
struct sending {
	struct cape_runtime *runtime;
	struct cape_runs *runs;
	cape_page_test *is_alone;
};

static void send_or_claim(void *context, const struct cape_need_page *page, uint64_t address,
			  uint64_t length)
{
	const struct sending *sending = context;
	struct cape_runtime *runtime = sending->runtime;

	if (page->fate == CAPE_FATE_CLAIMED && sending->is_alone &&
	    sending->is_alone(runtime, page->address))
		claim(runtime, page->address);
	else
		cape_need_runs_add(runtime, sending->runs, address, length);
}

void cape_need_send_all(struct cape_runtime *runtime, struct cape_runs *runs,
			cape_page_test *is_alone)
{
	struct cape_need *need = runtime->need;
	struct sending sending = {runtime, runs, is_alone};

	need->common_due |= need->published.count > 0;
	clear(runtime);
	cape_need_runs_clear(runtime, &need->nonowner);
	cape_runs_clear(runs);
	cape_need_each_changed(need, send_or_claim, &sending);
}

/* -- sections ------------------------------------------------------------------------------- */

uint64_t cape_need_exact_bound(const struct cape_runs *runs)
{
	uint64_t bound = 0;

	for (size_t i = 0; i < runs->count; i++)
		bound += cape_exact_bound(runs->run[i].length) +
			 (runs->run[i].length / CAPE_PAGE + 2) * cape_exact_bound(0);
	return bound;
}

/* Page by page: of some pages the receiver has none. */
unsigned char *cape_need_put_exact(struct cape_runtime *runtime, const struct cape_runs *runs,
				   unsigned char *out)
{
	uint64_t end = 0;

	for (size_t i = 0; i < runs->count; i++) {
		uint64_t at = runs->run[i].address, stop = at + runs->run[i].length;

		for (uint64_t next; at < stop; at = next) {
			struct cape_area *area = cape_areas_find(runtime->areas, at, 1);
			struct cape_run run = {at, 0};

			next = cape_page_end(at, stop);
			run.length = next - at;
			out = cape_exact_put(out, &end, &run, (const void *)(uintptr_t)at,
					     cape_area_twin(area, at, next - at));
		}
	}
	return out;
}

void cape_need_put_nonowner(struct cape_runtime *runtime, struct cape_message_writer *writer)
{
	const struct cape_runs *runs = &runtime->need->nonowner.runs;
	unsigned char *start = writer->start + writer->used, *out;

	if (!runs->count)
		return;
	cape_exchange_section(runtime, writer, CAPE_SECTION_EXACT, cape_need_exact_bound(runs));
	out = cape_need_put_exact(runtime, runs, start);
	writer->used = (uint64_t)(start - writer->start);
	cape_exchange_section(runtime, writer, CAPE_SECTION_EXACT, (uint64_t)(out - start));
}

/* Writes TO after the ranges: to whom pieces go, and to whom pages are pushed. */
static void put_sets(const struct cape_need *need, uint64_t *to)
{
	size_t size = need->sets->words * sizeof(*to);
	struct cape_node_bits all;

	cape_need_destinations(need, &all);
	memcpy(to, all.word, size);
	for (size_t i = 0; i < need->pushed.count; i++) {
		to += need->sets->words;
		memcpy(to, cape_node_set_words(need->sets, need->readers[i]), size);
	}
}

static struct cape_range *put_list(struct cape_range *to, const struct cape_need_list *list)
{
	memcpy(to, list->range, list->count * sizeof(*to));
	return to + list->count;
}

void cape_need_put(struct cape_runtime *runtime, struct cape_message_writer *writer)
{
	const struct cape_need *need = runtime->need;
	size_t ranges = need->claims.count + need->fetched.count + need->published.count +
			need->opened.count + need->written.count + need->unread.count +
			need->pushed.count;
	size_t sets = (1 + need->pushed.count) * need->sets->words * sizeof(uint64_t);
	struct cape_need_said *said;
	struct cape_range *to;

	if (!ranges && !need->pieces && !need->threads)
		return;
	said = cape_exchange_section(runtime, writer, CAPE_SECTION_NEED,
				     sizeof(*said) + ranges * sizeof(*to) + sets);
	*said = (struct cape_need_said){
		.threads = need->threads,
		.count = {need->claims.count, need->fetched.count,
			  need->published.count + need->opened.count, need->written.count,
			  need->unread.count, need->pushed.count},
	};
	to = put_list(said->range, &need->claims);
	to = put_list(to, &need->fetched);
	to = put_list(to, &need->published);
	to = put_list(to, &need->opened);
	to = put_list(to, &need->written);
	to = put_list(to, &need->unread);
	to = put_list(to, &need->pushed);
	put_sets(need, (uint64_t *)to);
}
