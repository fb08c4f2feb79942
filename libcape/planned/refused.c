// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * refused.c - loops that are not planned for some times, for that was too much, or did not pay.
 * The same on all nodes.
 *
 * A plan of many pieces, crowded on few pages, costs more than to look at these pages, and pays if
 * it comes again, and if what it has divided need not be whole at once.  Of many pieces elsewhere
 * one of both is enough.  One of many rounds that leaves out most of what is written never does.
 * Nor does one that took longer to describe than to look at all its pages, unless it is used again.
 * The more often a loop has come, or the more it writes, the longer its description may take.
 * A loop may have many plans that come in turn, as one of a grid on many levels, each of which is
 * new at first; and what is made whole because another loop did not pay says nothing of this one.
 */
#include "need/divided.h"
#include "need/need.h"
#include "planned/planned.h"
#include "profile/profile.h"
#include "system/ranges.h"

#define WAIT_MOST   1023u   /* times that a loop is not tried */
#define LOSSES_MOST 32u	    /* in a row, after which it is not */
#define LOSS_KNOWN  8u	    /* losses, as which one of a plan counts that is not new */
#define WAYS	    4u	    /* places in a table where one loop may be */
#define HEAVY_MOST  2u	    /* in a row that took long to describe */
#define HEAVY_WAIT  31u	    /* times, at least, that such a loop is not tried then */
#define ROUNDS_PAGE 16u	    /* of a description cost as much as to look at a page */
#define ROUNDS_MANY 131072u /* take longer than most loops: for those that come often */
#define MEETS_MOST  3u	    /* in a row that two nodes write the same bytes: pages become common */

struct cape_refused *cape_refused_spot(struct cape_refused *table, unsigned count,
				       const void *where)
{
	unsigned first = ((uintptr_t)where * 0x9e3779b97f4a7c15u >> 32) % count;
	struct cape_refused *free = NULL;

	for (unsigned i = 0; i < WAYS; i++) {
		struct cape_refused *refused = &table[(first + i) % count];

		if (refused->where == where)
			return refused;
		if (!refused->where && !free)
			free = refused;
	}
	return free ? free : &table[first];
}

bool cape_refused_waits(struct cape_refused *refused, const void *where)
{
	if (refused->where != where || !refused->left)
		return false;
	refused->left--;
	return true;
}

void cape_refused_wait(struct cape_refused *refused)
{
	refused->wait = 2 * refused->wait + 1;
	if (refused->wait > WAIT_MOST)
		refused->wait = WAIT_MOST;
	refused->left = refused->wait;
}

static struct cape_refused *spot_of(struct cape_planned *planned, const void *where)
{
	return cape_refused_spot(planned->refused, CAPE_REFUSED, where);
}

static struct cape_refused *refused_of(struct cape_planned *planned, const void *where)
{
	struct cape_refused *refused = spot_of(planned, where);

	if (refused->where != where)
		*refused = (struct cape_refused){.where = where};
	return refused;
}

bool cape_plan_is_refused(struct cape_runtime *runtime, const void *where)
{
	struct cape_refused *refused = spot_of(runtime->planned, where);

	if (!cape_refused_waits(refused, where))
		return false;
	cape_profile_planning(runtime, refused->why);
	if (refused->why == CAPE_UNPLANNED_LOSS)
		runtime->planned->crowded = NULL;
	return true;
}

/* The next time is one of many. */
static void wait_long(struct cape_refused *refused)
{
	if (refused->wait < HEAVY_WAIT)
		refused->wait = HEAVY_WAIT;
}

unsigned long cape_plan_rounds_most(struct cape_planned *planned, const void *where)
{
	const struct cape_refused *refused = spot_of(planned, where);
	unsigned long times = refused->where == where ? (refused->wait + 1) / (HEAVY_WAIT + 1) : 0;

	return cape_least(ROUNDS_MANY * (times ? times : 1), CAPE_PLAN_ROUNDS_MOST);
}

void cape_plan_refuse(struct cape_planned *planned, const void *where, enum cape_planning why)
{
	struct cape_refused *refused = refused_of(planned, where);

	refused->why = why;
	if (planned->rounds > ROUNDS_MANY)
		wait_long(refused);
	cape_refused_wait(refused);
}

bool cape_plan_meets_again(struct cape_planned *planned, const void *where, bool write)
{
	struct cape_refused *refused = spot_of(planned, where);

	if (!write) {
		if (refused->where == where)
			refused->meets = 0;
		return false;
	}
	refused = refused_of(planned, where);
	refused->meets += refused->meets < MEETS_MOST;
	return refused->meets == MEETS_MOST;
}

/* How many pages PLAN writes to, but that one where two pieces meet may count twice. */
static uint64_t pages_of(const struct cape_runtime *runtime, const struct cape_plan *plan)
{
	uint64_t pages = 0;

	for (unsigned node = 0; node < runtime->nodes; node++)
		for (size_t i = 0; i < plan->write[node].count; i++)
			pages += (cape_page_ceiling(plan->write[node].range[i].end) -
				  cape_page_floor(plan->write[node].range[i].start)) /
				 CAPE_PAGE;
	return pages;
}

/* The same on all nodes: lists, by which each describes its own, do not count. */
static bool is_heavy(const struct cape_runtime *runtime, const struct cape_plan *plan)
{
	const struct cape_planned *planned = runtime->planned;

	return !planned->again && !planned->listing.of && planned->rounds > CAPE_PLAN_ROUNDS_FEW &&
	       planned->rounds > ROUNDS_PAGE * pages_of(runtime, plan) + CAPE_PLAN_ROUNDS_FEW;
}

/* Whether it was described once too often. */
static bool is_too_heavy(struct cape_runtime *runtime, const struct cape_plan *plan)
{
	struct cape_planned *planned = runtime->planned;
	struct cape_refused *refused = spot_of(planned, plan->where);

	if (!is_heavy(runtime, plan)) {
		if (refused->where == plan->where)
			refused->heavy = 0;
		return false;
	}
	refused = refused_of(planned, plan->where);
	if (++refused->heavy < HEAVY_MOST)
		return false;
	/* The next time it is too much at once. */
	refused->heavy = HEAVY_MOST - 1;
	wait_long(refused);
	planned->crowded = NULL;
	return true;
}

bool cape_plan_does_not_pay(struct cape_runtime *runtime, const struct cape_plan *plan)
{
	struct cape_planned *planned = runtime->planned;
	struct cape_refused *refused;

	if (is_too_heavy(runtime, plan))
		return true;
	if (!plan->is_many && !plan->is_left)
		return false;
	refused = refused_of(planned, plan->where);
	if (!plan->is_crowded && !plan->is_left && (plan->again || !refused->settled)) {
		refused->losses = refused->wait = 0;
		return false;
	}
	/* It has waited: once more, to see whether that is so still. */
	if (refused->losses == LOSSES_MOST) {
		refused->losses--;
		return false;
	}
	if (plan->again && !refused->divided && !plan->is_left) {
		refused->losses = refused->wait = 0;
		return false;
	}
	refused->losses += plan->is_left || plan->again ? LOSS_KNOWN : 1;
	if (refused->losses < LOSSES_MOST)
		return false;
	refused->losses = LOSSES_MOST;
	planned->crowded = NULL;
	return true;
}

void cape_plan_note_end(struct cape_planned *planned)
{
	struct cape_refused *refused;

	if (!planned->on->is_many)
		return;
	planned->crowded = planned->on->where;
	refused = refused_of(planned, planned->crowded);
	refused->settled = refused->divided = false;
}

void cape_plan_settle_pages(struct cape_runtime *runtime)
{
	struct cape_planned *planned = runtime->planned;
	struct cape_refused *refused;

	if (planned->crowded) {
		refused = refused_of(planned, planned->crowded);
		refused->settled = true;
		refused->divided = cape_divided_is_any(runtime);
	}
	planned->crowded = NULL;
	cape_divided_settle(runtime);
}

void cape_plan_settle(struct cape_runtime *runtime)
{
	cape_plan_settle_pages(runtime);
	cape_plan_make_bases(runtime);
}
