// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * locks.c - omp_lock_t and omp_nest_lock_t between nodes, and their threads.
 *
 * The service knows who holds a lock; the lock's own memory, which is shared like any other, says
 * it too, so that every node knows of locks that are held across the end of a region, and so that
 * a wrong use is found.  A lock that sequential code has set, all nodes alike, is unknown to the
 * service and counts as the master's.
 *
 * A nest lock is the task's that set it, so the master does not own one that sequential code has
 * set.
 */
#include "base/context.h"
#include "base/threads.h"
#include "memory/apart.h"
#include "memory/shared.h"
#include "channel/service.h"
#include "openmp/constructs.h"
#include "sync/flush.h"
#include "sync/log.h"
#include "base/ordering.h"

/* Not that of sequential code, nor that with the mark that threads/wait.h makes. */
#define FIRST_THREAD (CAPE_LOCK_SEQUENTIAL + 2)
#define RETRY_US     500u

static int own_number(const struct cape_runtime *runtime)
{
	return runtime->in_region ? (int)runtime->ordering->thread(runtime) + FIRST_THREAD
				  : CAPE_LOCK_SEQUENTIAL;
}

/* Whether the lock is this thread's, or all nodes' where they run alike. */
static bool is_own(const struct cape_runtime *runtime, int owner)
{
	if (owner == CAPE_LOCK_FREE)
		return false;
	if (!runtime->in_region)
		return true;
	return owner == own_number(runtime) ||
	       (owner == CAPE_LOCK_SEQUENTIAL && !runtime->ordering->thread(runtime));
}

static bool is_at_service(struct cape_runtime *runtime, const void *lock, size_t size)
{
	return cape_is_concurrent(runtime) &&
	       cape_shared_holds(runtime, (uint64_t)(uintptr_t)lock, size);
}

static uint64_t number_of(const void *lock)
{
	return CAPE_LOCK_OF_ADDRESS | (uint64_t)(uintptr_t)lock;
}

/* Waits for what sequential code has set: the master unsets it, and publishes that. */
static void await_sequential(struct cape_runtime *runtime, const volatile int *owner, uint64_t id)
{
	while (*owner == CAPE_LOCK_SEQUENTIAL) {
		runtime->ordering->give_back(runtime, id);
		cape_flush_await(runtime, RETRY_US);
		runtime->ordering->acquire(runtime, id);
	}
}

static void set(struct cape_runtime *runtime, volatile int *owner, const void *lock, size_t size)
{
	if (is_at_service(runtime, lock, size)) {
		runtime->ordering->acquire(runtime, number_of(lock));
		await_sequential(runtime, owner, number_of(lock));
	}
	*owner = own_number(runtime);
}

static bool test(struct cape_runtime *runtime, volatile int *owner, const void *lock, size_t size)
{
	if (!is_at_service(runtime, lock, size)) {
		if (*owner != CAPE_LOCK_FREE)
			return false;
	} else if (!runtime->ordering->try(runtime, number_of(lock))) {
		return false;
	} else if (*owner == CAPE_LOCK_SEQUENTIAL) {
		runtime->ordering->give_back(runtime, number_of(lock));
		return false;
	}
	*owner = own_number(runtime);
	return true;
}

/* The initial thread gives back what sequential code has set. */
static void publish(struct cape_runtime *runtime)
{
	runtime->ordering->speak(runtime);
	cape_log_ask(runtime,
		     (struct cape_service_request){.kind = CAPE_SERVICE_FLUSH,
						   .size = cape_log_collect_release(runtime)});
	runtime->ordering->be_silent(runtime);
}

static void unset(struct cape_runtime *runtime, volatile int *owner, const void *lock, size_t size)
{
	int before = *owner;

	*owner = CAPE_LOCK_FREE;
	if (is_at_service(runtime, lock, size)) {
		if (before != CAPE_LOCK_SEQUENTIAL)
			runtime->ordering->release(runtime, number_of(lock));
		else
			publish(runtime);
	} else if (runtime->nodes > 1 && !runtime->in_region && before >= FIRST_THREAD &&
		   (unsigned)(before - FIRST_THREAD) / runtime->threads == runtime->node) {
		/* Held since the last region, and unset by all nodes now. */
		runtime->ordering->give_back(runtime, number_of(lock));
	}
}

void cape_node_lock_placed(const struct cape_place *place)
{
	cape_runtime_place(cape_runtime_get(), place);
}

void cape_node_lock_misused(const char *what, const void *lock)
{
	struct cape_runtime *runtime = cape_runtime_get();

	if (!runtime->channel)
		cape_fail(runtime, 0, "%s", what);
	cape_fail(runtime, (uint64_t)(uintptr_t)lock, "node %u: %s: @, at %s:%d", runtime->node,
		  what, runtime->channel->state.file, runtime->channel->state.line);
}

CAPE_APART(void, cape_node_set_lock, (omp_lock_t * lock))
{
	struct cape_runtime *runtime = cape_runtime_get();

	cape_threads_refuse_lock(runtime, "omp_set_lock");
	if (is_own(runtime, lock->owner))
		cape_node_lock_misused(
			"omp_set_lock() would wait for this node itself, which has set "
			"the lock already",
			lock);
	set(runtime, &lock->owner, lock, sizeof(*lock));
}

CAPE_APART(void, cape_node_unset_lock, (omp_lock_t * lock))
{
	struct cape_runtime *runtime = cape_runtime_get();

	cape_threads_refuse_lock(runtime, "omp_unset_lock");
	if (!is_own(runtime, lock->owner))
		cape_node_lock_misused("omp_unset_lock() of a lock that this node has not set",
				       lock);
	unset(runtime, &lock->owner, lock, sizeof(*lock));
}

CAPE_APART(int, cape_node_test_lock, (omp_lock_t * lock))
{
	struct cape_runtime *runtime = cape_runtime_get();

	cape_threads_refuse_lock(runtime, "omp_test_lock");
	return !is_own(runtime, lock->owner) && test(runtime, &lock->owner, lock, sizeof(*lock));
}

static int task_number(const struct cape_runtime *runtime)
{
	return (int)runtime->ordering->task(runtime);
}

static bool is_own_nest(const struct cape_runtime *runtime, const omp_nest_lock_t *lock)
{
	return is_own(runtime, lock->owner) && lock->task == task_number(runtime);
}

/* Whether it is held for longer than this task can wait. */
static bool is_held_below(const struct cape_runtime *runtime, const omp_nest_lock_t *lock)
{
	return !is_own_nest(runtime, lock) &&
	       (is_own(runtime, lock->owner) || lock->owner == CAPE_LOCK_SEQUENTIAL);
}

CAPE_APART(void, cape_node_set_nest_lock, (omp_nest_lock_t * lock))
{
	struct cape_runtime *runtime = cape_runtime_get();

	cape_threads_refuse_lock(runtime, "omp_set_nest_lock");
	if (is_held_below(runtime, lock))
		cape_node_lock_misused(
			"omp_set_nest_lock() would wait for a task that waits for this one, and "
			"has set the lock",
			lock);
	if (!is_own_nest(runtime, lock)) {
		set(runtime, &lock->owner, lock, sizeof(*lock));
		lock->task = task_number(runtime);
	}
	lock->depth++;
}

CAPE_APART(void, cape_node_unset_nest_lock, (omp_nest_lock_t * lock))
{
	struct cape_runtime *runtime = cape_runtime_get();

	cape_threads_refuse_lock(runtime, "omp_unset_nest_lock");
	if (!is_own_nest(runtime, lock))
		cape_node_lock_misused("omp_unset_nest_lock() of a lock that this task has not set",
				       lock);
	if (--lock->depth == 0)
		unset(runtime, &lock->owner, lock, sizeof(*lock));
}

CAPE_APART(int, cape_node_test_nest_lock, (omp_nest_lock_t * lock))
{
	struct cape_runtime *runtime = cape_runtime_get();

	cape_threads_refuse_lock(runtime, "omp_test_nest_lock");
	if (is_held_below(runtime, lock))
		return 0;
	if (!is_own_nest(runtime, lock)) {
		if (!test(runtime, &lock->owner, lock, sizeof(*lock)))
			return 0;
		lock->task = task_number(runtime);
	}
	return ++lock->depth;
}

const struct cape_lock_calls cape_locks_of_nodes = {CAPE_LOCK_PARTS(CAPE_CALL_OF_NODE)};
