// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * said.c - what the messages of a sync point say of pages, read with care.
 */
#include "message/exchange.h"
#include "need/parts.h"
#include "need/said.h"

const struct cape_need_said *cape_need_said_by(struct cape_runtime *runtime, unsigned node)
{
	const struct cape_message *message = cape_exchange_message(runtime, node);
	const struct cape_need_said *said =
		(const struct cape_need_said *)cape_message_get(message, CAPE_SECTION_NEED);
	uint64_t size = message->size[CAPE_SECTION_NEED], left;
	uint64_t set = runtime->need->sets->words * sizeof(uint64_t);

	if (!size)
		return NULL;
	if (size < sizeof(*said) + set)
		cape_need_malformed(runtime, node);
	left = size - sizeof(*said) - set;
	for (unsigned i = 0; i < CAPE_SAID_LISTS; i++) {
		uint64_t each = sizeof(said->range[0]) + (i == CAPE_SAID_PUSHED) * set;

		if (said->count[i] > left / each)
			cape_need_malformed(runtime, node);
		left -= said->count[i] * each;
	}
	if (left)
		cape_need_malformed(runtime, node);
	return said;
}

static void each_page(struct cape_runtime *runtime, unsigned node, struct cape_range range,
		      cape_need_visit_page visit)
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

static const uint64_t *sets_of(const struct cape_need_said *said)
{
	const void *sets = &said->range[first_of(said, CAPE_SAID_LISTS)];

	return sets;
}

bool cape_need_is_destination(const struct cape_runtime *runtime, const struct cape_need_said *said)
{
	return sets_of(said)[runtime->node / CAPE_NODE_WORD] >> runtime->node % CAPE_NODE_WORD & 1;
}

/* Calls VISIT for every page that NODE has in LIST. */
static void each_of(struct cape_runtime *runtime, unsigned node, enum cape_said_list list,
		    cape_need_visit_page visit)
{
	const struct cape_need_said *said = cape_need_said_by(runtime, node);
	uint64_t first;

	if (!said)
		return;
	first = first_of(said, list);
	for (uint64_t i = first; i < first + said->count[list]; i++)
		each_page(runtime, node, said->range[i], visit);
}

void cape_need_each_said(struct cape_runtime *runtime, enum cape_said_list list,
			 cape_need_visit_page visit)
{
	for (unsigned node = 0; node < runtime->nodes; node++)
		each_of(runtime, node, list, visit);
}

void cape_need_each_pushed(struct cape_runtime *runtime, cape_need_visit_page visit)
{
	struct cape_need *need = runtime->need;

	for (unsigned node = 0; node < runtime->nodes; node++) {
		const struct cape_need_said *said = cape_need_said_by(runtime, node);
		uint64_t count = said ? said->count[CAPE_SAID_PUSHED] : 0;
		uint64_t first = count ? first_of(said, CAPE_SAID_PUSHED) : 0;

		for (uint64_t i = 0; i < count; i++) {
			if (!cape_node_set_take(need->sets,
						sets_of(said) + (1 + i) * need->sets->words,
						&need->pushed_to))
				cape_need_malformed(runtime, node);
			each_page(runtime, node, said->range[first + i], visit);
		}
	}
}
