// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * own_objects.c - a sorted list, which the program's threads add to.
 */
#include "base/own_objects.h"

#include <string.h>
#include "channel/futex.h"
#include "system/ranges.h"

#define OBJECTS_LIMIT 65536

/* Who held it, and who looked, is not here. */
static void in_child(void)
{
	pthread_mutex_init(&cape_runtime->own_objects->lock, NULL);
	cape_runtime->own_objects->looks = cape_runtime->own_objects->waiting = 0;
}

static void start(struct cape_runtime *runtime)
{
	struct cape_own_objects *objects = runtime->own_objects;

	pthread_mutex_init(&objects->lock, NULL);
	pthread_atfork(NULL, NULL, in_child);
	objects->object = cape_must_reserve(runtime, OBJECTS_LIMIT * sizeof(*objects->object));
}

CAPE_PART_OF_NODES(own_objects, start);

/* The number of the first that ends after ADDRESS. */
static size_t find(const struct cape_own_objects *objects, uint64_t address)
{
	return cape_ranges_find(objects->object, objects->count, sizeof(*objects->object), address);
}

void cape_own_objects_hold(struct cape_runtime *runtime)
{
	struct cape_own_objects *objects = runtime->own_objects;

	pthread_mutex_lock(&objects->lock);
	objects->looks++;
	pthread_mutex_unlock(&objects->lock);
}

void cape_own_objects_release(struct cape_runtime *runtime)
{
	struct cape_own_objects *objects = runtime->own_objects;

	pthread_mutex_lock(&objects->lock);
	if (!--objects->looks && objects->waiting)
		cape_futex_wake_all(&objects->looks);
	pthread_mutex_unlock(&objects->lock);
}

/* Locks the list; threads that the program made wait before that while somebody looks. */
static void lock_to_change(struct cape_runtime *runtime)
{
	struct cape_own_objects *objects = runtime->own_objects;
	bool waits = !cape_is_member(runtime);
	uint32_t looks;

	pthread_mutex_lock(&objects->lock);
	while (waits && (looks = objects->looks)) {
		objects->waiting++;
		pthread_mutex_unlock(&objects->lock);
		cape_futex_wait(&objects->looks, looks, NULL);
		pthread_mutex_lock(&objects->lock);
		objects->waiting--;
	}
}

static void set_count(struct cape_own_objects *objects, size_t count)
{
	__atomic_store_n(&objects->count, count, __ATOMIC_RELEASE);
}

void cape_own_objects_add(struct cape_runtime *runtime, uint64_t address, uint64_t size)
{
	struct cape_own_objects *objects = runtime->own_objects;
	struct cape_range *at;

	lock_to_change(runtime);
	at = objects->object + find(objects, address);
	if (objects->count < OBJECTS_LIMIT &&
	    (at == objects->object + objects->count || at->start >= address + size)) {
		memmove(at + 1, at, (size_t)(objects->object + objects->count - at) * sizeof(*at));
		*at = (struct cape_range){address, address + size};
		set_count(objects, objects->count + 1);
	}
	pthread_mutex_unlock(&objects->lock);
}

void cape_own_objects_forget(struct cape_runtime *runtime, uint64_t address, uint64_t size)
{
	struct cape_own_objects *objects = runtime->own_objects;
	size_t first, end;

	lock_to_change(runtime);
	first = end = find(objects, address);
	while (end < objects->count && objects->object[end].start < address + size)
		end++;
	memmove(objects->object + first, objects->object + end,
		(objects->count - end) * sizeof(*objects->object));
	set_count(objects, objects->count - (end - first));
	pthread_mutex_unlock(&objects->lock);
}

struct cape_range cape_own_objects_next(struct cape_runtime *runtime, uint64_t address)
{
	struct cape_own_objects *objects = runtime->own_objects;
	struct cape_range found = {UINT64_MAX, UINT64_MAX};
	size_t at;

	pthread_mutex_lock(&objects->lock);
	at = find(objects, address);
	if (at < objects->count)
		found = objects->object[at];
	pthread_mutex_unlock(&objects->lock);
	return found;
}

void cape_own_objects_clear(struct cape_runtime *runtime, uint64_t address, uint64_t size)
{
	struct cape_range own = cape_own_objects_next(runtime, address);

	for (; own.start < address + size; own = cape_own_objects_next(runtime, own.end)) {
		uint64_t start = own.start > address ? own.start : address;
		uint64_t end = own.end < address + size ? own.end : address + size;

		memset((void *)(uintptr_t)start, 0, end - start);
	}
	cape_own_objects_forget(runtime, address, size);
}
