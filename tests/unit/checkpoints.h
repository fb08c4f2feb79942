/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * checkpoints.h - random checkpoints over a small stretch of addresses, so that they collide.
 */
#ifndef CAPE_TEST_CHECKPOINTS_H
#define CAPE_TEST_CHECKPOINTS_H

#include "paper/merge.h"
#include "checkpoint/reduction.h"
#include "random.h"

#define SPACE_START 0x7000ul
#define SPACE	    600ul

/* Few, so that ties are many. */
static inline struct cape_stamp random_stamp(struct random *random)
{
	struct cape_stamp stamp = {random_below(random, 4), (uint32_t)random_below(random, 3)};

	return stamp;
}

static inline struct cape_member random_member(struct random *random)
{
	uint64_t offset = random_below(random, SPACE);
	struct cape_member member = {.address = SPACE_START + offset,
				     .stamp = random_stamp(random)};

	member.length = 1 + random_below(random, 60);
	if (member.length > SPACE - offset)
		member.length = SPACE - offset;
	return member;
}

/* An operand at one of a few places, with VALUES that are small numbers. */
static inline struct cape_operand random_operand(struct random *random, unsigned char *values)
{
	static const enum cape_type types[] = {CAPE_INT, CAPE_DOUBLE, CAPE_UNSIGNED_CHAR,
					       CAPE_FLOAT};
	static const enum cape_operator ops[] = {CAPE_ADD, CAPE_MULTIPLY, CAPE_MAX};
	struct cape_operand operand = {.address = SPACE_START + 8 * random_below(random, 3),
				       .count = 1 + random_below(random, 3),
				       .op = ops[random_below(random, 3)],
				       .type = types[random_below(random, 4)],
				       .stamp = random_stamp(random)};

	for (uint64_t i = 0; i < operand.count; i++) {
		double number = (double)random_below(random, 1000) / 7;
		float narrow = (float)number;
		int whole = (int)number;

		if (operand.type == CAPE_DOUBLE)
			__builtin_memcpy(values + i * 8, &number, 8);
		else if (operand.type == CAPE_UNSIGNED_CHAR)
			values[i] = (unsigned char)whole;
		else if (operand.type == CAPE_FLOAT)
			__builtin_memcpy(values + i * 4, &narrow, 4);
		else
			__builtin_memcpy(values + i * 4, &whole, 4);
	}
	return operand;
}

/* Registers (or none), up to 12 members, up to OPERANDS operands; 0 or -errno. */
static inline int random_checkpoint(struct random *random, struct cape_checkpoint *checkpoint,
				    unsigned operands)
{
	unsigned char bytes[64];
	int error = 0;

	random_bytes(random, bytes, sizeof(bytes));
	if (random_below(random, 4))
		error = cape_checkpoint_set_registers(checkpoint, random_stamp(random), bytes,
						      1 + random_below(random, 16));
	for (uint64_t i = random_below(random, 13); i > 0 && !error; i--) {
		random_bytes(random, bytes, sizeof(bytes));
		error = cape_checkpoint_add(checkpoint, random_member(random), bytes);
	}
	for (uint64_t i = random_below(random, operands + 1); i > 0 && !error; i--) {
		struct cape_operand operand = random_operand(random, bytes);

		error = cape_checkpoint_add_operand(checkpoint, operand, bytes);
	}
	return error;
}

#endif
