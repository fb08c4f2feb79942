// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * checkpoint.c - a checkpoint in memory: building one in order, and comparing two.
 */
#include "paper/checkpoint.h"

#include <errno.h>
#include <string.h>
#include "checkpoint/reduction.h"

void cape_checkpoint_init(struct cape_checkpoint *checkpoint, struct cape_memory *memory)
{
	*checkpoint = (struct cape_checkpoint){.memory = memory};
	cape_buffer_init(&checkpoint->registers, memory);
	cape_buffer_init(&checkpoint->data, memory);
	cape_buffer_init(&checkpoint->values, memory);
}

void cape_checkpoint_free(struct cape_checkpoint *checkpoint)
{
	struct cape_memory *memory = checkpoint->memory;

	cape_buffer_free(&checkpoint->registers);
	cape_buffer_free(&checkpoint->data);
	cape_buffer_free(&checkpoint->values);
	if (checkpoint->member)
		memory->resize(memory, checkpoint->member,
			       checkpoint->member_capacity * sizeof(*checkpoint->member), 0);
	if (checkpoint->operand)
		memory->resize(memory, checkpoint->operand,
			       checkpoint->operand_capacity * sizeof(*checkpoint->operand), 0);
	cape_checkpoint_init(checkpoint, memory);
}

bool cape_checkpoint_is_empty(const struct cape_checkpoint *checkpoint)
{
	return !checkpoint->registers.size && !checkpoint->members && !checkpoint->operands;
}

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static bool same_bytes(const struct cape_buffer *a, const struct cape_buffer *b)
{
	return a->size == b->size && (!a->size || memcmp(a->bytes, b->bytes, a->size) == 0);
}

static bool same_members(const struct cape_checkpoint *a, const struct cape_checkpoint *b)
{
	if (a->members != b->members)
		return false;
	for (size_t i = 0; i < a->members; i++)
		if (a->member[i].address != b->member[i].address ||
		    a->member[i].length != b->member[i].length ||
		    cape_stamp_compare(a->member[i].stamp, b->member[i].stamp) != 0)
			return false;
	return same_bytes(&a->data, &b->data);
}

static bool same_operands(const struct cape_checkpoint *a, const struct cape_checkpoint *b)
{
	if (a->operands != b->operands)
		return false;
	for (size_t i = 0; i < a->operands; i++)
		if (cape_operand_compare_target(&a->operand[i], &b->operand[i]) != 0 ||
		    cape_stamp_compare(a->operand[i].stamp, b->operand[i].stamp) != 0)
			return false;
	return same_bytes(&a->values, &b->values);
}

bool cape_checkpoint_equal(const struct cape_checkpoint *a, const struct cape_checkpoint *b)
{
	return cape_stamp_compare(a->stamp, b->stamp) == 0 &&
	       same_bytes(&a->registers, &b->registers) && same_members(a, b) &&
	       same_operands(a, b);
}

int cape_checkpoint_set_registers(struct cape_checkpoint *checkpoint, struct cape_stamp stamp,
				  const void *bytes, size_t size)
{
	struct cape_buffer registers;
	int error;

	cape_buffer_init(&registers, checkpoint->memory);
	error = cape_buffer_append(&registers, bytes, size);
	if (error)
		return error;
	cape_buffer_free(&checkpoint->registers);
	checkpoint->registers = registers;
	checkpoint->stamp = stamp;
	return 0;
}

/* Registers of one time-stamp differ only by mistake; none at all are before any. */
static int compare_registers(const struct cape_checkpoint *a, const struct cape_checkpoint *b)
{
	int order = cape_stamp_compare(a->stamp, b->stamp);

	if (!order)
		order = (a->registers.size > b->registers.size) -
			(a->registers.size < b->registers.size);
	if (order || !a->registers.size)
		return order;
	return memcmp(a->registers.bytes, b->registers.bytes, a->registers.size);
}

int cape_checkpoint_set_later_registers(struct cape_checkpoint *into,
					const struct cape_checkpoint *a,
					const struct cape_checkpoint *b)
{
	const struct cape_checkpoint *later = compare_registers(a, b) >= 0 ? a : b;

	return cape_checkpoint_set_registers(into, later->stamp, later->registers.bytes,
					     later->registers.size);
}

int cape_checkpoint_replace(struct cape_checkpoint *checkpoint, struct cape_checkpoint *result,
			    int error)
{
	struct cape_checkpoint old = *checkpoint;

	if (!error) {
		*checkpoint = *result;
		*result = old;
	}
	cape_checkpoint_free(result);
	return error;
}

static int add_member(struct cape_checkpoint *checkpoint, struct cape_member member)
{
	struct cape_member *last = checkpoint->member;
	int error;

	if (checkpoint->members) {
		last += checkpoint->members - 1;
		if (last->address + last->length == member.address &&
		    cape_stamp_compare(last->stamp, member.stamp) == 0) {
			last->length += member.length;
			return 0;
		}
	}
	error = cape_memory_grow(checkpoint->memory, (void **)&checkpoint->member,
				 &checkpoint->member_capacity, checkpoint->members + 1,
				 sizeof(member));
	if (!error)
		checkpoint->member[checkpoint->members++] = member;
	return error;
}

static uint64_t end_of(const struct cape_checkpoint *checkpoint)
{
	const struct cape_member *last = checkpoint->member;

	if (!checkpoint->members)
		return 0;
	last += checkpoint->members - 1;
	return last->address + last->length;
}

int cape_checkpoint_append(struct cape_checkpoint *checkpoint, struct cape_member member,
			   const void *data)
{
	int error;

	if (member.address < end_of(checkpoint) || member.length > UINT64_MAX - member.address)
		return -EINVAL;
	if (!member.length)
		return 0;
	error = cape_buffer_append(&checkpoint->data, data, member.length);
	if (error)
		return error;
	error = add_member(checkpoint, member);
	if (error)
		checkpoint->data.size -= member.length;
	return error;
}

size_t cape_operand_size(const struct cape_operand *operand)
{
	size_t size;

	if (__builtin_mul_overflow(operand->count, cape_type_size(operand->type), &size) ||
	    size > UINT64_MAX - operand->address)
		return 0;
	return size;
}

int cape_operand_compare_target(const struct cape_operand *a, const struct cape_operand *b)
{
	int order = compare(a->address, b->address);

	if (!order)
		order = compare(a->op, b->op);
	if (!order)
		order = compare(a->type, b->type);
	return order ? order : compare(a->count, b->count);
}

int cape_operand_compare(const struct cape_operand *a, const void *a_values,
			 const struct cape_operand *b, const void *b_values)
{
	int order = cape_operand_compare_target(a, b);

	if (!order)
		order = compare(a->stamp.node, b->stamp.node);
	if (!order)
		order = compare(a->stamp.time, b->stamp.time);
	return order ? order : memcmp(a_values, b_values, cape_operand_size(a));
}

/* Exact operands of one target are one operand; see merge.h for how they become it. */
static bool follows_last(const struct cape_checkpoint *checkpoint,
			 const struct cape_operand *operand, const void *values)
{
	const struct cape_operand *last = checkpoint->operand;

	if (!checkpoint->operands)
		return true;
	last += checkpoint->operands - 1;
	if (cape_reduction_exact(operand->op, operand->type))
		return cape_operand_compare_target(last, operand) < 0;
	return cape_operand_compare(last,
				    checkpoint->values.bytes + checkpoint->values.size -
					    cape_operand_size(last),
				    operand, values) <= 0;
}

int cape_checkpoint_append_operand(struct cape_checkpoint *checkpoint, struct cape_operand operand,
				   const void *values)
{
	size_t size = cape_operand_size(&operand);
	int error;

	if (!size || !cape_reduction_valid(operand.op, operand.type) ||
	    !follows_last(checkpoint, &operand, values))
		return -EINVAL;
	error = cape_memory_grow(checkpoint->memory, (void **)&checkpoint->operand,
				 &checkpoint->operand_capacity, checkpoint->operands + 1,
				 sizeof(operand));
	if (!error)
		error = cape_buffer_append(&checkpoint->values, values, size);
	if (!error)
		checkpoint->operand[checkpoint->operands++] = operand;
	return error;
}
