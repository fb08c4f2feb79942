// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * task_reduction.c - reductions of tasks, which run on the thread whose reduction it is: a task's
 * part is added at its end.
 */
#include "checkpoint/reduction.h"
#include "threads/process.h"

void cape_thread_task_reduction_scope(const volatile void *variable, unsigned long size,
				      volatile void *copy)
{
	struct cape_worker_tasks *tasks = &cape_worker_get()->tasks;
	struct cape_contributions *contributions = &tasks->contributions;

	if (contributions->scopes == tasks->scopes_capacity) {
		tasks->scopes_capacity = 2 * tasks->scopes_capacity + 8;
		contributions->scope =
			cape_must_resize(contributions->scope,
					 tasks->scopes_capacity * sizeof(*contributions->scope));
	}
	contributions->scope[contributions->scopes++] = (struct cape_task_scope){
		.address = (uint64_t)(uintptr_t)variable,
		.size = size,
		.copy = (uint64_t)(uintptr_t)(copy ? copy : variable),
		.own = true,
	};
}

void cape_thread_task_reduction_leave(unsigned long count)
{
	struct cape_contributions *contributions = &cape_worker_get()->tasks.contributions;

	if (count > contributions->scopes)
		cape_fail(cape_runtime_get(), 0, "the end of a task reduction that was not begun");
	contributions->scopes -= count;
}

/* Several threads may have task groups of one variable. */
static void add(const struct cape_contribution *part, const volatile void *values)
{
	struct cape_worker *worker = cape_worker_get();

	cape_word_lock(&worker->pool->contributions, worker->id, worker->looks);
	cape_contributions_apply(cape_contributions_scope(&worker->tasks.contributions,
							  part->address, part->count * part->size),
				 part, (const void *)values);
	cape_word_unlock(&worker->pool->contributions);
}

void cape_thread_task_reduction(const volatile void *values, volatile void *original,
				enum cape_operator op, enum cape_type type, unsigned long count)
{
	struct cape_contribution part = {.address = (uint64_t)(uintptr_t)original,
					 .count = count,
					 .size = cape_type_size(type),
					 .op = op,
					 .type = type};

	add(&part, values);
}

void cape_thread_task_reduction_user(const volatile void *values, volatile void *original,
				     unsigned long size, unsigned long count,
				     void (*combine)(void *out, const void *in))
{
	struct cape_contribution part = {.address = (uint64_t)(uintptr_t)original,
					 .count = count,
					 .size = size,
					 .combine = combine};

	add(&part, values);
}
