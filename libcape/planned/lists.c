// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * lists.c - what a loop reads by way of lists in memory, as p[column[k]], where all nodes have to
 * know it: each node goes through its own iterations once, and tells what it found.
 *
 * That holds as long as the lists do.  Words in which they are looked up are noted (listed.c), and
 * all nodes know them, too: no known loop may have written any (tables.c).  After anything unknown
 * each node looks whether its own words hold what they did, and goes through its iterations again
 * if not.
 */
#include <string.h>
#include "memory/area.h"
#include "memory/directory.h"
#include "message/exchange.h"
#include "need/divided.h"
#include "openmp/constructs.h"
#include "planned/planned.h"
#include "system/number.h"

#define LOOKS	     4u		 /* with --verify: in each so manieth version */
#define WHOLE_MOST   (64u << 10) /* bytes that come as a whole rather */
#define RENEWED_MOST 3u		 /* times in a row that lists were others */

/* What a node tells: numbers, then the stretches of words, then those of what is read. */
enum answer { ANSWER_NONE, ANSWER_SAME, ANSWER_NEW };
struct sent {
	uint64_t answer, words, reads;
};

/* -- what is sent ------------------------------------------------------------------------------ */

/* What this node tells: the words, and then what it reads. */
static struct cape_intervals *words_of(const struct cape_runtime *runtime)
{
	return runtime->planned->scratch;
}

static void forget_sent(const struct cape_runtime *runtime)
{
	cape_intervals_empty(&words_of(runtime)[0]);
	cape_intervals_empty(&words_of(runtime)[1]);
}

static void tell(struct cape_runtime *runtime, enum answer answer)
{
	const struct cape_intervals *words = words_of(runtime), *reads = words + 1;
	const struct sent sent = {answer, words->count, reads->count};
	struct cape_message_writer writer;
	struct sent *header = cape_exchange_open(runtime, &writer, CAPE_SYNC_CHECK,
						 sizeof(sent) + (sent.words + sent.reads) *
									sizeof(struct cape_range),
						 runtime->planned->construct->place);
	struct cape_range *range = (void *)(header + 1);

	*header = sent;
	for (size_t i = 0; i < sent.words; i++)
		*range++ = (struct cape_range){words->list[i].start, words->list[i].end};
	for (size_t i = 0; i < sent.reads; i++)
		*range++ = (struct cape_range){reads->list[i].start, reads->list[i].end};
	cape_exchange_close(runtime, &writer);
}

/* -- what is known ----------------------------------------------------------------------------- */

static bool are_in_order(const struct cape_range *range, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		if (range[i].start >= range[i].end || (i && range[i].start < range[i - 1].end))
			return false;
	return true;
}

/* What NODE sent. */
static const struct sent *sent_by(struct cape_runtime *runtime, unsigned node)
{
	const struct cape_message *message = cape_exchange_message(runtime, node);
	const struct sent *sent = (const void *)cape_message_get(message, CAPE_SECTION_FREE);
	uint64_t size = message->size[CAPE_SECTION_FREE];
	const struct cape_range *range = (const void *)(sent + 1);

	if (size < sizeof(*sent) || sent->answer > ANSWER_NEW ||
	    sent->words > CAPE_PLAN_LIST_SENT || sent->reads > CAPE_PLAN_LIST_SENT ||
	    size != sizeof(*sent) + (sent->words + sent->reads) * sizeof(*range) ||
	    !are_in_order(range, sent->words) || !are_in_order(range + sent->words, sent->reads))
		cape_fail(runtime, 0, "node %u has sent what is no list of memory", node);
	return sent;
}

static void take_ranges(struct cape_runtime *runtime, struct cape_ranges *list,
			const struct cape_range *range, uint64_t count)
{
	cape_must_grow(runtime, (void **)&list->range, &list->room, count, sizeof(*range));
	memcpy(list->range, range, count * sizeof(*range));
	list->count = count;
}

/* All have sent.  False: some cannot say what they read. */
static bool take(struct cape_runtime *runtime, struct cape_plan_lists *lists)
{
	bool all = true, same = true;

	for (unsigned node = 0; node < runtime->nodes; node++) {
		const struct sent *sent = sent_by(runtime, node);
		const struct cape_range *range = (const void *)(sent + 1);

		all &= sent->answer != ANSWER_NONE;
		same &= sent->answer == ANSWER_SAME;
		if (sent->answer != ANSWER_NEW)
			continue;
		take_ranges(runtime, &lists->words[node], range, sent->words);
		take_ranges(runtime, &lists->read[node], range + sent->words, sent->reads);
	}
	lists->renewed = same ? 0 : lists->renewed + 1;
	return all && lists->renewed <= RENEWED_MOST;
}

static bool is_exchanged(struct cape_runtime *runtime, uint64_t address)
{
	const struct cape_area *area = cape_areas_find(runtime->areas, address, 1);

	return area && area->directory;
}

/* Whether each stretch of SET is of one area, or of none that nodes exchange. */
static bool are_in_areas(struct cape_runtime *runtime, const struct cape_intervals *set)
{
	bool all = true;

	for (size_t i = 0; i < set->count && all; i++) {
		uint64_t start = set->list[i].start, end = set->list[i].end;

		all = is_exchanged(runtime, start)
			      ? cape_areas_find(runtime->areas, start, end - start) != NULL
			      : !is_exchanged(runtime, end - 1);
	}
	return all;
}

/* Whether WORDS hold what they did then, as a number, which may have been nothing. */
static bool hold_still(struct cape_runtime *runtime, const struct cape_ranges *words, uint64_t held)
{
	return held && cape_plan_rows_hold(runtime, words) == held;
}

/* Words of which no sync point says anything, as those on the stack: all nodes have the same. */
static void find_apart(struct cape_runtime *runtime, struct cape_plan_lists *lists)
{
	lists->apart.count = 0;
	for (unsigned node = 0; node < runtime->nodes; node++)
		for (size_t i = 0; i < lists->words[node].count; i++)
			if (!is_exchanged(runtime, lists->words[node].range[i].start))
				cape_ranges_add(runtime, &lists->apart,
						lists->words[node].range[i]);
	lists->apart_holds = cape_plan_rows_hold(runtime, &lists->apart);
}

static void know(struct cape_runtime *runtime, struct cape_plan_lists *lists)
{
	lists->number = 1;
	for (unsigned node = 0; node < runtime->nodes; node++) {
		cape_plan_tables_watch(runtime, &lists->words[node]);
		lists->number = cape_plan_number(&lists->words[node], lists->number);
		lists->number = cape_plan_number(&lists->read[node], lists->number);
	}
	find_apart(runtime, lists);
	lists->age = runtime->planned->tables.age;
}

static bool stand_still(struct cape_runtime *runtime, const struct cape_plan_lists *lists)
{
	return cape_plan_tables_are(runtime, lists->age) &&
	       hold_still(runtime, &lists->apart, lists->apart_holds);
}

/* With --verify: whether words are looked at although nobody has written them. */
static bool is_looked_at(const struct cape_runtime *runtime)
{
	return runtime->channel->flags & CAPE_CHANNEL_VERIFY &&
	       cape_number_mix(1, runtime->channel->fetch.version) % LOOKS == 0;
}

bool cape_plan_lists_serve(struct cape_runtime *runtime, const struct cape_plan_lists *lists,
			   uint64_t number)
{
	return lists->number == number && stand_still(runtime, lists) && !is_looked_at(runtime);
}

/* Where those of the loop that is described are, or are to be. */
static struct cape_plan_lists *lists_of(struct cape_runtime *runtime)
{
	struct cape_plan_listing *listing = &runtime->planned->listing;
	const struct cape_plan_key *asked = &runtime->planned->asked;
	struct cape_plan_lists *lists;

	for (unsigned i = 0; i < CAPE_PLAN_LISTS; i++) {
		lists = &listing->known[i];
		if (lists->count == asked->count &&
		    !memcmp(lists->key, asked->word, asked->count * sizeof(*asked->word)))
			return lists;
	}
	lists = &listing->known[listing->next++ % CAPE_PLAN_LISTS];
	if (!lists->read) {
		lists->read = cape_plan_lists_by_node(runtime);
		lists->words = cape_plan_lists_by_node(runtime);
	}
	lists->count = asked->count;
	memcpy(lists->key, asked->word, asked->count * sizeof(*asked->word));
	lists->number = 0;
	lists->renewed = 0;
	lists->met = false;
	return lists;
}

/* Whether this node has START .. END - 1, of one page, and may read it. */
static bool is_page_here(struct cape_runtime *runtime, const struct cape_area *area, uint64_t start,
			 uint64_t end)
{
	const struct cape_directory_page *page = cape_directory_page(area, start);
	const struct cape_divided *entry = cape_divided_find(runtime, page, start);
	uint64_t from = cape_page_floor(start), to;
	bool here = true;

	if (!page->agreed.holders)
		return true;
	if (!cape_divided_is_open(runtime, area, start))
		return false;
	if (!entry)
		return cape_node_set_has(&runtime->directory->sets, page->agreed.holders,
					 runtime->node);
	for (unsigned i = 0; i < entry->parts; i++, from = to) {
		to = entry->address + entry->part[i].end;
		here &= to <= start || from >= end ||
			entry->part[i].here & cape_divided_bit(runtime->node);
	}
	return here;
}

static bool are_here(struct cape_runtime *runtime, const struct cape_ranges *words)
{
	bool here = true;

	for (size_t i = 0; i < words->count && here; i++) {
		struct cape_range range = words->range[i];
		const struct cape_area *area = cape_areas_find(runtime->areas, range.start, 1);

		for (uint64_t at = range.start, next; at < range.end && here; at = next) {
			next = cape_page_end(at, range.end);
			here = !area || !area->directory || is_page_here(runtime, area, at, next);
		}
	}
	return here;
}

/* Whether all nodes have their words here, and these hold what they did. */
static bool are_all_same(struct cape_runtime *runtime, const struct cape_plan_lists *lists)
{
	const struct cape_ranges *words = &lists->words[runtime->node];
	bool same = are_here(runtime, words) && hold_still(runtime, words, lists->holds);

	tell(runtime, same ? ANSWER_SAME : ANSWER_NONE);
	for (unsigned node = 0; node < runtime->nodes; node++)
		same &= sent_by(runtime, node)->answer == ANSWER_SAME;
	return same;
}

/* What all nodes read becomes a part of what is described. */
static void describe(struct cape_runtime *runtime, struct cape_plan_lists *lists)
{
	struct cape_planned *planned = runtime->planned;

	planned->listing.of = lists;
	planned->writes = cape_number_mix(planned->writes, lists->number);
	for (planned->node = 0; planned->node < runtime->nodes; planned->node++)
		for (size_t i = 0; i < lists->read[planned->node].count; i++) {
			struct cape_range range = lists->read[planned->node].range[i];

			cape_plan_box(CAPE_SET_READ, range.start, range.end - range.start, 0, 0, 0);
		}
}

/* All come to know what all tell, or that some cannot. */
static void meet(struct cape_runtime *runtime, struct cape_plan_lists *lists, enum answer answer)
{
	struct cape_planned *planned = runtime->planned;
	bool all;

	tell(runtime, answer);
	all = take(runtime, lists);
	if (all && answer == ANSWER_NEW)
		lists->holds = cape_plan_rows_hold(runtime, &lists->words[runtime->node]);
	cape_plan_know(runtime, planned->construct->place);
	if (all) {
		know(runtime, lists);
		describe(runtime, lists);
	} else {
		lists->number = 0;
		lists->renewed = 0;
		planned->listing.refuses = true;
	}
}

CAPE_EXPORT int cape_plan_lists(unsigned long bytes)
{
	struct cape_runtime *runtime = cape_runtime_get();
	struct cape_planned *planned = runtime->planned;
	struct cape_plan_listing *listing = &planned->listing;
	struct cape_plan_lists *lists;
	bool stand;

	if (!cape_plan_knows_all(runtime) || !planned->has_key || planned->failed ||
	    planned->reads_failed || planned->spread || (bytes && bytes <= WHOLE_MOST))
		return 0;
	lists = lists_of(runtime);
	/* Many loops come but once; of too many none comes again in time. */
	if (!lists->met) {
		lists->met = true;
		listing->waits = listing->next <= CAPE_PLAN_LISTS;
		listing->refuses = !listing->waits;
		return 0;
	}
	stand = lists->number && stand_still(runtime, lists);
	if (stand && !is_looked_at(runtime)) {
		describe(runtime, lists);
		return 0;
	}
	forget_sent(runtime);
	if (lists->number && are_all_same(runtime, lists)) {
		lists->renewed = 0;
		lists->age = planned->tables.age;
		describe(runtime, lists);
		return 0;
	}
	/* What is not here comes by page faults. */
	cape_plan_fall_back(runtime, NULL);
	if (lists->number && hold_still(runtime, &lists->words[runtime->node], lists->holds)) {
		meet(runtime, lists, ANSWER_SAME);
		return 0;
	}
	if (stand)
		cape_fail(runtime, 0,
			  "lists by which a loop finds what it reads have changed unnoticed: "
			  "please report that, and build the program with --no-plan");
	cape_plan_list_begin(listing);
	listing->of = lists;
	cape_plan_begin_own(runtime);
	return 1;
}

CAPE_EXPORT void cape_plan_listed(void)
{
	struct cape_runtime *runtime = cape_runtime_get();
	struct cape_planned *planned = runtime->planned;
	struct cape_plan_listing *listing = &planned->listing;
	struct cape_plan_lists *lists = listing->of;

	cape_plan_list_end(listing);
	listing->of = NULL;
	listing->failed = listing->failed || !cape_plan_list_collect(listing, words_of(runtime)) ||
			  !are_in_areas(runtime, words_of(runtime));
	if (listing->failed)
		forget_sent(runtime);
	meet(runtime, lists, listing->failed ? ANSWER_NONE : ANSWER_NEW);
}
