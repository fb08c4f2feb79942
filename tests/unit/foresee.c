// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * foresee.c - programs that read another node's memory in some order: how many fetches that takes,
 * and how much comes that they never use.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "random.h"

#include "need/foresee.c"

#define START (1ull << 32)
#define PAGES 65536ull

static struct random dice;

/* The node that reads is 0; a page is here or its owner's, 1 or 2. */
static struct world {
	struct cape_runtime runtime;
	struct cape_directory directory;
	struct cape_channel channel;
	struct cape_need need;
	struct cape_area area;
	struct cape_directory_page page[PAGES];
	unsigned fetches, fetched;
	bool used[PAGES];
} world;

/* What is asked of the run time. */

struct cape_directory_page *cape_directory_page(const struct cape_area *area, uint64_t address)
{
	assert_true(address >= area->start && address < area->end);
	return &world.page[(address - START) / CAPE_PAGE];
}

bool cape_directory_is_here(const struct cape_runtime *runtime, const struct cape_area *area,
			    uint64_t address)
{
	(void)runtime;
	return cape_directory_page(area, address)->holders & 1;
}

bool cape_need_plan_add(struct cape_runtime *runtime, const struct cape_area *area,
			struct cape_range pages)
{
	struct cape_need_plan *plan = &runtime->need->plan;

	for (uint64_t at = pages.start; at < pages.end && at < area->end; at += CAPE_PAGE) {
		struct cape_directory_page *page = cape_directory_page(area, at);

		if ((page->holders & 1) || page->owner != plan->owner)
			continue;
		if (plan->pages == CAPE_FETCH_PAGES)
			return false;
		page->holders |= 1;
		plan->pages++;
		world.fetched++;
	}
	return true;
}

static int start(void **state)
{
	(void)state;
	memset(&world, 0, sizeof(world));
	world.area = (struct cape_area){.start = START, .end = START + PAGES * CAPE_PAGE};
	world.directory.self = 1;
	world.runtime.directory = &world.directory;
	world.runtime.channel = &world.channel;
	world.runtime.need = &world.need;
	for (size_t i = 0; i < PAGES; i++)
		world.page[i] = (struct cape_directory_page){.holders = 2, .owner = 1};
	return 0;
}

static void use(size_t index)
{
	uint64_t address = START + index * CAPE_PAGE;

	world.used[index] = true;
	if (cape_directory_is_here(&world.runtime, &world.area, address))
		return;
	world.need.plan = (struct cape_need_plan){.owner = world.page[index].owner};
	cape_need_foresee(&world.runtime, &world.area, address);
	assert_true(cape_directory_is_here(&world.runtime, &world.area, address));
	world.fetches++;
}

/* That took at most so many fetches, and so many pages in vain. */
static void check(unsigned fetches, unsigned in_vain)
{
	unsigned used = 0;

	for (size_t i = 0; i < PAGES; i++)
		used += world.used[i];
	if (world.fetches > fetches || world.fetched > used + in_vain)
		fail_msg("%u fetches, %u pages, of which %u were used", world.fetches,
			 world.fetched, used);
}

static void in_order(void **state)
{
	(void)state;
	for (size_t i = 100; i < 4100; i++)
		use(i);
	check(30, 256);
}

static void backwards(void **state)
{
	(void)state;
	for (size_t i = 4100; i > 100; i--)
		use(i);
	check(40, 256);
}

/* Rows of several pages: one page of each, then the next of each. */
static void columns(void **state)
{
	(void)state;
	for (size_t column = 0; column < 20; column++)
		for (size_t row = 0; row < 768; row++)
			use(row * 48 + column);
	check(40, 768 + 20 * 128);
}

/* The same, of two matrices in turns, whose first half each is here and whose rest two nodes have.
 */
static void columns_of_two(void **state)
{
	(void)state;
	for (size_t i = 0; i < 32768; i++)
		world.page[i].holders |= i % 16384 < 8192;
	for (size_t i = 16384 - 4096; i < 16384; i++)
		world.page[i].owner = world.page[16384 + i].owner = 2;
	for (size_t column = 0; column < 20; column++)
		for (size_t row = 0; row < 256; row++) {
			use(row * 64 + column);
			use(16384 + row * 64 + column);
		}
	check(100, 1500);
}

/* Parts of rows, a part at a time. */
static void parts_of_rows(void **state)
{
	(void)state;
	for (size_t row = 0; row < 1000; row++)
		for (size_t i = 0; i < 5; i++)
			use(row * 13 + i);
	check(40, 1200);
}

/* No order: hardly anything comes in vain. */
static void scattered(void **state)
{
	(void)state;
	for (int i = 0; i < 1000; i++)
		use(random_below(&dice, PAGES));
	check(1000, 100);
}

static void in_stress(void **state)
{
	(void)state;
	world.channel.flags = CAPE_CHANNEL_STRESS;
	for (size_t i = 0; i < 1000; i++)
		use(i);
	check(1000, 0);
	assert_int_equal(world.fetches, 1000);
}

/* The area's end, and pieces that would be outside of it. */
static void to_the_end(void **state)
{
	(void)state;
	for (size_t i = PAGES - 300; i < PAGES; i++)
		use(i);
	for (size_t i = 7; i < PAGES - 1000; i += 1000)
		use(i);
	for (size_t i = 60500; i > 1000; i -= 1000)
		use(i);
	check(50, 600);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(in_order, start),
		cmocka_unit_test_setup(backwards, start),
		cmocka_unit_test_setup(columns, start),
		cmocka_unit_test_setup(columns_of_two, start),
		cmocka_unit_test_setup(parts_of_rows, start),
		cmocka_unit_test_setup(scattered, start),
		cmocka_unit_test_setup(in_stress, start),
		cmocka_unit_test_setup(to_the_end, start),
	};

	random_start(&dice);
	return cmocka_run_group_tests_name("foresee", tests, NULL, NULL);
}
