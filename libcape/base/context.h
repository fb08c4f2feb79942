/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * context.h - the run time's one context: what a node knows of itself and of the program.
 *
 * It lies in private memory; what static variables the run time has are pointers there, the same
 * on every node.
 */
#ifndef CAPE_CONTEXT_H
#define CAPE_CONTEXT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include "cape.h"
#include "channel/channel.h"
#include "checkpoint/runs.h"
#include "memory/area.h"
#include "memory/calls.h"
#include "memory/cut.h"
#include "sync/elements.h"
#include "heap/heap.h"
#include "sync/log.h"
#include "memory/mapping.h"
#include "replica/open_files.h"
#include "replica/output.h"
#include "base/private.h"
#include "heap/sites.h"
#include "openmp/task.h"
#include "memory/track.h"
#include "memory/written.h"

/* How a loop's iterations are shared out. */
enum cape_schedule { CAPE_SCHEDULE_STATIC, CAPE_SCHEDULE_DYNAMIC, CAPE_SCHEDULE_GUIDED };

/* A loop with the clause ordered, as this node runs it. */
struct cape_ordered {
	bool clause;
	unsigned long iteration; /* that runs now */
	unsigned long told;	 /* of this node's chunk, those before were said to be done */
	unsigned long right;	 /* end of the chunk; 0: there was none yet */
};

/* This node's part of a construct, as handed out (sync/model.h). */
struct cape_job {
	unsigned long left, right; /* the next iterations: LEFT .. RIGHT - 1 */
	unsigned long chunk;	   /* then every WORKERS-th chunk; 0: no more */
	unsigned long last;
	unsigned long worker, workers; /* whose it is, among how many; none: no work */
	bool valid;		       /* there are next iterations */
};

/* A construct that was begun and has not ended. */
struct cape_construct {
	enum cape_directive directive;
	const struct cape_place *place;
	unsigned long first, last; /* iterations or sections first .. last - 1 */
	unsigned long chunk;	   /* of the schedule; 0: static, one block for each node */
	unsigned long next;	   /* iteration or section to look at next */
	enum cape_schedule schedule;
	uint64_t id; /* of a work-sharing construct of the team, the same on all its nodes */
	struct cape_ordered ordered;
	struct cape_job job;
	bool has_job;
	bool ran_last;
	bool ran_single;
	int condition;	   /* if() */
	int requested;	   /* num_threads(), 0: not given */
	bool active;	   /* parallel: the nodes share the work, not a team of one */
	size_t local_mark; /* registered variables before this construct */
	bool is_parallel;
	unsigned team, thread; /* parallel: those of the enclosing region */
};

/* A registered automatic variable. */
struct cape_local {
	uint64_t address;
	uint64_t size;
	const char *name;
};

/* A pointer that leads to what the region uses; for messages. */
struct cape_reaching {
	uint64_t address; /* where it leads */
	const char *name;
};

/* The callee-saved registers, as cape_end()'s entry (frame.c) pushes them. */
struct cape_registers {
	uint64_t r15, r14, r13, r12, rbx, rbp;
};

/* A variable of which each node has its own. */
struct cape_threadprivate {
	uint64_t address;
	uint64_t size;
	const char *name;
	unsigned char *own;    /* this node's value, kept outside regions */
	unsigned char *master; /* the sequential value, kept inside regions */
	bool copyin;
};

/* A critical construct that this node is in. */
struct cape_held {
	uint64_t id;
	const struct cape_place *place;
};

/* The atomic construct that this node is in. */
struct cape_atomic_state {
	uint64_t address; /* of its variable, or 0 */
	uint64_t size;
	bool flush; /* publishes everything */
};

/* Whether the program does nothing but look for news at one place. */
struct cape_spin {
	const struct cape_place *place;
	unsigned quiet;	   /* times in a row without any */
	uint64_t returned; /* when it went on */
};

/* Looks at something volatile (sync/look.c); times are ticks of the time-stamp counter. */
struct cape_look_state {
	struct cape_looks looks;
	unsigned apart;	  /* looks from one call to the next */
	uint64_t called;  /* the last time */
	uint64_t flushed; /* the last flush was done, ... */
	uint64_t took;	  /* ... and took so long, if it did not wait */
};

#define CAPE_CRITICALS_LIMIT	  256ul
#define CAPE_CONSTRUCTS_LIMIT	  (1ul << 20)
#define CAPE_LOCALS_LIMIT	  (1ul << 16)
#define CAPE_REACHING_LIMIT	  32ul
#define CAPE_THREADPRIVATES_LIMIT 4096ul

struct cape_runtime {
	struct cape_private private;
	int (*clock_gettime)(clockid_t clock, struct timespec *now); /* the C library's own */
	struct cape_heap heap;
	struct cape_sites sites;
	pthread_mutex_t heap_lock; /* between threads that the program made */
	pthread_t initial_thread;  /* 0: it alone is there yet */
	struct cape_check *check;  /* NULL: built without --check-races */
	bool check_asked;
	struct cape_areas areas;
	struct cape_output output;
	struct cape_channel *channel; /* NULL: started without cape-run */
	unsigned node, nodes;
	bool started; /* shared memory is known: the constructor has run */

	/* The team of the innermost parallel region. */
	unsigned team, thread;
	unsigned level, active_level;
	int wanted_nodes; /* omp_set_num_threads() */
	int thread_limit; /* OMP_THREAD_LIMIT, 0: none */
	int dynamic, max_active_levels;
	int schedule_kind, schedule_chunk; /* omp_set_schedule() */
	bool in_region;			   /* an active one */
	uint32_t regions;		   /* active ones that were entered */
	uint32_t shared_out;		   /* work-sharing constructs met in this one */

	struct cape_construct *construct;
	size_t depth;
	struct cape_local *local;
	size_t local_count;
	struct cape_reaching reaching[CAPE_REACHING_LIMIT];
	size_t reaching_count;
	struct cape_registers *registers; /* of cape_end()'s caller, while it runs */
	uint64_t frame;			  /* callers' frames of the region's function begin here */
	uint64_t stack_end;

	struct cape_written said;    /* of the region that begins */
	struct cape_written written; /* by this one */

	struct cape_threadprivate *threadprivate;
	size_t threadprivate_count;

	struct cape_open_files files;
	bool wrote_files; /* sequential code has opened a file for writing */

	/* What the next sync point sends besides changed memory. */
	unsigned char *reduction;
	size_t reduction_size;
	unsigned char *copyprivate;
	size_t copyprivate_size;
	uint64_t *copyprivate_target; /* pairs: address, size */
	size_t copyprivate_count;

	/* What is sent between sync points. */
	struct cape_log log;
	struct cape_track track;
	struct cape_elements elements;
	struct cape_calls calls;
	struct cape_mappings mappings;
	struct cape_spin spin;
	struct cape_look_state look;
	struct cape_atomic_state atomic;
	struct cape_tasks tasks;
	struct cape_held critical[CAPE_CRITICALS_LIMIT]; /* that this node is in */
	size_t critical_count;

	struct cape_private_array runs_memory;
	struct cape_runs runs;
	struct cape_private_array merged_memory;
	struct cape_runs merged; /* the master of master-slave: what the merge has written */
	bool by_master;		 /* the messages at hand are one: the master's, of all results */
	uint64_t sequence;
	uint64_t time_stamp;
	struct cape_cut cut;
	uint64_t heap_top[1 + CAPE_HEAP_MAX_NODES]; /* where each arena ended at the last fold */
};

extern struct cape_runtime *cape_runtime;

/* The context, made on first use (malloc may need it before any constructor runs). */
struct cape_runtime *cape_runtime_get(void);

/*
 * Ends the run with one line for the user; never returns.  ADDRESS: of the variable it is about,
 * which the monitor names, or 0.
 */
void cape_fail(struct cape_runtime *runtime, uint64_t address, const char *format, ...)
	__attribute__((noreturn, format(printf, 3, 4)));

/* Whether the caller is the node, not a thread that the program made itself (threads.h). */
static inline bool cape_is_initial_thread(const struct cape_runtime *runtime)
{
	return !runtime->initial_thread || runtime->initial_thread == pthread_self();
}

/* Whether the innermost region is shared out over nodes rather than run by this one alone. */
static inline bool cape_is_shared_out(const struct cape_runtime *runtime)
{
	return runtime->in_region && runtime->level == 1 && cape_is_initial_thread(runtime);
}

/* Whether other nodes run parallel code too, whatever teams are nested in this node's. */
static inline bool cape_is_concurrent(const struct cape_runtime *runtime)
{
	return runtime->in_region && runtime->nodes > 1 && cape_is_initial_thread(runtime);
}

/* The construct that was begun last; ends the run when there is none. */
struct cape_construct *cape_innermost(struct cape_runtime *runtime);

/* This node's own clock, CLOCK_MONOTONIC, in nanoseconds. */
uint64_t cape_now(void);

/* What the program is doing, for a monitor that finds it dead. */
void cape_runtime_place(struct cape_runtime *runtime, const struct cape_place *place);

#define CAPE_EXPORT __attribute__((visibility("default")))

/* Stands in for the C library's; what a program itself defines under that name wins. */
#define CAPE_INTERPOSE CAPE_EXPORT __attribute__((weak))

#endif
