// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * task_reduction.c - the clauses task_reduction and in_reduction, reduction of taskloop, and the
 * modifier task.  In a file of its own: task.c looks whether the program uses it.
 */
#include "checkpoint/reduction.h"
#include "base/context.h"
#include "openmp/contributions.h"
#include "openmp/task.h"

CAPE_EXPORT void cape_task_reduction_scope(const volatile void *variable, unsigned long size,
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

CAPE_EXPORT void cape_task_reduction_leave(unsigned long count)
{
	struct cape_runtime *runtime = cape_runtime_get();

	if (count > runtime->tasks->contributions.scopes)
		cape_fail(runtime, 0, "the end of a task reduction that was not begun");
	runtime->tasks->contributions.scopes -= count;
}

CAPE_EXPORT void cape_task_reduction(const volatile void *values, volatile void *original,
				     enum cape_operator op, enum cape_type type,
				     unsigned long count)
{
	struct cape_contribution part = {.address = (uint64_t)(uintptr_t)original,
					 .count = count,
					 .size = cape_type_size(type),
					 .op = op,
					 .type = type};

	cape_contributions_add(cape_runtime_get(), &part, (const void *)values);
}

CAPE_EXPORT void cape_task_reduction_user(const volatile void *values, volatile void *original,
					  unsigned long size, unsigned long count,
					  void (*combine)(void *out, const void *in))
{
	struct cape_contribution part = {.address = (uint64_t)(uintptr_t)original,
					 .count = count,
					 .size = size,
					 .combine = combine};

	cape_contributions_add(cape_runtime_get(), &part, (const void *)values);
}
