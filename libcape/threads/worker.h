/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * worker.h - a thread, and the team that it is in.
 *
 * The program's initial thread makes teams of itself and threads of the pool, for one region after
 * another.  A thread that the program made itself has a worker too, whose regions it runs alone; so
 * does who is in a team already.
 */
#ifndef CAPE_WORKER_H
#define CAPE_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "openmp/constructs.h"
#include "threads/deque.h"
#include "threads/wait.h"

#define CAPE_CACHE_LINE	 64
#define CAPE_SHARES	 64u  /* work-sharing constructs that a team can be in at a time */
#define CAPE_ATOMICS	 256u /* locks of atomic variables */
#define CAPE_NAMES_KNOWN 16u  /* names of critical constructs that a thread keeps */
/* How often a thread looks before it sleeps. */
#define CAPE_LOOKS_NONE	 0u	  /* OMP_WAIT_POLICY=passive */
#define CAPE_LOOKS_FEW	 100u	  /* other threads want the processor */
#define CAPE_LOOKS_LEAST 2500u	  /* otherwise, if polling did not help: a few times a wake, ... */
#define CAPE_LOOKS_MANY	 20000u	  /* ... and where not: a millisecond or so */
#define CAPE_LOOKS_LONG	 UINT_MAX /* OMP_WAIT_POLICY=active */

#define CAPE_TEAM_LIMIT 65535u

struct cape_pool;
struct cape_profiling;
struct cape_depend_item;
struct cape_depend_table;
struct cape_dependence;
struct cape_reduced;
struct cape_reduced_part;

/* Memory that grows, of one thread. */
struct cape_buffer {
	unsigned char *memory;
	size_t size, capacity;
};

/* A named critical construct; found by its name. */
struct cape_named_lock {
	struct cape_named_lock *next;
	char *name;
	uint32_t word;
};

struct cape_copyprivate {
	void *address;
	size_t size;
};

/*
 * A task's LIVE counts its children that are not done, and above them itself with those whose tasks
 * are not all done, down to the last generation.  Who takes the last of the latter frees the task.
 */
#define CAPE_TASK_CHILD	   1ull
#define CAPE_TASK_CHILDREN ((1ull << 31) - 1)
#define CAPE_TASK_AWAITED  (1ull << 31) /* somebody waits for its end */
#define CAPE_TASK_SUBTREE  (1ull << 32)

enum cape_task_kind {
	CAPE_TASK_IMPLICIT, /* of the region */
	CAPE_TASK_EXPLICIT,
	CAPE_TASK_GROUP, /* stands between a task and the children that it makes in a taskgroup */
};

/* Within the task that made it, or within the group of tasks; the settings are its own. */
struct cape_task {
	uint64_t live;
	struct cape_task *parent;
	struct cape_task *origin; /* the implicit task that it comes from */
	unsigned depth;		  /* of an implicit task 0 */
	enum cape_task_kind kind;
	bool final;
	bool ended;		      /* its block, though not all that it has made */
	bool large;		      /* its memory is not of the common size */
	unsigned priority;	      /* of one that was not run at once */
	struct cape_task *next;	      /* where it waits with a priority */
	struct cape_reduced *reduced; /* the variables that parts of it may be of, or NULL */
	struct cape_settings settings;
	void (*body)(void *data);
	void *data;
	struct cape_dependence *dependence; /* its own, or NULL */
	struct cape_depend_table *children; /* what memory they name, or NULL */
};

struct cape_worker_tasks {
	struct cape_task *current; /* that runs here, or its innermost taskgroup */
	unsigned running;	   /* explicit tasks that do, inside each other */
	struct cape_deque deque;   /* those that were made here, and wait */
	uint64_t base;		   /* of these the current task made those from here on */
	unsigned victim;	   /* whose tasks were stolen last */
	struct cape_task *spare;   /* memory for tasks, chained by their parents */
	unsigned spare_count;
	struct cape_task implicit; /* of the region */

	/* Of the task that is made next. */
	int flags;
	struct cape_depend_item *item;
	size_t items, items_room;
	struct cape_task *room;
};

struct cape_worker {
	/* In the team of all nodes, which begins to run when its block does. */
	unsigned number, size;
	bool in_team; /* of several, that runs */
	unsigned level, active_level;
	uint32_t id; /* not 0; no other thread has it */
	/* How often this thread looks before it sleeps: fewer times if that did not help. */
	unsigned looks, most_looks;
	bool is_initial;	     /* may make teams */
	struct cape_seat seat, next; /* here and, in the team that is made, there */
	struct cape_pool *pool;
	struct cape_team *team; /* if it has more than one member, though others may be inside it */

	struct cape_construct *construct; /* that were begun here, the innermost last */
	size_t depth, capacity;
	struct cape_settings settings;

	uint32_t shares;  /* work-sharing constructs of the team that needed a share */
	uint32_t singles; /* single constructs */
	struct cape_buffer handed_over;	  /* parts of reductions */
	struct cape_buffer copyprivate;	  /* where this single's values are */
	uint64_t stack_start, stack_end;  /* of a thread of the pool, once that is known; or 0 */
	uint32_t *atomic;		  /* the lock that is held, or NULL */
	struct cape_profiling *profiling; /* NULL: nobody asked, or it is no thread of the pool */
	struct cape_worker_tasks tasks;

	struct {
		const char *name;
		uint32_t *word;
	} known[CAPE_NAMES_KNOWN];
};

/* What a team shares of one work-sharing construct. */
struct cape_share {
	struct cape_signal use; /* how many constructs this was before */
	uint32_t left;		/* members that are done with it */

	/* Iterations or sections that were handed out. */
	uint64_t next __attribute__((aligned(CAPE_CACHE_LINE)));
	/* Where others are nodes: up to where this one has any, and whether it gets no more. */
	uint64_t end;
	uint32_t lock;
	bool used_up;
	/* Iterations whose turn was; the signal reports each. */
	uint64_t turn __attribute__((aligned(CAPE_CACHE_LINE)));
	struct cape_signal turned;
} __attribute__((aligned(CAPE_CACHE_LINE)));

/*
 * A kind of team: one of this process's threads, or one that has others on other nodes.
 *
 * meet: the barrier of a construct at PLACE.  reduce: adds a part that was handed over.  hand_out:
 * a chunk for WORKER, from iteration *FROM of CONSTRUCT's on; its size, or 0.  tell_turns: all
 * iterations of WORKER's chunk before END are done, which others wait for; await_turn: until all of
 * the loop before ITERATION are.
 */
struct cape_team_kind {
	void (*meet)(struct cape_worker *worker, const struct cape_place *place);
	void (*reduce)(const struct cape_reduced_part *part, const void *values);
	uint64_t (*hand_out)(struct cape_worker *worker, struct cape_construct *construct,
			     uint64_t *from);
	void (*tell_turns)(struct cape_worker *worker, struct cape_construct *construct,
			   unsigned long end);
	void (*await_turn)(struct cape_worker *worker, struct cape_construct *construct,
			   unsigned long iteration);
};

/* The members are those of this node. */
struct cape_team {
	unsigned size;
	struct cape_worker **member; /* by number */
	uint32_t handed_over;	     /* any has parts of reductions */
	uint32_t singles;	     /* that somebody has won */
	struct cape_buffer
		*copyprivate; /* the winner's or, of a node without it, the first one's */
	bool has_winner;      /* that is of this node, until the barrier */
	const struct cape_team_kind *kind;

	uint32_t arrived __attribute__((aligned(CAPE_CACHE_LINE))); /* at the barrier */
	/* Changes with each barrier, and when there are tasks for those who wait. */
	struct cape_signal barrier __attribute__((aligned(CAPE_CACHE_LINE)));
	uint32_t barriers; /* that all have left */
	bool has_tasks;	   /* some were made in this region */
	uint32_t choosy;   /* that wait, and may not run any task */
	uint32_t urgent_lock, urgent_count;
	struct cape_task *urgent; /* that have a priority: the highest first, of these the oldest */

	struct cape_share share[CAPE_SHARES];
};

extern __thread struct cape_worker *cape_worker
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

/* The calling thread's, made on first use. */
struct cape_worker *cape_worker_make(void);

static inline struct cape_worker *cape_worker_get(void)
{
	return __builtin_expect(cape_worker != NULL, 1) ? cape_worker : cape_worker_make();
}

/* A worker for a thread of POOL. */
struct cape_worker *cape_worker_new(struct cape_pool *pool);

/* What a thread that ends leaves of its own WORKER. */
void cape_worker_free(void *worker);

/* The construct that was begun last; ends the run when there is none. */
struct cape_construct *cape_worker_innermost(struct cape_worker *worker);
/* Room for another construct after the innermost. */
struct cape_construct *cape_worker_push(struct cape_worker *worker);

/* Room for SIZE more bytes, aligned as for any type, which count from then on. */
void *cape_buffer_add(struct cape_buffer *buffer, size_t size);

/* Memory of the run time's own; of a node, which shares the program's heap with others, apart. */
void *cape_must_resize(void *block, size_t size); /* BLOCK becomes as large, or the run ends */
void *cape_try_allocate(size_t size);		  /* on a cache line; or NULL */
void cape_release(void *block);

/* Sets how often WORKER looks, at most. */
void cape_worker_set_looks(struct cape_worker *worker, unsigned most);

/* Polling did not help WORKER, and it SLEPT, or not. */
void cape_worker_waited(struct cape_worker *worker, bool slept);

/* Until SIGNAL's word, that other threads change, is not SEEN. */
void cape_worker_await(struct cape_worker *worker, struct cape_signal *signal, uint32_t seen);

/* Whether the work is shared out over several threads here. */
static inline bool cape_worker_shares(const struct cape_worker *worker)
{
	return worker->in_team;
}

/* Before WORKER's thread runs a region's block: its own task is the region's. */
static inline void cape_worker_begin_tasks(struct cape_worker *worker)
{
	struct cape_task *task = &worker->tasks.implicit;

	*task = (struct cape_task){.live = CAPE_TASK_SUBTREE, .origin = task};
	worker->tasks.current = task;
	worker->tasks.base = 0;
}

/* What runs here, without the groups that it has begun. */
static inline struct cape_task *cape_worker_task(const struct cape_worker *worker)
{
	struct cape_task *task = worker->tasks.current;

	while (task->kind == CAPE_TASK_GROUP)
		task = task->parent;
	return task;
}

/* Whether TASK, which is not done, comes from the task ROOT. */
static inline bool cape_task_comes_from(const struct cape_task *task, const struct cape_task *root)
{
	if (!root->depth)
		return task->origin == root;
	while (task->depth > root->depth)
		task = task->parent;
	return task == root;
}

#endif
