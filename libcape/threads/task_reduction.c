// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * task_reduction.c - reductions of tasks: each thread adds up the parts of the tasks that it runs,
 * and who ends the group of tasks adds what all have, in the order of threads.
 *
 * A variable that no group around the task reduces is one of the region, or of a work-sharing
 * construct (the modifier task): what is handed over for it the next barrier adds.
 *
 * Which thread runs a task is not said: of floating point the result may be another one each time.
 */
#include "threads/task_reduction.h"

#include <stdlib.h>
#include <string.h>
#include "threads/process.h"
#include "threads/reduction.h"

/* What the tasks that one thread has run come to. */
struct sum {
	struct sum *next;
	uint32_t thread; /* its worker's number of its own */
	struct cape_reduced_part part;
	_Alignas(max_align_t) unsigned char values[];
};

/* A variable of a group of tasks. */
struct cape_reduced {
	struct cape_reduced *outer; /* the one that was begun before */
	uintptr_t address;
	size_t size;
	struct sum *sums; /* one of each thread, of each piece of it */
};

void cape_thread_task_reduction_scope(const volatile void *variable, unsigned long size,
				      volatile void *copy)
{
	struct cape_task *task = cape_worker_get()->tasks.current;
	struct cape_reduced *reduced;

	/* What a task says of its own copy only other nodes would want to know. */
	if (copy != variable || task->kind != CAPE_TASK_GROUP)
		return;
	reduced = cape_must_resize(NULL, sizeof(*reduced));
	*reduced = (struct cape_reduced){
		.outer = task->reduced, .address = (uintptr_t)variable, .size = size};
	task->reduced = reduced;
}

/* Done when the group has ended. */
void cape_thread_task_reduction_leave(unsigned long count)
{
	(void)count;
}

/* The innermost variable around TASK that PART is of, or NULL. */
static struct cape_reduced *find(const struct cape_task *task, const struct cape_reduced_part *part)
{
	struct cape_reduced *reduced = task->reduced;
	uintptr_t address = (uintptr_t)part->original;

	while (reduced &&
	       (address < reduced->address || address - reduced->address > reduced->size ||
		part->count * part->size > reduced->size - (address - reduced->address)))
		reduced = reduced->outer;
	return reduced;
}

/* Only its own thread changes a sum, and only in front of the first others are put. */
static void add(struct cape_reduced *reduced, const struct cape_worker *worker,
		const struct cape_reduced_part *part, const void *values)
{
	struct sum *first = __atomic_load_n(&reduced->sums, __ATOMIC_ACQUIRE), *sum = first;
	size_t bytes = part->count * part->size;

	while (sum && (sum->thread != worker->id || !cape_reduced_same(&sum->part, part)))
		sum = sum->next;
	if (sum) {
		cape_reduced_apply(part, sum->values, values);
		return;
	}
	sum = cape_must_resize(NULL, sizeof(*sum) + bytes);
	sum->next = first;
	sum->thread = worker->id;
	sum->part = *part;
	memcpy(sum->values, values, bytes);
	while (!__atomic_compare_exchange_n(&reduced->sums, &sum->next, sum, false,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}

static void hand_over(const struct cape_reduced_part *part, const volatile void *values)
{
	struct cape_worker *worker = cape_worker_get();
	struct cape_reduced *reduced = find(worker->tasks.current, part);

	if (!part->count || !part->size)
		return;
	if (!reduced)
		cape_reduction_add(worker, part, (const void *)values);
	else if (worker->active_level)
		add(reduced, worker, part, (const void *)values);
	else
		cape_reduced_apply(part, part->original, (const void *)values);
}

void cape_thread_task_reduction(const volatile void *values, volatile void *original,
				enum cape_operator op, enum cape_type type, unsigned long count)
{
	struct cape_reduced_part part = cape_reduced_by(original, op, type, count);

	hand_over(&part, values);
}

void cape_thread_task_reduction_user(const volatile void *values, volatile void *original,
				     unsigned long size, unsigned long count,
				     void (*combine)(void *out, const void *in))
{
	struct cape_reduced_part part = cape_reduced_by_user(original, size, count, combine);

	hand_over(&part, values);
}

/* Takes the sum of the first thread from SUMS, of which there are some. */
static struct sum *take_first(struct sum **sums)
{
	struct sum **least = sums, *first = *sums;

	for (struct sum **at = &first->next; *at; at = &(*at)->next)
		if ((*at)->thread < (*least)->thread)
			least = at;
	first = *least;
	*least = first->next;
	return first;
}

static void fold(struct cape_reduced *reduced)
{
	while (reduced->sums) {
		struct sum *sum = take_first(&reduced->sums);

		cape_reduced_apply(&sum->part, sum->part.original, sum->values);
		cape_release(sum);
	}
}

void cape_task_reductions_end(struct cape_task *group)
{
	while (group->reduced != group->parent->reduced) {
		struct cape_reduced *reduced = group->reduced;

		group->reduced = reduced->outer;
		fold(reduced);
		cape_release(reduced);
	}
}
