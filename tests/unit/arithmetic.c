// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * arithmetic.c - the laws of the arithmetic on checkpoints, on random ones (thesis 3.2).
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <string.h>
#include "checkpoints.h"

#define CASES	 3000
#define OPERANDS 4

static struct random dice;

/* The checkpoints of one case: random ones, and what becomes of them. */
struct laws {
	struct cape_checkpoint a, b, c, left, right;
	struct cape_runs ranges;
};

static void start(struct laws *laws, unsigned operands)
{
	struct cape_checkpoint *all[] = {&laws->a, &laws->b, &laws->c};

	cape_checkpoint_init(&laws->left, &cape_memory_heap);
	cape_checkpoint_init(&laws->right, &cape_memory_heap);
	cape_runs_init(&laws->ranges, &cape_memory_heap);
	for (unsigned i = 0; i < 3; i++) {
		cape_checkpoint_init(all[i], &cape_memory_heap);
		assert_int_equal(random_checkpoint(&dice, all[i], operands), 0);
	}
	for (uint64_t i = 0, at = SPACE_START; i < 8; i++) {
		at += random_below(&dice, 80);
		assert_int_equal(cape_runs_add(&laws->ranges, at, 1 + random_below(&dice, 40)), 0);
		at = cape_runs_end(&laws->ranges);
	}
}

static void finish(struct laws *laws)
{
	cape_checkpoint_free(&laws->a);
	cape_checkpoint_free(&laws->b);
	cape_checkpoint_free(&laws->c);
	cape_checkpoint_free(&laws->left);
	cape_checkpoint_free(&laws->right);
	cape_runs_free(&laws->ranges);
}

static void merge(struct cape_checkpoint *into, const struct cape_checkpoint *other)
{
	assert_int_equal(cape_checkpoint_merge(into, other), 0);
}

static void exclude(struct cape_checkpoint *from, const struct cape_checkpoint *other)
{
	assert_int_equal(cape_checkpoint_exclude(from, other), 0);
}

static void restrict_to(struct cape_checkpoint *checkpoint, const struct cape_runs *ranges)
{
	assert_int_equal(cape_checkpoint_restrict(checkpoint, ranges), 0);
}

/* Members are apart or of different time-stamps, and their data is all there. */
static void assert_canonical(const struct cape_checkpoint *checkpoint)
{
	uint64_t bytes = 0, values = 0;

	for (size_t i = 0; i < checkpoint->members; i++) {
		const struct cape_member *member = &checkpoint->member[i];

		assert_true(member->length > 0);
		bytes += member->length;
		if (i == 0)
			continue;
		assert_true(member[-1].address + member[-1].length <= member->address);
		if (member[-1].address + member[-1].length == member->address)
			assert_int_not_equal(cape_stamp_compare(member[-1].stamp, member->stamp),
					     0);
	}
	assert_int_equal(bytes, checkpoint->data.size);
	for (size_t i = 0; i < checkpoint->operands; i++) {
		const struct cape_operand *operand = &checkpoint->operand[i];

		values += cape_operand_size(operand);
		if (i > 0)
			assert_true(cape_operand_compare_target(operand - 1, operand) <=
				    -(int)cape_reduction_exact(operand->op, operand->type));
	}
	assert_int_equal(values, checkpoint->values.size);
}

static void assert_left_is_right(const struct laws *laws)
{
	assert_canonical(&laws->left);
	assert_canonical(&laws->right);
	assert_true(cape_checkpoint_equal(&laws->left, &laws->right));
	assert_true(cape_checkpoint_equal(&laws->right, &laws->left));
}

/* Theorem 3.2.2 (i) */
static void merge_is_commutative(void **state)
{
	(void)state;
	for (unsigned i = 0; i < CASES; i++) {
		struct laws laws;

		start(&laws, OPERANDS);
		merge(&laws.left, &laws.a);
		merge(&laws.left, &laws.b);
		merge(&laws.right, &laws.b);
		merge(&laws.right, &laws.a);
		assert_left_is_right(&laws);
		finish(&laws);
	}
}

/* Theorem 3.2.2 (ii) */
static void merge_is_associative(void **state)
{
	(void)state;
	for (unsigned i = 0; i < CASES; i++) {
		struct laws laws;

		start(&laws, OPERANDS);
		merge(&laws.left, &laws.a);
		merge(&laws.left, &laws.b);
		merge(&laws.left, &laws.c);
		merge(&laws.right, &laws.b);
		merge(&laws.right, &laws.c);
		merge(&laws.a, &laws.right);
		assert_true(cape_checkpoint_equal(&laws.left, &laws.a));
		finish(&laws);
	}
}

static void empty_is_neutral(void **state)
{
	struct cape_checkpoint empty;

	(void)state;
	cape_checkpoint_init(&empty, &cape_memory_heap);
	for (unsigned i = 0; i < CASES; i++) {
		struct laws laws;

		start(&laws, OPERANDS);
		merge(&laws.left, &laws.a);
		assert_true(cape_checkpoint_equal(&laws.left, &laws.a));
		merge(&laws.left, &empty);
		exclude(&laws.left, &empty);
		assert_true(cape_checkpoint_equal(&laws.left, &laws.a));
		exclude(&laws.right, &laws.a);
		assert_int_equal(laws.right.members + laws.right.operands, 0);
		finish(&laws);
	}
	assert_true(cape_checkpoint_is_empty(&empty));
	cape_checkpoint_free(&empty);
}

static void merge_is_idempotent_without_operands(void **state)
{
	(void)state;
	for (unsigned i = 0; i < CASES; i++) {
		struct laws laws;

		start(&laws, 0);
		merge(&laws.left, &laws.a);
		merge(&laws.left, &laws.a);
		assert_true(cape_checkpoint_equal(&laws.left, &laws.a));
		finish(&laws);
	}
}

/* Definitions 8, 10 and 12 */
static void exclude_laws(void **state)
{
	(void)state;
	for (unsigned i = 0; i < CASES; i++) {
		struct laws laws;

		/* a - (b + c) = (a - b) - c */
		start(&laws, OPERANDS);
		merge(&laws.left, &laws.a);
		merge(&laws.right, &laws.a);
		exclude(&laws.left, &laws.b);
		exclude(&laws.left, &laws.c);
		merge(&laws.b, &laws.c);
		exclude(&laws.right, &laws.b);
		assert_left_is_right(&laws);
		/* What is excluded is gone. */
		exclude(&laws.b, &laws.b);
		assert_int_equal(laws.b.members + laws.b.operands, 0);
		finish(&laws);

		/* (a + b) - c = (a - c) + (b - c) */
		start(&laws, OPERANDS);
		merge(&laws.left, &laws.a);
		merge(&laws.left, &laws.b);
		exclude(&laws.left, &laws.c);
		exclude(&laws.a, &laws.c);
		exclude(&laws.b, &laws.c);
		merge(&laws.right, &laws.a);
		merge(&laws.right, &laws.b);
		assert_left_is_right(&laws);
		finish(&laws);
	}
}

/* Definition 3 */
static void range_laws(void **state)
{
	(void)state;
	for (unsigned i = 0; i < CASES; i++) {
		struct laws laws;

		/* R(a + b) = R(a) + R(b) = R(R(a + b)) */
		start(&laws, OPERANDS);
		merge(&laws.left, &laws.a);
		merge(&laws.left, &laws.b);
		restrict_to(&laws.left, &laws.ranges);
		restrict_to(&laws.a, &laws.ranges);
		restrict_to(&laws.b, &laws.ranges);
		merge(&laws.right, &laws.a);
		merge(&laws.right, &laws.b);
		assert_left_is_right(&laws);
		restrict_to(&laws.right, &laws.ranges);
		assert_left_is_right(&laws);
		finish(&laws);

		/* a = R(a) + (a - R(a)) */
		start(&laws, 0);
		merge(&laws.left, &laws.a);
		restrict_to(&laws.left, &laws.ranges);
		merge(&laws.right, &laws.a);
		exclude(&laws.right, &laws.left);
		merge(&laws.left, &laws.right);
		assert_true(cape_checkpoint_equal(&laws.left, &laws.a));
		finish(&laws);
	}
}

/* Every address on its own, as definition 5 has it. */
struct element {
	bool present;
	unsigned char value;
	struct cape_stamp stamp;
};

static void replace(struct element *element, struct cape_stamp stamp, unsigned char value)
{
	int order = element->present ? cape_stamp_compare(element->stamp, stamp) : -1;

	if (order < 0 || (order == 0 && value > element->value))
		*element = (struct element){true, value, stamp};
}

static void assert_is_model(const struct cape_checkpoint *checkpoint, const struct element *model)
{
	const unsigned char *data = checkpoint->data.bytes;
	size_t elements = 0;

	for (size_t i = 0; i < checkpoint->members; i++) {
		const struct cape_member *member = &checkpoint->member[i];

		for (uint64_t n = 0; n < member->length; n++, data++) {
			const struct element *want = &model[member->address - SPACE_START + n];

			assert_true(want->present);
			assert_int_equal(*data, want->value);
			assert_int_equal(cape_stamp_compare(member->stamp, want->stamp), 0);
		}
	}
	for (size_t i = 0; i < SPACE; i++)
		elements += model[i].present;
	assert_int_equal(elements, checkpoint->data.size);
}

static void members_are_elements(void **state)
{
	(void)state;
	for (unsigned i = 0; i < CASES; i++) {
		struct element model[SPACE] = {{0}};
		struct cape_checkpoint checkpoint;

		cape_checkpoint_init(&checkpoint, &cape_memory_heap);
		for (uint64_t n = random_below(&dice, 20); n > 0; n--) {
			struct cape_member member = random_member(&dice);
			unsigned char bytes[64];

			random_bytes(&dice, bytes, sizeof(bytes));
			for (uint64_t k = 0; k < member.length; k++)
				replace(&model[member.address - SPACE_START + k], member.stamp,
					bytes[k]);
			assert_int_equal(cape_checkpoint_add(&checkpoint, member, bytes), 0);
		}
		assert_canonical(&checkpoint);
		assert_is_model(&checkpoint, model);
		cape_checkpoint_free(&checkpoint);
	}
}

static void equality_sees_everything(void **state)
{
	(void)state;
	for (unsigned i = 0; i < CASES; i++) {
		struct laws laws;

		start(&laws, OPERANDS);
		merge(&laws.left, &laws.a);
		switch (random_below(&dice, 6)) {
		case 0:
			laws.left.stamp.node++;
			break;
		case 1:
			if (!laws.left.registers.size)
				goto next;
			laws.left.registers.bytes[0] ^= 1;
			break;
		case 2:
			if (!laws.left.members)
				goto next;
			laws.left.data.bytes[random_below(&dice, laws.left.data.size)] ^= 1;
			break;
		case 3:
			if (!laws.left.members)
				goto next;
			laws.left.member[random_below(&dice, laws.left.members)].stamp.time++;
			break;
		case 4:
			if (!laws.left.operands)
				goto next;
			laws.left.operand[random_below(&dice, laws.left.operands)].op = CAPE_MIN;
			break;
		default:
			if (!laws.left.operands)
				goto next;
			laws.left.values.bytes[random_below(&dice, laws.left.values.size)] ^= 1;
		}
		assert_false(cape_checkpoint_equal(&laws.left, &laws.a));
	next:
		finish(&laws);
	}
}

/* The parts of a sum of doubles stay apart until they can be added in the order of nodes. */
static void inexact_operands_wait(void **state)
{
	(void)state;
	for (unsigned i = 0; i < CASES; i++) {
		struct cape_checkpoint left;
		double values[5];
		unsigned order[5] = {0, 1, 2, 3, 4};

		cape_checkpoint_init(&left, &cape_memory_heap);
		for (unsigned n = 0; n < 5; n++) {
			unsigned other = n + (unsigned)random_below(&dice, 5 - n);
			unsigned node = order[other];
			struct cape_operand operand = {
				0x1000, 1, CAPE_ADD, CAPE_DOUBLE, {9 - node, node}};

			order[other] = order[n];
			values[node] = (double)random_next(&dice) / 1e9;
			assert_int_equal(cape_checkpoint_add_operand(&left, operand, &values[node]),
					 0);
		}
		assert_int_equal(left.operands, 5);
		assert_memory_equal(left.values.bytes, values, sizeof(values));
		cape_checkpoint_free(&left);
	}
}

static void exact_operands_fold(void **state)
{
	const int one[] = {3, INT32_MAX}, two[] = {4, 1};
	struct cape_operand operand = {0x1000, 2, CAPE_ADD, CAPE_INT, {5, 1}};
	struct cape_checkpoint checkpoint;
	int got[2];

	(void)state;
	cape_checkpoint_init(&checkpoint, &cape_memory_heap);
	assert_int_equal(cape_checkpoint_add_operand(&checkpoint, operand, one), 0);
	operand.stamp = (struct cape_stamp){5, 2};
	assert_int_equal(cape_checkpoint_add_operand(&checkpoint, operand, two), 0);
	assert_int_equal(checkpoint.operands, 1);
	assert_int_equal(checkpoint.operand[0].stamp.node, 2);
	memcpy(got, checkpoint.values.bytes, sizeof(got));
	assert_int_equal(got[0], 7);
	assert_int_equal(got[1], INT32_MIN);
	cape_checkpoint_free(&checkpoint);
}

/* Arrays lose the values of which a byte is excluded, and keep the others. */
static void operands_are_cut(void **state)
{
	const int values[] = {10, 11, 12, 13, 14, 15};
	struct cape_operand operand = {0x1000, 6, CAPE_ADD, CAPE_INT, {1, 1}};
	struct cape_member byte = {0x1000 + 2 * 4 + 3, 1, {9, 0}};
	struct cape_checkpoint from, other;
	struct cape_runs ranges;

	(void)state;
	cape_checkpoint_init(&from, &cape_memory_heap);
	cape_checkpoint_init(&other, &cape_memory_heap);
	cape_runs_init(&ranges, &cape_memory_heap);
	assert_int_equal(cape_checkpoint_add_operand(&from, operand, values), 0);
	assert_int_equal(cape_checkpoint_add(&other, byte, values), 0);
	exclude(&from, &other);
	assert_int_equal(from.operands, 2);
	assert_int_equal(from.operand[0].address, 0x1000);
	assert_int_equal(from.operand[0].count, 2);
	assert_int_equal(from.operand[1].address, 0x1000 + 3 * 4);
	assert_int_equal(from.operand[1].count, 3);
	assert_memory_equal(from.values.bytes, values, 2 * 4);
	assert_memory_equal(from.values.bytes + 2 * 4, values + 3, 3 * 4);

	/* All of values 1 and 4, of value 3 only three bytes. */
	assert_int_equal(cape_runs_add(&ranges, 0x1000 + 4, 4), 0);
	assert_int_equal(cape_runs_add(&ranges, 0x1000 + 3 * 4 + 1, 3), 0);
	assert_int_equal(cape_runs_add(&ranges, 0x1000 + 4 * 4, 4), 0);
	restrict_to(&from, &ranges);
	assert_int_equal(from.operands, 2);
	assert_int_equal(from.operand[0].address, 0x1000 + 4);
	assert_int_equal(from.operand[0].count, 1);
	assert_int_equal(from.operand[1].address, 0x1000 + 4 * 4);
	assert_int_equal(from.operand[1].count, 1);
	assert_memory_equal(from.values.bytes, values + 1, 4);
	assert_memory_equal(from.values.bytes + 4, values + 4, 4);
	cape_checkpoint_free(&from);
	cape_checkpoint_free(&other);
	cape_runs_free(&ranges);
}

static void bad_arguments(void **state)
{
	struct cape_member member = {UINT64_MAX, 1, {0, 0}};
	struct cape_operand operand = {8, 1, CAPE_BIT_AND, CAPE_DOUBLE, {0, 0}};
	struct cape_checkpoint checkpoint;
	unsigned char bytes[16] = {0};

	(void)state;
	cape_checkpoint_init(&checkpoint, &cape_memory_heap);
	assert_int_equal(cape_checkpoint_add(&checkpoint, member, bytes), -EINVAL);
	member = (struct cape_member){10, 0, {0, 0}};
	assert_int_equal(cape_checkpoint_add(&checkpoint, member, NULL), 0);
	assert_int_equal(cape_checkpoint_add_operand(&checkpoint, operand, bytes), -EINVAL);
	operand.op = CAPE_ADD;
	operand.count = 0;
	assert_int_equal(cape_checkpoint_add_operand(&checkpoint, operand, bytes), -EINVAL);
	operand.count = UINT64_MAX / 4;
	assert_int_equal(cape_checkpoint_add_operand(&checkpoint, operand, bytes), -EINVAL);
	operand.count = 1;
	operand.address = UINT64_MAX - 6;
	assert_int_equal(cape_checkpoint_add_operand(&checkpoint, operand, bytes), -EINVAL);
	operand.address = 8;
	operand.type = (enum cape_type)99;
	assert_int_equal(cape_checkpoint_add_operand(&checkpoint, operand, bytes), -EINVAL);
	assert_true(cape_checkpoint_is_empty(&checkpoint));
	cape_checkpoint_free(&checkpoint);
}

/* Memory that fails after a number of requests. */
struct scarce {
	struct cape_memory memory;
	uint64_t left;
};

static void *scarce_resize(struct cape_memory *memory, void *old, size_t old_size, size_t new_size)
{
	struct scarce *scarce = (struct scarce *)memory;

	if (new_size && !scarce->left)
		return NULL;
	scarce->left -= new_size != 0;
	return cape_memory_heap.resize(&cape_memory_heap, old, old_size, new_size);
}

static void failures_change_nothing(void **state)
{
	struct scarce scarce = {.memory.resize = scarce_resize};
	unsigned failed = 0;

	(void)state;
	for (unsigned i = 0; i < CASES; i++) {
		struct cape_checkpoint into;
		struct laws laws;
		int error;

		start(&laws, OPERANDS);
		cape_checkpoint_init(&into, &scarce.memory);
		scarce.left = UINT64_MAX;
		merge(&into, &laws.a);
		scarce.left = random_below(&dice, 6);
		if (i % 3 == 0)
			error = cape_checkpoint_merge(&into, &laws.b);
		else if (i % 3 == 1)
			error = cape_checkpoint_exclude(&into, &laws.b);
		else
			error = cape_checkpoint_restrict(&into, &laws.ranges);
		if (error) {
			assert_int_equal(error, -ENOMEM);
			assert_true(cape_checkpoint_equal(&into, &laws.a));
			failed++;
		}
		cape_checkpoint_free(&into);
		finish(&laws);
	}
	assert_true(failed > CASES / 10);
}

static void failed_appends_change_nothing(void **state)
{
	struct scarce scarce = {.memory.resize = scarce_resize};
	struct cape_member member = {0x1000, 8, {1, 0}};
	struct cape_operand operand = {0x1000, 1, CAPE_ADD, CAPE_LONG, {1, 0}};
	struct cape_checkpoint checkpoint;
	const unsigned char bytes[8] = {0};

	(void)state;
	cape_checkpoint_init(&checkpoint, &scarce.memory);
	for (unsigned left = 0; left < 2; left++) {
		scarce.left = left;
		assert_int_equal(cape_checkpoint_append(&checkpoint, member, bytes), -ENOMEM);
		scarce.left = left;
		assert_int_equal(cape_checkpoint_append_operand(&checkpoint, operand, bytes),
				 -ENOMEM);
		assert_canonical(&checkpoint);
		assert_true(cape_checkpoint_is_empty(&checkpoint));
		cape_checkpoint_free(&checkpoint);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_are_elements),
		cmocka_unit_test(merge_is_commutative),
		cmocka_unit_test(merge_is_associative),
		cmocka_unit_test(empty_is_neutral),
		cmocka_unit_test(merge_is_idempotent_without_operands),
		cmocka_unit_test(exclude_laws),
		cmocka_unit_test(range_laws),
		cmocka_unit_test(equality_sees_everything),
		cmocka_unit_test(inexact_operands_wait),
		cmocka_unit_test(exact_operands_fold),
		cmocka_unit_test(operands_are_cut),
		cmocka_unit_test(bad_arguments),
		cmocka_unit_test(failures_change_nothing),
		cmocka_unit_test(failed_appends_change_nothing),
	};

	random_start(&dice);
	return cmocka_run_group_tests_name("arithmetic", tests, NULL, NULL);
}
