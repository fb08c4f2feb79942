/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * merge.h - the arithmetic on checkpoints (thesis 3.2.2 to 3.2.4).
 *
 * Each function changes its first argument, or leaves it as it was when it fails; the only
 * failure is -ENOMEM unless said otherwise.
 */
#ifndef CAPE_PAPER_MERGE_H
#define CAPE_PAPER_MERGE_H

#include "paper/checkpoint.h"

/*
 * Definition 11, into (+) other.  Elements of one side only are kept.  Two at one address become
 * one by replacement (definition 5): the later time-stamp wins; of equal ones, which only copies
 * of one element should have, the larger byte.  Operands of one target are combined.  Registers
 * follow the later time-stamp.  Commutative and associative; empty is neutral.
 */
int cape_checkpoint_merge(struct cape_checkpoint *into, const struct cape_checkpoint *other);

/*
 * Definition 7, into (+) the elements of one run.  Cheap when it lies after all others, else as
 * expensive as a merge.  Also -EINVAL when it wraps around.
 */
int cape_checkpoint_add(struct cape_checkpoint *into, struct cape_member member, const void *data);

/* Adds an operand in the same way.  Also -EINVAL as cape_checkpoint_append_operand(). */
int cape_checkpoint_add_operand(struct cape_checkpoint *into, struct cape_operand operand,
				const void *values);

/*
 * Definition 12, from (-) other: removes the elements at all addresses of OTHER, and the values
 * of operands that have a byte there.  Registers follow the later time-stamp.
 */
int cape_checkpoint_exclude(struct cape_checkpoint *from, const struct cape_checkpoint *other);

/*
 * Definition 3: keeps what lies in RANGES alone (values of operands: all of the value).  The
 * registers stay.
 */
int cape_checkpoint_restrict(struct cape_checkpoint *checkpoint, const struct cape_runs *ranges);

#endif
