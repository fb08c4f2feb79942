/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * check.h - cape-cc --check-races: what each node reads and writes of shared memory between sync
 * points, and which of that nothing orders.
 *
 * The compiler's instrumentation (-fsanitize=thread) reports every access (check_hooks.c).  A
 * node's execution is cut into epochs by what orders it with others: a lock that it frees or gets,
 * a flush, an ordered turn, a task.  Each epoch has a vector clock (check_clock.c).  At a sync
 * point the nodes exchange their epochs, and node 0 looks for accesses to one byte in epochs of
 * two nodes of which neither precedes the other (check_compare.c).
 */
#ifndef CAPE_CHECK_H
#define CAPE_CHECK_H

#include <stdbool.h>
#include <stdint.h>
#include "channel/conflict.h"

struct cape_runtime;
struct cape_place;
struct cape_check;

/* What orders epochs; each has numbers of its own. */
enum cape_order {
	CAPE_ORDER_LOCK,      /* number: the lock's */
	CAPE_ORDER_FLUSH,     /* 0 */
	CAPE_ORDER_TURN,      /* ordered: the loop's */
	CAPE_ORDER_TASK,      /* from a task's post to its start: the group's */
	CAPE_ORDER_TASK_DONE, /* from its end to who waits for it */
};

/* The program is instrumented: called by its constructors, before the run time has started. */
void cape_check_ask(void);

/* The run time has started.  0 or negative errno. */
int cape_check_start(struct cape_runtime *runtime);

/* An access to SIZE bytes by the instruction before CODE; ACCESS: enum cape_conflict_access. */
void cape_check_access(struct cape_runtime *runtime, uint64_t address, uint64_t size,
		       unsigned access, const void *code);

/*
 * This node lets others go on that ask for (ORDER, NUMBER), to be called before what it changed is
 * published; it goes on because others did, to be called after what they published.
 */
void cape_check_release(struct cape_runtime *runtime, enum cape_order order, uint64_t number);
void cape_check_acquire(struct cape_runtime *runtime, enum cape_order order, uint64_t number);

/*
 * A task begins that may run beside what follows; false: it cannot be distinguished from the task
 * that met it.  It ends.  Who met tasks waits for them, or for those inside them, too.
 */
bool cape_check_task_begin(struct cape_runtime *runtime);
void cape_check_task_end(struct cape_runtime *runtime);
void cape_check_task_wait(struct cape_runtime *runtime, bool all);

/* The program gets memory that an earlier task may have had. */
void cape_check_allocate(struct cape_runtime *runtime);

/* Accesses to SIZE bytes at ADDRESS are atomic ones until this is called with SIZE 0. */
void cape_check_atomic(struct cape_runtime *runtime, uint64_t address, uint64_t size);

/* What follows, to the construct's end, is the translator's own: no access counts.  Or again. */
void cape_check_pause(struct cape_runtime *runtime, bool pause);

/* At every sync point, before it: all nodes are there. */
void cape_check_sync(struct cape_runtime *runtime, const struct cape_place *place);

#endif
