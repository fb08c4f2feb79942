// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * access.c - checkpoints against memory: narrow, inject, and all of a sync point in small.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <string.h>
#include "paper/access.h"
#include "checkpoint/diff.h"
#include "paper/merge.h"
#include "random.h"

#define START 0x9000ul
#define SPACE 10000ul
#define NODES 5
#define CASES 600

static struct random dice;

/* The memory of a node; CONTEXT of its access. */
struct node {
	unsigned char memory[SPACE];
};

static int node_read(void *context, uint64_t address, void *bytes, size_t length)
{
	struct node *node = context;

	if (address < START || length > SPACE || address - START > SPACE - length)
		return -EFAULT;
	memcpy(bytes, node->memory + (address - START), length);
	return 0;
}

static int node_write(void *context, uint64_t address, const void *bytes, size_t length)
{
	struct node *node = context;

	if (address < START || length > SPACE || address - START > SPACE - length)
		return -EFAULT;
	memcpy(node->memory + (address - START), bytes, length);
	return 0;
}

static struct cape_access access_to(struct node *node)
{
	return (struct cape_access){node, node_read, node_write};
}

/* The checkpoint of what NODE changed since BASE, in covering runs. */
static void generate(struct cape_checkpoint *checkpoint, const struct node *node,
		     const struct node *base, struct cape_stamp stamp)
{
	struct cape_runs runs;

	cape_runs_init(&runs, &cape_memory_heap);
	assert_int_equal(cape_diff(node->memory, base->memory, SPACE, START, &runs), 0);
	for (size_t i = 0; i < runs.count; i++) {
		struct cape_member member = {runs.run[i].address, runs.run[i].length, stamp};

		assert_int_equal(cape_checkpoint_append(checkpoint, member,
							node->memory + (member.address - START)),
				 0);
	}
	cape_runs_free(&runs);
}

static void narrow_leaves_changed_bytes(void **state)
{
	(void)state;
	for (unsigned i = 0; i < CASES; i++) {
		struct node base, node;
		struct cape_access read_base = access_to(&base);
		struct cape_checkpoint checkpoint;
		uint64_t odds = 1 + random_below(&dice, 20), at = 0, changed = 0;

		random_bytes(&dice, base.memory, SPACE);
		node = base;
		for (uint64_t n = 0; n < SPACE; n++)
			if (random_below(&dice, odds) == 0)
				node.memory[n] = (unsigned char)random_next(&dice);
		cape_checkpoint_init(&checkpoint, &cape_memory_heap);
		generate(&checkpoint, &node, &base, (struct cape_stamp){1, 1});
		assert_int_equal(cape_checkpoint_narrow(&checkpoint, &read_base), 0);
		for (size_t n = 0; n < checkpoint.members; n++) {
			const struct cape_member *member = &checkpoint.member[n];

			for (uint64_t k = 0; k < member->length; k++, at++) {
				uint64_t offset = member->address - START + k;

				assert_int_equal(checkpoint.data.bytes[at], node.memory[offset]);
				assert_int_not_equal(node.memory[offset], base.memory[offset]);
			}
		}
		for (uint64_t n = 0; n < SPACE; n++)
			changed += node.memory[n] != base.memory[n];
		assert_int_equal(changed, at);
		cape_checkpoint_free(&checkpoint);
	}
}

/* What a sync point leaves: the base, the latest changed byte of each address, the sums. */
static void expect(struct node *want, const struct node *node, const struct node *base,
		   const double *parts)
{
	double sum;

	*want = *base;
	for (uint64_t i = 0; i < SPACE; i++)
		for (unsigned n = 0; n < NODES; n++)
			if (node[n].memory[i] != base->memory[i])
				want->memory[i] = node[n].memory[i];
	memcpy(&sum, want->memory + 9, sizeof(sum));
	for (unsigned n = 0; n < NODES; n++)
		sum += parts[n];
	memcpy(want->memory + 9, &sum, sizeof(sum));
}

/* Merges all checkpoints of MERGED into the first one, two random ones at a time. */
static void merge_all(struct cape_checkpoint *merged)
{
	for (unsigned left = NODES; left > 1; left--) {
		uint64_t into = random_below(&dice, left), from = random_below(&dice, left - 1);

		from += from >= into;
		assert_int_equal(cape_checkpoint_merge(&merged[into], &merged[from]), 0);
		cape_checkpoint_free(&merged[from]);
		if (from != left - 1) {
			merged[from] = merged[left - 1];
			cape_checkpoint_init(&merged[left - 1], &cape_memory_heap);
		}
	}
}

/* Five nodes write into the same words; whoever merges in whatever order gets the same bits. */
static void sync_points(void **state)
{
	(void)state;
	for (unsigned i = 0; i < CASES; i++) {
		struct cape_checkpoint merged[NODES];
		struct node base, node[NODES], want;
		struct cape_access read_base = access_to(&base);
		double parts[NODES], number = (double)random_below(&dice, 1000) / 3;

		random_bytes(&dice, base.memory, SPACE);
		memcpy(base.memory + 9, &number, sizeof(number));
		for (unsigned n = 0; n < NODES; n++) {
			struct cape_stamp stamp = {7 + (n == NODES - 1), n};
			struct cape_operand sum = {START + 9, 1, CAPE_ADD, CAPE_DOUBLE, stamp};

			node[n] = base;
			for (uint64_t k = 40; k < SPACE; k++)
				if (random_below(&dice, 2) == 0)
					node[n].memory[k] = (unsigned char)random_next(&dice);
			parts[n] = (double)random_next(&dice) / 1e12;
			cape_checkpoint_init(&merged[n], &cape_memory_heap);
			generate(&merged[n], &node[n], &base, stamp);
			assert_int_equal(cape_checkpoint_add_operand(&merged[n], sum, &parts[n]),
					 0);
			assert_int_equal(cape_checkpoint_narrow(&merged[n], &read_base), 0);
		}
		expect(&want, node, &base, parts);
		merge_all(merged);
		for (unsigned n = 0; n < NODES; n++) {
			struct cape_access write_node = access_to(&node[n]);

			node[n] = base;
			assert_int_equal(cape_checkpoint_inject(&merged[0], &write_node), 0);
			assert_memory_equal(node[n].memory, want.memory, SPACE);
		}
		cape_checkpoint_free(&merged[0]);
	}
}

/* Arrays longer than the pieces in which they are injected. */
static void long_operands(void **state)
{
	struct cape_operand operand = {START + 3, 2400, CAPE_ADD, CAPE_INT, {1, 0}};
	struct cape_checkpoint checkpoint;
	struct node node;
	struct cape_access access = access_to(&node);
	int values[2400], got[2400];

	(void)state;
	memset(&node, 0xff, sizeof(node));
	for (int i = 0; i < 2400; i++)
		values[i] = i;
	cape_checkpoint_init(&checkpoint, &cape_memory_heap);
	assert_int_equal(cape_checkpoint_add_operand(&checkpoint, operand, values), 0);
	assert_int_equal(cape_checkpoint_inject(&checkpoint, &access), 0);
	memcpy(got, node.memory + 3, sizeof(got));
	for (int i = 0; i < 2400; i++)
		assert_int_equal(got[i], i - 1);
	assert_int_equal(node.memory[2], 0xff);
	assert_int_equal(node.memory[3 + sizeof(got)], 0xff);
	cape_checkpoint_free(&checkpoint);
}

static void unreachable_memory(void **state)
{
	struct cape_member member = {START + SPACE - 4, 8, {0, 0}};
	struct cape_operand operand = {START - 4, 1, CAPE_ADD, CAPE_DOUBLE, {0, 0}};
	struct cape_checkpoint checkpoint;
	struct node node = {{0}};
	struct cape_access access = access_to(&node);
	double value = 1;

	(void)state;
	cape_checkpoint_init(&checkpoint, &cape_memory_heap);
	assert_int_equal(cape_checkpoint_add(&checkpoint, member, &value), 0);
	assert_int_equal(cape_checkpoint_narrow(&checkpoint, &access), -EFAULT);
	assert_int_equal(checkpoint.members, 1);
	assert_int_equal(cape_checkpoint_inject(&checkpoint, &access), -EFAULT);
	cape_checkpoint_free(&checkpoint);
	assert_int_equal(cape_checkpoint_add_operand(&checkpoint, operand, &value), 0);
	assert_int_equal(cape_checkpoint_inject(&checkpoint, &access), -EFAULT);
	cape_checkpoint_free(&checkpoint);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(narrow_leaves_changed_bytes),
		cmocka_unit_test(sync_points),
		cmocka_unit_test(long_operands),
		cmocka_unit_test(unreachable_memory),
	};

	random_start(&dice);
	return cmocka_run_group_tests_name("access", tests, NULL, NULL);
}
