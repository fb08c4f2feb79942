// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * replicate.c - regions that every node runs in whole, where that takes less time than to share
 * them out: what one costs on all nodes is bounded by what it costs on one.
 *
 * Each node measures how long its regions take, and how much of that is the program's own work.
 * All of them compare that now and then, and come to the same decision: a region is run in whole if
 * it took longer than all work that was done in it.  It is shared out again when that would take
 * less, by what it cost in addition to the work.  That is taken for half as much each time that
 * nodes compare, so in the end it is measured anew.
 */
#include "openmp/replicate.h"

#include "message/exchange.h"
#include "profile/profile.h"
#include "system/number.h"

#define FIRST_RUNS   2u		/* after which nodes compare, of regions that are very slow */
#define SHARED_RUNS  16u	/* ... and for all; */
#define MOST_RUNS    1024u	/* later after twice as many, up to that */
#define WHOLE_RUNS   32u	/* the same for regions that are run in whole; */
#define WHOLE_MOST   (1u << 20) /* up to that */
#define SETTLE_RUNS  2u		/* memory comes to where it is used */
#define STRESS_EVERY 4u
#define VERY_SLOW    4u		 /* times all work */
#define LOST	     50000000ull /* nanoseconds: so much has been lost already */

CAPE_PART(replicate, NULL);

/* What a node has measured of one run, in nanoseconds. */
struct measure {
	uint64_t work, time;
};

/* Whether MORE takes so much longer than LESS that it matters. */
static bool is_longer(uint64_t more, uint64_t less)
{
	return more > less + less / 4;
}

static void share(struct cape_replicate_site *site)
{
	site->whole = false;
	site->runs = 0;
	site->settled = FIRST_RUNS - 1;
	site->due = FIRST_RUNS;
}

static void run_whole(struct cape_replicate_site *site)
{
	site->whole = true;
	site->runs = 0;
	site->settled = SETTLE_RUNS;
	site->due = site->span;
}

static struct cape_replicate_site *site_at(struct cape_runtime *runtime,
					   const struct cape_place *place)
{
	size_t first = cape_number_mix(1, (uintptr_t)place) % CAPE_REPLICATE_SITES;
	struct cape_replicate_site *site = &runtime->replicate->site[first];

	if (site->place == place)
		return site;
	*site = (struct cape_replicate_site){.place = place, .span = WHOLE_RUNS};
	share(site);
	return site;
}

/* The sum of what all nodes work, and the longest time. */
static struct measure compare(struct cape_runtime *runtime, const struct cape_replicate_site *site)
{
	uint64_t runs = site->measured ? site->measured : 1;
	struct measure own = {site->work / runs, site->time / runs}, all = {0};

	cape_exchange(runtime, CAPE_SYNC_CHECK, &own, sizeof(own), site->place);
	for (unsigned node = 0; node < runtime->nodes; node++) {
		const struct cape_message *message = cape_exchange_message(runtime, node);
		const struct measure *of =
			(const void *)cape_message_get(message, CAPE_SECTION_FREE);

		if (message->size[CAPE_SECTION_FREE] != sizeof(*of))
			cape_fail(runtime, 0, "node %u has sent what is no time", node);
		all.work += of->work;
		all.time = of->time > all.time ? of->time : all.time;
	}
	return all;
}

/* It has been shared out among TEAM nodes. */
static void decide_of_shared(struct cape_replicate_site *site, struct measure all, unsigned team)
{
	uint64_t part = all.work / team;
	bool very_slow =
		all.time > VERY_SLOW * all.work && (site->overhead || all.time * site->runs > LOST);

	site->overhead = all.time > part ? all.time - part : 0;
	if (site->runs < SHARED_RUNS ? very_slow : is_longer(all.time, all.work)) {
		run_whole(site);
		return;
	}
	site->settled = site->runs;
	if (site->runs < SHARED_RUNS) {
		site->settled = SHARED_RUNS / 2;
		site->due = SHARED_RUNS;
	} else {
		site->due = site->runs + (site->runs < MOST_RUNS ? site->runs : MOST_RUNS);
	}
}

/* All nodes have run all of it. */
static void decide_of_whole(struct cape_runtime *runtime, struct cape_replicate_site *site,
			    struct measure all, unsigned team)
{
	uint64_t shared = site->overhead + all.work / runtime->nodes / team;

	if (site->span < WHOLE_MOST)
		site->span *= 2;
	if (is_longer(all.time, shared)) {
		share(site);
		return;
	}
	site->overhead /= 2;
	site->settled = site->runs;
	site->due = site->runs + site->span;
}

static void decide(struct cape_runtime *runtime, struct cape_replicate_site *site, unsigned team)
{
	struct measure all = compare(runtime, site);

	if (site->whole)
		decide_of_whole(runtime, site, all, team);
	else
		decide_of_shared(site, all, team);
	site->work = site->time = site->measured = 0;
}

/* For tests: once in a while. */
static bool is_whole_in_stress(struct cape_replicate_site *site)
{
	return cape_number_mix(site->runs++, (uint64_t)site->place->line) % STRESS_EVERY == 0;
}

static bool is_whole(struct cape_runtime *runtime, struct cape_replicate_site *site, unsigned team)
{
	runtime->replicate->on = site;
	runtime->replicate->began = cape_now();
	if (site->runs == site->due)
		decide(runtime, site, team);
	site->runs++;
	cape_profile_clock_start(runtime);
	return site->whole;
}

bool cape_replicate_begin(struct cape_runtime *runtime, const struct cape_construct *construct,
			  unsigned team)
{
	struct cape_replicate_site *site;
	bool whole;

	if (!(runtime->channel->flags & CAPE_CHANNEL_REPLICATE) || runtime->threads > 1 ||
	    (runtime->channel->flags & CAPE_CHANNEL_SAVE))
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
	if (site->runs <= site->settled)
		return;
	site->work += work;
	site->time += cape_now() - runtime->replicate->began;
	site->measured++;
}
