// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * wire.c - the run table: round trips, and cursors over random, cut and mutated tables.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "checkpoint/varint.h"
#include "checkpoint/wire.h"
#include "random.h"

#define CASES 20000

static struct random dice;

static uint64_t random_size(unsigned bits)
{
	return random_next(&dice) >> (63 - random_below(&dice, bits));
}

/* Up to 64 runs, of which the data would take less than 1 MB. */
static void random_runs(struct cape_runs *runs)
{
	uint64_t count = random_below(&dice, 64);

	cape_runs_clear(runs);
	for (uint64_t i = 0; i < count; i++) {
		uint64_t gap = random_size(50);
		uint64_t length = 1 + random_size(14);

		assert_int_equal(cape_runs_add(runs, cape_runs_end(runs) + gap, length), 0);
	}
}

static unsigned char *exactly(const void *bytes, size_t size)
{
	unsigned char *copy = malloc(size ? size : 1);

	assert_non_null(copy);
	if (size)
		memcpy(copy, bytes, size);
	return copy;
}

static void round_trips(void **state)
{
	struct cape_runs runs;

	(void)state;
	cape_runs_init(&runs, &cape_memory_heap);
	for (unsigned i = 0; i < CASES; i++) {
		unsigned char *out, *data, *table;
		const unsigned char *at;
		struct cape_cursor cursor;
		struct cape_run run;
		size_t size;

		random_runs(&runs);
		out = malloc(cape_wire_bound(&runs) + 1);
		data = malloc(runs.bytes + 1);
		size = cape_wire_put(&runs, out);
		assert_true(size <= cape_wire_bound(&runs));
		table = exactly(out, size);
		assert_int_equal(cape_cursor_open(&cursor, table, size, data, runs.bytes), 0);
		for (size_t n = 0, offset = 0; n < runs.count; n++) {
			assert_int_equal(cape_cursor_next(&cursor, &run, &at), 1);
			assert_int_equal(run.address, runs.run[n].address);
			assert_int_equal(run.length, runs.run[n].length);
			assert_ptr_equal(at, data + offset);
			offset += run.length;
		}
		assert_int_equal(cape_cursor_next(&cursor, &run, &at), 0);
		assert_int_equal(cape_cursor_next(&cursor, &run, &at), 0);
		free(table);
		free(data);
		free(out);
	}
	cape_runs_free(&runs);
}

/* Whatever the table says, runs are in order and their data within the block. */
static int walk(const unsigned char *table, size_t size, const unsigned char *data,
		size_t data_size)
{
	struct cape_cursor cursor;
	struct cape_run run;
	const unsigned char *at;
	uint64_t end = 0;
	size_t used = 0;
	int got;

	assert_int_equal(cape_cursor_open(&cursor, table, size, data, data_size), 0);
	while ((got = cape_cursor_next(&cursor, &run, &at)) == 1) {
		assert_true(run.address >= end);
		assert_true(run.length >= 1);
		assert_true(run.length <= UINT64_MAX - run.address);
		assert_ptr_equal(at, data + used);
		assert_true(run.length <= data_size - used);
		end = run.address + run.length;
		used += run.length;
	}
	if (got == 0)
		assert_int_equal(used, data_size);
	else
		assert_int_equal(got, -EBADMSG);
	return got;
}

static void random_tables(void **state)
{
	unsigned char *data = malloc(4096);

	(void)state;
	for (unsigned i = 0; i < CASES; i++) {
		size_t size = random_below(&dice, 60);
		unsigned char *table = malloc(size ? size : 1);

		random_bytes(&dice, table, size);
		for (size_t n = 0; n < size; n++)
			if (random_below(&dice, 2))
				table[n] &= 0x7f;
		walk(table, size, data, random_below(&dice, 4096));
		free(table);
	}
	free(data);
}

static void mutated_tables(void **state)
{
	struct cape_runs runs;
	unsigned refused = 0;

	(void)state;
	cape_runs_init(&runs, &cape_memory_heap);
	for (unsigned i = 0; i < CASES; i++) {
		unsigned char *out, *table, *data;
		size_t size;

		random_runs(&runs);
		out = malloc(cape_wire_bound(&runs) + 1);
		data = malloc(runs.bytes + 1);
		size = cape_wire_put(&runs, out);
		for (uint64_t n = random_below(&dice, 4); size && n > 0; n--)
			out[random_below(&dice, size)] ^= (unsigned char)(1u << (n % 8));
		if (random_below(&dice, 3) == 0)
			size = random_below(&dice, size + 1);
		table = exactly(out, size);
		refused += walk(table, size, data, runs.bytes) != 0;
		free(table);
		free(data);
		free(out);
	}
	assert_true(refused > CASES / 4);
	cape_runs_free(&runs);
}

static void assert_refused(const char *table, size_t size, size_t data_size)
{
	unsigned char *exact = exactly(table, size), *data = malloc(data_size ? data_size : 1);

	assert_int_equal(walk(exact, size, data, data_size), -EBADMSG);
	free(exact);
	free(data);
}

static void malformed_tables(void **state)
{
	struct cape_cursor cursor;

	(void)state;
	assert_refused("\x01", 1, 1);	  /* no length */
	assert_refused("\x80", 1, 1);	  /* cut varint */
	assert_refused("\x01\x00", 2, 0); /* length 0 */
	assert_refused("\x01\x02", 2, 1); /* more than there is */
	assert_refused("\x01\x02", 2, 3); /* bytes that no run names */
	assert_refused("", 0, 3);
	assert_refused("\x81\x00\x01", 3, 1); /* not the shortest */
	assert_refused("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02\x01", 11, 1); /* 65 bits */
	assert_refused("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x81\x01\x01", 12, 1);
	assert_refused("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x01", 11, 1); /* wraps around */
	assert_refused("\x01\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x01", 13, 2);
	assert_int_equal(cape_cursor_open(&cursor, NULL, 1, "", 0), -EBADMSG);
	assert_int_equal(cape_cursor_open(&cursor, "", 0, NULL, 1), -EBADMSG);
	assert_int_equal(walk(NULL, 0, NULL, 0), 0);
}

static void varints(void **state)
{
	unsigned char bytes[10];

	(void)state;
	for (unsigned i = 0; i < CASES; i++) {
		uint64_t value = i < 64 ? 1ull << i : random_size(64), got;
		const unsigned char *at = bytes;
		unsigned char *end = cape_varint_put(bytes, value);

		assert_int_equal(end - bytes, cape_varint_size(value));
		assert_true(cape_varint_get(&at, end, &got));
		assert_int_equal(got, value);
		assert_ptr_equal(at, end);
		at = bytes;
		assert_false(cape_varint_get(&at, end - 1, &got));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(varints),	    cmocka_unit_test(round_trips),
		cmocka_unit_test(random_tables),    cmocka_unit_test(mutated_tables),
		cmocka_unit_test(malformed_tables),
	};

	random_start(&dice);
	return cmocka_run_group_tests_name("wire", tests, NULL, NULL);
}
