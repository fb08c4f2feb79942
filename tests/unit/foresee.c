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
#include <sys/mman.h>
#include <cmocka.h>
#include "random.h"

#include "memory/node_set.c"
#include "need/fetch.c"
#include "need/foresee.c"
#include "need/page.c"

#include "reserve.h"

#define START (1ull << 32)
#define PAGES 65536ull

static struct random dice;

/* The node that reads is 0; a page is here or its owner's, 1 or 2. */
static struct world {
	struct cape_runtime runtime;
	struct cape_directory directory;
	struct cape_need need;
	struct cape_area area;
	struct cape_directory_page page[PAGES];
	unsigned fetches, fetched, stretches;
	bool used[PAGES];
} world;

/* With what is planned far behind it. */
static struct cape_channel *channel;

/* What is asked of the run time. */

struct cape_directory_page *cape_directory_page(const struct cape_area *area, uint64_t address)
{
	assert_true(address >= area->start && address < area->end);
	return &world.page[(address - START) / CAPE_PAGE];
}

bool cape_directory_is_here(const struct cape_runtime *runtime, const struct cape_area *area,
			    uint64_t address)
{
	return cape_directory_holds(runtime, cape_directory_page(area, address));
}

struct cape_area *cape_areas_find(struct cape_areas *areas, uint64_t address, uint64_t size)
{
	(void)areas;
	(void)address;
	(void)size;
	return &world.area;
}

/* What fetches do beside planning, which is all that is done here. */

void cape_directory_add(struct cape_runtime *runtime, struct cape_area *area, uint64_t address,
			cape_node_set nodes, enum cape_page_event event)
{
	cape_node_set *holders = &cape_directory_page(area, address)->agreed.holders;

	(void)event;
	*holders = cape_node_set_union(&runtime->directory->sets, *holders, nodes);
}

void cape_need_learn_came(struct cape_directory_page *page)
{
	(void)page;
}

void cape_need_fill(struct cape_runtime *runtime, struct cape_range pages, const void *from)
{
	(void)runtime;
	(void)pages;
	(void)from;
}

void cape_need_list_add(struct cape_need_list *list, struct cape_range pages)
{
	(void)list;
	(void)pages;
}

void cape_need_put_entries(struct cape_runtime *runtime, struct cape_range pages)
{
	(void)runtime;
	(void)pages;
}

static const unsigned char *get(struct cape_runtime *runtime, uint32_t pages, bool *read)
{
	(void)runtime;
	(void)pages;
	*read = false;
	return NULL;
}

static const struct cape_port port = {.get = get};
static struct cape_service service = {.port = &port};

void cape_profiling_memory(struct cape_runtime *runtime, enum cape_traffic traffic,
			   struct cape_range range, unsigned nodes)
{
	(void)runtime;
	(void)traffic;
	(void)range;
	(void)nodes;
}

struct cape_runtime *cape_runtime;

void cape_fail(struct cape_runtime *runtime, uint64_t address, const char *format, ...)
{
	(void)runtime;
	(void)address;
	fail_msg("%s", format);
	abort();
}

uint64_t cape_now(void)
{
	return 0;
}

static void take_over(struct cape_directory_page *page)
{
	page->agreed.holders = cape_node_set_with(&world.directory.sets, page->agreed.holders, 0);
}

/* No page is asked for twice. */
static void take(void)
{
	for (uint32_t i = 0; i < world.need.plan.stretches; i++) {
		struct cape_range stretch = cape_channel_wanted(channel)[i];

		for (uint64_t at = stretch.start; at < stretch.end; at += CAPE_PAGE) {
			struct cape_directory_page *page = cape_directory_page(&world.area, at);

			assert_false(cape_directory_holds(&world.runtime, page));
			take_over(page);
			page->local.planned = false;
			world.fetched++;
		}
	}
	world.stretches += world.need.plan.stretches;
}

static int start(void **state)
{
	(void)state;
	memset(&world, 0, sizeof(world));
	world.area = (struct cape_area){.start = START, .end = START + PAGES * CAPE_PAGE};
	world.directory.self = cape_node_set_of(0);
	world.runtime.directory = &world.directory;
	world.runtime.nodes = 3;
	cape_node_sets_start(&world.runtime, &world.directory.sets);
	if (!channel)
		channel = mmap(NULL, CAPE_CHANNEL_SIZE, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_ptr_not_equal(channel, MAP_FAILED);
	channel->flags = 0;
	world.runtime.channel = channel;
	world.runtime.need = &world.need;
	world.runtime.service = &service;
	for (size_t i = 0; i < PAGES; i++)
		world.page[i] =
			(struct cape_directory_page){.agreed = {cape_node_set_of(1), .owner = 1}};
	return 0;
}

static void use(size_t index)
{
	uint64_t address = START + index * CAPE_PAGE;

	world.used[index] = true;
	if (cape_directory_is_here(&world.runtime, &world.area, address))
		return;
	cape_need_plan(&world.runtime, world.page[index].agreed.owner);
	cape_need_foresee(&world.runtime, &world.area, address);
	take();
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
		if (i % 16384 < 8192)
			take_over(&world.page[i]);
	for (size_t i = 16384 - 4096; i < 16384; i++)
		world.page[i].agreed.owner = world.page[16384 + i].agreed.owner = 2;
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

/* Their owner has changed all pages, and this node is to read them anew. */
static void forget(void)
{
	world.fetches = world.fetched = 0;
	memset(world.used, 0, sizeof(world.used));
	for (size_t i = 0; i < PAGES; i++)
		world.page[i].agreed.holders = cape_node_set_of(1);
}

/* What was read before is fetched in large steps at once. */
static void again_in_order(void **state)
{
	in_order(state);
	for (unsigned i = 0; i < 3; i++) {
		forget();
		for (size_t at = 100; at < 4100; at++)
			use(at);
		check(22, 256);
	}
}

static void again_by_columns(void **state)
{
	columns(state);
	for (unsigned i = 0; i < 3; i++) {
		forget();
		for (size_t column = 0; column < 20; column++)
			for (size_t row = 0; row < 768; row++)
				use(row * 48 + column);
		check(27, 768 + 20 * 128);
	}
}

/* What was read before, but a little of it only: not all of it comes. */
static void little_again(void **state)
{
	parts_of_rows(state);
	forget();
	for (size_t row = 0; row < 1000; row += 100)
		use(row * 13);
	check(10, 100);
}

/* Two pages of each row of three. */
static void read_most_of_rows(void)
{
	for (size_t column = 0; column < 2; column++)
		for (size_t row = 0; row < 768; row++)
			use(row * 3 + column);
}

/* The third is not asked for, unless that spares hundreds of stretches and costs little. */
static void close_pieces(void **state)
{
	(void)state;
	read_most_of_rows();
	check(20, 0);
	assert_true(world.stretches >= 1536);
}

static void close_pieces_in_memory(void **state)
{
	(void)state;
	cape_node_bits_put(&world.need.reads, 1, true);
	read_most_of_rows();
	check(14, 768 + 10);
	assert_true(world.stretches < 20);
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
	channel->flags = CAPE_CHANNEL_STRESS;
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

/* Rows of more pages than a fetch has room for, side by side; the last is of another node. */
static void long_rows(void **state)
{
	const size_t row = 8192;

	(void)state;
	for (size_t i = 3 * row; i < PAGES; i++)
		world.page[i].agreed.owner = 2;
	for (size_t i = 0; i < 5000; i++)
		for (size_t k = 0; k < 3; k++)
			use(k * row + i);
	for (size_t i = 0; i < row; i++)
		use(3 * row + i);
	check(200, 3 * 1024);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(in_order, start),
		cmocka_unit_test_setup(backwards, start),
		cmocka_unit_test_setup(columns, start),
		cmocka_unit_test_setup(columns_of_two, start),
		cmocka_unit_test_setup(parts_of_rows, start),
		cmocka_unit_test_setup(again_in_order, start),
		cmocka_unit_test_setup(again_by_columns, start),
		cmocka_unit_test_setup(little_again, start),
		cmocka_unit_test_setup(close_pieces, start),
		cmocka_unit_test_setup(close_pieces_in_memory, start),
		cmocka_unit_test_setup(scattered, start),
		cmocka_unit_test_setup(in_stress, start),
		cmocka_unit_test_setup(to_the_end, start),
		cmocka_unit_test_setup(long_rows, start),
	};

	random_start(&dice);
	return cmocka_run_group_tests_name("foresee", tests, NULL, NULL);
}
