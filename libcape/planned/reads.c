// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * reads.c - what a loop reads: a loop may read something else each time, and write the same.
 */
#include "need/parts.h"
#include "planned/planned.h"
#include "system/number.h"

/*
 * In a pipeline: what NODE writes and others access, which it compares with what it was: another
 * node may have written it last.
 */
static bool add_bases(struct cape_planned *planned, struct cape_intervals *reads, unsigned node)
{
	struct cape_intervals *others = &planned->written, *one = &planned->read;
	bool all = true;

	cape_intervals_empty(others);
	for (size_t i = 0; i < planned->described_count; i++)
		if (planned->described[i].node != node)
			all &= cape_intervals_add(others, &planned->described[i].box) == 0;
	all &= cape_intervals_sort(others) == 0;
	for (size_t i = 0; i < planned->described_count && all; i++) {
		const struct cape_described *described = &planned->described[i];

		if (described->node != node || !cape_set_is_written(described->set))
			continue;
		cape_intervals_empty(one);
		all = cape_intervals_add(one, &described->box) == 0 &&
		      cape_intervals_sort(one) == 0;
		if (all && cape_intervals_meet(one, others))
			all = cape_intervals_add(reads, &described->box) == 0;
	}
	return all;
}

/* What NODE has to have: what it reads, and what it may write.  False: not all of that. */
static bool find_of(struct cape_runtime *runtime, const struct cape_plan *plan,
		    struct cape_plan_reads *with, unsigned node)
{
	struct cape_planned *planned = runtime->planned;
	struct cape_intervals *reads = &planned->scratch[runtime->nodes + 1];
	bool all;

	cape_intervals_empty(reads);
	all = cape_plan_add_plain(reads, &planned->plain.reads[node]) &&
	      cape_plan_add_ranges(reads, &plan->gaps[node]);
	for (size_t i = 0; i < planned->described_count; i++) {
		const struct cape_described *described = &planned->described[i];

		if (described->node == node && described->set != CAPE_SET_WRITE &&
		    described->set != CAPE_SET_FILL && !cape_plan_wrote_before(planned, described))
			all &= cape_intervals_add(reads, &described->box) == 0;
	}
	if (planned->pipeline.is_planned)
		all &= add_bases(planned, reads, node);
	if (cape_intervals_sort(reads) < 0 || !cape_plan_is_possible(reads)) {
		all = false;
		cape_intervals_empty(reads);
	}
	if (planned->rows.words.count && !runtime->need->divided.sends)
		cape_plan_join_read(reads);
	cape_plan_find_known(runtime, reads, &with->read[node], NULL);
	return all;
}

static void find(struct cape_runtime *runtime, const struct cape_plan *plan,
		 struct cape_plan_reads *with)
{
	bool knows_all = cape_plan_knows_all(runtime);

	with->anywhere = runtime->planned->reads_failed;
	for (unsigned node = 0; node < runtime->nodes; node++)
		if (node == runtime->node || knows_all)
			with->anywhere |= !find_of(runtime, plan, with, node);
	/* Who sends has to know what to send, and a fault brings to what other threads see. */
	with->fails = with->anywhere && knows_all;
	cape_plan_find_spread(runtime, with);
}

struct cape_plan_reads *cape_plan_find_reads(struct cape_runtime *runtime,
					     const struct cape_plan *plan)
{
	struct cape_planned *planned = runtime->planned;
	uint64_t number =
		cape_number_mix(plan->number, planned->reads + planned->pipeline.is_planned);
	struct cape_plan_reads *with = cape_plan_reads_of(runtime, number);

	if (with->number == number)
		return with;
	with->number = number;
	find(runtime, plan, with);
	cape_plan_reads_kept(runtime, with);
	return with;
}
