// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * steps.c - what known loops do to the map of pages, done again where they have done it before.
 *
 * A program that computes in rounds comes to the same loops with the same map again and again.  So
 * what is read before a loop, and what the map is after it, is looked up by loop and map.  A step
 * is noted when it comes for the second time: most programs have many that come once.
 */
#include <string.h>
#include "need/divided.h"
#include "need/need.h"
#include "planned/planned.h"
#include "system/number.h"

#define WORDS_MOST (CAPE_PLAN_NOTES / sizeof(uint64_t))

static uint64_t number_of(const struct cape_plan *plan, enum cape_plan_step step, uint64_t state)
{
	uint64_t number = step == CAPE_PLAN_BRINGS ? plan->with->number : plan->number;

	return cape_number_mix(number + step, state);
}

static struct cape_plan_step_known *find(struct cape_plan_steps *steps, uint64_t number)
{
	uint64_t set = number % CAPE_PLAN_STEP_SETS;
	struct cape_plan_step_known *known = steps->known[set];

	/* No page is touched for what comes once. */
	if (!steps->next[set])
		return NULL;
	for (unsigned i = 0; i < CAPE_PLAN_STEP_WAYS; i++)
		if (known[i].number == number)
			return &known[i];
	return NULL;
}

/* It has come for the first time. */
static void add(struct cape_plan_steps *steps, uint64_t number)
{
	uint64_t set = number % CAPE_PLAN_STEP_SETS;
	unsigned way = steps->next[set] % CAPE_PLAN_STEP_WAYS;

	steps->next[set] = (unsigned char)(way + 1);
	steps->known[set][way] = (struct cape_plan_step_known){.number = number};
}

/* All notes go when there is no more room. */
static void make_room(struct cape_runtime *runtime, struct cape_plan_steps *steps, uint64_t words)
{
	if (!steps->notes)
		steps->notes = cape_must_reserve(runtime, CAPE_PLAN_NOTES);
	if (words <= WORDS_MOST - steps->used)
		return;
	steps->used = 0;
	memset(steps->known, 0, sizeof(steps->known));
	memset(steps->next, 0, sizeof(steps->next));
}

static void keep(struct cape_runtime *runtime, uint64_t number,
		 const struct cape_divided_note *note, uint64_t size)
{
	struct cape_plan_steps *steps = &runtime->planned->steps;
	struct cape_plan_step_known *known;
	uint64_t words = size / sizeof(*steps->notes);

	if (!note || words > WORDS_MOST / 64)
		return;
	make_room(runtime, steps, words);
	known = find(steps, number);
	if (!known) {
		add(steps, number);
		known = find(steps, number);
	}
	known->at = steps->used;
	known->size = (uint32_t)words;
	memcpy(steps->notes + steps->used, note, size);
	steps->used += known->size;
}

static const struct cape_divided_note *note_of(const struct cape_plan_steps *steps,
					       const struct cape_plan_step_known *known)
{
	return (const void *)(steps->notes + known->at);
}

/* Under --verify it is done anew all the same, and must come to the same. */
static void check(struct cape_runtime *runtime, struct cape_plan *plan,
		  const struct cape_plan_step_known *known, cape_plan_do *carry_out)
{
	const struct cape_plan_steps *steps = &runtime->planned->steps;
	const struct cape_divided_note *note;
	uint64_t size = 0;

	cape_divided_record(runtime);
	carry_out(runtime, plan);
	note = cape_divided_recorded(runtime, &size);
	if (!note || size != known->size * sizeof(*steps->notes) ||
	    memcmp(note, note_of(steps, known), size) != 0)
		cape_fail(runtime, 0,
			  "what the loop at %s:%d brings or writes is not what it was before: "
			  "please report that, and build the program with --no-plan",
			  plan->place->file, plan->place->line);
}

static void record(struct cape_runtime *runtime, struct cape_plan *plan, uint64_t number,
		   cape_plan_do *carry_out)
{
	const struct cape_divided_note *note;
	uint64_t size = 0;

	cape_divided_record(runtime);
	carry_out(runtime, plan);
	note = cape_divided_recorded(runtime, &size);
	keep(runtime, number, note, size);
}

void cape_plan_step(struct cape_runtime *runtime, struct cape_plan *plan, enum cape_plan_step step,
		    cape_plan_do *carry_out)
{
	struct cape_plan_steps *steps = &runtime->planned->steps;
	uint64_t number = number_of(plan, step, cape_divided_state(runtime));
	const struct cape_plan_step_known *known = find(steps, number);

	if (!known) {
		add(steps, number);
		carry_out(runtime, plan);
	} else if (!known->size) {
		record(runtime, plan, number, carry_out);
	} else if (runtime->channel->flags & CAPE_CHANNEL_VERIFY) {
		check(runtime, plan, known, carry_out);
	} else {
		cape_divided_repeat(runtime, note_of(steps, known));
	}
}
