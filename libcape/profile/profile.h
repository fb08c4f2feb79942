/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * profile.h - cape-run --profile: where time goes, by construct, and which memory moves.
 *
 * A node is in one construct and one phase at a time; at each change of either the time since the
 * last one is added up.  May be called while a fault is handled: nothing is allocated.  All of it
 * costs a look at a flag where nobody asks.
 */
#ifndef CAPE_PROFILE_H
#define CAPE_PROFILE_H

#include "base/context.h"
#include "channel/profile.h"
#include "channel/range.h"
#include "checkpoint/runs.h"

#define CAPE_PROFILING_BLOCKS 16u /* of the heap, that are remembered */

/* A construct that this node is in. */
struct cape_profile_level {
	uint32_t construct;
	uint64_t began;
};

/* An object of which this node has fetched. */
struct cape_profile_fetch {
	uint32_t object;
	uint64_t before; /* bytes of it that were fetched earlier */
	uint64_t last;	 /* fetch that brought some of it */
};

/* How long a node works, as long as that is asked. */
struct cape_profile_clock {
	bool on;
	enum cape_phase phase;
	uint64_t since, work; /* nanoseconds */
};

struct cape_profiling {
	bool on;
	bool repeats; /* what another thread of the team has run: it comes once */
	struct cape_profile_clock clock;
	bool traces;
	struct cape_profile *profile;	  /* in the channel */
	struct cape_profile_level *level; /* the first: outside of all constructs */
	size_t depth;			  /* those after it */
	uint32_t *constructs, *objects;	  /* hash tables: 1 + the index; 0: free */
	uint64_t exchange_began;
	/* What was looked at last; END 0: nothing. */
	struct cape_range found;
	struct cape_profile_object *found_object;
	uint64_t *block;		  /* where blocks of the heap begin that were found last */
	size_t blocks;			  /* found so far */
	unsigned searches;		  /* for blocks that may still be made */
	struct cape_profile_fetch *fetch; /* since the last sync point */
	size_t fetches;
};

void cape_profiling_start(struct cape_runtime *runtime);

/* All nodes have started: times count from here. */
void cape_profiling_zero(struct cape_runtime *runtime);

/* No more is counted: the program ends. */
void cape_profiling_stop(struct cape_runtime *runtime);

/*
 * Of one thread, which has PROFILING for itself and counts into PROFILE: begins outside of all
 * constructs at SINCE, in PHASE.
 */
void cape_profiling_open(struct cape_runtime *runtime, struct cape_profiling *profiling,
			 struct cape_profile *profile, uint64_t since, enum cape_phase phase);
void cape_profiling_enter(struct cape_profiling *profiling, const struct cape_place *place,
			  const char *what);
void cape_profiling_leave(struct cape_profiling *profiling);
/* It is in PHASE from now on; the one before. */
enum cape_phase cape_profiling_be(struct cape_profiling *profiling, enum cape_phase phase);

/* The functions that those below call. */
enum cape_phase cape_profiling_phase(struct cape_runtime *runtime, enum cape_phase phase);
void cape_profiling_begin(struct cape_runtime *runtime, const struct cape_place *place,
			  const char *what);
void cape_profiling_end(struct cape_runtime *runtime);
void cape_profiling_look(struct cape_runtime *runtime);
void cape_profiling_sync(struct cape_runtime *runtime);
void cape_profiling_exchanged(struct cape_runtime *runtime, uint64_t least);
void cape_profiling_memory(struct cape_runtime *runtime, enum cape_traffic traffic,
			   struct cape_range range, unsigned nodes);

static inline bool cape_profile_is_on(const struct cape_runtime *runtime)
{
	return __builtin_expect(runtime->profiling->on, 0) && cape_is_initial_thread(runtime);
}

/* This node is in PHASE from now on; the one before. */
static inline enum cape_phase cape_profile_phase(struct cape_runtime *runtime,
						 enum cape_phase phase)
{
	bool asked = runtime->profiling->on || runtime->profiling->clock.on;

	return __builtin_expect(asked, 0) && cape_is_initial_thread(runtime)
		       ? cape_profiling_phase(runtime, phase)
		       : phase;
}

/* This node works: from now on its time in CAPE_PHASE_WORK is added up; how much, in nanoseconds.
 */
void cape_profile_clock_start(struct cape_runtime *runtime);
uint64_t cape_profile_clock_work(struct cape_runtime *runtime);
uint64_t cape_profile_clock_stop(struct cape_runtime *runtime);

/* Enters the construct WHAT, a literal, at PLACE, and leaves it. */
static inline void cape_profile_begin(struct cape_runtime *runtime, const struct cape_place *place,
				      const char *what)
{
	if (cape_profile_is_on(runtime))
		cape_profiling_begin(runtime, place, what);
}

static inline void cape_profile_end(struct cape_runtime *runtime)
{
	if (cape_profile_is_on(runtime))
		cape_profiling_end(runtime);
}

/* At a sync point, while pages are here that were fetched. */
static inline void cape_profile_look(struct cape_runtime *runtime)
{
	if (cape_profile_is_on(runtime))
		cape_profiling_look(runtime);
}

/* A sync point of the construct is over. */
static inline void cape_profile_sync(struct cape_runtime *runtime)
{
	if (cape_profile_is_on(runtime))
		cape_profiling_sync(runtime);
}

/* The construct sends BYTES to NODES nodes each. */
static inline void cape_profile_sent(struct cape_runtime *runtime, uint64_t bytes, unsigned nodes)
{
	struct cape_profile *profile = runtime->profiling->profile;

	if (cape_profile_is_on(runtime))
		profile->construct[profile->current].sent_bytes += bytes * nodes;
}

/* A fetch has come; CAPE_TRAFFIC_FETCHED counts its ranges. */
static inline void cape_profile_fetch(struct cape_runtime *runtime)
{
	struct cape_profile *profile = runtime->profiling->profile;

	if (cape_profile_is_on(runtime))
		profile->construct[profile->current].fetches++;
}

/* What becomes of a loop of which it is known before what it accesses. */
static inline void cape_profile_planning(struct cape_runtime *runtime, enum cape_planning planning)
{
	struct cape_profile *profile = runtime->profiling->profile;

	if (cape_profile_is_on(runtime) && !runtime->profiling->repeats)
		profile->construct[profile->current].planning[planning]++;
}

/* RANGE moves, to NODES nodes. */
static inline void cape_profile_memory(struct cape_runtime *runtime, enum cape_traffic traffic,
				       struct cape_range range, unsigned nodes)
{
	if (cape_profile_is_on(runtime))
		cape_profiling_memory(runtime, traffic, range, nodes);
}

/* The memory of RUNS does. */
static inline void cape_profile_runs(struct cape_runtime *runtime, enum cape_traffic traffic,
				     const struct cape_runs *runs, unsigned nodes)
{
	for (size_t i = 0; cape_profile_is_on(runtime) && i < runs->count; i++)
		cape_profile_memory(runtime, traffic, cape_run_range(&runs->run[i]), nodes);
}

/* How long the last exchange of all took here, for the others to know: nanoseconds, or 0. */
static inline uint64_t cape_profile_took(const struct cape_runtime *runtime)
{
	return runtime->profiling->on ? runtime->profiling->profile->exchange_took : 0;
}

/* An exchange of all is over; the one before took LEAST on the node that came to it last. */
static inline void cape_profile_exchanged(struct cape_runtime *runtime, uint64_t least)
{
	if (cape_profile_is_on(runtime))
		cape_profiling_exchanged(runtime, least);
}

#endif
