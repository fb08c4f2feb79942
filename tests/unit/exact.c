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
#include "random.h"

#define SIZE  2048
#define BASE  0x7f0000001000ull
#define CASES 2000

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

typedef void (*apply_run)(const struct cape_exact_run *run, void *memory, void *twin);

static void apply(const struct side *from, struct side *to, apply_run how)
{
	struct cape_exact_cursor cursor;
	struct cape_exact_run run;
	int got;

	cape_exact_open(&cursor, from->encoded, from->size);
	while ((got = cape_exact_next(&cursor, &run)) > 0) {
		assert_true(run.address >= BASE && run.address - BASE + run.length <= SIZE);
		how(&run, to->memory + (run.address - BASE), to->twin + (run.address - BASE));
	}
	assert_int_equal(got, 0);
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
		cmocka_unit_test(test_without_base_every_byte_counts),
		cmocka_unit_test(test_malformed_bytes),
	};

	random_start(&dice);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
