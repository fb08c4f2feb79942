// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * deque.c - pushing, taking and stealing of tasks.
 */
#include "threads/deque.h"

#include <stdlib.h>
#include "threads/worker.h"

#define FIRST_CAPACITY 512u

static struct cape_task **slot(const struct cape_deque *deque, uint64_t at)
{
	return &deque->ring[at & (deque->capacity - 1)];
}

static void lock(struct cape_deque *deque, const struct cape_worker *worker)
{
	cape_word_lock(&deque->lock, worker->id, worker->looks);
}

static void grow(struct cape_deque *deque, const struct cape_worker *owner)
{
	struct cape_deque larger = {.capacity =
					    deque->capacity ? 2 * deque->capacity : FIRST_CAPACITY};

	larger.ring = cape_must_resize(NULL, larger.capacity * sizeof(struct cape_task *));
	lock(deque, owner);
	for (uint64_t at = deque->first; at < deque->end; at++)
		*slot(&larger, at) = *slot(deque, at);
	cape_release(deque->ring);
	deque->ring = larger.ring;
	deque->capacity = larger.capacity;
	cape_word_unlock(&deque->lock);
}

/* A thief has raised FIRST before it reads that slot: one stays free. */
void cape_deque_push(struct cape_worker *owner, struct cape_task *task)
{
	struct cape_deque *deque = &owner->tasks.deque;
	uint64_t end = deque->end;

	if (end - __atomic_load_n(&deque->first, __ATOMIC_ACQUIRE) + 1 >= deque->capacity)
		grow(deque, owner);
	__atomic_store_n(slot(deque, end), task, __ATOMIC_RELAXED);
	__atomic_store_n(&deque->end, end + 1, __ATOMIC_SEQ_CST);
}

/* A thief may have the last one. */
static struct cape_task *pop_last(struct cape_deque *deque, const struct cape_worker *owner,
				  uint64_t end)
{
	struct cape_task *task = NULL;

	lock(deque, owner);
	if (deque->first <= end)
		task = *slot(deque, end);
	else
		__atomic_store_n(&deque->end, end + 1, __ATOMIC_SEQ_CST);
	cape_word_unlock(&deque->lock);
	return task;
}

struct cape_task *cape_deque_pop(struct cape_worker *owner, uint64_t base)
{
	struct cape_deque *deque = &owner->tasks.deque;
	uint64_t end = deque->end;

	if (end <= base)
		return NULL;
	/* A thief that gives its task back has raised it for a moment. */
	if (end <= __atomic_load_n(&deque->first, __ATOMIC_RELAXED)) {
		bool any;

		lock(deque, owner);
		any = deque->first < end;
		cape_word_unlock(&deque->lock);
		if (!any)
			return NULL;
	}
	__atomic_store_n(&deque->end, --end, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&deque->first, __ATOMIC_SEQ_CST) > end)
		return pop_last(deque, owner, end);
	return __atomic_load_n(slot(deque, end), __ATOMIC_RELAXED);
}

/* A thief hides the task that it looks at: where one is, there may be more than are counted. */
bool cape_deque_any(const struct cape_deque *deque)
{
	return cape_deque_count(deque) || __atomic_load_n(&deque->lock, __ATOMIC_ACQUIRE) ||
	       cape_deque_count(deque);
}

struct cape_task *cape_deque_steal(struct cape_worker *victim, const struct cape_worker *thief,
				   struct cape_search *search)
{
	struct cape_deque *deque = &victim->tasks.deque;
	struct cape_task *task = NULL;
	uint64_t first;

	if (!cape_deque_any(deque))
		return NULL;
	if (!cape_word_try(&deque->lock, thief->id)) {
		search->busy = true;
		return NULL;
	}
	first = deque->first;
	__atomic_store_n(&deque->first, first + 1, __ATOMIC_SEQ_CST);
	if (first < __atomic_load_n(&deque->end, __ATOMIC_SEQ_CST)) {
		task = __atomic_load_n(slot(deque, first), __ATOMIC_RELAXED);
		if (search->root && !cape_task_comes_from(task, search->root)) {
			search->others = true;
			task = NULL;
		}
	}
	if (!task)
		__atomic_store_n(&deque->first, first, __ATOMIC_SEQ_CST);
	cape_word_unlock(&deque->lock);
	return task;
}
