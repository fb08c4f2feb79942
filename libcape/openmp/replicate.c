// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * replicate.c - regions that every node runs in whole, where that takes less time than to share
 * them out: what one costs on all nodes is bounded by what it costs on one.
 *
 * Each node measures how long its regions take, and how much of that is the program's own work.
 * All of them compare that now and then, and come to the same decision: a region is run in whole if
 * it took much longer than all work that was done in it, and some time has been lost by that.  It
 * is shared out again when that would take less, by what it cost in addition to the work, and then
 * remains so unless it takes longer than it did in whole.  What it cost is taken for less each time
 * that nodes compare, so in the end it is measured anew.
 *
 * A region that lasts is as many runs as it has sync points: nodes may come to run in whole what
 * comes after one, and share it out again after another one.
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
#define MOST_RUNS  1024u
#define TRIED_RUNS 8u

/*
 * A region that is shared out is tried in whole if as much time has been lost by it, in
 * nanoseconds, and that memory takes to come and go again, after that many runs; before, if it
 * takes so many times longer, and as many times that have been lost: it may be slow at first only.
 */
#define LOST	    20000000ull
#define SHARED_RUNS 16u
#define SHARED_MANY 64u /* if many are one */
#define FIRST_TIMES 4u

/* Sync points of a region until it is one that lasts. */
#define LASTING 16u

/* One in whole: so many runs at first, and later; memory comes to where it is used at first. */
#define WHOLE_RUNS  4u
#define WHOLE_MOST  (1u << 20)
#define SETTLE_RUNS 2u

/* By this part the cost of sharing it out is taken for less each time that nodes compare. */
#define DOUBT 4u

#define STRESS_EVERY 4u

static void start(struct cape_runtime *runtime)
{
	runtime->replicate->regions.due = runtime->replicate->points.due = FIRST_RUNS;
}

CAPE_PART(replicate, start);

/* What a node has measured of one run, in nanoseconds. */
struct measure {
	uint64_t work, time;
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
	site->runs = 0;
}

static bool are_one(const struct cape_runtime *runtime)
{
	return runtime->channel->fetch.pace;
}

static struct cape_replicate_site *site_at(const struct cape_runtime *runtime,
					   struct cape_replicate_group *group,
					   const struct cape_place *place)
{
	size_t first = cape_number_mix(1, (uintptr_t)place) % CAPE_REPLICATE_SITES;
	struct cape_replicate_site *site = &group->site[are_one(runtime) ? 0 : first];

	if (!site->place || (!are_one(runtime) && site->place != place))
		*site = (struct cape_replicate_site){.place = place, .span = WHOLE_RUNS};
	return site;
}

/* Whether it has been measured long enough.  The same on all nodes. */
static bool is_due(const struct cape_replicate_site *site)
{
	return site->measured && (!site->whole || site->runs >= site->span);
}

/* It has been shared out among TEAM nodes.  MOVING: what it costs that all nodes have all. */
static void decide_of_shared(struct cape_runtime *runtime, struct cape_replicate_site *site,
			     struct measure all, unsigned team, uint64_t moving)
{
	bool first = site->runs < (are_one(runtime) ? SHARED_MANY : SHARED_RUNS);
	uint64_t part = all.work / team, times = first ? FIRST_TIMES : 1, lost, limit;

	site->overhead = all.time > part ? all.time - part : 0;
	site->lost += all.time > all.work ? (all.time - all.work) * site->measured : 0;
	lost = first ? site->lost : site->lost - site->early;
	limit = site->whole_cost ? site->whole_cost : all.work + all.work / 2;
	if (lost > times * (LOST + moving) && is_longer(all.time, times * limit))
		change(site);
	else if (first)
		site->early = site->lost;
}

/* All nodes have run all of it. */
static void decide_of_whole(struct cape_runtime *runtime, struct cape_replicate_site *site,
			    struct measure all, unsigned team)
{
	uint64_t work = all.work / runtime->nodes, shared = site->overhead + work / team;
	bool promised = site->whole_cost || !is_longer(all.time, 2 * work);

	site->whole_cost = all.time;
	if (site->span < WHOLE_MOST)
		site->span *= 2;
	/* Else what sharing it out cost at first may be more than it does in the end. */
	if (!promised || is_longer(all.time, shared)) {
		change(site);
		return;
	}
	site->overhead -= site->overhead / DOUBT;
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

		if (is_due(site))
			*of++ = (struct measure){site->work / site->measured,
						 site->time / site->measured};
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
	}
	return all;
}

/* Nanoseconds that memory takes to come to all nodes, and to where it is used after that. */
static uint64_t moving_time(struct cape_runtime *runtime, size_t count)
{
	return 2 * sent_by(runtime, 0, count)->pages * CAPE_PAGE / 1000 *
	       runtime->channel->fetch.pace;
}

/* Whether some region runs in whole for the first time. */
static bool is_trying(const struct cape_replicate_group *group)
{
	for (size_t i = 0; i < CAPE_REPLICATE_SITES; i++)
		if (group->site[i].whole && !group->site[i].whole_cost)
			return true;
	return false;
}

/* TEAM: of the region that is at PLACE, and taken for that of all.  Whether one is to be tried. */
static bool decide(struct cape_runtime *runtime, struct cape_replicate_group *group,
		   const struct cape_place *place, unsigned team)
{
	size_t count = 0, which = 0;
	uint64_t moving;
	bool tries = false;

	for (size_t i = 0; i < CAPE_REPLICATE_SITES; i++)
		count += is_due(&group->site[i]);
	tell(runtime, group, count, place);
	moving = moving_time(runtime, count);
	for (size_t i = 0; i < CAPE_REPLICATE_SITES; i++) {
		struct cape_replicate_site *site = &group->site[i];

		if (!is_due(site))
			continue;
		if (site->whole)
			decide_of_whole(runtime, site, sum_up(runtime, which++, count), team);
		else
			decide_of_shared(runtime, site, sum_up(runtime, which++, count), team,
					 moving);
		site->work = site->time = site->measured = 0;
		tries |= site->whole && !site->runs;
	}
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

/* One more run of GROUP is about to begin, or its site at PLACE.  Whether one is to be tried. */
static bool count_run(struct cape_runtime *runtime, struct cape_replicate_group *group,
		      const struct cape_place *place, unsigned team)
{
	bool tries = false;

	if (group->runs++ == group->due) {
		tries = decide(runtime, group, place, team);
		group->due += cape_least(group->due / 2, is_trying(group) ? TRIED_RUNS : MOST_RUNS);
	}
	site_at(runtime, group, place)->runs++;
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

static bool is_whole(struct cape_runtime *runtime, struct cape_replicate_site *site, unsigned team)
{
	struct cape_replicate *replicate = runtime->replicate;

	replicate->on = site;
	replicate->began = cape_now();
	if (count_run(runtime, &replicate->regions, site->place, team))
		cape_replicate_bring(runtime);
	cape_profile_clock_start(runtime);
	replicate->points_met = 0;
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

	if (!is_wanted(runtime) || !(construct->replicable || are_one(runtime)))
		return false;
	site = site_at(runtime, &runtime->replicate->regions, construct->place);
	whole = runtime->channel->flags & CAPE_CHANNEL_STRESS ? is_whole_in_stress(site)
							      : is_whole(runtime, site, team);
	if (!whole || !construct->replicable)
		return false;
	cape_profile_planning(runtime, CAPE_REPLICATED);
	return true;
}

void cape_replicate_end(struct cape_runtime *runtime)
{
	struct cape_replicate *replicate = runtime->replicate;

	if (replicate->on)
		measure(replicate->on, cape_profile_clock_stop(runtime),
			cape_now() - replicate->began);
	replicate->on = NULL;
}

/* What came since the last sync point has been run. */
static void measure_point(struct cape_runtime *runtime, struct cape_replicate_site *site)
{
	struct cape_replicate *replicate = runtime->replicate;
	uint64_t now = cape_now(), work = cape_profile_clock_work(runtime);

	if (replicate->points_met > LASTING)
		measure(site, work - replicate->point_work, now - replicate->point);
	replicate->point = now;
	replicate->point_work = work;
}

bool cape_replicate_changes(struct cape_runtime *runtime, const struct cape_construct *region,
			    unsigned team)
{
	struct cape_replicate_group *points = &runtime->replicate->points;
	struct cape_replicate_site *site;

	/* A node that is not in the team does not come here. */
	if (!region->midway || team < runtime->nodes || !is_wanted(runtime))
		return false;
	site = site_at(runtime, points, region->place);
	if (runtime->channel->flags & CAPE_CHANNEL_STRESS)
		return is_whole_in_stress(site) == region->active;
	if (!runtime->replicate->on || ++runtime->replicate->points_met < LASTING)
		return false;
	measure_point(runtime, site);
	count_run(runtime, points, region->place, team);
	return site->whole == region->active;
}
