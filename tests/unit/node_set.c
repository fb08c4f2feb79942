// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * node_set.c - sets of 1 to 1024 nodes against plain bits: the same members, equal numbers where
 * members are the same, and numbers that stay while the table is swept.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>
#include "random.h"

#include "memory/node_set.c"

#include "reserve.h"

#define KEPT	   300 /* sets that something has */
#define OPERATIONS 200000

static struct random dice;

/* What the table wants of the run time. */

struct cape_runtime *cape_runtime;

void cape_fail(struct cape_runtime *runtime, uint64_t address, const char *format, ...)
{
	(void)runtime;
	(void)address;
	fail_msg("%s", format);
	abort();
}

static struct world {
	struct cape_runtime runtime;
	struct cape_node_sets sets;
	cape_node_set set[KEPT];
	struct cape_node_bits bits[KEPT]; /* what each is */
} world;

static void start(unsigned nodes)
{
	world.runtime.nodes = nodes;
	cape_node_sets_start(&world.runtime, &world.sets);
	for (size_t i = 0; i < KEPT; i++) {
		world.set[i] = CAPE_NO_NODES;
		world.bits[i] = (struct cape_node_bits){{0}};
	}
}

static void stop(void)
{
	munmap(world.sets.word, SETS_LIMIT * world.sets.words * sizeof(uint64_t));
	munmap(world.sets.slot, SLOTS_LIMIT * sizeof(uint32_t));
	munmap(world.sets.in_use, SETS_LIMIT / 8);
}

/* All that can be asked of a set. */
static void check(size_t which)
{
	const struct cape_node_sets *sets = &world.sets;
	const struct cape_node_bits *bits = &world.bits[which];
	cape_node_set set = world.set[which];
	unsigned count = 0, next = cape_node_set_next(sets, set, 0);

	for (unsigned node = 0; node < sets->nodes; node++) {
		bool in = cape_node_bits_have(bits, node);

		assert_int_equal(cape_node_set_has(sets, set, node), in);
		assert_int_equal(next == node, in);
		if (in)
			next = cape_node_set_next(sets, set, node + 1);
		count += in;
	}
	assert_int_equal(next, sets->nodes);
	assert_int_equal(cape_node_set_count(sets, set), count);
}

static bool are_alike(size_t a, size_t b)
{
	return memcmp(&world.bits[a], &world.bits[b], sizeof(world.bits[a])) == 0;
}

static void check_all(void)
{
	for (size_t i = 0; i < KEPT; i++)
		check(i);
	for (size_t i = 0; i < KEPT; i++)
		for (size_t j = 0; j < i; j++)
			assert_int_equal(world.set[i] == world.set[j], are_alike(i, j));
}

static void operate_on_one(size_t to, size_t from, unsigned node, bool in)
{
	world.bits[to] = world.bits[from];
	cape_node_bits_put(&world.bits[to], node, in);
	world.set[to] = in ? cape_node_set_with(&world.sets, world.set[from], node)
			   : cape_node_set_without(&world.sets, world.set[from], node);
}

static void operate_on_two(size_t to, size_t a, size_t b, bool unite)
{
	struct cape_node_bits result;

	for (size_t i = 0; i < CAPE_NODE_WORDS; i++)
		result.word[i] = unite ? world.bits[a].word[i] | world.bits[b].word[i]
				       : world.bits[a].word[i] & ~world.bits[b].word[i];
	world.bits[to] = result;
	world.set[to] = unite ? cape_node_set_union(&world.sets, world.set[a], world.set[b])
			      : cape_node_set_minus(&world.sets, world.set[a], world.set[b]);
}

/* As it would come from another node. */
static void take_any(size_t to)
{
	struct cape_node_bits bits = {{0}};
	unsigned most = (unsigned)random_below(&dice, world.sets.nodes) + 1;

	for (unsigned i = 0; i < most; i++)
		cape_node_bits_put(&bits, (unsigned)random_below(&dice, world.sets.nodes), true);
	world.bits[to] = bits;
	assert_true(cape_node_set_take(&world.sets, bits.word, &world.set[to]));
}

static void operate(void)
{
	size_t to = random_below(&dice, KEPT), a = random_below(&dice, KEPT);
	size_t b = random_below(&dice, KEPT);
	unsigned node = (unsigned)random_below(&dice, world.sets.nodes);

	switch (random_below(&dice, 8)) {
	case 0:
		take_any(to);
		break;
	case 1:
		world.set[to] = cape_node_set_of(node);
		world.bits[to] = (struct cape_node_bits){{0}};
		cape_node_bits_put(&world.bits[to], node, true);
		break;
	case 2:
		operate_on_two(to, a, b, true);
		break;
	case 3:
		operate_on_two(to, a, b, false);
		break;
	default:
		operate_on_one(to, a, node, random_below(&dice, 2));
	}
}

static void sweep(void)
{
	struct cape_node_set_memo none = {0};
	uint32_t before = world.sets.used;

	for (size_t i = 0; i < KEPT; i++)
		cape_node_sets_keep(&world.sets, world.set[i]);
	cape_node_sets_sweep(&world.sets);
	assert_true(world.sets.used <= before);
	/* Those of one node, all, and what something has. */
	assert_true(world.sets.used <= world.sets.nodes + 1 + KEPT);
	assert_memory_equal(&world.sets.united[0], &none, sizeof(none));
}

static void operations(unsigned nodes)
{
	start(nodes);
	for (unsigned i = 0; i < OPERATIONS; i++) {
		operate();
		if (cape_node_sets_are_due(&world.sets) || random_below(&dice, 5000) == 0)
			sweep();
		if (random_below(&dice, 20000) == 0)
			check_all();
	}
	check_all();
	stop();
}

static void test_operations(void **state)
{
	static const unsigned nodes[] = {1, 2, 3, 63, 64, 65, 100, 128, 1000, 1024};

	(void)state;
	random_start(&dice);
	for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++)
		operations(nodes[i]);
}

/* Far more than a table begins with, which all are found again, and of which numbers are reused. */
static void test_many(void **state)
{
	const uint32_t many = 50000;

	(void)state;
	start(70);
	for (unsigned round = 0; round < 4; round++) {
		cape_node_set first = CAPE_NO_NODES;

		for (uint32_t i = 1; i <= many; i++) {
			uint64_t word[] = {(uint64_t)i << 8 * round, 1};
			cape_node_set set, again;

			assert_true(cape_node_set_take(&world.sets, word, &set));
			assert_true(cape_node_set_take(&world.sets, word, &again));
			assert_int_equal(set, again);
			first = i == 1 ? set : first;
		}
		assert_true(cape_node_sets_are_due(&world.sets));
		cape_node_sets_keep(&world.sets, first);
		cape_node_sets_sweep(&world.sets);
		assert_int_equal(world.sets.used, 70 + 1 + 1);
		assert_int_equal(cape_node_set_count(&world.sets, first), 2);
		assert_int_equal(cape_node_set_next(&world.sets, first, 8 * round + 1), 64);
		assert_true(world.sets.count < 2 * many);
	}
	stop();
}

/* What a damaged message may say. */
static void test_too_many_nodes(void **state)
{
	uint64_t word[CAPE_NODE_WORDS] = {~0ull, 1ull << 36};
	cape_node_set set = CAPE_NO_NODES;

	(void)state;
	start(100);
	assert_false(cape_node_set_take(&world.sets, word, &set));
	word[1] = (1ull << 36) - 1;
	assert_true(cape_node_set_take(&world.sets, word, &set));
	assert_int_equal(set, world.sets.all);
	stop();
	start(128);
	word[1] = ~0ull;
	assert_true(cape_node_set_take(&world.sets, word, &set));
	assert_int_equal(set, world.sets.all);
	stop();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_operations),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_too_many_nodes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
