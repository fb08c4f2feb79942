/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * profile.h - cape-run --profile: what the program's constructs cost on a node, where its monitor
 * finds it however the program ends.
 *
 * The monitor lists the program's variables before it starts; all else is the program's.
 */
#ifndef CAPE_PROFILE_CHANNEL_H
#define CAPE_PROFILE_CHANNEL_H

#include <stdint.h>
#include "channel/channel.h"
#include "channel/fetch.h"

#define CAPE_CHANNEL_PROFILE                                                                       \
	(1ull << 26) /* struct cape_profile; below what capture.h describes                        \
		      */

#define CAPE_PROFILE_CONSTRUCTS 4096u
#define CAPE_PROFILE_OBJECTS	16384u
#define CAPE_PROFILE_VARIABLES	65536u
#define CAPE_PROFILE_EVENTS	(1u << 20)
#define CAPE_PROFILE_THREADS	1024u /* of a node, that are counted one by one */

/* What a node spends its time with; in each construct all of it is one of these. */
enum cape_phase {
	CAPE_PHASE_WORK,     /* the program's own code */
	CAPE_PHASE_FIND,     /* what has changed */
	CAPE_PHASE_EXCHANGE, /* from hand-over to hand-over, less waiting */
	CAPE_PHASE_MERGE,    /* writing what others changed to memory */
	CAPE_PHASE_FETCH,    /* pages that another node has */
	CAPE_PHASE_WAIT,     /* for nodes that come later, for locks, turns, tasks, chunks */
	CAPE_PHASES,
};

/* How often it is known before what a loop accesses, and why that is of no use. */
enum cape_planning {
	CAPE_PLANNED,	      /* it is of use */
	CAPE_PLANNED_AGAIN,   /* as it was before; of those above */
	CAPE_PLANNED_QUIET,   /* nothing comes between it and the next sync point; of those, too */
	CAPE_PLANNED_SKIPPED, /* nor did nodes meet after it; of those, too */
	CAPE_UNPLANNED_RUN,   /* not by need, too many nodes, saved, signals are handled */
	CAPE_UNPLANNED_TEAM,  /* smaller than the run */
	CAPE_UNPLANNED_ORDER, /* a schedule of another kind */
	CAPE_UNPLANNED_BYTES, /* two nodes write the same, or what decides on what they access */
	CAPE_UNPLANNED_PARTS, /* too many pieces of memory */
	CAPE_UNPLANNED_LOSS,  /* that has cost more than it saved */
	CAPE_UNPLANNED_LISTS, /* all nodes have to know what decides, and cannot */
	CAPE_UNPLANNED_ONCE,  /* it reads by lists, and has not come before */
	CAPE_REPLICATED,      /* every node ran all of it */
	CAPE_PLANNINGS,
};

/* A construct in the source.  The first is what is outside of all, the last what has no room. */
struct cape_profile_construct {
	char file[108]; /* or its end */
	int32_t line;
	char what[24];	/* "parallel for" */
	uint64_t times; /* that it was entered */
	uint64_t sync_points;
	uint64_t time[CAPE_PHASES]; /* nanoseconds; those of a construct in it are not in them */
	uint64_t sent_bytes;	    /* at sync points, times the nodes that get them */
	uint64_t fetched_bytes;
	uint64_t fetches; /* each of any number of stretches */
	uint64_t planning[CAPE_PLANNINGS];
};

/* What happened to memory; bytes that go to several nodes count for each. */
enum cape_traffic {
	CAPE_TRAFFIC_FETCHED,	/* read, so it came from another node */
	CAPE_TRAFFIC_SENT,	/* changed, and sent to all */
	CAPE_TRAFFIC_PUSHED,	/* changed, and sent to those who fetched it before */
	CAPE_TRAFFIC_CONTESTED, /* changed, in a page that another node changes, too */
	CAPE_TRAFFIC_SHARED,	/* sequential code came to it, and one node had it */
	CAPE_TRAFFICS,
};

enum cape_profile_memory {
	CAPE_MEMORY_STATIC,    /* the variable at START */
	CAPE_MEMORY_AUTOMATIC, /* NAME */
	CAPE_MEMORY_HEAP,      /* a block, or several that NAME led to */
	CAPE_MEMORY_OTHER,     /* NAME says what, not whose */
};

/* How NAME leads to a block of the heap. */
enum cape_profile_way {
	CAPE_WAY_DIRECT, /* it points to it */
	CAPE_WAY_IN,	 /* a pointer OFFSET bytes into it does */
	CAPE_WAY_AFTER,	 /* a pointer OFFSET bytes after where it points to does */
	CAPE_WAY_STACK,	 /* as that, on the stack: if that is not another variable there */
};

/* A variable or a block in a construct. */
struct cape_profile_object {
	uint32_t construct;
	uint32_t memory; /* enum cape_profile_memory */
	uint64_t start;
	uint64_t size;
	uint32_t way; /* enum cape_profile_way */
	uint32_t offset;
	uint64_t pointer;   /* heap: a static variable that points to it, or 0 */
	uint64_t site;	    /* heap: the instruction after the call that allocated it, or 0 */
	char name[48];	    /* or "" */
	uint64_t stretches; /* in which it was fetched */
	uint64_t fetches;   /* that brought them */
	uint64_t whole;	    /* times that all of it was here when much was fetched */
	uint64_t bytes[CAPE_TRAFFICS];
};

/* A stretch of time that is not work, or (CAPE_PHASE_WORK) a construct from begin to end. */
struct cape_profile_event {
	uint64_t start;
	uint64_t length;
	uint32_t construct;
	uint32_t phase;
};

/* A static variable, its address the file's. */
struct cape_profile_variable {
	uint64_t start;
	uint64_t size;
};

struct cape_profile {
	uint64_t zero; /* CLOCK_MONOTONIC when all programs had started */
	/* Where the program is, since when; not in the times yet.  SINCE 0: it has ended. */
	uint64_t since;
	uint32_t current;
	uint32_t phase;
	/*
	 * The last exchange of all with all, in nanoseconds, and whose it was.  The node that comes
	 * to one last waits for nobody: what it takes longer on others was waiting.  The next one
	 * says; the monitors, of the last.  0: nothing is to be reported.
	 */
	uint64_t exchange_took;
	uint32_t exchange_construct;
	uint32_t threads; /* the first thread's: that have a profile; 0: a node is one thread */
	uint32_t constructs, objects, events, variables;
	uint64_t lost_constructs, lost_objects, lost_events; /* for want of room */
	struct cape_profile_construct construct[CAPE_PROFILE_CONSTRUCTS];
	struct cape_profile_object object[CAPE_PROFILE_OBJECTS];
	struct cape_profile_variable variable[CAPE_PROFILE_VARIABLES]; /* by address */
	struct cape_profile_event event[CAPE_PROFILE_EVENTS];
};

/* What has passed until NOW belongs to what was going on. */
static inline void cape_profile_add_up(struct cape_profile *profile, uint64_t now)
{
	profile->construct[profile->current].time[profile->phase] += now - profile->since;
	profile->since = now;
}

/* On the node that came to the last exchange last, it took LEAST; 0: that is not known. */
static inline void cape_profile_settle(struct cape_profile *profile, uint64_t least)
{
	uint64_t *time = profile->construct[profile->exchange_construct].time, waited = 0;

	if (least && least < profile->exchange_took)
		waited = profile->exchange_took - least;
	if (waited > time[CAPE_PHASE_EXCHANGE])
		waited = time[CAPE_PHASE_EXCHANGE];
	time[CAPE_PHASE_EXCHANGE] -= waited;
	time[CAPE_PHASE_WAIT] += waited;
	profile->exchange_took = 0;
}

static inline struct cape_profile *cape_channel_profile(struct cape_channel *channel)
{
	return (struct cape_profile *)((char *)channel + CAPE_CHANNEL_PROFILE);
}

/* The node's THREAD-th thread's; one whose regions threads run fetches nothing. */
static inline struct cape_profile *cape_channel_thread_profile(struct cape_channel *channel,
							       unsigned thread)
{
	struct cape_profile *others =
		(struct cape_profile *)((char *)channel + CAPE_CHANNEL_FETCHED);

	return thread ? &others[thread - 1] : cape_channel_profile(channel);
}

#endif
