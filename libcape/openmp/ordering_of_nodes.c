// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * ordering_of_nodes.c - how nodes of one thread order each other.
 */
#include "base/ordering.h"

#include "openmp/task.h"
#include "sync/log.h"

static bool try(struct cape_runtime *runtime, uint64_t id)
{
	return cape_log_ask(runtime, (struct cape_service_request){.kind = CAPE_SERVICE_ACQUIRE,
								   .id = id,
								   .acquire.only_tries = true})
		->result;
}

static void give_back(struct cape_runtime *runtime, uint64_t id)
{
	cape_log_ask(runtime,
		     (struct cape_service_request){.kind = CAPE_SERVICE_RELEASE, .id = id});
}

static unsigned thread(const struct cape_runtime *runtime)
{
	return runtime->node;
}

static unsigned task(const struct cape_runtime *runtime)
{
	/* Without, no task is in the program. */
	return runtime->level + (runtime->tasks ? (unsigned)runtime->tasks->depth : 0);
}

static void nothing(struct cape_runtime *runtime)
{
	(void)runtime;
}

const struct cape_ordering cape_ordering_of_nodes = {
	.thread = thread,
	.task = task,
	.acquire = cape_log_acquire,
	.try = try,
	.release = cape_log_release,
	.give_back = give_back,
	.speak = nothing,
	.be_silent = nothing,
	.lock = nothing,
	.unlock = nothing,
	.begin_access = nothing,
	.end_access = nothing,
};
