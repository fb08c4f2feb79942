// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * merge.c - merging two checkpoints: one pass over both, in the order of addresses.
 */
#include "paper/merge.h"

#include <errno.h>
#include <string.h>
#include "checkpoint/reduction.h"

/* What is left of a list of members. */
struct reader {
	const struct cape_member *next, *end;
	struct cape_member member; /* what is left of the current one; length 0: no more */
	const unsigned char *data;
};

static void load(struct reader *reader)
{
	reader->member = (struct cape_member){.length = 0};
	if (reader->next < reader->end)
		reader->member = *reader->next++;
}

static struct reader reader_of(const struct cape_checkpoint *checkpoint)
{
	struct reader reader = {.next = checkpoint->member,
				.end = checkpoint->member,
				.data = checkpoint->data.bytes};

	if (checkpoint->members)
		reader.end += checkpoint->members;
	load(&reader);
	return reader;
}

static void skip(struct reader *reader, uint64_t length)
{
	reader->data += length;
	reader->member.address += length;
	reader->member.length -= length;
	if (!reader->member.length)
		load(reader);
}

/* Moves the first LENGTH bytes of READER to INTO. */
static int take(struct cape_checkpoint *into, struct reader *reader, uint64_t length)
{
	struct cape_member member = reader->member;
	int error;

	member.length = length;
	error = cape_checkpoint_append(into, member, reader->data);
	if (!error)
		skip(reader, length);
	return error;
}

/* Equal time-stamps: any rule will do that does not depend on the sides. */
static int take_larger_bytes(struct cape_checkpoint *into, struct reader *a, const struct reader *b,
			     uint64_t length)
{
	const unsigned char *other = b->data;
	unsigned char *merged;
	int error = take(into, a, length);

	if (error)
		return error;
	merged = into->data.bytes + into->data.size - length;
	for (uint64_t i = 0; i < length; i++)
		if (other[i] > merged[i])
			merged[i] = other[i];
	return 0;
}

/* Both begin at one address: the replacement operation on as much as both have. */
static int replace(struct cape_checkpoint *into, struct reader *a, struct reader *b)
{
	uint64_t length = a->member.length < b->member.length ? a->member.length : b->member.length;
	int order = cape_stamp_compare(a->member.stamp, b->member.stamp);
	int error;

	if (order == 0)
		error = take_larger_bytes(into, a, b, length);
	else
		error = take(into, order > 0 ? a : b, length);
	if (!error)
		skip(order >= 0 ? b : a, length);
	return error;
}

/* A begins before B: takes what B has nothing for. */
static int take_before(struct cape_checkpoint *into, struct reader *a, const struct reader *b)
{
	uint64_t length = a->member.length;

	if (b->member.length && b->member.address - a->member.address < length)
		length = b->member.address - a->member.address;
	return take(into, a, length);
}

static int merge_members(struct cape_checkpoint *into, const struct cape_checkpoint *first,
			 const struct cape_checkpoint *second)
{
	struct reader a = reader_of(first), b = reader_of(second);
	int error = 0;

	while (!error && (a.member.length || b.member.length)) {
		if (!b.member.length || (a.member.length && a.member.address < b.member.address))
			error = take_before(into, &a, &b);
		else if (!a.member.length || b.member.address < a.member.address)
			error = take_before(into, &b, &a);
		else
			error = replace(into, &a, &b);
	}
	return error;
}

/* What is left of a list of operands. */
struct operand_reader {
	const struct cape_operand *next;
	size_t left;
	const unsigned char *values;
};

static int take_operand(struct cape_checkpoint *into, struct operand_reader *reader)
{
	int error = cape_checkpoint_append_operand(into, *reader->next, reader->values);

	reader->values += cape_operand_size(reader->next);
	reader->next++;
	reader->left--;
	return error;
}

/* Both have an exact operand for one target. */
static int combine(struct cape_checkpoint *into, struct operand_reader *a, struct operand_reader *b)
{
	const struct cape_operand *other = b->next;
	struct cape_operand *merged;
	int error = take_operand(into, a);

	if (error)
		return error;
	merged = &into->operand[into->operands - 1];
	cape_reduction_apply(other->op, other->type,
			     into->values.bytes + into->values.size - cape_operand_size(other),
			     b->values, other->count);
	if (cape_stamp_compare(other->stamp, merged->stamp) > 0)
		merged->stamp = other->stamp;
	b->values += cape_operand_size(other);
	b->next++;
	b->left--;
	return 0;
}

static int merge_operands(struct cape_checkpoint *into, const struct cape_checkpoint *first,
			  const struct cape_checkpoint *second)
{
	struct operand_reader a = {first->operand, first->operands, first->values.bytes};
	struct operand_reader b = {second->operand, second->operands, second->values.bytes};
	int error = 0;

	while (!error && a.left && b.left) {
		if (cape_operand_compare_target(a.next, b.next) == 0 &&
		    cape_reduction_exact(a.next->op, a.next->type))
			error = combine(into, &a, &b);
		else if (cape_operand_compare(a.next, a.values, b.next, b.values) <= 0)
			error = take_operand(into, &a);
		else
			error = take_operand(into, &b);
	}
	while (!error && a.left)
		error = take_operand(into, &a);
	while (!error && b.left)
		error = take_operand(into, &b);
	return error;
}

int cape_checkpoint_merge(struct cape_checkpoint *into, const struct cape_checkpoint *other)
{
	struct cape_checkpoint result;
	int error;

	cape_checkpoint_init(&result, into->memory);
	error = cape_checkpoint_set_later_registers(&result, into, other);
	if (!error)
		error = merge_members(&result, into, other);
	if (!error)
		error = merge_operands(&result, into, other);
	return cape_checkpoint_replace(into, &result, error);
}

int cape_checkpoint_add(struct cape_checkpoint *into, struct cape_member member, const void *data)
{
	struct cape_checkpoint one;
	int error = cape_checkpoint_append(into, member, data);

	if (error != -EINVAL)
		return error;
	cape_checkpoint_init(&one, into->memory);
	error = cape_checkpoint_append(&one, member, data);
	if (!error)
		error = cape_checkpoint_merge(into, &one);
	cape_checkpoint_free(&one);
	return error;
}

int cape_checkpoint_add_operand(struct cape_checkpoint *into, struct cape_operand operand,
				const void *values)
{
	struct cape_checkpoint one;
	int error = cape_checkpoint_append_operand(into, operand, values);

	if (error != -EINVAL)
		return error;
	cape_checkpoint_init(&one, into->memory);
	error = cape_checkpoint_append_operand(&one, operand, values);
	if (!error)
		error = cape_checkpoint_merge(into, &one);
	cape_checkpoint_free(&one);
	return error;
}
