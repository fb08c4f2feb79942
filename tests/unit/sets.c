// SPDX-License-Identifier: GPL-2.0-or-later
/* sets.c - sets of bytes, against a plain bitmap. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random.h"
#include "sets/columns.h"
#include "sets/intervals.h"

#define BYTES 4096

static struct random generator;

static uint64_t below(uint64_t limit)
{
	return random_below(&generator, limit);
}

/* Marks the bytes of BOX, one dimension after the other, as its description says. */
static void mark(unsigned char *bytes, const struct cape_box *box, unsigned dimension, uint64_t at)
{
	if (dimension == box->dimensions) {
		memset(bytes + at, 1, box->size);
		return;
	}
	for (uint64_t i = 0; i < box->dimension[dimension].count; i++)
		mark(bytes, box, dimension + 1,
		     at + i * (uint64_t)box->dimension[dimension].stride);
}

/* A box that stays within the bytes, also one with strides that lead back, or nowhere. */
static struct cape_box some_box(void)
{
	struct cape_box box = {.at = BYTES / 2, .size = below(9), .dimensions = (unsigned)below(4)};

	for (unsigned i = 0; i < box.dimensions; i++) {
		box.dimension[i].count = 1 + below(6);
		box.dimension[i].stride = (int64_t)below(240) - 120;
	}
	return box;
}

static void compare(const struct cape_intervals *set, const unsigned char *bytes)
{
	uint64_t count = 0;

	for (uint64_t at = 0; at < BYTES; at++) {
		uint64_t reach = cape_intervals_reach(set, at), end = at;

		while (end < BYTES && bytes[end])
			end++;
		assert_int_equal(reach, end);
		count += bytes[at];
	}
	assert_int_equal(cape_intervals_bytes(set), count);
}

static void holds_what_boxes_have(void **state)
{
	struct cape_intervals set = {0};
	unsigned char bytes[BYTES];

	(void)state;
	for (int round = 0; round < 2000; round++) {
		int boxes = 1 + (int)below(5);

		memset(bytes, 0, sizeof(bytes));
		cape_intervals_empty(&set);
		for (int i = 0; i < boxes; i++) {
			struct cape_box box = some_box();

			mark(bytes, &box, 0, box.at);
			assert_int_equal(cape_intervals_add(&set, &box), 0);
		}
		cape_intervals_sort(&set);
		compare(&set, bytes);
	}
}

static void finds_common_bytes(void **state)
{
	unsigned char one_bytes[BYTES], other_bytes[BYTES];
	struct cape_intervals one = {0}, other = {0};

	(void)state;
	for (int round = 0; round < 2000; round++) {
		struct cape_box a = some_box(), b = some_box();
		bool meet = false;

		memset(one_bytes, 0, BYTES);
		memset(other_bytes, 0, BYTES);
		mark(one_bytes, &a, 0, a.at);
		mark(other_bytes, &b, 0, b.at);
		for (int i = 0; i < BYTES; i++)
			meet |= one_bytes[i] && other_bytes[i];
		cape_intervals_empty(&one);
		cape_intervals_empty(&other);
		cape_intervals_add(&one, &a);
		cape_intervals_add(&other, &b);
		cape_intervals_sort(&one);
		cape_intervals_sort(&other);
		assert_int_equal(cape_intervals_meet(&one, &other), meet);
	}
}

/* One that may go on where BOX ends, in one of its dimensions, or lie beside it. */
static struct cape_box neighbour_of(const struct cape_box *box)
{
	struct cape_box other = *box;
	unsigned along = (unsigned)below(box->dimensions + 1);

	if (along == box->dimensions) {
		other.at += box->size;
		other.size = below(9);
		return other;
	}
	other.at += box->dimension[along].count * (uint64_t)box->dimension[along].stride;
	other.dimension[along].count = 1 + below(3);
	if (!below(8))
		other.dimension[below(box->dimensions)].count = 1 + below(3);
	return other;
}

/* Boxes that may leave the middle of the bytes in either direction. */
static void mark_all(unsigned char *bytes, const struct cape_box *box)
{
	mark(bytes, box, 0, box->at + BYTES);
}

static void becomes_one_with_what_is_beside(void **state)
{
	static unsigned char separate[3 * BYTES], joined[3 * BYTES];
	unsigned beside = 0, stacked = 0;

	(void)state;
	for (int round = 0; round < 4000; round++) {
		struct cape_box a = some_box(), b = neighbour_of(&a), one = a, other = b;
		bool swap = below(2);

		memset(separate, 0, sizeof(separate));
		memset(joined, 0, sizeof(joined));
		mark_all(separate, &a);
		mark_all(separate, &b);
		if (swap) {
			one = b;
			other = a;
		}
		if (cape_box_lay_beside(&one, &other))
			beside++;
		else if (cape_box_stack(&one, &other))
			stacked++;
		else
			mark_all(joined, &other);
		if (below(2))
			cape_box_simplify(&one);
		mark_all(joined, &one);
		assert_memory_equal(joined, separate, sizeof(joined));
	}
	assert_true(beside > 100 && stacked > 100);
}

static void refuses_too_many_pieces(void **state)
{
	struct cape_intervals set = {0};
	struct cape_box box = {.at = 0,
			       .size = 1,
			       .dimensions = 2,
			       .dimension = {{1ull << 40, 2}, {1ull << 40, 1ll << 42}}};

	(void)state;
	assert_true(cape_intervals_add(&set, &box) < 0);
	assert_int_equal(set.count, 0);
}

#define COLUMNS_MOST 512u

/* What boxes have that are visited, each byte once. */
struct visited {
	unsigned char bytes[BYTES];
	uint64_t count;
};

static void visit(void *context, const struct cape_box *box)
{
	struct visited *visited = context;
	uint64_t pieces = box->dimensions ? box->dimension[0].count : 1;

	assert_true(box->dimensions <= 1);
	mark(visited->bytes, box, 0, box->at);
	visited->count += pieces * box->size;
}

static void makes_rows_of_columns(void **state)
{
	struct cape_column column[COLUMNS_MOST];

	(void)state;
	for (int round = 0; round < 2000; round++) {
		size_t count = 1 + below(40);
		uint64_t stride = 128, at = 0, bytes = 0;
		static unsigned char expected[BYTES];
		static struct visited visited;

		memset(expected, 0, sizeof(expected));
		memset(&visited, 0, sizeof(visited));
		for (size_t i = 0; i < count; i++) {
			int64_t first = (int64_t)below(31), end = first + 1;

			end += (int64_t)below(32 - (uint64_t)end);
			column[i] = (struct cape_column){first, end, at, 1 + below(3)};
			at += column[i].size;
			for (int64_t row = first; row < end; row++)
				memset(expected + column[i].at + (uint64_t)row * stride, 1,
				       column[i].size);
			bytes += (uint64_t)(end - first) * column[i].size;
		}
		cape_columns_visit(column, count, stride, visit, &visited);
		assert_memory_equal(visited.bytes, expected, sizeof(expected));
		assert_int_equal(visited.count, bytes);
	}
}

static void count_box(void *context, const struct cape_box *box)
{
	(void)box;
	++*(uint64_t *)context;
}

/* Triangles of either kind; columns have 131,328 pieces in all. */
static void makes_few_rows_of_triangles(void **state)
{
	struct cape_column column[COLUMNS_MOST];

	(void)state;
	for (int kind = 0; kind < 4; kind++) {
		uint64_t boxes = 0;

		for (int64_t i = 0; i < COLUMNS_MOST; i++) {
			int64_t other = kind & 1 ? i : COLUMNS_MOST - 1 - i;

			column[i] = (struct cape_column){kind & 2 ? other : 0,
							 kind & 2 ? COLUMNS_MOST : other + 1,
							 (uint64_t)i * 8, 8};
		}
		cape_columns_visit(column, COLUMNS_MOST, 8 * COLUMNS_MOST, count_box, &boxes);
		assert_in_range(boxes, 1, 2 * COLUMNS_MOST);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(makes_rows_of_columns),
		cmocka_unit_test(makes_few_rows_of_triangles),
		cmocka_unit_test(holds_what_boxes_have),
		cmocka_unit_test(finds_common_bytes),
		cmocka_unit_test(becomes_one_with_what_is_beside),
		cmocka_unit_test(refuses_too_many_pieces),
	};

	random_start(&generator);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
