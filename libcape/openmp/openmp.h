/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * openmp.h - the constructs that a node is in, and the settings of OpenMP.
 */
#ifndef CAPE_OPENMP_H
#define CAPE_OPENMP_H

#include "base/context.h"
#include "base/model.h"
#include "omp.h"
#include "openmp/places.h"

#define CAPE_CRITICALS_LIMIT  256ul
#define CAPE_CONSTRUCTS_LIMIT (1ul << 20)
#define CAPE_AFFINITY_FORMAT  512ul

/* What a task, of a region too, has set for itself: what it changes ends with it. */
struct cape_settings {
	int wanted_nodes;	   /* omp_set_num_threads(), OMP_NUM_THREADS; 0: all */
	int wanted_by_environment; /* by the latter */
	int dynamic, max_active_levels;
	int thread_limit;	       /* OMP_THREAD_LIMIT, thread_limit(); 0: none */
	int teams, teams_thread_limit; /* what is read back; 0: not set */
	unsigned schedule_kind;	       /* omp_set_schedule(), perhaps with omp_sched_monotonic */
	int schedule_chunk;
	omp_allocator_handle_t allocator; /* omp_set_default_allocator() */
};

/* How a loop's iterations are shared out. */
enum cape_schedule { CAPE_SCHEDULE_STATIC, CAPE_SCHEDULE_DYNAMIC, CAPE_SCHEDULE_GUIDED };

/* A loop with the clause ordered, as this node runs it. */
struct cape_ordered {
	bool clause;
	unsigned long iteration; /* that runs now */
	unsigned long announced; /* of this node's chunk, those before were said to be done */
	unsigned long right;	 /* end of the chunk; 0: there was none yet */
};

/* A construct that was begun and has not ended. */
struct cape_construct {
	enum cape_directive directive;
	const struct cape_place *place;
	struct cape_work work;
	unsigned long next; /* section to look at next; of a loop in which nodes meet: iteration */
	enum cape_schedule schedule;
	uint64_t id; /* of a work-sharing construct of the team, the same on all its nodes */
	struct cape_ordered ordered;
	bool meets; /* between two chunks, with all others (handed_out.c) */
	bool waits; /* for all at its end, though the directive says nowait */
	bool ran_last;
	bool assigns; /* variables that are lastprivate */
	bool ran_single;
	int condition;	   /* if() */
	int requested;	   /* num_threads(), 0: not given */
	unsigned bind;	   /* proc_bind(), as omp_proc_bind_t has it; 0: not given */
	bool active;	   /* parallel: the nodes share the work, not a team of one */
	bool was_active;   /* parallel: they did when it began */
	unsigned whole;	   /* parallel: threads whose work every node does just now; or 0 */
	unsigned part;	   /* of a loop in that: the thread whose iterations these are */
	size_t local_mark; /* registered variables before this construct */
	bool is_parallel;
	bool replicable;	       /* parallel: it comes to the same with a team of one, ... */
	bool by_turns;		       /* ... or whose threads run one after the other */
	bool in_team;		       /* parallel: the thread was a member of one that runs */
	bool untouched;		       /* after it the program touches nothing before it says so */
	unsigned team, thread;	       /* parallel: those of the enclosing region */
	struct cape_settings settings; /* parallel: those around it */
};

/* A critical construct that this node is in. */
struct cape_held {
	uint64_t id;
	unsigned thread; /* of the team, that is in it */
	const struct cape_place *place;
};

/* OMP_WAIT_POLICY; not said: look for a while, then sleep. */
enum cape_wait_policy { CAPE_WAIT_UNSAID, CAPE_WAIT_ACTIVE, CAPE_WAIT_PASSIVE };

struct cape_openmp {
	struct cape_construct *construct;
	size_t depth;
	struct cape_settings settings;	  /* of what runs now */
	bool many_reported, few_reported; /* a message was printed of a team of another size */
	bool counted_on; /* the program got a higher number of threads than regions have */
	int max_task_priority;
	enum cape_wait_policy wait_policy;
	size_t stack_size; /* of threads, OMP_STACKSIZE; 0: as the limit of stacks says */
	char affinity_format[CAPE_AFFINITY_FORMAT];   /* empty: OpenMP's own */
	void (*display_affinity)(const char *format); /* OMP_DISPLAY_AFFINITY; NULL: not asked */
	unsigned char
		bind[CAPE_BINDS]; /* OMP_PROC_BIND, by level, as omp_proc_bind_t has it, ... */
	unsigned binds;		  /* ... and how many; 0: not said */
	struct cape_spots spots;
	uint32_t shared_out; /* work-sharing constructs met in this one */
	struct cape_held critical[CAPE_CRITICALS_LIMIT]; /* that this node is in */
	size_t critical_count;
};

/* The construct that this node has begun last; ends the run when there is none. */
struct cape_construct *cape_innermost(struct cape_runtime *runtime);

/* Whether a region is run in whole just now, by one thread of its team after the other. */
static inline bool cape_is_by_turns(const struct cape_runtime *runtime)
{
	const struct cape_construct *region = runtime->openmp->construct;

	return runtime->openmp->depth && region->whole && region->by_turns;
}

/* The region at LEVEL, from 1, among the DEPTH constructs from CONSTRUCT on; NULL: there is none.
 */
const struct cape_construct *cape_region_at(const struct cape_construct *construct, size_t depth,
					    int level);

#endif
