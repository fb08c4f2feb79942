/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * mixed.h - nodes of several threads each.
 */
#ifndef CAPE_MIXED_H
#define CAPE_MIXED_H

#include "channel/service.h"
#include "openmp/constructs.h"
#include "planned/planned.h"
#include "threads/worker.h"

extern const struct cape_constructs cape_constructs_of_mixed;
extern const struct cape_task_calls cape_tasks_of_mixed;
/* A team that one node has a part of. */
extern const struct cape_team_kind cape_mixed_team;

/*
 * When the program starts, by its initial thread: makes what it is to know of itself, before its
 * thread-local storage is looked at; and the node's other threads.
 */
void cape_mixed_prepare(struct cape_runtime *runtime);
void cape_mixed_start(struct cape_runtime *runtime);

/* The caller, if it is a thread of its node in an active region; else NULL. */
static inline struct cape_worker *cape_mixed_worker(void)
{
	const struct cape_runtime *runtime = cape_runtime_get();

	return runtime->in_region && cape_is_member(runtime) ? cape_worker_get() : NULL;
}

/* What the initial thread does where a region begins, runs its block and ends (region.c). */
void cape_mixed_start_region(const void *frame);
void cape_mixed_run_region(void (*body)(void *data), void *data);
void cape_mixed_end_region(enum cape_directive directive, const struct cape_place *place);

extern const struct cape_plan_team cape_mixed_plan_team;
extern const struct cape_ordering cape_ordering_of_mixed;
/* Whether the result of REQUEST, which is answered at once, is not 0. */
bool cape_mixed_ask(struct cape_service_request request);
/* Until REQUEST, for a lock or a turn, gets what it asks for; others of the node ask meanwhile. */
void cape_mixed_await(struct cape_worker *worker, struct cape_service_request request);

/* Whether this thread runs the block of a single construct: on node 0, or on ANY node (part.c). */
int cape_mixed_wins(struct cape_worker *worker, bool any);
/* The number that nodes know WORKER's innermost construct by, which is a single. */
uint64_t cape_mixed_single_number(const struct cape_worker *worker);
/* Whether the section that comes next is this thread's. */
int cape_mixed_has_section(struct cape_worker *worker);

#endif
