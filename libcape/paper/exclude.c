// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * exclude.c - taking addresses out of a checkpoint, or all but some.
 */
#include "paper/merge.h"

#include "checkpoint/reduction.h"
#include "system/ranges.h"

static uint64_t end_of(const struct cape_run *run)
{
	return run->address + run->length;
}

/* Copies the elements at addresses that are in RANGES, or (not INSIDE) that are not. */
static int filter_members(struct cape_checkpoint *into, const struct cape_checkpoint *from,
			  const struct cape_runs *ranges, bool inside)
{
	const unsigned char *data = from->data.bytes;
	size_t next = 0;
	int error = 0;

	for (size_t i = 0; i < from->members; i++) {
		struct cape_member left = from->member[i], piece;

		for (; left.length && !error; data += piece.length) {
			uint64_t end = left.address + left.length;
			bool covered;

			while (next < ranges->count && end_of(&ranges->run[next]) <= left.address)
				next++;
			covered = next < ranges->count && ranges->run[next].address <= left.address;
			if (covered)
				end = cape_least(end, end_of(&ranges->run[next]));
			else if (next < ranges->count)
				end = cape_least(end, ranges->run[next].address);
			piece = left;
			piece.length = end - left.address;
			if (covered == inside)
				error = cape_checkpoint_append(into, piece, data);
			left.address += piece.length;
			left.length -= piece.length;
		}
	}
	return error;
}

/* How many of the bytes are in RANGES. */
static uint64_t covered_bytes(const struct cape_runs *ranges, uint64_t address, uint64_t length)
{
	uint64_t end = address + length, covered = 0;
	size_t i = cape_pieces_find(ranges->run, ranges->count, sizeof(*ranges->run), address);

	for (; i < ranges->count && ranges->run[i].address < end; i++) {
		const struct cape_run *run = &ranges->run[i];
		uint64_t start = run->address > address ? run->address : address;

		covered += cape_least(end_of(run), end) - start;
	}
	return covered;
}

/* Copies the values of one operand that are kept: as many operands as there are stretches. */
static int filter_operand(struct cape_checkpoint *into, const struct cape_operand *operand,
			  const unsigned char *values, const struct cape_runs *ranges, bool inside)
{
	size_t size = cape_type_size(operand->type);
	struct cape_operand piece = *operand;
	int error = 0;

	piece.count = 0;
	for (uint64_t i = 0; i <= operand->count && !error; i++) {
		uint64_t address = operand->address + i * size;
		bool kept = i < operand->count &&
			    covered_bytes(ranges, address, size) == (inside ? size : 0);

		if (kept && !piece.count++)
			piece.address = address;
		if (kept || !piece.count)
			continue;
		error = cape_checkpoint_add_operand(into, piece,
						    values + (piece.address - operand->address));
		piece.count = 0;
	}
	return error;
}

static int filter_operands(struct cape_checkpoint *into, const struct cape_checkpoint *from,
			   const struct cape_runs *ranges, bool inside)
{
	const unsigned char *values = from->values.bytes;
	int error = 0;

	for (size_t i = 0; i < from->operands && !error; i++) {
		error = filter_operand(into, &from->operand[i], values, ranges, inside);
		values += cape_operand_size(&from->operand[i]);
	}
	return error;
}

/* Adds to the union what lies after its end. */
static int cover(struct cape_runs *addresses, uint64_t address, uint64_t length)
{
	uint64_t end = address + length, start = cape_runs_end(addresses);

	if (start < address)
		start = address;
	return start < end ? cape_runs_add(addresses, start, end - start) : 0;
}

/* All addresses at which CHECKPOINT has something. */
static int collect_addresses(struct cape_runs *addresses, const struct cape_checkpoint *checkpoint)
{
	const struct cape_member *member = checkpoint->member;
	const struct cape_operand *operand = checkpoint->operand;
	size_t members = checkpoint->members, operands = checkpoint->operands;
	int error = 0;

	while ((members || operands) && !error) {
		if (!operands || (members && member->address <= operand->address)) {
			error = cover(addresses, member->address, member->length);
			member++;
			members--;
		} else {
			error = cover(addresses, operand->address, cape_operand_size(operand));
			operand++;
			operands--;
		}
	}
	return error;
}

static int filter(struct cape_checkpoint *into, const struct cape_checkpoint *from,
		  const struct cape_runs *ranges, bool inside)
{
	int error = filter_members(into, from, ranges, inside);

	return error ? error : filter_operands(into, from, ranges, inside);
}

int cape_checkpoint_exclude(struct cape_checkpoint *from, const struct cape_checkpoint *other)
{
	struct cape_checkpoint result;
	struct cape_runs addresses;
	int error;

	cape_checkpoint_init(&result, from->memory);
	cape_runs_init(&addresses, from->memory);
	error = cape_checkpoint_set_later_registers(&result, from, other);
	if (!error)
		error = collect_addresses(&addresses, other);
	if (!error)
		error = filter(&result, from, &addresses, false);
	cape_runs_free(&addresses);
	return cape_checkpoint_replace(from, &result, error);
}

int cape_checkpoint_restrict(struct cape_checkpoint *checkpoint, const struct cape_runs *ranges)
{
	struct cape_checkpoint result;
	int error;

	cape_checkpoint_init(&result, checkpoint->memory);
	error = cape_checkpoint_set_later_registers(&result, checkpoint, checkpoint);
	if (!error)
		error = filter(&result, checkpoint, ranges, true);
	return cape_checkpoint_replace(checkpoint, &result, error);
}
