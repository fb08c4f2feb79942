// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * replicate.c - regions that every node runs in whole, where that takes less time than to share
 * them out: what one costs on all nodes is bounded by what it costs on one.
 *
 * Each node measures how long its regions take, and how much of that is the program's own work.
 * All of them compare that now and then, and come to the same decision: a region is run in whole if
 * it took much longer than all work that was done in it, and some time has been lost by that.  It
 * is shared out again when that would take less, by what it cost in addition to the work, or if it
 * is not as quick as it should be; and tried again when twice as much has been lost.  What sharing
 * it out cost is taken for less from time to time, so in the end it is measured anew.
 *
 * A region that lasts is as many runs as it has sync points: nodes may come to run in whole what
 * comes after one, up to the region's end.
 *
 * Between machines what is shared out and what is not are too dear together: what the one writes
 * has to come to all nodes for the other.  So all regions are one there, and what those take that
 * are always shared out counts, too.  All of memory comes before they are tried in whole, for that
 * it comes page by page would take far longer; how long it takes is known before.
 */
#include "openmp/replicate.h"

#include "base/way.h"
#include "memory/directory.h"
#include "message/exchange.h"
#include "profile/profile.h"
#include "system/number.h"
#include "system/ranges.h"

/*
 * After how many runs of all regions nodes compare; later after half as many more, up to MOST, or
 * while a region is tried in whole.
 */
#define FIRST_RUNS 2u
#define MOST_RUNS  256u /* four times as many between machines */
#define TRIED_RUNS 8u

/*
 * A region that is shared out is tried in whole if as much time has been lost by it, in
 * nanoseconds, and that memory takes to come and go again, after that many runs; before, if it
 * takes so many times longer, and as many times that have been lost: it may be slow at first only.
 */
#define LOST	    20000000ull
#define SHARED_RUNS 16u
#define SHARED_MANY 64u /* if many are one; in whole, too */
#define FIRST_TIMES 4u
#define OTHERS	    4u /* where those take a part of it that can only be shared out, it is not */

/* Sync points of a region until it is one that lasts. */
#define LASTING 16u

/*
 * One in whole: so many runs at first; and after so many, and later twice as many, what to share it
 * out would cost is taken for less by a part, so that it is tried again.  Memory comes to where it
 * is used at first.
 */
#define WHOLE_RUNS  4u
#define WHOLE_MOST  (1u << 20)
#define SETTLE_RUNS 2u

#define PACE_NEAR 250u /* nanoseconds for 1000 bytes, where nodes read each other's memory */

#define DOUBT	    4u
#define GROWN	    4u	/* times as long as it was: it is looked at before that */
#define FAILED_MOST 20u /* times that it went back; each time twice as much must be lost */

#define STRESS_EVERY 4u

static void start(struct cape_runtime *runtime)
{
	runtime->replicate->regions.due = runtime->replicate->points.due = FIRST_RUNS;
}

CAPE_PART(replicate, start);

/* What a node has measured of one run, in nanoseconds. */
struct measure {
	uint64_t work, time;
	uint64_t other; /* of that time: of regions that are always shared out */
};

/* What it tells of all. */
struct sent {
	uint64_t pages; /* that not all nodes have */
	struct measure of[];
};

/* Whether MORE takes so much longer than LESS that it matters. */
static bool is_longer(uint64_t more, uint64_t less)
{
	return more > less + less / 4;
}

/* From now on every node runs all of it, or it is shared out. */
static void change(struct cape_replicate_site *site)
{
	site->whole = !site->whole;
	site->proved = site->promises = false;
	site->runs = 0;
	site->lost = site->early = 0;
	site->doubt = site->span;
}

static bool are_one(const struct cape_runtime *runtime)
{
	return runtime->channel->fetch.pace;
}

/* The one of PLACE, or NULL: there are too many. */
static struct cape_replicate_site *site_at(const struct cape_runtime *runtime,
					   struct cape_replicate_group *group,
					   const struct cape_place *place)
{
	uint64_t first = are_one(runtime) ? 0 : cape_number_mix(1, (uintptr_t)place);

	for (size_t i = 0; i < CAPE_REPLICATE_SITES; i++) {
		struct cape_replicate_site *site = &group->site[(first + i) % CAPE_REPLICATE_SITES];

		if (!site->place)
			*site = (struct cape_replicate_site){.place = place, .span = WHOLE_RUNS};
		if (site->place == place || are_one(runtime))
			return site;
	}
	return NULL;
}

/* Whether it has been measured long enough.  The same on all nodes. */
static bool is_due(const struct cape_runtime *runtime, const struct cape_replicate_site *site)
{
	unsigned runs = are_one(runtime) ? SHARED_MANY : WHOLE_RUNS;

	return site->measured && (!site->whole || site->runs >= runs);
}

/* It has been shared out.  MOVING: what it costs that all nodes have all. */
static void decide_of_shared(struct cape_runtime *runtime, struct cape_replicate_site *site,
			     struct measure all, uint64_t moving)
{
	bool first = site->runs < (are_one(runtime) ? SHARED_MANY : SHARED_RUNS);
	uint64_t part = all.work / site->team, times = first ? FIRST_TIMES : 1ull << site->failed;

	site->overhead = all.time > part ? all.time - part : 0;
	site->lost += all.time > all.work ? (all.time - all.work) * site->measured : 0;
	site->promises =
		is_longer(all.time, (first ? FIRST_TIMES : 1) * (all.work + all.work / 2)) &&
		all.other * OTHERS < all.time;
	if (site->promises && site->lost - site->early > times * (LOST + moving))
		change(site);
	else if (first)
		site->early = site->lost;
}

/* Whether a region that proved to be quick in whole is to be judged again: ALL is since then. */
static bool is_doubtful(const struct cape_replicate_site *site, struct measure all)
{
	return !site->proved || site->runs >= site->doubt || all.time > GROWN * site->cost;
}

/* All nodes have run all of it. */
static void decide_of_whole(struct cape_runtime *runtime, struct cape_replicate_site *site,
			    struct measure all)
{
	uint64_t work = all.work / runtime->nodes, shared = site->overhead + work / site->team;
	/* Else what sharing it out cost at first may be more than it does in the end. */
	bool promised = site->proved || !is_longer(all.time, 2 * work) || 2 * all.time < shared;

	if (!promised || is_longer(all.time, shared)) {
		site->failed += site->failed < FAILED_MOST;
		change(site);
		return;
	}
	site->proved = true;
	site->cost = all.time;
	if (site->runs < site->doubt)
		return;
	site->overhead -= site->overhead / DOUBT;
	site->span = site->span < WHOLE_MOST ? 2 * site->span : WHOLE_MOST;
	site->doubt = site->runs + site->span;
}

static size_t sent_size(size_t count)
{
	return sizeof(struct sent) + count * sizeof(struct measure);
}

/* All nodes tell what they have measured of the COUNT sites of GROUP that are due. */
static void tell(struct cape_runtime *runtime, const struct cape_replicate_group *group,
		 size_t count, const struct cape_place *place)
{
	struct cape_message_writer writer;
	struct sent *own =
		cape_exchange_open(runtime, &writer, CAPE_SYNC_CHECK, sent_size(count), place);
	struct measure *of = own->of;

	own->pages = runtime->directory->count;
	for (size_t i = 0; i < CAPE_REPLICATE_SITES; i++) {
		const struct cape_replicate_site *site = &group->site[i];

		if (is_due(runtime, site))
			*of++ = (struct measure){site->work / site->measured,
						 site->time / site->measured,
						 site->other / site->measured};
	}
	cape_exchange_close(runtime, &writer);
}

/* What NODE has sent of COUNT sites. */
static const struct sent *sent_by(struct cape_runtime *runtime, unsigned node, size_t count)
{
	const struct cape_message *message = cape_exchange_message(runtime, node);

	if (message->size[CAPE_SECTION_FREE] != sent_size(count))
		cape_fail(runtime, 0, "node %u has sent what is no list of times", node);
	return (const void *)cape_message_get(message, CAPE_SECTION_FREE);
}

/* Of the one that is number WHICH of COUNT: the sum of what nodes work, and the longest time. */
static struct measure sum_up(struct cape_runtime *runtime, size_t which, size_t count)
{
	struct measure all = {0};

	for (unsigned node = 0; node < runtime->nodes; node++) {
		const struct measure *of = &sent_by(runtime, node, count)->of[which];

		all.work += of->work;
		all.time = of->time > all.time ? of->time : all.time;
		all.other = of->other > all.other ? of->other : all.other;
	}
	return all;
}

/* Nanoseconds that memory takes to come to all nodes, and to where it is used after that. */
static uint64_t moving_time(struct cape_runtime *runtime, size_t count)
{
	uint64_t pace = are_one(runtime) ? runtime->channel->fetch.pace : PACE_NEAR;

	return 2 * sent_by(runtime, 0, count)->pages * CAPE_PAGE / 1000 * pace;
}

/* Whether some region runs in whole, and has not proved yet that it takes less time. */
static bool is_trying(const struct cape_replicate_group *group)
{
	for (size_t i = 0; i < CAPE_REPLICATE_SITES; i++)
		if (group->site[i].whole && !group->site[i].proved)
			return true;
	return false;
}

/* That come before nodes compare the next time. */
static uint64_t most_runs(const struct cape_runtime *runtime,
			  const struct cape_replicate_group *group)
{
	if (is_trying(group))
		return TRIED_RUNS;
	return are_one(runtime) ? 4 * MOST_RUNS : MOST_RUNS;
}

/* All nodes come to PLACE.  Whether some region is to be tried in whole. */
static bool decide(struct cape_runtime *runtime, struct cape_replicate_group *group,
		   const struct cape_place *place)
{
	size_t count = 0, which = 0;
	struct measure all;
	uint64_t moving;
	bool tries = false;

	for (size_t i = 0; i < CAPE_REPLICATE_SITES; i++)
		count += is_due(runtime, &group->site[i]);
	tell(runtime, group, count, place);
	moving = moving_time(runtime, count);
	for (size_t i = 0; i < CAPE_REPLICATE_SITES; i++) {
		struct cape_replicate_site *site = &group->site[i];

		if (!is_due(runtime, site))
			continue;
		all = sum_up(runtime, which++, count);
		if (site->whole && !is_doubtful(site, all))
			continue;
		if (site->whole)
			decide_of_whole(runtime, site, all);
		else
			decide_of_shared(runtime, site, all, moving);
		site->work = site->time = site->other = site->measured = 0;
		tries |= site->whole && !site->runs;
	}
	/* What one in whole reads, others should not have shared out. */
	for (size_t i = 0; tries && i < CAPE_REPLICATE_SITES; i++)
		if (group->site[i].promises && !group->site[i].whole)
			change(&group->site[i]);
	return tries;
}

void cape_replicate_bring(struct cape_runtime *runtime)
{
	if (!are_one(runtime))
		return;
	runtime->way->touched(runtime);
	runtime->way->share_all(runtime);
}

/* For tests: once in a while. */
static bool is_whole_in_stress(struct cape_replicate_site *site)
{
	return cape_number_mix(site->runs++, (uint64_t)site->place->line) % STRESS_EVERY == 0;
}

/* One more run of SITE, of GROUP, is about to begin.  Whether one is to be tried. */
static bool count_run(struct cape_runtime *runtime, struct cape_replicate_group *group,
		      struct cape_replicate_site *site, unsigned team)
{
	bool tries = false;

	site->team = team;
	if (group->runs++ == group->due) {
		tries = decide(runtime, group, site->place);
		group->due += cape_least(group->due / 2, most_runs(runtime, group));
	}
	site->runs++;
	return tries;
}

static void measure(struct cape_replicate_site *site, uint64_t work, uint64_t time)
{
	if (site->runs <= (site->whole ? SETTLE_RUNS : SETTLE_RUNS - 1))
		return;
	site->work += work;
	site->time += time;
	site->measured++;
}

void cape_replicate_follow(struct cape_runtime *runtime)
{
	struct cape_replicate *replicate = runtime->replicate;
	struct cape_replicate_site *site = replicate->last;
	uint64_t work, waited;

	if (!site)
		return;
	work = cape_profile_clock_stop(runtime);
	waited = cape_now() - replicate->ended - work;
	if (site->measured) {
		site->time += waited;
		site->other += replicate->is_other ? waited : 0;
	}
	replicate->last = NULL;
}

static bool is_whole(struct cape_runtime *runtime, struct cape_replicate_site *site, unsigned team)
{
	struct cape_replicate *replicate = runtime->replicate;

	replicate->on = site;
	replicate->began = cape_now();
	if (count_run(runtime, &replicate->regions, site, team))
		cape_replicate_bring(runtime);
	cape_profile_clock_start(runtime);
	replicate->points_met = 0;
	replicate->repeated = 0;
	return site->whole;
}

/* What is saved, or looked for, is at the ends of regions that are shared out. */
static bool is_wanted(const struct cape_runtime *runtime)
{
	const uint32_t flags = runtime->channel->flags;

	return flags & CAPE_CHANNEL_REPLICATE &&
	       !(flags & (CAPE_CHANNEL_SAVE | CAPE_CHANNEL_RACES)) && runtime->threads <= 1;
}

bool cape_replicate_begin(struct cape_runtime *runtime, const struct cape_construct *construct,
			  unsigned team)
{
	struct cape_replicate_site *site;
	bool whole;

	if (!is_wanted(runtime) || runtime->openmp->depth > 1)
		return false;
	cape_replicate_follow(runtime);
	if (!construct->replicable && !are_one(runtime))
		return false;
	site = site_at(runtime, &runtime->replicate->regions, construct->place);
	if (!site)
		return false;
	runtime->replicate->is_other = !construct->replicable;
	whole = runtime->channel->flags & CAPE_CHANNEL_STRESS ? is_whole_in_stress(site)
							      : is_whole(runtime, site, team);
	if (!whole || !construct->replicable)
		return false;
	cape_profile_planning(runtime, CAPE_REPLICATED);
	return true;
}

void cape_replicate_leave_out(struct cape_runtime *runtime, uint64_t time)
{
	runtime->replicate->began += time;
	runtime->replicate->point += time;
}

void cape_replicate_end(struct cape_runtime *runtime)
{
	struct cape_replicate *replicate = runtime->replicate;
	uint64_t time;

	if (!replicate->on)
		return;
	time = cape_now() - replicate->began;
	measure(replicate->on, cape_profile_clock_stop(runtime) - replicate->repeated, time);
	replicate->on->other += replicate->is_other ? time : 0;
	replicate->last = replicate->on;
	replicate->on = NULL;
	replicate->ended = cape_now();
	cape_profile_clock_start(runtime);
}

/*
 * What came since the last sync point has been run, in whole or SHARED out: that counts if SITE is
 * to be run so.  What all nodes have run in whole is work of the region once.
 */
static void measure_point(struct cape_runtime *runtime, struct cape_replicate_site *site,
			  bool shared)
{
	struct cape_replicate *replicate = runtime->replicate;
	uint64_t now = cape_now(), all = cape_profile_clock_work(runtime);
	uint64_t work = all - replicate->point_work;

	if (replicate->points_met > LASTING) {
		if (site->whole != shared)
			measure(site, work, now - replicate->point);
		if (!shared)
			replicate->repeated += work - work / runtime->nodes;
	}
	replicate->point = now;
	replicate->point_work = all;
}

bool cape_replicate_from_here(struct cape_runtime *runtime, const struct cape_construct *region,
			      unsigned team)
{
	struct cape_replicate_group *points = &runtime->replicate->points;
	struct cape_replicate_site *site;

	/* Turns begin with the region.  A node that is not in the team does not come here. */
	if (!region->replicable || region->by_turns || team < runtime->nodes || !is_wanted(runtime))
		return false;
	site = site_at(runtime, points, region->place);
	if (!site)
		return false;
	if (runtime->channel->flags & CAPE_CHANNEL_STRESS)
		return is_whole_in_stress(site) && region->active;
	if (!runtime->replicate->on || ++runtime->replicate->points_met < LASTING)
		return false;
	measure_point(runtime, site, region->active);
	count_run(runtime, points, site, team);
	return site->whole && region->active;
}
