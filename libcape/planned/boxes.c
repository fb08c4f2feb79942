// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * boxes.c - boxes that are beside each other become one while they are described.
 *
 * Members of a record are accessed one after another, and tiles of a matrix: each would be many
 * small pieces of memory.
 */
#include "planned/planned.h"
#include "system/ranges.h"

#define JOINS_MOST 8u /* boxes before the last one that may be beside it */

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

	if (!cape_described_are_alike(one, last) ||
	    (!cape_box_is_same(&one->box, &last->box) &&
	     !cape_box_lay_beside(&one->box, &last->box) &&
	     !(simple && cape_box_stack(&one->box, &last->box))))
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
