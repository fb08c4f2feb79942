/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * reduction.h - the operators of reductions on every arithmetic type (thesis Table 3.1, whose
 * identities of * and & are wrong there: they are 1 and all ones).
 *
 * Results have the same bits on every node: signed arithmetic wraps around; min and max order -0
 * below +0 and take a number rather than a NaN, of two NaNs the one with the larger
 * representation; padding bytes of long double are zero.
 */
#ifndef CAPE_REDUCTION_H
#define CAPE_REDUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include "cape.h"

/* Bytes of one value of TYPE; 0 when there is no such type. */
size_t cape_type_size(enum cape_type type);

/* Whether OP is defined on TYPE: no & | ^ on floating types, no min and max on complex ones. */
int cape_reduction_valid(enum cape_operator op, enum cape_type type);

/*
 * Whether OP is commutative and associative bit for bit on TYPE.  False for + and * on floating
 * types: there the order of operands counts, and must be that of the nodes.
 */
bool cape_reduction_exact(enum cape_operator op, enum cape_type type);

/* Sets COUNT values to the identity of OP; VALUES may be unaligned.  Nothing if not valid. */
void cape_reduction_identity_set(enum cape_operator op, enum cape_type type, void *values,
				 size_t count);

/*
 * accumulator[i] = accumulator[i] OP values[i], COUNT times; both may be unaligned, and must not
 * overlap in part.  Nothing if OP is not valid on TYPE.
 */
void cape_reduction_apply(enum cape_operator op, enum cape_type type, void *accumulator,
			  const void *values, size_t count);

#endif
