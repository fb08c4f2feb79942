// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * kept.c - the plans of loops that were described before, and what these read: where they are found
 * again, and that they do not take more memory than they may.
 *
 * All go when that is full: what comes again is there soon.  Plans go on all nodes at a time, for
 * whether one has come again decides on more than on what a node does by itself.
 */
#include <string.h>
#include "memory/directory.h"
#include "planned/planned.h"

#define PIECES_MOST  (2u << 20) /* stretches in plans, of all nodes; in what this node reads */
#define PIECES_LEAST 64u	/* as which each of these counts */
#define PIECES_TESTS 4096u	/* instead of the most, so that they go */

static bool are_many(const struct cape_runtime *runtime, uint64_t pieces)
{
	bool stress = runtime->channel->flags & CAPE_CHANNEL_STRESS;

	return pieces > (stress ? PIECES_TESTS : PIECES_MOST) && !runtime->planned->on;
}

struct cape_ranges *cape_plan_lists_by_node(struct cape_runtime *runtime)
{
	struct cape_ranges *list = NULL;
	size_t room = 0;

	cape_must_grow(runtime, (void **)&list, &room, runtime->nodes, sizeof(*list));
	memset(list, 0, runtime->nodes * sizeof(*list));
	return list;
}

static void empty(struct cape_runtime *runtime, struct cape_ranges *list)
{
	struct cape_memory *memory = &runtime->blocks.memory;

	memory->resize(memory, list->range, list->room * sizeof(*list->range), 0);
	*list = (struct cape_ranges){0};
}

static void empty_each(struct cape_runtime *runtime, struct cape_ranges *by_node)
{
	for (unsigned node = 0; node < runtime->nodes; node++)
		empty(runtime, &by_node[node]);
}

/* -- what loops read --------------------------------------------------------------------------- */

static void forget_reads(struct cape_runtime *runtime)
{
	struct cape_planned *planned = runtime->planned;

	for (uint32_t i = 0; i < planned->withs.used; i++) {
		struct cape_plan_reads *with = &planned->with[i];

		empty_each(runtime, with->read);
		empty(runtime, &with->all);
		*with = (struct cape_plan_reads){.read = with->read};
	}
	memset(&planned->withs, 0, sizeof(planned->withs));
	planned->pieces_read = 0;
}

struct cape_plan_reads *cape_plan_reads_of(struct cape_runtime *runtime, uint64_t number)
{
	struct cape_planned *planned = runtime->planned;
	const uint32_t *at = cape_plan_index_find(&planned->withs, number);
	struct cape_plan_reads *with;

	for (unsigned i = 0; i < CAPE_PLAN_WAYS && at[i]; i++) {
		with = &planned->with[at[i] - 1];
		if (with->number == number)
			return with;
	}
	if (are_many(runtime, planned->pieces_read))
		forget_reads(runtime);
	with = &planned->with[cape_plan_index_add(&planned->withs, number)];
	with->number = 0;
	if (!with->read)
		with->read = cape_plan_lists_by_node(runtime);
	return with;
}

void cape_plan_reads_kept(struct cape_runtime *runtime, const struct cape_plan_reads *with)
{
	uint64_t pieces = PIECES_LEAST + with->all.count;

	for (unsigned node = 0; node < runtime->nodes; node++)
		pieces += with->read[node].count;
	runtime->planned->pieces_read += pieces;
}

/* -- plans ------------------------------------------------------------------------------------- */

/*
 * Whether PLAN leaves out what it did, and does so up to now; of others it is not known what they
 * write.  Pages that are read and left out are common: that of them changes nothing.
 */
static bool leaves_the_same(const struct cape_runtime *runtime, struct cape_plan *plan)
{
	uint64_t stays = runtime->directory->stays;

	if (plan->stays == stays)
		return true;
	if (plan->use != CAPE_PLANNED || cape_directory_stayed(runtime, plan->around, plan->stays))
		return false;
	plan->stays = stays;
	return true;
}

static bool is_same(const struct cape_runtime *runtime, struct cape_plan *plan,
		    const struct cape_place *place, uint64_t writes)
{
	return plan->place == place && plan->writes == writes && leaves_the_same(runtime, plan);
}

bool cape_plan_is_kept(const struct cape_runtime *runtime, const struct cape_plan_key *key)
{
	struct cape_plan *plan = key->plan;

	return is_same(runtime, plan, (const void *)(uintptr_t)key->word[0], key->writes) &&
	       (plan->use != CAPE_PLANNED || (key->with && key->with->number == key->with_number));
}

/* And what refers to them. */
static void forget_plans(struct cape_runtime *runtime)
{
	struct cape_planned *planned = runtime->planned;

	for (uint32_t i = 0; i < planned->plans.used; i++) {
		struct cape_plan *plan = &planned->plan[i];

		empty_each(runtime, plan->write);
		empty_each(runtime, plan->gaps);
		empty(runtime, &plan->left);
		empty(runtime, &plan->learned);
		*plan = (struct cape_plan){.write = plan->write, .gaps = plan->gaps};
	}
	for (uint32_t i = 0; i < planned->keys.used; i++)
		planned->key[i].count = planned->key[i].number = 0;
	memset(&planned->plans, 0, sizeof(planned->plans));
	memset(&planned->keys, 0, sizeof(planned->keys));
	planned->pieces = 0;
}

struct cape_plan *cape_plan_of(struct cape_runtime *runtime, const struct cape_place *place,
			       bool *same)
{
	struct cape_planned *planned = runtime->planned;
	uint64_t number = ((uintptr_t)place ^ planned->writes) * 0x9e3779b97f4a7c15u >> 32;
	const uint32_t *at = cape_plan_index_find(&planned->plans, number);
	struct cape_plan *plan;

	*same = true;
	for (unsigned i = 0; i < CAPE_PLAN_WAYS && at[i]; i++) {
		plan = &planned->plan[at[i] - 1];
		if (is_same(runtime, plan, place, planned->writes))
			return plan;
	}
	*same = false;
	if (are_many(runtime, planned->pieces))
		forget_plans(runtime);
	plan = &planned->plan[cape_plan_index_add(&planned->plans, number)];
	if (!plan->write) {
		plan->write = cape_plan_lists_by_node(runtime);
		plan->gaps = cape_plan_lists_by_node(runtime);
	}
	return plan;
}

void cape_plan_kept(struct cape_runtime *runtime, const struct cape_plan *plan)
{
	uint64_t pieces = PIECES_LEAST;

	for (unsigned node = 0; node < runtime->nodes; node++)
		pieces += plan->write[node].count;
	runtime->planned->pieces += pieces;
}
