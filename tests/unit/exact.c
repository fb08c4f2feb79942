// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * exact.c - byte-exact runs: round trips, what taking does to memory and twin, malformed bytes.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "checkpoint/diff.h"
#include "checkpoint/exact.h"
#include "checkpoint/touched.h"
#include "random.h"

#define SIZE  2048
#define BASE  0x7f0000000c04ull /* so that two pages are touched, at odd places */
#define CASES 2000
#define NODES 4u

static struct random dice;

/* A memory, what it was, and the runs between the two. */
struct side {
	unsigned char memory[SIZE], twin[SIZE];
	unsigned char encoded[2 * SIZE];
	uint64_t size;
};

static void change_some(unsigned char *memory)
{
	uint64_t changes = random_below(&dice, 100);

	for (uint64_t i = 0; i < changes; i++)
		memory[random_below(&dice, SIZE)] = (unsigned char)random_next(&dice);
	if (random_below(&dice, 4) == 0)
		memset(memory + random_below(&dice, SIZE / 2), (int)random_below(&dice, 256),
		       random_below(&dice, SIZE / 2));
}

static void encode(struct side *side)
{
	struct cape_runs runs;
	unsigned char *out = side->encoded;
	uint64_t end = 0, bound = 0;

	cape_runs_init(&runs, &cape_memory_heap);
	assert_int_equal(cape_diff(side->memory, side->twin, SIZE, BASE, &runs), 0);
	for (size_t i = 0; i < runs.count; i++) {
		uint64_t offset = runs.run[i].address - BASE;

		bound += cape_exact_bound(runs.run[i].length);
		out = cape_exact_put(out, &end, &runs.run[i], side->memory + offset,
				     side->twin + offset);
		assert_true((uint64_t)(out - side->encoded) <= bound);
		assert_true(bound <= sizeof(side->encoded));
	}
	side->size = (uint64_t)(out - side->encoded);
	cape_runs_free(&runs);
}

/* Every second run yields: which bytes lie in such runs. */
static void encode_yielding(struct side *side, bool *yields)
{
	unsigned char twin[SIZE], *out = side->encoded;
	struct cape_runs runs;
	uint64_t end = 0;

	memcpy(twin, side->twin, SIZE);
	cape_runs_init(&runs, &cape_memory_heap);
	assert_int_equal(cape_diff(side->memory, side->twin, SIZE, BASE, &runs), 0);
	for (size_t i = 0; i < runs.count; i++) {
		uint64_t offset = runs.run[i].address - BASE;

		out = cape_exact_collect(out, &end, &runs.run[i], side->memory + offset,
					 twin + offset, i % 2);
		memset(yields + offset, i % 2, runs.run[i].length);
	}
	side->size = (uint64_t)(out - side->encoded);
	cape_runs_free(&runs);
}

static bool reach(void *context, const struct cape_exact_run *run, uint64_t behind,
		  unsigned char **memory, unsigned char **twin)
{
	struct side *to = context;

	assert_true(behind <= sizeof(to->encoded));
	if (run->address < BASE || run->address - BASE > SIZE ||
	    run->length > SIZE - (run->address - BASE))
		return false;
	*memory = to->memory + (run->address - BASE);
	*twin = to->twin + (run->address - BASE);
	return true;
}

static void apply(const struct side *from, struct side *to, cape_exact_apply how)
{
	struct cape_exact_memory memory = {to, reach};

	assert_int_equal(cape_exact_apply_all(from->encoded, from->size, how, &memory), 0);
}

static void start(struct side *a, struct side *b)
{
	for (size_t i = 0; i < SIZE; i++)
		a->twin[i] = (unsigned char)random_below(&dice, 3);
	memcpy(a->memory, a->twin, SIZE);
	memcpy(b->memory, a->twin, SIZE);
	memcpy(b->twin, a->twin, SIZE);
	change_some(a->memory);
	change_some(b->memory);
}

/* Bytes that A did not change stay as they are on the other side, whatever that side's base. */
static void test_only_changed_bytes_count(void **state)
{
	static struct side a, b, before;

	(void)state;
	for (int i = 0; i < CASES; i++) {
		start(&a, &b);
		encode(&a);
		memcpy(b.twin, b.memory, SIZE);
		before = b;
		apply(&a, &b, cape_exact_set);
		for (size_t at = 0; at < SIZE; at++) {
			bool changed = a.memory[at] != a.twin[at];

			assert_int_equal(b.memory[at], changed ? a.memory[at] : before.memory[at]);
			assert_int_equal(b.twin[at], changed ? a.memory[at] : before.twin[at]);
		}
	}
}

/* What was changed here and is unpublished stays in memory; the twin takes all. */
static void test_own_changes_stay(void **state)
{
	static struct side a, b, before;

	(void)state;
	for (int i = 0; i < CASES; i++) {
		start(&a, &b);
		encode(&a);
		before = b;
		apply(&a, &b, cape_exact_take);
		for (size_t at = 0; at < SIZE; at++) {
			bool changed = a.memory[at] != a.twin[at];
			bool own = before.memory[at] != before.twin[at];

			assert_int_equal(b.memory[at],
					 changed && !own ? a.memory[at] : before.memory[at]);
			assert_int_equal(b.twin[at], changed ? a.memory[at] : before.twin[at]);
		}
	}
}

/* Two nodes that publish in turn and take in the order of the log end with the same. */
static void test_the_log_makes_all_alike(void **state)
{
	static struct side a, b, last;

	(void)state;
	for (int i = 0; i < CASES; i++) {
		start(&a, &b);
		encode(&a);
		memcpy(a.twin, a.memory, SIZE);
		apply(&a, &b, cape_exact_take);
		encode(&b);
		memcpy(b.twin, b.memory, SIZE);
		apply(&b, &a, cape_exact_take);
		assert_memory_equal(a.memory, b.memory, SIZE);
		assert_memory_equal(a.twin, b.twin, SIZE);
		last = a;
		change_some(last.memory);
		encode(&last);
		apply(&last, &b, cape_exact_set);
		assert_memory_equal(last.memory, b.memory, SIZE);
	}
}

/* What is taken once more is what others have set meanwhile, and nothing else. */
static void test_touched_bytes_are_taken_again(void **state)
{
	static struct side own, other, here, before;
	static struct cape_touched touched = {.memory = &cape_memory_heap};
	struct cape_exact_memory memory = {&here, reach};

	(void)state;
	for (int i = 0; i < CASES; i++) {
		bool set[SIZE] = {false};

		start(&own, &here);
		encode(&own);
		before = here;
		for (int others = 0; others < 2; others++) {
			start(&other, &here);
			encode(&other);
			for (size_t at = 0; at < SIZE; at++)
				set[at] |= other.memory[at] != other.twin[at];
			assert_int_equal(cape_touched_add(&touched, other.encoded, other.size), 0);
		}
		here = before;
		assert_int_equal(cape_touched_take(&touched, own.encoded, own.size, &memory), 0);
		for (size_t at = 0; at < SIZE; at++) {
			bool again = set[at] && own.memory[at] != own.twin[at];
			bool changed = before.memory[at] != before.twin[at];

			assert_int_equal(here.memory[at],
					 again && !changed ? own.memory[at] : before.memory[at]);
			assert_int_equal(here.twin[at], again ? own.memory[at] : before.twin[at]);
		}
		cape_touched_clear(&touched);
		assert_true(cape_touched_is_empty(&touched));
	}
	free(touched.page);
}

/* Every second run yields, those bytes of which that others have set are left out; and once more.
 */
static void test_what_yields_is_left_out(void **state)
{
	static struct side own, other, here;
	static struct cape_touched touched = {.memory = &cape_memory_heap};
	static unsigned char once[CAPE_TOUCHED_BOUND(sizeof(own.encoded))];
	const void *malformed = "\200";
	uint64_t one = 1;
	struct cape_exact_memory memory = {&here, reach};

	(void)state;
	for (int i = 0; i < CASES; i++) {
		bool yields[SIZE] = {false};
		const void *left = own.encoded;
		uint64_t size;

		start(&own, &other);
		encode(&other);
		assert_int_equal(cape_touched_add(&touched, other.encoded, other.size), 0);
		encode_yielding(&own, yields);
		size = own.size;
		assert_int_equal(cape_touched_without(&touched, &left, &size), 0);
		assert_in_range(size, 0, CAPE_TOUCHED_BOUND(own.size));
		memcpy(once, left, size);
		left = once;
		assert_int_equal(cape_touched_without(&touched, &left, &size), 0);
		memcpy(here.memory, own.twin, SIZE);
		memcpy(here.twin, own.twin, SIZE);
		assert_int_equal(cape_exact_apply_all(left, size, cape_exact_set, &memory), 0);
		for (size_t at = 0; at < SIZE; at++) {
			bool is_out = yields[at] && other.memory[at] != other.twin[at];

			assert_int_equal(here.memory[at], is_out ? own.twin[at] : own.memory[at]);
		}
		cape_touched_clear(&touched);
	}
	assert_int_equal(cape_touched_add(&touched, "\0\4x", 3), 0);
	assert_int_equal(cape_touched_without(&touched, &malformed, &one), -EBADMSG);
	free(touched.page);
	free(touched.left);
}

static void test_without_base_every_byte_counts(void **state)
{
	static const unsigned char bytes[] = {1, 2, 3};
	unsigned char out[64], memory[3] = {7, 7, 7}, twin[3] = {8, 8, 8};
	struct cape_run first = {0, 3};
	struct cape_exact_cursor cursor;
	struct cape_exact_run run;
	uint64_t end = 0;
	unsigned char *stop = cape_exact_put(out, &end, &first, bytes, NULL);

	(void)state;
	cape_exact_open(&cursor, out, (uint64_t)(stop - out));
	assert_int_equal(cape_exact_next(&cursor, &run), 1);
	assert_null(run.mask);
	cape_exact_set(&run, memory, twin);
	assert_memory_equal(memory, bytes, 3);
	assert_memory_equal(twin, bytes, 3);
	assert_int_equal(cape_exact_next(&cursor, &run), 0);
}

static void shuffle(struct cape_exact_source *source, unsigned count)
{
	for (unsigned n = count; n > 1; n--) {
		uint64_t other = random_below(&dice, n);
		struct cape_exact_source swap = source[other];

		source[other] = source[n - 1];
		source[n - 1] = swap;
	}
}

/*
 * Definitions 5 and 11, byte by byte: who changed it, the later time, then the node; whatever the
 * order of the list.  On each node, that has what it changed itself in memory and in the twin.
 */
static void test_the_latest_element_stays(void **state)
{
	static struct side base, side[NODES], result;

	(void)state;
	for (int i = 0; i < CASES; i++) {
		struct cape_exact_source source[NODES];
		unsigned char want[SIZE];
		uint64_t time[NODES], latest[SIZE] = {0};

		start(&base, &side[0]);
		memcpy(want, base.twin, SIZE);
		for (unsigned n = 0; n < NODES; n++) {
			memcpy(side[n].twin, base.twin, SIZE);
			memcpy(side[n].memory, base.twin, SIZE);
			change_some(side[n].memory);
			encode(&side[n]);
			time[n] = random_below(&dice, 3);
			source[n] = (struct cape_exact_source){
				{time[n], n}, side[n].encoded, side[n].size};
			for (size_t at = 0; at < SIZE; at++)
				if (side[n].memory[at] != base.twin[at] && time[n] >= latest[at]) {
					want[at] = side[n].memory[at];
					latest[at] = time[n];
				}
		}
		shuffle(source, NODES);
		for (unsigned n = 0; n < NODES; n++) {
			struct cape_exact_memory memory = {&result, reach};
			uint32_t bad;

			memcpy(result.memory, side[n].memory, SIZE);
			memcpy(result.twin, base.twin, SIZE);
			assert_int_equal(cape_exact_merge(source, NODES, &memory, &bad), 0);
			assert_memory_equal(result.memory, want, SIZE);
			for (size_t at = 0; at < SIZE; at++)
				assert_int_equal(result.twin[at], want[at]);
		}
	}
}

/* The error says whose checkpoint it is. */
static void test_foreign_memory(void **state)
{
	static struct side a, b;
	struct cape_exact_memory memory = {&b, reach};
	struct cape_run outside = {BASE + SIZE - 1, 2};
	unsigned char out[64];
	uint64_t end = 0;
	unsigned char *stop = cape_exact_put(out, &end, &outside, "xy", NULL);
	struct cape_exact_source source[2] = {{{2, 5}, out, (uint64_t)(stop - out)}};
	uint32_t node;

	(void)state;
	start(&a, &b);
	encode(&a);
	source[1] = (struct cape_exact_source){{1, 4}, a.encoded, a.size};
	assert_int_equal(cape_exact_merge(source, 2, &memory, &node), -EBADMSG);
	assert_int_equal(node, 5);
}

/* Cut and flipped bytes give an error or runs that stay inside them; never more. */
static void test_malformed_bytes(void **state)
{
	static struct side a, b;

	(void)state;
	for (int i = 0; i < CASES; i++) {
		struct cape_exact_cursor cursor;
		struct cape_exact_run run;
		unsigned char *copy;
		uint64_t end = 0, size;
		int got;

		start(&a, &b);
		encode(&a);
		if (!a.size)
			continue;
		size = random_below(&dice, a.size) + 1;
		copy = malloc(size);
		memcpy(copy, a.encoded, size);
		copy[random_below(&dice, size)] ^= (unsigned char)(1u << random_below(&dice, 8));
		cape_exact_open(&cursor, copy, size);
		while ((got = cape_exact_next(&cursor, &run)) > 0) {
			assert_true(run.length > 0 && run.address >= end);
			assert_true(run.data >= copy && run.data + run.length <= copy + size);
			assert_true(!run.mask || run.mask + (run.length + 7) / 8 <= copy + size);
			end = run.address + run.length;
		}
		assert_true(got == 0 || got == -EBADMSG);
		free(copy);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_only_changed_bytes_count),
		cmocka_unit_test(test_own_changes_stay),
		cmocka_unit_test(test_the_log_makes_all_alike),
		cmocka_unit_test(test_what_yields_is_left_out),
		cmocka_unit_test(test_touched_bytes_are_taken_again),
		cmocka_unit_test(test_without_base_every_byte_counts),
		cmocka_unit_test(test_the_latest_element_stays),
		cmocka_unit_test(test_foreign_memory),
		cmocka_unit_test(test_malformed_bytes),
	};

	random_start(&dice);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
