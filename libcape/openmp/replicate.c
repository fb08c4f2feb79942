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
 */
#include "openmp/replicate.h"

#include "channel/near.h"
#include "message/exchange.h"
#include "profile/profile.h"
#include "system/number.h"
#include "system/ranges.h"

/* After how many runs of all regions nodes compare; later after half as many more, up to MOST. */
#define FIRST_RUNS 2u
#define MOST_RUNS  1024u

/*
 * A region that is shared out is tried in whole if as much time has been lost by it, in
 * nanoseconds, after that many runs; before, if it takes so many times longer, and as many times
 * that have been lost: it may be slow at first only.
 */
#define LOST	    20000000ull
#define SHARED_RUNS 16u
#define FIRST_TIMES 4u

/* One in whole: so many runs at first, and later; memory comes to where it is used at first. */
#define WHOLE_RUNS  16u
#define WHOLE_MOST  (1u << 20)
#define SETTLE_RUNS 2u

/* By this part the cost of sharing it out is taken for less each time that nodes compare. */
#define DOUBT 4u

#define STRESS_EVERY 4u

static void start(struct cape_runtime *runtime)
{
	runtime->replicate->due = FIRST_RUNS;
}

CAPE_PART(replicate, start);

/* What a node has measured of one run, in nanoseconds. */
struct measure {
	uint64_t work, time;
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

static struct cape_replicate_site *site_at(struct cape_runtime *runtime,
					   const struct cape_place *place)
{
	size_t first = cape_number_mix(1, (uintptr_t)place) % CAPE_REPLICATE_SITES;
	struct cape_replicate_site *site = &runtime->replicate->site[first];

	if (site->place != place)
		*site = (struct cape_replicate_site){.place = place, .span = WHOLE_RUNS};
	return site;
}

/* Whether it has been measured long enough.  The same on all nodes. */
static bool is_due(const struct cape_replicate_site *site)
{
	return site->measured && (!site->whole || site->runs >= site->span);
}

/* It has been shared out among TEAM nodes. */
static void decide_of_shared(struct cape_replicate_site *site, struct measure all, unsigned team)
{
	bool first = site->runs < SHARED_RUNS;
	uint64_t part = all.work / team, times = first ? FIRST_TIMES : 1, lost, limit;

	site->overhead = all.time > part ? all.time - part : 0;
	site->lost += all.time > all.work ? (all.time - all.work) * site->measured : 0;
	lost = first ? site->lost : site->lost - site->early;
	limit = site->whole_cost ? site->whole_cost : all.work + all.work / 2;
	if (lost > times * LOST && is_longer(all.time, times * limit))
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

/* All nodes tell what they have measured of the COUNT regions that are due. */
static void tell(struct cape_runtime *runtime, size_t count, const struct cape_place *place)
{
	struct cape_message_writer writer;
	struct measure *own =
		cape_exchange_open(runtime, &writer, CAPE_SYNC_CHECK, count * sizeof(*own), place);

	for (size_t i = 0; i < CAPE_REPLICATE_SITES; i++) {
		const struct cape_replicate_site *site = &runtime->replicate->site[i];

		if (is_due(site))
			*own++ = (struct measure){site->work / site->measured,
						  site->time / site->measured};
	}
	cape_exchange_close(runtime, &writer);
}

/* Of the one that is number WHICH of COUNT: the sum of what nodes work, and the longest time. */
static struct measure sum_up(struct cape_runtime *runtime, size_t which, size_t count)
{
	struct measure all = {0};

	for (unsigned node = 0; node < runtime->nodes; node++) {
		const struct cape_message *message = cape_exchange_message(runtime, node);
		const struct measure *of =
			(const void *)cape_message_get(message, CAPE_SECTION_FREE);

		if (message->size[CAPE_SECTION_FREE] != count * sizeof(*of))
			cape_fail(runtime, 0, "node %u has sent what is no list of times", node);
		all.work += of[which].work;
		all.time = of[which].time > all.time ? of[which].time : all.time;
	}
	return all;
}

/* TEAM: of the region that begins, and taken for that of all. */
static void decide(struct cape_runtime *runtime, const struct cape_place *place, unsigned team)
{
	size_t count = 0, which = 0;

	for (size_t i = 0; i < CAPE_REPLICATE_SITES; i++)
		count += is_due(&runtime->replicate->site[i]);
	tell(runtime, count, place);
	for (size_t i = 0; i < CAPE_REPLICATE_SITES; i++) {
		struct cape_replicate_site *site = &runtime->replicate->site[i];

		if (!is_due(site))
			continue;
		if (site->whole)
			decide_of_whole(runtime, site, sum_up(runtime, which++, count), team);
		else
			decide_of_shared(site, sum_up(runtime, which++, count), team);
		site->work = site->time = site->measured = 0;
	}
}

/* For tests: once in a while. */
static bool is_whole_in_stress(struct cape_replicate_site *site)
{
	return cape_number_mix(site->runs++, (uint64_t)site->place->line) % STRESS_EVERY == 0;
}

static bool is_whole(struct cape_runtime *runtime, struct cape_replicate_site *site, unsigned team)
{
	struct cape_replicate *replicate = runtime->replicate;

	replicate->on = site;
	replicate->began = cape_now();
	if (replicate->runs++ == replicate->due) {
		decide(runtime, site->place, team);
		replicate->due += cape_least(replicate->due / 2, MOST_RUNS);
	}
	site->runs++;
	cape_profile_clock_start(runtime);
	return site->whole;
}

/*
 * What is saved, or looked for, is at the ends of regions that are shared out.  Between machines
 * one try in whole may cost more than what would be won: all of its memory has to come.
 */
static bool is_wanted(const struct cape_runtime *runtime)
{
	const uint32_t flags = runtime->channel->flags;

	return flags & CAPE_CHANNEL_REPLICATE &&
	       !(flags & (CAPE_CHANNEL_SAVE | CAPE_CHANNEL_RACES)) && runtime->threads <= 1 &&
	       (flags & CAPE_CHANNEL_STRESS || cape_near_is_open(runtime->channel));
}

bool cape_replicate_begin(struct cape_runtime *runtime, const struct cape_construct *construct,
			  unsigned team)
{
	struct cape_replicate_site *site;
	bool whole;

	if (!is_wanted(runtime))
		return false;
	site = site_at(runtime, construct->place);
	whole = runtime->channel->flags & CAPE_CHANNEL_STRESS ? is_whole_in_stress(site)
							      : is_whole(runtime, site, team);
	if (whole)
		cape_profile_planning(runtime, CAPE_REPLICATED);
	return whole;
}

void cape_replicate_end(struct cape_runtime *runtime)
{
	struct cape_replicate_site *site = runtime->replicate->on;
	uint64_t work;

	if (!site)
		return;
	runtime->replicate->on = NULL;
	work = cape_profile_clock_stop(runtime);
	if (site->runs <= (site->whole ? SETTLE_RUNS : SETTLE_RUNS - 1))
		return;
	site->work += work;
	site->time += cape_now() - runtime->replicate->began;
	site->measured++;
}
