// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * locks.c - omp_lock_t and omp_nest_lock_t between threads: a word that says who holds it.
 */
#include "omp.h"
#include "base/context.h"
#include "openmp/constructs.h"
#include "threads/process.h"

static uint32_t *word_of(int *owner)
{
	return (uint32_t *)owner;
}

static uint32_t holder(const int *owner)
{
	return CAPE_WORD_HOLDER(__atomic_load_n((const uint32_t *)owner, __ATOMIC_RELAXED));
}

/* Such a holder there cannot be. */
static bool is_garbage(const struct cape_worker *worker, const int *owner)
{
	return holder(owner) > __atomic_load_n(&worker->pool->ids, __ATOMIC_RELAXED);
}

/* Where this thread uses one; a node's is in the channel. */
static __thread struct cape_place last __attribute__((tls_model("initial-exec")));

void cape_thread_lock_placed(const struct cape_place *place)
{
	last = *place;
}

void cape_thread_lock_misused(const char *what, const void *lock)
{
	struct cape_runtime *runtime = cape_runtime_get();
	unsigned number = cape_thread_number(), size = cape_thread_size();

	/* The monitor knows names. */
	if (runtime->channel)
		cape_fail(runtime, (uint64_t)(uintptr_t)lock, "thread %u of %u: %s: @, at %s:%d",
			  number, size, what, last.file ? last.file : "an unknown place",
			  last.line);
	if (!last.file)
		cape_fail(runtime, 0, "thread %u of %u: %s", number, size, what);
	cape_fail(runtime, 0, "thread %u of %u: %s, at %s:%d", number, size, what, last.file,
		  last.line);
}

static void set(struct cape_worker *worker, int *owner)
{
	if (is_garbage(worker, owner))
		cape_thread_lock_misused("a lock that omp_init_lock() has not made is set", owner);
	cape_word_lock_slowly(word_of(owner), worker->id, worker->looks);
}

void cape_thread_set_lock(omp_lock_t *lock)
{
	struct cape_worker *worker = cape_worker_get();

	if (cape_word_try(word_of(&lock->owner), worker->id))
		return;
	if (holder(&lock->owner) == worker->id)
		cape_thread_lock_misused(
			"omp_set_lock() would wait for this thread itself, which has set "
			"the lock already",
			lock);
	set(worker, &lock->owner);
}

void cape_thread_unset_lock(omp_lock_t *lock)
{
	if (is_garbage(cape_worker_get(), &lock->owner))
		cape_thread_lock_misused(
			"omp_unset_lock() of a lock that omp_init_lock() has not made", lock);
	if (!holder(&lock->owner))
		cape_thread_lock_misused("omp_unset_lock() of a lock that is not set", lock);
	cape_word_unlock(word_of(&lock->owner));
}

int cape_thread_test_lock(omp_lock_t *lock)
{
	return cape_word_try(word_of(&lock->owner), cape_worker_get()->id);
}

/* Distinguishes the tasks that are alive on a thread, which are inside each other. */
static int task_number(const struct cape_worker *worker)
{
	return (int)(worker->level + worker->tasks.running);
}

/* Whether WORKER holds it; only then the rest of the lock may be looked at. */
static bool is_mine(const struct cape_worker *worker, const omp_nest_lock_t *lock)
{
	return holder(&lock->owner) == worker->id;
}

void cape_thread_set_nest_lock(omp_nest_lock_t *lock)
{
	struct cape_worker *worker = cape_worker_get();

	if (!is_mine(worker, lock)) {
		if (!cape_word_try(word_of(&lock->owner), worker->id))
			set(worker, &lock->owner);
		lock->task = task_number(worker);
	} else if (lock->task != task_number(worker)) {
		cape_thread_lock_misused(
			"omp_set_nest_lock() would wait for a task that waits for this "
			"one, and has set the lock",
			lock);
	}
	lock->depth++;
}

void cape_thread_unset_nest_lock(omp_nest_lock_t *lock)
{
	if (!holder(&lock->owner))
		cape_thread_lock_misused("omp_unset_nest_lock() of a lock that is not set", lock);
	if (--lock->depth == 0)
		cape_word_unlock(word_of(&lock->owner));
}

int cape_thread_test_nest_lock(omp_nest_lock_t *lock)
{
	struct cape_worker *worker = cape_worker_get();

	if (is_mine(worker, lock)) {
		if (lock->task != task_number(worker))
			return 0;
	} else {
		if (!cape_word_try(word_of(&lock->owner), worker->id))
			return 0;
		lock->task = task_number(worker);
	}
	return ++lock->depth;
}
