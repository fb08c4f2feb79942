// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * boxes.c - boxes that are beside each other become one while they are described.
 *
 * Members of a record are accessed one after another, and tiles of a matrix: each would be many
 * small pieces of memory.
 */
#include <string.h>
#include "planned/planned.h"
#include "system/ranges.h"

#define JOINS_MOST 8u /* boxes before the last one that may be beside it */

/* Whether the two may be one, and their dimensions are as many, and equally wide. */
static bool are_alike(const struct cape_described *one, const struct cape_described *other)
{
	bool alike = one->set == other->set && one->node == other->node &&
		     one->part == other->part && one->loops == other->loops &&
		     one->box.dimensions == other->box.dimensions;

	for (unsigned i = 0; i < one->box.dimensions && alike; i++)
		alike = one->box.dimension[i].stride == other->box.dimension[i].stride;
	return alike;
}

/* Dimensions of different counts: how many, and the LAST one. */
static unsigned count_different(const struct cape_box *one, const struct cape_box *other,
				unsigned *last)
{
	unsigned different = 0;

	for (unsigned i = 0; i < one->dimensions; i++)
		if (one->dimension[i].count != other->dimension[i].count) {
			different++;
			*last = i;
		}
	return different;
}

/* ONE is followed by OTHER in a dimension, the only one in which their counts may differ. */
static bool follows(struct cape_box *one, const struct cape_box *other, unsigned dimension)
{
	struct cape_dimension *along = &one->dimension[dimension];

	if (one->at + along->count * (uint64_t)along->stride != other->at)
		return false;
	along->count += other->dimension[dimension].count;
	return true;
}

static bool stack(struct cape_box *one, const struct cape_box *other)
{
	struct cape_box second = *other;
	unsigned only = 0, different = count_different(one, other, &only);
	unsigned last = different ? only : one->dimensions - 1;

	if (one->size != other->size || different > 1)
		return false;
	if (one->at == other->at && !different)
		return true;
	for (unsigned i = only; i <= last && one->dimensions; i++) {
		if (follows(one, other, i))
			return true;
		if (follows(&second, one, i)) {
			*one = second;
			return true;
		}
	}
	return false;
}

/* All counts are the same. */
static bool lay_side_by_side(struct cape_box *one, const struct cape_box *other)
{
	unsigned last;

	if ((one->at + one->size != other->at && other->at + other->size != one->at) ||
	    count_different(one, other, &last))
		return false;
	one->at = cape_least(one->at, other->at);
	one->size += other->size;
	return true;
}

/* All has been written when the last is; something is read when the first is. */
static void join_orders(struct cape_described *one, const struct cape_described *last)
{
	if (!one->order || !last->order)
		one->order = 0;
	else if (cape_set_is_written(one->set))
		one->order = cape_greatest(one->order, last->order);
	else
		one->order = cape_least(one->order, last->order);
}

/* Whether ONE has become both.  The dimensions of pipelines are their rounds. */
static bool join(struct cape_described *one, const struct cape_described *last, bool in_pipeline)
{
	bool simple = !one->order && !last->order && !in_pipeline;

	if (!are_alike(one, last) ||
	    (!lay_side_by_side(&one->box, &last->box) && !(simple && stack(&one->box, &last->box))))
		return false;
	join_orders(one, last);
	if (simple)
		cape_box_simplify(&one->box);
	return true;
}

/*
 * What is read does not come between what is written, which would be other pieces on nodes that do
 * not describe these reads.
 */
void cape_plan_join_last(struct cape_planned *planned)
{
	struct cape_described *last = &planned->described[planned->described_count - 1];
	size_t *latest = &planned->latest[last->set == CAPE_SET_READ];
	size_t before = *latest;

	last->before = before;
	for (unsigned i = 0; i < JOINS_MOST && before; i++) {
		struct cape_described *one = &planned->described[before - 1];

		if (join(one, last, planned->pipeline.describing)) {
			planned->described_count--;
			return;
		}
		before = one->before;
	}
	*latest = planned->described_count;
}
