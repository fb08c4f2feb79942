/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * context.h - the run time's one context: what every room needs to know of the node, and a pointer
 * to each room's own part, whose type only that room and those above it know.
 *
 * It lies in private memory; the pointer to it is the run time's only static variable, and the
 * same on every node.
 */
#ifndef CAPE_CONTEXT_H
#define CAPE_CONTEXT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include "cape.h"
#include "base/private.h"
#include "base/stand_in.h"
#include "channel/channel.h"

struct cape_runtime {
	struct cape_private private;
	struct cape_private_blocks blocks;
	int (*clock_gettime)(clockid_t clock, struct timespec *now); /* the C library's own */
	struct cape_channel *channel;	      /* NULL: started without cape-run */
	const struct cape_method *method;     /* how changes are found (base/method.h) */
	const struct cape_model *model;	      /* how work is shared out (base/model.h) */
	const struct cape_exchange_way *way;  /* which changes go to whom (base/way.h) */
	const struct cape_ordering *ordering; /* between barriers (base/ordering.h) */
	unsigned node, nodes;
	unsigned threads; /* that work on each node's part of a region, the initial one with them */
	bool failed;	  /* a message says why the program ends */
	bool started;	  /* shared memory is known: the constructor has run */
	bool by_itself;	  /* the program was started without cape-run */
	bool by_threads;  /* of this process its regions are run: so they are by itself */
	bool takes;	  /* the program has said so (CAPE_TAKES) */
	bool adds;	  /* the program adds (CAPE_ADDS) */
	bool libc_heap;	  /* by itself: new blocks are the C library's, ... */
	uint64_t own_blocks, own_blocks_size; /* ... and where those from before lie */
	pthread_mutex_t heap_lock;	      /* between threads that the program made */
	pthread_t initial_thread;	      /* 0: it alone is there yet */
	unsigned made_threads; /* that it has made for the program and has not waited for */

	/* The team of the innermost parallel region. */
	unsigned team, thread;
	unsigned level, active_level;
	bool in_region;	       /* an active one */
	unsigned shared_level; /* the level inside that */
	uint32_t regions;      /* active ones that were entered */

	struct cape_own_objects *own_objects;

	/* heap/ */
	struct cape_heap *heap;
	struct cape_sites *sites;
	/* memory/ */
	struct cape_areas *areas;
	struct cape_calls *calls;
	struct cape_cut *cut;
	struct cape_directory *directory;
	struct cape_ranges *flushed; /* variables (memory/flushed.h) */
	struct cape_mappings *mappings;
	struct cape_stack *stack;
	struct cape_threadprivates *threadprivates;
	struct cape_track *track;
	struct cape_written *said;    /* of the region that begins */
	struct cape_written *written; /* by this one */
	struct cape_written_blocks *written_blocks;
	/* profile/ */
	struct cape_profiling *profiling;
	/* message/ */
	struct cape_exchange *exchange;
	struct cape_service *service;
	/* need/ */
	struct cape_need *need;
	/* replica/ */
	double clock_ahead; /* seconds by which omp_get_wtime() is ahead of the kernel's clock */
	unsigned ending;    /* by whom of its threads the process ends, from 1 */
	struct cape_children *children;
	struct cape_death *death;
	struct cape_open_files *files;
	struct cape_output *output;
	/* races/ */
	struct cape_check *check; /* NULL: built without --check-races */
	bool check_asked;
	/* sets/ */
	bool sets_asked; /* built with --check-sets */
	struct cape_checked *checked;
	/* sync/ */
	struct cape_due *due;
	struct cape_elements *elements;
	struct cape_hand_on *hand_on;
	struct cape_log *log;
	struct cape_look_state *look;
	struct cape_spin *spin;
	struct cape_sync *sync;
	/* save/ */
	struct cape_save *save;
	/* openmp/ */
	struct cape_atomic_state *atomic;
	struct cape_openmp *openmp;
	struct cape_replicate *replicate;
	struct cape_tasks *tasks;
	/* threads/ */
	struct cape_pool *pool;
	struct cape_watched *watched;
	/* planned/ */
	struct cape_planned *planned;
	/* mixed/ */
	struct cape_mixed *mixed;
	struct cape_mixed_tasks *mixed_tasks;
};

/*
 * A room's part: zeros when the context is made, and START, if it is not NULL, is called when the
 * program starts.  In the file that owns the part; where that is not linked there is none.
 */
struct cape_part {
	size_t pointer; /* in struct cape_runtime */
	size_t size;
	void (*start)(struct cape_runtime *runtime);
	bool of_nodes; /* a program that was started by itself does not start it */
};

#define CAPE_PART(member, start)	  CAPE_PART_OF(member, start, false)
#define CAPE_PART_OF_NODES(member, start) CAPE_PART_OF(member, start, true)

#define CAPE_PART_OF(member, start, of_nodes)                                                      \
	static const struct cape_part cape_part_##member = {                                       \
		offsetof(struct cape_runtime, member),                                             \
		sizeof(*((struct cape_runtime *)NULL)->member), start, of_nodes};                  \
	static const struct cape_part *const cape_part_at_##member                                 \
		__attribute__((section("cape_parts"), used)) = &cape_part_##member

/* Calls the parts' STARTs, in a program by itself only those that it needs. */
void cape_parts_start(struct cape_runtime *runtime);

/* Ends the run: WHAT could not be done for want of addresses, by errno style's -ERROR. */
void cape_fail_for_addresses(struct cape_runtime *runtime, const char *what, int error)
	__attribute__((noreturn));

/* Ends the run: the list of changes could not be made, after RUNS of them; ERROR is -errno. */
void cape_fail_for_changes(struct cape_runtime *runtime, size_t runs, int error)
	__attribute__((noreturn));

/* SIZE bytes of private memory, zeros; ends the run when there is no room. */
void *cape_must_reserve(struct cape_runtime *runtime, size_t size);

/* cape_memory_grow() of private memory, which moves; ends the run when there is none. */
void cape_must_grow(struct cape_runtime *runtime, void **array, size_t *capacity, size_t count,
		    size_t size);

extern struct cape_runtime *cape_runtime;

/* What cape.h declares as a constant: a program asks for it after the start has set it. */
extern int cape_program_by_threads __asm__("cape_by_threads");

/* The context, made on first use (malloc may need it before any constructor runs). */
struct cape_runtime *cape_runtime_make(void);

static inline struct cape_runtime *cape_runtime_get(void)
{
	return __builtin_expect(cape_runtime != NULL, 1) ? cape_runtime : cape_runtime_make();
}

/*
 * Ends the run with one line for the user; never returns.  ADDRESS: of the variable it is about,
 * which the monitor names, or 0.
 */
void cape_fail(struct cape_runtime *runtime, uint64_t address, const char *format, ...)
	__attribute__((noreturn, format(printf, 3, 4)));

/* Whether the caller is the thread that runs sequential code (threads.h). */
static inline bool cape_is_initial_thread(const struct cape_runtime *runtime)
{
	return !runtime->initial_thread || runtime->initial_thread == pthread_self();
}

/* Of a thread that libcape has made to work on its node's part of regions. */
extern __thread bool cape_works_on_node
	__attribute__((tls_model("initial-exec"), visibility("hidden")));
/* What the caller allocates just now is its node's own. */
extern __thread bool cape_allocates_apart
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Whether the caller is a thread of its node: the initial one, or such a thread. */
static inline bool cape_is_member(const struct cape_runtime *runtime)
{
	return cape_works_on_node || cape_is_initial_thread(runtime);
}

/* Whether the innermost region is shared out over nodes rather than run by this one alone. */
static inline bool cape_is_shared_out(const struct cape_runtime *runtime)
{
	return runtime->in_region && runtime->level == runtime->shared_level &&
	       cape_is_member(runtime);
}

/* Whether other nodes run parallel code too, whatever teams are nested in this node's. */
static inline bool cape_is_concurrent(const struct cape_runtime *runtime)
{
	return runtime->in_region && runtime->nodes > 1 && cape_is_member(runtime);
}

/* This node's own clock, CLOCK_MONOTONIC, in nanoseconds. */
uint64_t cape_now(void);

/* What the program is doing, for a monitor that finds it dead. */
void cape_runtime_place(struct cape_runtime *runtime, const struct cape_place *place);

#endif
