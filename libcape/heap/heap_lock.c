// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * heap_lock.c - a lock that costs nothing before there is a second thread.
 */
#include "heap/heap_lock.h"

#include <sys/single_threaded.h>
#include "heap/heap.h"

static void before_fork(void)
{
	pthread_mutex_lock(&cape_runtime->heap_lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&cape_runtime->heap_lock);
}

/* Nobody is in the heap while a process is made of it. */
void cape_heap_lock_start(void)
{
	pthread_atfork(before_fork, after_fork, after_fork);
}

static bool is_apart(const struct cape_runtime *runtime)
{
	return runtime->nodes > 1 && (cape_allocates_apart || !cape_is_member(runtime));
}

bool cape_heap_lock(struct cape_runtime *runtime)
{
	if (__builtin_expect(__libc_single_threaded && !cape_allocates_apart, 1))
		return false;
	pthread_mutex_lock(&runtime->heap_lock);
	if (is_apart(runtime))
		cape_heap_apart(runtime->heap, true);
	return true;
}

void cape_heap_unlock(struct cape_runtime *runtime, bool locked)
{
	if (__builtin_expect(!locked, 1))
		return;
	if (is_apart(runtime))
		cape_heap_apart(runtime->heap, false);
	pthread_mutex_unlock(&runtime->heap_lock);
}

void *cape_heap_lock_allocate(struct cape_runtime *runtime, size_t size)
{
	bool locked = cape_heap_lock(runtime);
	void *block = cape_heap_allocate(runtime->heap, size, CAPE_ARENA_ALIGNMENT);

	cape_heap_unlock(runtime, locked);
	return block;
}

int cape_heap_lock_release(struct cape_runtime *runtime, void *block)
{
	bool locked = cape_heap_lock(runtime);
	int error = cape_heap_release(runtime->heap, block);

	cape_heap_unlock(runtime, locked);
	return error;
}

void *cape_heap_lock_allocate_apart(struct cape_runtime *runtime, size_t size, size_t alignment)
{
	void *block;

	pthread_mutex_lock(&runtime->heap_lock);
	cape_heap_apart(runtime->heap, true);
	block = cape_heap_allocate(runtime->heap, size, alignment);
	cape_heap_apart(runtime->heap, false);
	pthread_mutex_unlock(&runtime->heap_lock);
	return block;
}

void *cape_heap_lock_resize_apart(struct cape_runtime *runtime, void *block, size_t size)
{
	if (!block)
		return cape_heap_lock_allocate_apart(runtime, size, CAPE_ARENA_ALIGNMENT);
	pthread_mutex_lock(&runtime->heap_lock);
	cape_heap_apart(runtime->heap, true);
	block = cape_heap_resize(runtime->heap, block, size);
	cape_heap_apart(runtime->heap, false);
	pthread_mutex_unlock(&runtime->heap_lock);
	return block;
}

void cape_heap_lock_parallel(struct cape_runtime *runtime, bool parallel)
{
	bool locked = cape_heap_lock(runtime);

	cape_heap_parallel(runtime->heap, parallel);
	cape_heap_unlock(runtime, locked);
}
