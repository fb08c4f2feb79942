// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * directory.c - pages of every kind in a large area, some here, some elsewhere: the stretches that
 * the directory's bits give are those that looking at page after page gives; and what may become of
 * a page.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "random.h"

#include "memory/directory.c"
#include "memory/node_set.c"
#include "memory/transitions.c"

#include "reserve.h"

#define START	(1ull << 32)
#define PAGES	30000ull /* words of words of bits */
#define CHANGES 400
#define NODES	3

static struct random dice;

/* What the directory wants of the run time. */

size_t cape_heap_ranges(const struct cape_heap *heap, struct cape_heap_range *range, size_t limit)
{
	(void)heap;
	(void)range;
	(void)limit;
	return 0;
}

size_t cape_arena_first_block(void)
{
	return 0;
}

struct cape_area *cape_areas_find(struct cape_areas *areas, uint64_t address, uint64_t size)
{
	(void)size;
	return address >= START ? &areas->area[0] : NULL;
}

struct cape_runtime *cape_runtime;

/* Where a run ends. */
static jmp_buf failed;

void cape_fail(struct cape_runtime *runtime, uint64_t address, const char *format, ...)
{
	(void)runtime;
	(void)address;
	(void)format;
	longjmp(failed, 1);
}

struct world {
	struct cape_runtime runtime;
	struct cape_areas areas;
	struct cape_directory directory;
};

static struct world world;

static struct cape_area *area(void)
{
	return &world.areas.area[0];
}

static int start(void **state)
{
	(void)state;
	world.areas.count = 1;
	*area() = (struct cape_area){
		.kind = CAPE_AREA_HEAP, .start = START, .end = START + PAGES * CAPE_PAGE};
	world.directory = (struct cape_directory){.self = cape_node_set_of(0)};
	world.runtime.areas = &world.areas;
	world.runtime.nodes = NODES;
	world.runtime.directory = &world.directory;
	cape_node_sets_start(&world.runtime, &world.directory.sets);
	start_area(&world.runtime, area());
	return 0;
}

/* Whether the page at INDEX is of KIND, by its entry. */
static bool is_of(size_t index, enum cape_directory_kind kind)
{
	const struct cape_directory_page *page = &area()->directory->page[index];
	bool here = cape_directory_holds(&world.runtime, page),
	     open = page->agreed.holders && here &&
		    cape_directory_is_open(area(), page_address(area(), index));

	switch (kind) {
	case CAPE_PAGES_HELD:
		return page->agreed.holders && here;
	case CAPE_PAGES_ABSENT:
		return page->agreed.holders && !here;
	case CAPE_PAGES_OPEN:
		return open;
	case CAPE_PAGES_SHUT:
		return page->agreed.holders && !open;
	case CAPE_PAGES_UNWATCHED:
		return page->agreed.holders == world.directory.self ||
		       (page->agreed.holders && !here);
	case CAPE_PAGES_WRITTEN:
		return !page->agreed.holders && cape_directory_is_written(page);
	case CAPE_PAGES_UNSETTLED:
		return page->agreed.holders || cape_directory_is_written(page);
	default:
		return page->agreed.holders;
	}
}

/* The nodes whose bits are set. */
static cape_node_set set_of(uint64_t bits)
{
	cape_node_set set = CAPE_NO_NODES;

	assert_true(cape_node_set_take(&world.directory.sets, &bits, &set));
	return set;
}

static size_t page_of_random_kind(void)
{
	size_t index = random_below(&dice, PAGES);
	uint64_t bits = random_below(&dice, 1u << NODES);
	unsigned owner = bits ? (unsigned)__builtin_ctzll(bits) : 0;
	cape_node_set holders = set_of(bits);
	uint64_t length = 1 + random_below(&dice, random_below(&dice, 8) ? 3 : 700);

	for (size_t i = index; i < index + length && i < PAGES; i++)
		cape_directory_set(&world.runtime, area(), page_address(area(), i), holders, owner,
				   CAPE_EVENTS);
	if (!random_below(&dice, 8))
		cape_directory_stay(&world.runtime, area(), page_address(area(), index));
	if (!random_below(&dice, 4))
		cape_directory_forbid_claims(
			&world.runtime,
			(struct cape_range){page_address(area(), index) + 8,
					    page_address(area(), index + 1) - 8},
			random_below(&dice, 2));
	return index;
}

static void check_next(size_t first, size_t end, enum cape_directory_kind kind)
{
	struct cape_range range = {page_address(area(), first), page_address(area(), end)};
	struct cape_range got = cape_directory_next(area(), range, kind);
	size_t from = first, to;

	while (from < end && !is_of(from, kind))
		from++;
	for (to = from; to < end && is_of(to, kind);)
		to++;
	assert_int_equal(got.start, from == end ? UINT64_MAX : page_address(area(), from));
	if (from < end)
		assert_int_equal(got.end, page_address(area(), to));
}

static void check_between(size_t index, enum cape_directory_kind kind)
{
	uint64_t address = page_address(area(), index);
	struct cape_range got;
	size_t from = index, to = index;

	if (is_of(index, kind))
		return;
	while (from && !is_of(from - 1, kind))
		from--;
	while (to < PAGES && !is_of(to, kind))
		to++;
	got = cape_directory_between(area(), (struct cape_range){address, address + 8}, kind);
	assert_int_equal(got.start, page_address(area(), from));
	assert_int_equal(got.end, page_address(area(), to));
}

static void stretches(void **state)
{
	static const enum cape_directory_kind kind[] = {
		CAPE_PAGES_OWNED, CAPE_PAGES_HELD,	CAPE_PAGES_ABSENT,  CAPE_PAGES_OPEN,
		CAPE_PAGES_SHUT,  CAPE_PAGES_UNWATCHED, CAPE_PAGES_WRITTEN, CAPE_PAGES_UNSETTLED,
	};

	(void)state;
	for (int change = 0; change < CHANGES; change++) {
		size_t near = page_of_random_kind();

		for (size_t i = 0; i < sizeof(kind) / sizeof(kind[0]); i++) {
			size_t first = random_below(&dice, PAGES);

			check_next(first, first + random_below(&dice, PAGES - first + 1), kind[i]);
			check_next(near, PAGES, kind[i]);
			check_between(first, kind[i]);
			check_between(near, kind[i]);
		}
	}
}

/* Pages that stay common, as they are counted: those of late are known, of more any may be one. */
static void stays(void **state)
{
	const struct cape_directory *directory = &world.directory;
	uint64_t before = directory->stays;
	struct cape_range near = {page_address(area(), 7) + 8, page_address(area(), 7) + 16};
	struct cape_range far = {page_address(area(), 8), page_address(area(), 9)};

	(void)state;
	for (size_t i = 7; i < 9; i++) {
		area()->directory->page[i].agreed.stays = true;
		cape_directory_set(&world.runtime, area(), page_address(area(), i), CAPE_NO_NODES,
				   0, CAPE_EVENTS);
	}
	before = directory->stays;
	assert_false(cape_directory_stayed(&world.runtime, near, before));
	cape_directory_set(&world.runtime, area(), page_address(area(), 7), directory->self, 0,
			   CAPE_EVENTS);
	assert_int_equal(directory->stays, before + 1);
	assert_true(cape_directory_stayed(&world.runtime, near, before));
	assert_false(cape_directory_stayed(&world.runtime, far, before));
	assert_false(cape_directory_stayed(&world.runtime, near, before + 1));
	for (unsigned i = 0; i < CAPE_DIRECTORY_STAYED; i++)
		cape_directory_set(&world.runtime, area(), page_address(area(), 7),
				   i % 2 ? directory->self : CAPE_NO_NODES, 0, CAPE_EVENTS);
	assert_false(cape_directory_stayed(&world.runtime, far, before + 1));
	assert_true(cape_directory_stayed(&world.runtime, far, before));
}

static void nothing(void **state)
{
	const struct cape_range all = {START, START + PAGES * CAPE_PAGE};
	struct cape_range got = cape_directory_between(area(), all, CAPE_PAGES_OWNED);

	(void)state;
	assert_int_equal(got.start, all.start);
	assert_int_equal(got.end, all.end);
}

/* A page that NODES hold, OWNER first; this node is 0. */
struct holding {
	uint64_t nodes;
	unsigned owner;
	bool shut;
};

static const struct holding common = {0}, stale = {2, 1, false}, held = {3, 1, false},
			    held_shut = {3, 1, true}, owned = {3, 0, false},
			    owned_shut = {3, 0, true}, alone = {1, 0, false},
			    alone_shut = {1, 0, true};

static void set_first(const struct holding *to, enum cape_page_event event)
{
	cape_directory_set(&world.runtime, area(), START, set_of(to->nodes), to->owner, event);
}

static void open_first(bool open)
{
	cape_directory_open(&world.runtime, area(), (struct cape_range){START, START + CAPE_PAGE},
			    open);
}

/* Whether a page may become so by EVENT. */
static bool may(const struct holding *before, enum cape_page_event event,
		const struct holding *after)
{
	world.directory.transitions.checked = false;
	set_first(&common, CAPE_EVENT_SHARE);
	set_first(before, CAPE_EVENT_CLAIM);
	if (before->shut)
		open_first(false);
	world.directory.transitions.checked = true;
	if (setjmp(failed))
		return false;
	if (event == CAPE_EVENT_OPEN || event == CAPE_EVENT_SHUT)
		open_first(!after->shut);
	else
		set_first(after, event);
	return true;
}

static void states(void **state)
{
	static const struct {
		const struct holding *holding;
		enum cape_page_state state;
	} each[] = {
		{&common, CAPE_PAGE_COMMON}, {&stale, CAPE_PAGE_STALE},
		{&held, CAPE_PAGE_HELD},     {&held_shut, CAPE_PAGE_HELD_SHUT},
		{&owned, CAPE_PAGE_OWNED},   {&owned_shut, CAPE_PAGE_OWNED_SHUT},
		{&alone, CAPE_PAGE_ALONE},   {&alone_shut, CAPE_PAGE_ALONE_SHUT},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(each) / sizeof(each[0]); i++) {
		set_first(&common, CAPE_EVENT_SHARE);
		set_first(each[i].holding, CAPE_EVENT_CLAIM);
		if (each[i].holding->shut)
			open_first(false);
		assert_int_equal(cape_directory_state(&world.runtime, area(), START),
				 each[i].state);
	}
}

static void right_transitions(void **state)
{
	(void)state;
	cape_transitions_start(&world.directory.transitions, "1");
	assert_true(may(&stale, CAPE_EVENT_FETCH, &held));
	assert_true(may(&alone_shut, CAPE_EVENT_SERVE, &owned_shut));
	assert_true(may(&common, CAPE_EVENT_CLAIM, &alone));
	assert_true(may(&common, CAPE_EVENT_CLAIM, &stale));
	assert_true(may(&owned_shut, CAPE_EVENT_CLAIM, &held_shut));
	assert_true(may(&held, CAPE_EVENT_CLAIM, &owned));
	assert_true(may(&common, CAPE_EVENT_JOIN, &owned));
	assert_true(may(&stale, CAPE_EVENT_PUBLISH, &common));
	assert_true(may(&alone_shut, CAPE_EVENT_OPEN, &alone));
	assert_true(may(&held, CAPE_EVENT_SHUT, &held_shut));
}

static void wrong_transitions(void **state)
{
	(void)state;
	cape_transitions_start(&world.directory.transitions, "1");
	/* Only what another has is fetched, and only from who has it. */
	assert_false(may(&common, CAPE_EVENT_FETCH, &held));
	assert_false(may(&stale, CAPE_EVENT_FETCH, &owned));
	assert_false(may(&held, CAPE_EVENT_SERVE, &held));
	assert_false(may(&stale, CAPE_EVENT_SERVE, &stale));
	/* Nobody claims what is not there, or takes it from who did not know. */
	assert_false(may(&stale, CAPE_EVENT_CLAIM, &alone));
	assert_false(may(&alone, CAPE_EVENT_CLAIM, &stale));
	assert_false(may(&common, CAPE_EVENT_CLAIM, &held));
	assert_false(may(&owned, CAPE_EVENT_JOIN, &stale));
	assert_false(may(&stale, CAPE_EVENT_NOTICE, &held));
	assert_false(may(&common, CAPE_EVENT_EXPECT, &held));
	assert_false(may(&alone, CAPE_EVENT_RESTORE, &stale));
	/* What is not here cannot be opened or shut; what all hold always is open. */
	assert_false(may(&stale, CAPE_EVENT_OPEN, &held));
	assert_false(may(&common, CAPE_EVENT_SHUT, &held_shut));
	assert_false(may(&common, CAPE_EVENT_SHARE, &common));
}

static void refused_transitions(void **state)
{
	(void)state;
	cape_transitions_start(&world.directory.transitions, "fetch");
	assert_false(may(&stale, CAPE_EVENT_FETCH, &held));
	assert_true(may(&common, CAPE_EVENT_CLAIM, &alone));
	cape_transitions_start(&world.directory.transitions, NULL);
	assert_false(world.directory.transitions.checked);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(nothing, start),
		cmocka_unit_test_setup(stretches, start),
		cmocka_unit_test_setup(stays, start),
		cmocka_unit_test_setup(states, start),
		cmocka_unit_test_setup(right_transitions, start),
		cmocka_unit_test_setup(wrong_transitions, start),
		cmocka_unit_test_setup(refused_transitions, start),
	};

	random_start(&dice);
	return cmocka_run_group_tests_name("directory", tests, NULL, NULL);
}
