// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * profile.c - the time that each construct takes, and what it is spent with.
 */
#include "profile/profile.h"

#include <pthread.h>
#include <string.h>
#include "heap/sites.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

static void start(struct cape_runtime *runtime);

CAPE_PART(profiling, start);

#define LEVELS_LIMIT (1ul << 20)
#define SLOTS	     (2 * CAPE_PROFILE_CONSTRUCTS)
#define SEARCHES     200u

static void in_child(void)
{
	cape_runtime->profiling->on = false;
}

/* Always: a run that goes on has of what is to be called at a fork() what was saved. */
static void start(struct cape_runtime *runtime)
{
	(void)runtime;
	pthread_atfork(NULL, NULL, in_child);
}

void cape_profiling_open(struct cape_runtime *runtime, struct cape_profiling *profiling,
			 struct cape_profile *profile, uint64_t since, enum cape_phase phase)
{
	static const struct cape_place outside = {"", 0};

	profiling->profile = profile;
	profiling->level = cape_must_reserve(runtime, LEVELS_LIMIT * sizeof(*profiling->level));
	profiling->constructs = cape_must_reserve(runtime, SLOTS * sizeof(uint32_t));
	profiling->traces = runtime->channel->flags & CAPE_CHANNEL_TRACE;
	profile->zero = since;
	profile->since = since;
	profile->phase = phase;
	cape_profiling_enter(profiling, &outside, "outside of constructs");
	profiling->level[0] = profiling->level[1];
	profiling->depth = 0;
}

void cape_profiling_start(struct cape_runtime *runtime)
{
	struct cape_profiling *profiling = runtime->profiling;

	if (!(runtime->channel->flags & CAPE_CHANNEL_PROFILING) ||
	    (runtime->channel->flags & CAPE_CHANNEL_THREADS))
		return;
	if (!runtime->sites->table && cape_sites_start(runtime) < 0)
		cape_fail(runtime, 0, "no memory to note where blocks are allocated");
	profiling->objects =
		cape_must_reserve(runtime, 2 * CAPE_PROFILE_OBJECTS * sizeof(uint32_t));
	profiling->fetch =
		cape_must_reserve(runtime, CAPE_PROFILE_OBJECTS * sizeof(*profiling->fetch));
	profiling->block = cape_must_reserve(runtime, CAPE_PROFILING_BLOCKS * sizeof(uint64_t));
	profiling->searches = SEARCHES;
	cape_profiling_open(runtime, profiling, cape_channel_profile(runtime->channel), cape_now(),
			    CAPE_PHASE_WORK);
	profiling->on = true;
}

/* -- constructs ----------------------------------------------------------------------------- */

static void describe(struct cape_profile_construct *construct, const struct cape_place *place,
		     const char *what)
{
	size_t length = strlen(place->file), room = sizeof(construct->file) - 1;

	strncpy(construct->file, place->file + (length > room ? length - room : 0), room);
	strncpy(construct->what, what, sizeof(construct->what) - 1);
	construct->line = place->line;
}

static bool is_same(const struct cape_profile_construct *construct, const struct cape_place *place,
		    const char *what)
{
	size_t length = strlen(place->file), room = sizeof(construct->file) - 1;

	return construct->line == place->line &&
	       strcmp(construct->file, place->file + (length > room ? length - room : 0)) == 0 &&
	       strncmp(construct->what, what, sizeof(construct->what) - 1) == 0;
}

/* The one of WHAT at PLACE, or the last of all. */
static uint32_t find(struct cape_profiling *profiling, const struct cape_place *place,
		     const char *what)
{
	struct cape_profile *profile = profiling->profile;
	uint64_t slot =
		XXH3_64bits_withSeed(place->file, strlen(place->file), (uint64_t)place->line) %
		SLOTS;

	for (; profiling->constructs[slot]; slot = (slot + 1) % SLOTS) {
		uint32_t which = profiling->constructs[slot] - 1;

		if (is_same(&profile->construct[which], place, what))
			return which;
	}
	if (profile->constructs == CAPE_PROFILE_CONSTRUCTS) {
		profile->lost_constructs++;
		return CAPE_PROFILE_CONSTRUCTS - 1;
	}
	if (profile->constructs == CAPE_PROFILE_CONSTRUCTS - 1) {
		static const struct cape_place others = {"", 0};

		place = &others;
		what = "other constructs";
	}
	describe(&profile->construct[profile->constructs], place, what);
	profiling->constructs[slot] = ++profile->constructs;
	return profile->constructs - 1;
}

static void note_event(struct cape_profiling *profiling, enum cape_phase phase, uint64_t start,
		       uint64_t end)
{
	struct cape_profile *profile = profiling->profile;

	if (!profiling->traces)
		return;
	if (profile->events == CAPE_PROFILE_EVENTS) {
		profile->lost_events++;
		return;
	}
	profile->event[profile->events++] =
		(struct cape_profile_event){start, end - start, profile->current, phase};
}

static uint64_t add_up(struct cape_profiling *profiling)
{
	struct cape_profile *profile = profiling->profile;
	uint64_t before = profile->since;

	cape_profile_add_up(profile, cape_now());
	if (profile->phase != CAPE_PHASE_WORK)
		note_event(profiling, (enum cape_phase)profile->phase, before, profile->since);
	return profile->since;
}

enum cape_phase cape_profiling_be(struct cape_profiling *profiling, enum cape_phase phase)
{
	enum cape_phase before = (enum cape_phase)profiling->profile->phase;

	if (phase == before)
		return before;
	add_up(profiling);
	profiling->profile->phase = phase;
	if (phase == CAPE_PHASE_EXCHANGE)
		profiling->exchange_began = profiling->profile->since;
	return before;
}

static void turn(struct cape_profile_clock *clock, enum cape_phase phase)
{
	uint64_t now;

	if ((clock->phase == CAPE_PHASE_WORK) != (phase == CAPE_PHASE_WORK)) {
		now = cape_now();
		clock->work += clock->phase == CAPE_PHASE_WORK ? now - clock->since : 0;
		clock->since = now;
	}
	clock->phase = phase;
}

enum cape_phase cape_profiling_phase(struct cape_runtime *runtime, enum cape_phase phase)
{
	struct cape_profiling *profiling = runtime->profiling;
	enum cape_phase before = profiling->clock.phase;

	if (profiling->clock.on)
		turn(&profiling->clock, phase);
	return profiling->on ? cape_profiling_be(profiling, phase) : before;
}

void cape_profile_clock_start(struct cape_runtime *runtime)
{
	runtime->profiling->clock =
		(struct cape_profile_clock){true, CAPE_PHASE_WORK, cape_now(), 0};
}

uint64_t cape_profile_clock_work(struct cape_runtime *runtime)
{
	const struct cape_profile_clock *clock = &runtime->profiling->clock;

	return clock->work + (clock->phase == CAPE_PHASE_WORK ? cape_now() - clock->since : 0);
}

uint64_t cape_profile_clock_stop(struct cape_runtime *runtime)
{
	struct cape_profile_clock *clock = &runtime->profiling->clock;

	turn(clock, CAPE_PHASE_WAIT);
	clock->on = false;
	return clock->work;
}

/* What is counted from here on belongs to where this node is. */
static void go_to(struct cape_profiling *profiling, size_t depth)
{
	profiling->depth = depth;
	profiling->profile->current = profiling->level[depth].construct;
	profiling->found.end = 0;
}

void cape_profiling_enter(struct cape_profiling *profiling, const struct cape_place *place,
			  const char *what)
{
	struct cape_profile *profile = profiling->profile;

	if (profiling->depth + 1 == LEVELS_LIMIT)
		cape_fail(cape_runtime, 0, "--profile: constructs are nested deeper than %lu",
			  LEVELS_LIMIT);
	profiling->level[profiling->depth + 1] =
		(struct cape_profile_level){find(profiling, place, what), add_up(profiling)};
	go_to(profiling, profiling->depth + 1);
	profile->construct[profile->current].times += !profiling->repeats;
}

void cape_profiling_leave(struct cape_profiling *profiling)
{
	if (!profiling->depth)
		return;
	note_event(profiling, CAPE_PHASE_WORK, profiling->level[profiling->depth].began,
		   add_up(profiling));
	go_to(profiling, profiling->depth - 1);
}

void cape_profiling_begin(struct cape_runtime *runtime, const struct cape_place *place,
			  const char *what)
{
	cape_profiling_enter(runtime->profiling, place, what);
}

void cape_profiling_end(struct cape_runtime *runtime)
{
	cape_profiling_leave(runtime->profiling);
}

/* -- exchanges ------------------------------------------------------------------------------ */

void cape_profiling_exchanged(struct cape_runtime *runtime, uint64_t least)
{
	struct cape_profiling *profiling = runtime->profiling;
	struct cape_profile *profile = profiling->profile;

	cape_profile_settle(profile, least);
	profile->exchange_took = cape_now() - profiling->exchange_began;
	profile->exchange_construct = profile->current;
}

/* -- the run -------------------------------------------------------------------------------- */

void cape_profiling_zero(struct cape_runtime *runtime)
{
	struct cape_profiling *profiling = runtime->profiling;

	if (!profiling->on)
		return;
	profiling->profile->since = profiling->profile->zero = cape_now();
	memset(profiling->profile->construct[0].time, 0,
	       sizeof(profiling->profile->construct[0].time));
	profiling->profile->construct[0].times = 1;
	profiling->profile->events = 0;
	profiling->profile->exchange_took = 0;
}

void cape_profiling_stop(struct cape_runtime *runtime)
{
	if (!cape_profile_is_on(runtime))
		return;
	add_up(runtime->profiling);
	runtime->profiling->profile->since = 0;
	runtime->profiling->on = false;
}
