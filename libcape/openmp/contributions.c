// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * contributions.c - slots of tasks, and what goes into them.
 */
#include "openmp/contributions.h"

#include <string.h>
#include "base/context.h"
#include "heap/arena.h"
#include "heap/heap.h"
#include "heap/heap_lock.h"
#include "openmp/task.h"

#define SLOTS 500u /* of a piece of the list */

/* In the heap, so that what another node puts there comes here when its task is done. */
struct cape_task_slots {
	struct cape_task_slots *next;
	uint64_t count;
	struct cape_contribution *first[SLOTS];
};

static void *allocate(struct cape_runtime *runtime, size_t size)
{
	void *memory = cape_heap_lock_allocate(runtime, size);

	if (!memory)
		cape_fail(runtime, 0, "out of memory for the reductions of tasks (%zu bytes)",
			  size);
	return memory;
}

static struct cape_contribution **new_slot(struct cape_runtime *runtime)
{
	struct cape_contributions *contributions = &runtime->tasks->contributions;
	struct cape_task_slots *slots = contributions->last;

	if (!slots || slots->count == SLOTS) {
		slots = allocate(runtime, sizeof(*slots));
		memset(slots, 0, sizeof(*slots));
		if (contributions->last)
			contributions->last->next = slots;
		else
			contributions->first = slots;
		contributions->last = slots;
	}
	return &slots->first[slots->count++];
}

uint64_t cape_contributions_slot(struct cape_runtime *runtime)
{
	return (uint64_t)(uintptr_t)new_slot(runtime);
}

static struct cape_contribution *keep(struct cape_runtime *runtime,
				      const struct cape_contribution *part, const void *values)
{
	uint64_t length = part->count * part->size;
	struct cape_contribution *kept = allocate(runtime, sizeof(*kept) + length);

	*kept = *part;
	kept->next = NULL;
	memcpy(kept->values, values, length);
	return kept;
}

void cape_contributions_add(struct cape_runtime *runtime, const struct cape_contribution *part,
			    const void *values)
{
	struct cape_contributions *contributions = &runtime->tasks->contributions;
	const struct cape_task_scope *scope =
		cape_contributions_scope(contributions, part->address, part->count * part->size);

	/* What a construct inside the task reduces is this node's alone. */
	if ((scope && scope->own) || (!contributions->append && !contributions->first)) {
		cape_contributions_apply(scope, part, values);
	} else if (contributions->append) {
		*contributions->append = keep(runtime, part, values);
		contributions->append = &(*contributions->append)->next;
	} else {
		*new_slot(runtime) = keep(runtime, part, values);
	}
}

static void release(struct cape_runtime *runtime, void *block)
{
	if (cape_heap_lock_release(runtime, block) < 0)
		cape_fail(runtime, (uint64_t)(uintptr_t)block,
			  "a part of a task's reduction at @ was overwritten");
}

static void fold_slot(struct cape_runtime *runtime, struct cape_contribution *part)
{
	struct cape_contribution *next;

	for (; part; part = next) {
		next = part->next;
		cape_contributions_apply(cape_contributions_scope(&runtime->tasks->contributions,
								  part->address,
								  part->count * part->size),
					 part, part->values);
		release(runtime, part);
	}
}

void cape_contributions_fold(struct cape_runtime *runtime)
{
	struct cape_contributions *contributions = &runtime->tasks->contributions;
	struct cape_task_slots *slots = contributions->first, *next;

	for (; slots; slots = next) {
		next = slots->next;
		for (uint64_t i = 0; i < slots->count; i++)
			fold_slot(runtime, slots->first[i]);
		release(runtime, slots);
	}
	contributions->first = contributions->last = NULL;
}
