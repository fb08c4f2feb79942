// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * task_reduction.c - the clauses task_reduction and in_reduction, reduction of taskloop, and the
 * modifier task; and what of them is saved, inside a region of each node: the variables, whose
 * parts there are none of between tasks.  In a file of its own: task.c looks whether the program
 * uses it.
 */
#include <string.h>
#include "checkpoint/reduction.h"
#include "base/saved.h"
#include "openmp/constructs.h"
#include "openmp/contributions.h"
#include "openmp/task.h"

void cape_node_task_reduction_scope(const volatile void *variable, unsigned long size,
				    volatile void *copy)
{
	struct cape_runtime *runtime = cape_runtime_get();
	struct cape_contributions *contributions = &runtime->tasks->contributions;

	if (contributions->scopes == CAPE_TASK_SCOPES_LIMIT)
		cape_fail(runtime, 0, "more than %lu variables of task reductions",
			  CAPE_TASK_SCOPES_LIMIT);
	contributions->scope[contributions->scopes++] =
		(struct cape_task_scope){.address = (uint64_t)(uintptr_t)variable,
					 .size = size,
					 .copy = (uint64_t)(uintptr_t)(copy ? copy : variable),
					 .own = !copy || runtime->tasks->depth};
}

void cape_node_task_reduction_leave(unsigned long count)
{
	struct cape_runtime *runtime = cape_runtime_get();

	if (count > runtime->tasks->contributions.scopes)
		cape_fail(runtime, 0, "the end of a task reduction that was not begun");
	runtime->tasks->contributions.scopes -= count;
}

void cape_node_task_reduction(const volatile void *values, volatile void *original,
			      enum cape_operator op, enum cape_type type, unsigned long count)
{
	struct cape_contribution part = {.address = (uint64_t)(uintptr_t)original,
					 .count = count,
					 .size = cape_type_size(type),
					 .op = op,
					 .type = type};

	cape_contributions_add(cape_runtime_get(), &part, (const void *)values);
}

void cape_node_task_reduction_user(const volatile void *values, volatile void *original,
				   unsigned long size, unsigned long count,
				   void (*combine)(void *out, const void *in))
{
	struct cape_contribution part = {.address = (uint64_t)(uintptr_t)original,
					 .count = count,
					 .size = size,
					 .combine = combine};

	cape_contributions_add(cape_runtime_get(), &part, (const void *)values);
}

static uint64_t put(struct cape_runtime *runtime, unsigned char *to)
{
	const struct cape_contributions *contributions = &runtime->tasks->contributions;
	uint64_t size = contributions->scopes * sizeof(*contributions->scope);

	if (to)
		memcpy(to, contributions->scope, size);
	return size;
}

static void take(struct cape_runtime *runtime, const unsigned char *from, uint64_t size)
{
	struct cape_contributions *contributions = &runtime->tasks->contributions;

	if (size % sizeof(*contributions->scope) ||
	    size / sizeof(*contributions->scope) > CAPE_TASK_SCOPES_LIMIT)
		cape_fail(runtime, 0,
			  "the run cannot continue: its task reductions are not as they were at "
			  "the save");
	memcpy(contributions->scope, from, size);
	contributions->scopes = size / sizeof(*contributions->scope);
}

CAPE_SAVED(task_reductions, .by_place = true, .put = put, .take = take);
CAPE_SAVED(own_task_reductions, .by_place = true, .of_node = true, .put = put, .take = take);

const struct cape_task_reduction_calls cape_task_reductions_of_nodes = {
	CAPE_TASK_REDUCTION_CALLS(CAPE_CALL_OF_NODE)};
