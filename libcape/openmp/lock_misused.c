// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * lock_misused.c - the end of a program that uses a lock wrongly.
 */
#include "openmp/locks.h"

#include "base/context.h"

void cape_lock_misused(const char *what, const void *lock)
{
	struct cape_runtime *runtime = cape_runtime_get();

	if (!runtime->channel)
		cape_fail(runtime, 0, "%s", what);
	cape_fail(runtime, (uint64_t)(uintptr_t)lock, "node %u: %s: @, at %s:%d", runtime->node,
		  what, runtime->channel->state.file, runtime->channel->state.line);
}
