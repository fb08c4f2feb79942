// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * access.c - a checkpoint against memory, a piece at a time.
 */
#include "paper/access.h"

#include "checkpoint/reduction.h"

#define PIECE 4096ul

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Appends the stretches of DATA, of MEMBER's length, that differ from BASE. */
static int append_changed(struct cape_checkpoint *into, struct cape_member member,
			  const unsigned char *data, const unsigned char *base)
{
	uint64_t length = member.length, start, end;
	struct cape_member changed = member;
	int error = 0;

	for (start = 0; start < length && !error; start = end) {
		end = start + 1;
		if (data[start] == base[start])
			continue;
		while (end < length && data[end] != base[end])
			end++;
		changed.address = member.address + start;
		changed.length = end - start;
		error = cape_checkpoint_append(into, changed, data + start);
	}
	return error;
}

static int narrow_member(struct cape_checkpoint *into, struct cape_member member,
			 const unsigned char *data, const struct cape_access *base)
{
	unsigned char bytes[PIECE];
	struct cape_member piece = member;
	int error = 0;

	for (uint64_t done = 0; done < member.length && !error; done += piece.length) {
		piece.address = member.address + done;
		piece.length = least(member.length - done, PIECE);
		error = base->read(base->context, piece.address, bytes, piece.length);
		if (!error)
			error = append_changed(into, piece, data + done, bytes);
	}
	return error;
}

static int copy_operands(struct cape_checkpoint *into, const struct cape_checkpoint *from)
{
	const unsigned char *values = from->values.bytes;
	int error = 0;

	for (size_t i = 0; i < from->operands && !error; i++) {
		error = cape_checkpoint_append_operand(into, from->operand[i], values);
		values += cape_operand_size(&from->operand[i]);
	}
	return error;
}

int cape_checkpoint_narrow(struct cape_checkpoint *checkpoint, const struct cape_access *base)
{
	const unsigned char *data = checkpoint->data.bytes;
	struct cape_checkpoint result;
	int error;

	cape_checkpoint_init(&result, checkpoint->memory);
	error = cape_checkpoint_set_later_registers(&result, checkpoint, checkpoint);
	for (size_t i = 0; i < checkpoint->members && !error; i++) {
		error = narrow_member(&result, checkpoint->member[i], data, base);
		data += checkpoint->member[i].length;
	}
	if (!error)
		error = copy_operands(&result, checkpoint);
	return cape_checkpoint_replace(checkpoint, &result, error);
}

static int inject_operand(const struct cape_operand *operand, const unsigned char *values,
			  const struct cape_access *memory)
{
	unsigned char bytes[PIECE];
	size_t size = cape_type_size(operand->type);
	uint64_t count;
	int error = 0;

	for (uint64_t done = 0; done < operand->count && !error; done += count) {
		uint64_t address = operand->address + done * size;

		count = least(operand->count - done, PIECE / size);
		error = memory->read(memory->context, address, bytes, count * size);
		if (error)
			break;
		cape_reduction_apply(operand->op, operand->type, bytes, values + done * size,
				     count);
		error = memory->write(memory->context, address, bytes, count * size);
	}
	return error;
}

int cape_checkpoint_inject(const struct cape_checkpoint *checkpoint,
			   const struct cape_access *memory)
{
	const unsigned char *data = checkpoint->data.bytes;
	const unsigned char *values = checkpoint->values.bytes;
	int error = 0;

	for (size_t i = 0; i < checkpoint->members && !error; i++) {
		const struct cape_member *member = &checkpoint->member[i];

		error = memory->write(memory->context, member->address, data, member->length);
		data += member->length;
	}
	for (size_t i = 0; i < checkpoint->operands && !error; i++) {
		error = inject_operand(&checkpoint->operand[i], values, memory);
		values += cape_operand_size(&checkpoint->operand[i]);
	}
	return error;
}
