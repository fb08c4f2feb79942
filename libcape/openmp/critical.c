// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * critical.c - the critical construct: a lock that is known by a name.
 */
#include <string.h>
#include "base/threads.h"
#include "openmp/constructs.h"
#include "profile/profile.h"
#include "sync/log.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

static uint64_t lock_of(const char *name)
{
	return CAPE_LOCK_OF_NAME | (name ? XXH3_64bits(name, strlen(name)) >> 2 : 0);
}

/* Waiting for oneself would last for ever. */
static void check_held(struct cape_runtime *runtime, uint64_t id, const char *name,
		       const struct cape_place *place)
{
	for (size_t i = 0; i < runtime->openmp->critical_count; i++)
		if (runtime->openmp->critical[i].id == id)
			cape_fail(runtime, 0,
				  "node %u: the critical construct at %s:%d is inside another one "
				  "%s%s (%s:%d); it would wait for itself",
				  runtime->node, place->file, place->line,
				  name ? "of the same name, " : "without a name", name ? name : "",
				  runtime->openmp->critical[i].place->file,
				  runtime->openmp->critical[i].place->line);
	if (runtime->openmp->critical_count == CAPE_CRITICALS_LIMIT)
		cape_fail(runtime, 0, "%s:%d: critical constructs are nested deeper than %lu",
			  place->file, place->line, CAPE_CRITICALS_LIMIT);
}

void cape_node_critical_begin_at(const char *name, const struct cape_place *place)
{
	struct cape_runtime *runtime = cape_runtime_get();
	uint64_t id = lock_of(name);

	cape_threads_refuse(runtime, place);
	if (!cape_is_concurrent(runtime))
		return;
	cape_runtime_place(runtime, place);
	check_held(runtime, id, name, place);
	cape_profile_begin(runtime, place, "critical");
	cape_log_acquire(runtime, id);
	runtime->openmp->critical[runtime->openmp->critical_count++] =
		(struct cape_held){id, place};
}

void cape_node_critical_end(const char *name)
{
	struct cape_runtime *runtime = cape_runtime_get();

	if (!cape_is_concurrent(runtime))
		return;
	runtime->openmp->critical_count--;
	cape_log_release(runtime, lock_of(name));
	cape_profile_end(runtime);
}
