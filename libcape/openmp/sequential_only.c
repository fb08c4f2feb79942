// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * sequential_only.c - what works between the threads of one process, met where nodes share the
 * work: a refusal, for nobody would notice otherwise.
 */
#include "cape_sync.h"
#include "base/context.h"

CAPE_EXPORT void cape_sequential_only_at(const char *what, const struct cape_place *place)
{
	struct cape_runtime *runtime = cape_runtime_get();

	if (cape_is_concurrent(runtime))
		cape_fail(runtime, 0,
			  "%s:%d: node %u: %s in a parallel region works between threads of one "
			  "process, but not between CAPE's nodes; use constructs of OpenMP or "
			  "<stdatomic.h>",
			  place->file, place->line, runtime->node, what);
}
