/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * reduction.h - parts of reductions that threads hand over to their team.
 */
#ifndef CAPE_THREADS_REDUCTION_H
#define CAPE_THREADS_REDUCTION_H

#include "checkpoint/reduction.h"
#include "threads/worker.h"

/* One part of a reduction: COUNT values. */
struct cape_reduced_part {
	void *original;
	unsigned long count, size;		    /* of one value */
	void (*combine)(void *out, const void *in); /* NULL: OP and TYPE say how */
	enum cape_operator op;
	enum cape_type type;
};

/* That of a construct's clause, whose values are added by OP, or by COMBINE. */
static inline struct cape_reduced_part cape_reduced_by(volatile void *original,
						       enum cape_operator op, enum cape_type type,
						       unsigned long count)
{
	return (struct cape_reduced_part){.original = (void *)original,
					  .count = count,
					  .size = cape_type_size(type),
					  .op = op,
					  .type = type};
}

static inline struct cape_reduced_part
cape_reduced_by_user(volatile void *original, unsigned long size, unsigned long count,
		     void (*combine)(void *out, const void *in))
{
	return (struct cape_reduced_part){
		.original = (void *)original, .count = count, .size = size, .combine = combine};
}

/* Adds PART, whose values are VALUES, to those at OUT. */
void cape_reduced_apply(const struct cape_reduced_part *part, void *out, const void *values);
/* To the original. */
void cape_reduced_add(const struct cape_reduced_part *part, const void *values);
/* Whether the values of both are added to each other. */
bool cape_reduced_same(const struct cape_reduced_part *one, const struct cape_reduced_part *other);

/*
 * Hands over PART of a task that WORKER has run: to what it has handed over of the same variable.
 */
void cape_reduction_add(struct cape_worker *worker, const struct cape_reduced_part *part,
			const void *values);

/*
 * All members have come to a barrier, and one calls this: adds what they have handed over, in the
 * order of their numbers, as nodes do, so that rounding depends on the team's size alone.
 */
void cape_reductions_fold(struct cape_team *team);

#endif
