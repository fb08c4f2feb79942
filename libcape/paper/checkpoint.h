/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * checkpoint.h - a checkpoint in memory (thesis 3.2.1): C = (R_t, S).
 *
 * R_t: the registers, with their time-stamp.  S: the memory elements (address, value)_t, at most
 * one for an address, kept as members: runs of bytes of one time-stamp.  Beside them the operands
 * of reductions, which do not replace what is at their address but will be combined with it.
 *
 * The form is canonical: members are in the order of addresses and as long as can be, operands
 * are sorted; so checkpoints that mean the same are the same.
 */
#ifndef CAPE_CHECKPOINT_H
#define CAPE_CHECKPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "cape.h"
#include "paper/buffer.h"
#include "checkpoint/runs.h"
#include "checkpoint/stamp.h"

/* The elements at ADDRESS .. ADDRESS + LENGTH - 1, all of one time-stamp. */
struct cape_member {
	uint64_t address;
	uint64_t length;
	struct cape_stamp stamp;
};

/*
 * COUNT values of TYPE to be combined by OP with what is at ADDRESS.  An exact operator
 * (reduction.h) leaves one operand of the same address, operator, type and count; of others every
 * part is kept, in the order of nodes, so that rounding does not depend on the order of merges.
 */
struct cape_operand {
	uint64_t address;
	uint64_t count;
	enum cape_operator op;
	enum cape_type type;
	struct cape_stamp stamp;
};

struct cape_checkpoint {
	struct cape_memory *memory;

	struct cape_stamp stamp; /* of the registers */
	struct cape_buffer registers;

	struct cape_member *member;
	size_t members, member_capacity;
	struct cape_buffer data; /* the members' bytes, in their order */

	struct cape_operand *operand;
	size_t operands, operand_capacity;
	struct cape_buffer values; /* the operands' values, in their order */
};

/* The empty checkpoint; its memory will come from MEMORY, which must outlive it. */
void cape_checkpoint_init(struct cape_checkpoint *checkpoint, struct cape_memory *memory);

/* Makes the checkpoint empty and gives its memory back; it may be used again. */
void cape_checkpoint_free(struct cape_checkpoint *checkpoint);

/* Whether there are neither registers nor memory elements nor operands. */
bool cape_checkpoint_is_empty(const struct cape_checkpoint *checkpoint);

/* Definition 4: equal registers, elements and operands, time-stamps included. */
bool cape_checkpoint_equal(const struct cape_checkpoint *a, const struct cape_checkpoint *b);

/* Sets the registers to a copy of the SIZE bytes at BYTES, taken at STAMP.  0 or -ENOMEM. */
int cape_checkpoint_set_registers(struct cape_checkpoint *checkpoint, struct cape_stamp stamp,
				  const void *bytes, size_t size);

/* Sets them to the ones of A or B that have the later time-stamp.  0 or -ENOMEM. */
int cape_checkpoint_set_later_registers(struct cape_checkpoint *into,
					const struct cape_checkpoint *a,
					const struct cape_checkpoint *b);

/*
 * Ends an operation that built RESULT: without ERROR it takes the place of CHECKPOINT, with one it
 * is thrown away.  Returns ERROR.
 */
int cape_checkpoint_replace(struct cape_checkpoint *checkpoint, struct cape_checkpoint *result,
			    int error);

/*
 * Appends MEMBER with a copy of its bytes at DATA, at or after the end of the last one.  Length 0
 * adds nothing.  0, -ENOMEM, or -EINVAL when it begins earlier or wraps around.
 */
int cape_checkpoint_append(struct cape_checkpoint *checkpoint, struct cape_member member,
			   const void *data);

/*
 * Appends OPERAND with a copy of its VALUES; it must follow the last one in the order of
 * cape_operand_compare().  0, -ENOMEM, or -EINVAL when it does not, has no values, wraps around,
 * or its operator is not valid for its type.
 */
int cape_checkpoint_append_operand(struct cape_checkpoint *checkpoint, struct cape_operand operand,
				   const void *values);

/* Bytes of an operand's values; 0 when the type is unknown or they would wrap around. */
size_t cape_operand_size(const struct cape_operand *operand);

/* The order of operands: by address, operator, type, count. */
int cape_operand_compare_target(const struct cape_operand *a, const struct cape_operand *b);

/* Then by node, time and value, where several operands of one target are kept. */
int cape_operand_compare(const struct cape_operand *a, const void *a_values,
			 const struct cape_operand *b, const void *b_values);

#endif
