// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * lock_misused.c - the end of a program that uses a lock wrongly, and where a thread uses one.
 */
#include "openmp/locks.h"

#include "base/context.h"
#include "openmp/constructs.h"

/* Of a program by threads, as a node's is in the channel. */
static __thread struct cape_place last __attribute__((tls_model("initial-exec")));

void cape_lock_placed(const struct cape_place *place)
{
	struct cape_runtime *runtime = cape_runtime_get();

	if (runtime->by_threads)
		last = *place;
	else
		cape_runtime_place(runtime, place);
}

static void misused_by_thread(struct cape_runtime *runtime, const char *what, const void *lock)
{
	unsigned number = cape_constructs->number(), size = cape_constructs->size();

	/* The monitor knows names. */
	if (runtime->channel)
		cape_fail(runtime, (uint64_t)(uintptr_t)lock, "thread %u of %u: %s: @, at %s:%d",
			  number, size, what, last.file ? last.file : "an unknown place",
			  last.line);
	if (!last.file)
		cape_fail(runtime, 0, "thread %u of %u: %s", number, size, what);
	cape_fail(runtime, 0, "thread %u of %u: %s, at %s:%d", number, size, what, last.file,
		  last.line);
}

void cape_lock_misused(const char *what, const void *lock)
{
	struct cape_runtime *runtime = cape_runtime_get();

	if (runtime->by_threads)
		misused_by_thread(runtime, what, lock);
	if (!runtime->channel)
		cape_fail(runtime, 0, "%s", what);
	cape_fail(runtime, (uint64_t)(uintptr_t)lock, "node %u: %s: @, at %s:%d", runtime->node,
		  what, runtime->channel->state.file, runtime->channel->state.line);
}
