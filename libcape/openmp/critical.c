// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * critical.c - the critical construct: a lock that is known by a name.
 */
#include <string.h>
#include "base/threads.h"
#include "openmp/constructs.h"
#include "profile/profile.h"
#include "channel/service.h"
#include "base/ordering.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

static uint64_t lock_of(const char *name)
{
	return CAPE_LOCK_OF_NAME | (name ? XXH3_64bits(name, strlen(name)) >> 2 : 0);
}

/* The construct of this id that this thread is in, or NULL. */
static struct cape_held *find(const struct cape_runtime *runtime, uint64_t id)
{
	struct cape_openmp *openmp = runtime->openmp;
	unsigned thread = runtime->ordering->thread(runtime);

	for (size_t i = openmp->critical_count; i > 0; i--)
		if (openmp->critical[i - 1].id == id && openmp->critical[i - 1].thread == thread)
			return &openmp->critical[i - 1];
	return NULL;
}

/* Waiting for oneself would last for ever. */
static void check_held(struct cape_runtime *runtime, uint64_t id, const char *name,
		       const struct cape_place *place)
{
	const struct cape_held *held = find(runtime, id);

	if (held)
		cape_fail(runtime, 0,
			  "node %u: the critical construct at %s:%d is inside another one "
			  "%s%s (%s:%d); it would wait for itself",
			  runtime->node, place->file, place->line,
			  name ? "of the same name, " : "without a name", name ? name : "",
			  held->place->file, held->place->line);
}

static void add(struct cape_runtime *runtime, uint64_t id, const struct cape_place *place)
{
	struct cape_openmp *openmp = runtime->openmp;

	if (openmp->critical_count == CAPE_CRITICALS_LIMIT)
		cape_fail(runtime, 0, "%s:%d: critical constructs are nested deeper than %lu",
			  place->file, place->line, CAPE_CRITICALS_LIMIT);
	openmp->critical[openmp->critical_count++] =
		(struct cape_held){id, runtime->ordering->thread(runtime), place};
}

void cape_node_critical_begin_at(const char *name, const struct cape_place *place)
{
	struct cape_runtime *runtime = cape_runtime_get();
	uint64_t id = lock_of(name);

	cape_threads_refuse(runtime, place);
	if (!cape_is_concurrent(runtime))
		return;
	runtime->ordering->lock(runtime);
	cape_runtime_place(runtime, place);
	check_held(runtime, id, name, place);
	runtime->ordering->unlock(runtime);
	cape_profile_begin(runtime, place, "critical");
	runtime->ordering->acquire(runtime, id);
	runtime->ordering->lock(runtime);
	add(runtime, id, place);
	runtime->ordering->unlock(runtime);
}

void cape_node_critical_end(const char *name)
{
	struct cape_runtime *runtime = cape_runtime_get();
	uint64_t id = lock_of(name);
	struct cape_held *held;

	if (!cape_is_concurrent(runtime))
		return;
	runtime->ordering->lock(runtime);
	held = find(runtime, id);
	if (held)
		*held = runtime->openmp->critical[--runtime->openmp->critical_count];
	runtime->ordering->unlock(runtime);
	runtime->ordering->release(runtime, id);
	cape_profile_end(runtime);
}
