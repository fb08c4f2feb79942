// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pack.c - packing what goes through a network: round trips, sizes, malformed bytes.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "checkpoint/pack.h"
#include "random.h"

#define SIZE  8192
#define CASES 3000

static struct random dice;
static unsigned char was[SIZE], is[SIZE], packed[SIZE + CAPE_PACK_HEAD];

static void put_number(size_t which, double number)
{
	memcpy(was + which * sizeof(number), &number, sizeof(number));
}

static void fill_with_counts(double first)
{
	for (size_t i = 0; i < SIZE / sizeof(double); i++)
		put_number(i, first + (double)i);
}

/* Of all kinds: bytes of any value, of few values, zeros, numbers, and these in a row. */
static void fill(void)
{
	uint64_t at = 0;

	fill_with_counts((double)random_below(&dice, 1u << 30));
	while (at < SIZE) {
		uint64_t length = 1 + random_below(&dice, SIZE);

		if (length > SIZE - at)
			length = SIZE - at;
		switch (random_below(&dice, 4)) {
		case 0:
			random_bytes(&dice, was + at, length);
			break;
		case 1:
			memset(was + at, (int)random_below(&dice, 256), length);
			break;
		case 2:
			for (uint64_t i = at; i < at + length; i++)
				was[i] = (unsigned char)(random_below(&dice, 9) == 0);
			break;
		}
		at += length;
	}
}

static void come_back_as_they_were(void **state)
{
	unsigned smaller = 0;

	(void)state;
	for (int i = 0; i < CASES; i++) {
		size_t size = i < 300 ? (size_t)i : random_below(&dice, SIZE + 1), length;

		fill();
		length = cape_pack(was, size, packed);
		assert_true(length < size || length == 0);
		smaller += length > 0;
		memset(is, 0xa5, sizeof(is));
		if (length) {
			assert_int_equal(cape_unpack(packed, length, is, size), 0);
			assert_memory_equal(is, was, size);
		}
		length = cape_pack_message(was, size, packed);
		assert_true(length <= size + CAPE_PACK_HEAD);
		assert_int_equal(cape_unpack_message(packed, length, is, size), size);
		assert_memory_equal(is, was, size);
		if (size)
			assert_int_equal(cape_unpack_message(packed, length, is, size - 1),
					 -EPROTO);
	}
	assert_in_range(smaller, CASES / 4, CASES);
}

static void few_bytes_of_what_is_alike(void **state)
{
	(void)state;
	memset(was, 7, SIZE);
	assert_in_range(cape_pack(was, SIZE, packed), 1, SIZE / 16);
	fill_with_counts(200000);
	assert_in_range(cape_pack(was, SIZE, packed), 1, SIZE / 5);
	random_bytes(&dice, was, SIZE);
	assert_int_equal(cape_pack(was, SIZE, packed), 0);
}

/* Whatever comes, nothing is read or written behind an end: the sanitizers watch. */
static void refuses_what_is_malformed(void **state)
{
	(void)state;
	for (int i = 0; i < CASES; i++) {
		size_t size = random_below(&dice, SIZE + 1), length, cut;
		unsigned char *copy, *to = malloc(size + 1);

		fill();
		length = cape_pack_message(was, size, packed);
		cut = random_below(&dice, length + 1);
		copy = malloc(cut + 1);
		assert_true(copy && to);
		memcpy(copy, packed, cut);
		if (cut < length)
			assert_int_equal(cape_unpack_message(copy, cut, to, size), -EPROTO);
		for (int change = 0; change < 3 && cut; change++)
			copy[random_below(&dice, cut)] ^= (unsigned char)random_next(&dice);
		assert_true(cape_unpack_message(copy, cut, to, size) <= (ssize_t)size);
		free(copy);
		free(to);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(come_back_as_they_were),
		cmocka_unit_test(few_bytes_of_what_is_alike),
		cmocka_unit_test(refuses_what_is_malformed),
	};

	random_start(&dice);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
