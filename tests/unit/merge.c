// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * merge.c - the laws of merging the checkpoints of nodes into memory (thesis 3.2), on random ones.
 *
 * What the thesis defines for every address on its own is the model that the result is compared
 * with.  Few values and time-stamps, so that nodes collide and tie.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include "checkpoint/diff.h"
#include "checkpoint/merge.h"
#include "random.h"

#define CASES 1500
#define NODES 5u
#define SPACE 640ul
#define START 0x7f0000001000ull
#define AREA  128ul /* memory comes in areas of this size */
#define PAGE  32ul  /* and the base in such pages */

static struct random dice;

/* A node's checkpoint, as it travels. */
struct checkpoint {
	struct cape_stamp stamp;
	unsigned char table[8 * SPACE];
	size_t table_size;
	unsigned char data[SPACE];
	size_t data_size;
	bool covers[SPACE];
};

struct space {
	unsigned char byte[SPACE];
};

/* One case: what memory was, and what each node made of it. */
struct laws {
	struct space base, node[NODES];
	struct checkpoint checkpoint[NODES];
};

static bool is_zero(const unsigned char *bytes, size_t size)
{
	while (size && !*bytes)
		bytes++, size--;
	return !size;
}

static void cover(struct checkpoint *checkpoint, uint64_t start, uint64_t end)
{
	for (uint64_t at = start; at < end && at < SPACE; at++)
		checkpoint->covers[at] = true;
}

/* Encodes what is covered, with the bytes of MEMORY. */
static void encode(struct checkpoint *checkpoint, const struct space *memory)
{
	struct cape_run run[SPACE];
	struct cape_runs runs = {.run = run};

	checkpoint->data_size = 0;
	for (uint64_t at = 0; at < SPACE; at++) {
		if (!checkpoint->covers[at])
			continue;
		checkpoint->data[checkpoint->data_size++] = memory->byte[at];
		/* Now and then a run ends where the next one begins. */
		if (cape_runs_end(&runs) == START + at && random_below(&dice, 16))
			run[runs.count - 1].length++;
		else
			run[runs.count++] = (struct cape_run){START + at, 1};
		runs.bytes++;
	}
	assert_true(cape_wire_bound(&runs) <= sizeof(checkpoint->table));
	checkpoint->table_size = cape_wire_put(&runs, checkpoint->table);
}

/* NODE's checkpoint of MEMORY, with runs that cover more than what has changed. */
static void generate(struct checkpoint *checkpoint, struct cape_stamp stamp,
		     const struct space *memory, const struct space *base)
{
	struct cape_runs runs;

	checkpoint->stamp = stamp;
	memset(checkpoint->covers, 0, sizeof(checkpoint->covers));
	cape_runs_init(&runs, &cape_memory_heap);
	assert_int_equal(cape_diff(memory->byte, base->byte, SPACE, START, &runs), 0);
	for (size_t i = 0; i < runs.count; i++)
		cover(checkpoint, runs.run[i].address - START,
		      runs.run[i].address - START + runs.run[i].length);
	cape_runs_free(&runs);
	for (uint64_t i = random_below(&dice, 4); i > 0; i--) {
		uint64_t start = random_below(&dice, SPACE);

		cover(checkpoint, start, start + random_below(&dice, 40));
	}
	encode(checkpoint, memory);
}

static void change_some(struct space *memory)
{
	for (uint64_t i = random_below(&dice, 12); i > 0; i--) {
		uint64_t at = random_below(&dice, SPACE), length = random_below(&dice, 50);

		for (; length && at < SPACE; length--, at++)
			if (random_below(&dice, 3))
				memory->byte[at] = (unsigned char)random_below(&dice, 3);
	}
}

/* All time-stamps are different, as those of nodes are; times are not. */
static void start(struct laws *laws)
{
	for (uint64_t at = 0; at < SPACE; at++)
		laws->base.byte[at] = (unsigned char)random_below(&dice, 3);
	for (uint64_t page = 0; page < SPACE; page += PAGE)
		if (random_below(&dice, 3) == 0)
			memset(laws->base.byte + page, 0, PAGE);
	for (unsigned n = 0; n < NODES; n++) {
		struct cape_stamp stamp = {random_below(&dice, 3), n};

		laws->node[n] = laws->base;
		change_some(&laws->node[n]);
		generate(&laws->checkpoint[n], stamp, &laws->node[n], &laws->base);
	}
}

/* An element of which another took the place. */
struct replacement {
	uint64_t address;
	struct cape_stamp element, by;
};

/* The memory of one merge. */
struct target {
	struct space memory;
	const struct space *base;
	const struct cape_runs *within;
	struct replacement replaced[NODES * SPACE];
	size_t replaced_count;
	struct cape_runs written;
};

static unsigned char *reach(void *context, uint64_t address, uint64_t *length)
{
	struct target *target = context;
	uint64_t at = address - START, end = (at / AREA + 1) * AREA;

	if (address < START || at >= SPACE)
		return NULL;
	if (*length > end - at)
		*length = end - at;
	return target->memory.byte + at;
}

static const unsigned char *base_at(void *context, uint64_t address, uint64_t end, uint64_t *known)
{
	const struct target *target = context;
	uint64_t at = address - START, page = at / PAGE * PAGE;

	assert_true(address >= START && address < end && end - START <= SPACE);
	*known = START + page + PAGE < end ? START + page + PAGE : end;
	return is_zero(target->base->byte + page, PAGE) ? NULL : target->base->byte + at;
}

static void note(void *context, uint64_t address, const struct cape_source *element,
		 const struct cape_source *by)
{
	struct target *target = context;

	assert_true(target->replaced_count < NODES * SPACE);
	target->replaced[target->replaced_count++] =
		(struct replacement){address - START, element->stamp, by->stamp};
}

/* Merges COUNT checkpoints, in the order in which they are listed, into TARGET; 0 or -errno. */
static int merge(struct target *target, const struct checkpoint *const *list, unsigned count,
		 uint32_t own)
{
	struct cape_merge_memory memory = {target, reach, base_at, note, own, &target->written};
	struct cape_source source[NODES + 2];
	int error = 0;

	target->replaced_count = 0;
	cape_runs_clear(&target->written);
	for (unsigned n = 0; n < count && !error; n++) {
		source[n] = (struct cape_source){.stamp = list[n]->stamp, .within = target->within};
		error = cape_cursor_open(&source[n].cursor, list[n]->table, list[n]->table_size,
					 list[n]->data, list[n]->data_size);
		if (!error)
			error = cape_source_next(&source[n]);
	}
	return error ? error : cape_merge(source, count, &memory);
}

static struct target target_of(const struct laws *laws)
{
	struct target target = {.memory = laws->base, .base = &laws->base};

	cape_runs_init(&target.written, &cape_memory_heap);
	return target;
}

static void list_all(const struct laws *laws, const struct checkpoint **list)
{
	for (unsigned n = 0; n < NODES; n++)
		list[n] = &laws->checkpoint[n];
}

static void shuffle(const struct checkpoint **list, unsigned count)
{
	for (unsigned n = count; n > 1; n--) {
		uint64_t other = random_below(&dice, n);
		const struct checkpoint *swap = list[other];

		list[other] = list[n - 1];
		list[n - 1] = swap;
	}
}

static void sort_by_stamp(const struct checkpoint **list, unsigned count)
{
	for (unsigned n = 0; n < count; n++)
		for (unsigned i = n + 1; i < count; i++) {
			const struct checkpoint *swap = list[i];

			if (cape_stamp_compare(list[n]->stamp, swap->stamp) < 0)
				continue;
			list[i] = list[n];
			list[n] = swap;
		}
}

/* The merge of all nodes, none of whose bytes are there already. */
static void merge_all(struct target *target, const struct laws *laws)
{
	const struct checkpoint *list[NODES];

	list_all(laws, list);
	assert_int_equal(merge(target, list, NODES, CAPE_MERGE_NOBODY), 0);
}

/* What the thesis says the byte at AT becomes: the node whose element stays, or NODES. */
static unsigned winner_at(const struct laws *laws, uint64_t at)
{
	unsigned winner = NODES;
	uint64_t latest = 0;

	for (unsigned n = 0; n < NODES; n++) {
		uint64_t time = laws->checkpoint[n].stamp.time;

		/* Nodes ascend: of equal times, the later node. */
		if (laws->node[n].byte[at] != laws->base.byte[at] && time >= latest) {
			winner = n;
			latest = time;
		}
	}
	return winner;
}

static void expect(struct space *want, const struct laws *laws)
{
	for (uint64_t at = 0; at < SPACE; at++) {
		unsigned winner = winner_at(laws, at);

		want->byte[at] =
			winner == NODES ? laws->base.byte[at] : laws->node[winner].byte[at];
	}
}

/* Definitions 5 and 11, byte by byte: who changed it, the later time, then the node. */
static void elements_replace_each_other(void **state)
{
	static struct laws laws;

	(void)state;
	for (unsigned i = 0; i < CASES; i++) {
		struct target target;
		struct space want;

		start(&laws);
		target = target_of(&laws);
		merge_all(&target, &laws);
		expect(&want, &laws);
		assert_memory_equal(target.memory.byte, want.byte, SPACE);
		cape_runs_free(&target.written);
	}
}

/* Every node begins with what it has changed itself, and gets the same as all others. */
static void all_nodes_are_alike(void **state)
{
	static struct laws laws;

	(void)state;
	for (unsigned i = 0; i < CASES; i++) {
		const struct checkpoint *list[NODES];
		struct space want;

		start(&laws);
		expect(&want, &laws);
		list_all(&laws, list);
		for (unsigned n = 0; n < NODES; n++) {
			struct target target = target_of(&laws);

			target.memory = laws.node[n];
			assert_int_equal(merge(&target, list, NODES, n), 0);
			assert_memory_equal(target.memory.byte, want.byte, SPACE);
			cape_runs_free(&target.written);
		}
	}
}

/* Theorem 3.2.2 (i) */
static void merge_is_commutative(void **state)
{
	static struct laws laws;

	(void)state;
	for (unsigned i = 0; i < CASES; i++) {
		const struct checkpoint *list[NODES];
		struct target left, right;

		start(&laws);
		left = target_of(&laws);
		right = target_of(&laws);
		merge_all(&left, &laws);
		list_all(&laws, list);
		shuffle(list, NODES);
		assert_int_equal(merge(&right, list, NODES, CAPE_MERGE_NOBODY), 0);
		assert_memory_equal(left.memory.byte, right.memory.byte, SPACE);
		assert_int_equal(left.written.bytes, right.written.bytes);
		cape_runs_free(&left.written);
		cape_runs_free(&right.written);
	}
}

/* Theorem 3.2.2 (ii); a checkpoint has one time-stamp, so only neighbours in time can be one. */
static void merge_is_associative(void **state)
{
	static struct laws laws;
	static struct checkpoint grouped;

	(void)state;
	for (unsigned i = 0; i < CASES; i++) {
		const struct checkpoint *list[NODES];
		unsigned first = (unsigned)random_below(&dice, NODES);
		unsigned count = 1 + (unsigned)random_below(&dice, NODES - first);
		struct target all, group, rest;

		start(&laws);
		all = target_of(&laws);
		group = target_of(&laws);
		rest = target_of(&laws);
		merge_all(&all, &laws);
		list_all(&laws, list);
		sort_by_stamp(list, NODES);
		assert_int_equal(merge(&group, list + first, count, CAPE_MERGE_NOBODY), 0);
		generate(&grouped, list[first + count - 1]->stamp, &group.memory, &laws.base);
		list[first] = &grouped;
		memmove(list + first + 1, list + first + count,
			(NODES - first - count) * sizeof(*list));
		assert_int_equal(merge(&rest, list, NODES - count + 1, CAPE_MERGE_NOBODY), 0);
		assert_memory_equal(all.memory.byte, rest.memory.byte, SPACE);
		cape_runs_free(&all.written);
		cape_runs_free(&group.written);
		cape_runs_free(&rest.written);
	}
}

/* The empty checkpoint, and one of the latest time-stamp that covers all and changes nothing. */
static void what_changes_nothing_is_neutral(void **state)
{
	static struct laws laws;
	static struct checkpoint empty, unchanged;

	(void)state;
	for (unsigned i = 0; i < CASES; i++) {
		const struct checkpoint *list[NODES + 2];
		struct target left, right;

		start(&laws);
		left = target_of(&laws);
		right = target_of(&laws);
		merge_all(&left, &laws);
		list_all(&laws, list);
		empty.stamp = unchanged.stamp = (struct cape_stamp){9, NODES};
		cover(&unchanged, 0, SPACE);
		encode(&unchanged, &laws.base);
		list[NODES] = &empty;
		list[NODES + 1] = &unchanged;
		shuffle(list, NODES + 2);
		assert_int_equal(merge(&right, list, NODES + 2, CAPE_MERGE_NOBODY), 0);
		assert_memory_equal(left.memory.byte, right.memory.byte, SPACE);
		assert_int_equal(left.replaced_count, right.replaced_count);
		assert_int_equal(merge(&right, list, 0, CAPE_MERGE_NOBODY), 0);
		assert_memory_equal(left.memory.byte, right.memory.byte, SPACE);
		cape_runs_free(&left.written);
		cape_runs_free(&right.written);
	}
}

static void ranges(struct cape_runs *within, bool *inside)
{
	cape_runs_init(within, &cape_memory_heap);
	for (uint64_t at = 0; at < SPACE; at = cape_runs_end(within) - START) {
		uint64_t start = at + random_below(&dice, 80), length = 1 + random_below(&dice, 60);

		if (start + length > SPACE)
			break;
		assert_int_equal(cape_runs_add(within, START + start, length), 0);
		memset(inside + start, true, length);
	}
}

/* Definition 3: of what lies outside the range nothing is taken, and all of what lies inside. */
static void only_the_range_counts(void **state)
{
	static struct laws laws;

	(void)state;
	for (unsigned i = 0; i < CASES; i++) {
		bool inside[SPACE] = {false};
		struct cape_runs within;
		struct target target;
		struct space want;

		start(&laws);
		expect(&want, &laws);
		ranges(&within, inside);
		target = target_of(&laws);
		/* Another value than any: what is not written stays. */
		memset(target.memory.byte, 9, SPACE);
		for (uint64_t at = 0; at < SPACE; at++) {
			bool covered = false;

			for (unsigned n = 0; n < NODES; n++)
				covered |= laws.checkpoint[n].covers[at];
			if (!covered || !inside[at])
				want.byte[at] = 9;
		}
		target.within = &within;
		merge_all(&target, &laws);
		assert_memory_equal(target.memory.byte, want.byte, SPACE);
		cape_runs_free(&target.written);
		cape_runs_free(&within);
	}
}

/* Every element that another takes the place of is told, once, with the one that stays. */
static void replaced_elements_are_told(void **state)
{
	static struct laws laws;
	static struct target target;

	(void)state;
	for (unsigned i = 0; i < CASES / 10; i++) {
		size_t expected = 0;

		start(&laws);
		target = target_of(&laws);
		merge_all(&target, &laws);
		for (uint64_t at = 0; at < SPACE; at++)
			for (unsigned n = 0; n < NODES; n++)
				expected += laws.node[n].byte[at] != laws.base.byte[at] &&
					    winner_at(&laws, at) != n;
		assert_int_equal(target.replaced_count, expected);
		for (size_t k = 0; k < target.replaced_count; k++) {
			const struct replacement *one = &target.replaced[k];

			assert_int_equal(one->by.node, winner_at(&laws, one->address));
			assert_int_not_equal(one->element.node, one->by.node);
			assert_true(laws.node[one->element.node].byte[one->address] !=
				    laws.base.byte[one->address]);
		}
		cape_runs_free(&target.written);
	}
}

/* What the master of master-slave sends on: all that any node sent. */
static void what_is_written_is_listed(void **state)
{
	static struct laws laws;

	(void)state;
	for (unsigned i = 0; i < CASES; i++) {
		bool listed[SPACE] = {false};
		struct target target;

		start(&laws);
		target = target_of(&laws);
		merge_all(&target, &laws);
		for (size_t r = 0; r < target.written.count; r++)
			memset(listed + (target.written.run[r].address - START), true,
			       target.written.run[r].length);
		for (uint64_t at = 0; at < SPACE; at++) {
			bool covered = false;

			for (unsigned n = 0; n < NODES; n++)
				covered |= laws.checkpoint[n].covers[at];
			assert_int_equal(listed[at], covered);
		}
		cape_runs_free(&target.written);
	}
}

/* Cut and flipped tables: an error, or runs that are in memory; the sanitizer sees the rest. */
static void malformed_checkpoints(void **state)
{
	static struct laws laws;
	unsigned bad = 0;

	(void)state;
	for (unsigned i = 0; i < CASES; i++) {
		struct checkpoint *hurt;
		const struct checkpoint *list[NODES];
		struct target target;
		int error;

		start(&laws);
		target = target_of(&laws);
		hurt = &laws.checkpoint[random_below(&dice, NODES)];
		if (!hurt->table_size)
			continue;
		if (random_below(&dice, 2))
			hurt->table[random_below(&dice, hurt->table_size)] ^=
				(unsigned char)(1u << random_below(&dice, 8));
		else
			hurt->table_size = random_below(&dice, hurt->table_size);
		list_all(&laws, list);
		error = merge(&target, list, NODES, CAPE_MERGE_NOBODY);
		assert_true(error == 0 || error == -EBADMSG);
		bad += error != 0;
		cape_runs_free(&target.written);
	}
	assert_true(bad > CASES / 2);
}

static void *no_memory(struct cape_memory *memory, void *old, size_t old_size, size_t new_size)
{
	(void)memory;
	(void)old;
	(void)old_size;
	(void)new_size;
	return NULL;
}

static void foreign_memory_and_no_memory(void **state)
{
	static struct checkpoint checkpoint = {.table_size = 2, .data = {1}, .data_size = 1};
	const struct checkpoint *list[] = {&checkpoint};
	struct cape_memory nothing = {.resize = no_memory};
	static struct laws laws;
	struct target target = target_of(&laws);

	(void)state;
	checkpoint.table[0] = 5; /* address 5, one byte */
	checkpoint.table[1] = 1;
	assert_int_equal(merge(&target, list, 1, CAPE_MERGE_NOBODY), -EBADMSG);
	cape_runs_free(&target.written);
	cape_runs_init(&target.written, &nothing);
	cover(&checkpoint, 3, 4);
	encode(&checkpoint, &laws.base);
	assert_int_equal(merge(&target, list, 1, CAPE_MERGE_NOBODY), -ENOMEM);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(elements_replace_each_other),
		cmocka_unit_test(all_nodes_are_alike),
		cmocka_unit_test(merge_is_commutative),
		cmocka_unit_test(merge_is_associative),
		cmocka_unit_test(what_changes_nothing_is_neutral),
		cmocka_unit_test(only_the_range_counts),
		cmocka_unit_test(replaced_elements_are_told),
		cmocka_unit_test(what_is_written_is_listed),
		cmocka_unit_test(malformed_checkpoints),
		cmocka_unit_test(foreign_memory_and_no_memory),
	};

	random_start(&dice);
	return cmocka_run_group_tests_name("merge", tests, NULL, NULL);
}
