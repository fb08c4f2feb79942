// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * plain.c - accesses that are one stretch of memory each, as those by rows are: of these there are
 * many, and most of them again and again, so each is kept but once, and nothing else of it.
 */
#include "planned/planned.h"
#include "system/number.h"

#define STRETCHES_MOST (1u << 20) /* of one set */
#define NEAR	       64	  /* bytes between what is read of a row: all of it may come */

/* For whatever a program calls of this room, this file is linked with quiet.c. */
void cape_plan_plain_start(struct cape_runtime *runtime)
{
	struct cape_plan_plain *plain = &runtime->planned->plain;

	plain->writes = cape_must_reserve(runtime, runtime->nodes * sizeof(*plain->writes));
	plain->reads = cape_must_reserve(runtime, runtime->nodes * sizeof(*plain->reads));
	for (unsigned node = 0; node < runtime->nodes; node++)
		plain->writes[node].memory = plain->reads[node].memory = &runtime->blocks.memory;
	plain->index.memory = &runtime->blocks.memory;
}

void cape_plan_plain_begin(struct cape_runtime *runtime)
{
	struct cape_plan_plain *plain = &runtime->planned->plain;

	for (unsigned node = 0; node < runtime->nodes; node++) {
		cape_intervals_empty(&plain->writes[node]);
		cape_intervals_empty(&plain->reads[node]);
	}
	cape_intervals_empty(&plain->index);
	plain->loop++;
}

/* Whether BOX, which is simple, is one stretch, RANGE, but for gaps of at most so many bytes. */
static bool is_plain(const struct cape_box *box, int64_t most, struct cape_range *range)
{
	const struct cape_dimension *one = box->dimension;

	*range = (struct cape_range){box->at, box->at + box->size};
	if (!box->dimensions)
		return true;
	most += (int64_t)box->size;
	if (box->dimensions > 1 || one->stride > most)
		return false;
	range->end += (one->count - 1) * (uint64_t)one->stride;
	return true;
}

/* Whether it is there; it is from now on. */
static bool is_known(struct cape_plan_plain *plain, const struct cape_described *described,
		     struct cape_range range)
{
	struct cape_plan_plain_last now = {range, plain->loop, described->node, described->set};
	uint64_t number = cape_number_mix(range.start, (uint64_t)now.node * 8 + now.set);
	/* A node describes only its own reads: these must not decide what is kept of writes. */
	struct cape_plan_plain_last *last =
		&plain->last[described->set == CAPE_SET_READ][number % CAPE_PLAN_LAST];
	bool known = last->range.start == range.start && last->range.end == range.end &&
		     last->loop == now.loop && last->node == now.node && last->set == now.set;

	*last = now;
	return known;
}

static bool add(struct cape_intervals *set, uint64_t start, uint64_t end)
{
	return set->count < STRETCHES_MOST &&
	       cape_intervals_add_stretch(set, start, end - start) == 0;
}

bool cape_plan_take_plain(struct cape_runtime *runtime, const struct cape_described *described)
{
	struct cape_planned *planned = runtime->planned;
	struct cape_plan_plain *plain = &planned->plain;
	struct cape_range range;
	bool may_have_more = described->set == CAPE_SET_READ && planned->rows.pages;

	/* An order says which comes first; threads of pipelines have their own. */
	if (described->order || planned->pipeline.describing ||
	    !is_plain(&described->box, may_have_more ? NEAR : 0, &range))
		return false;
	if (is_known(plain, described, range))
		return true;
	if (cape_set_is_written(described->set))
		planned->failed |= !add(&plain->writes[described->node], range.start, range.end);
	if (described->set == CAPE_SET_INDEX)
		planned->failed |= !add(&plain->index, range.start, range.end);
	if (described->set != CAPE_SET_WRITE && described->set != CAPE_SET_FILL)
		planned->reads_failed |=
			!add(&plain->reads[described->node], range.start, range.end);
	return true;
}

bool cape_plan_add_plain(struct cape_intervals *set, const struct cape_intervals *plain)
{
	bool all = true;

	for (size_t i = 0; i < plain->count; i++)
		all &= add(set, plain->list[i].start, plain->list[i].end);
	return all;
}
