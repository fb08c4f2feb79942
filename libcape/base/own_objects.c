// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * own_objects.c - a sorted list, which the program's threads add to.
 */
#include "base/own_objects.h"

#include <string.h>
#include "system/ranges.h"

#define OBJECTS_LIMIT 65536

static void init_locks(struct cape_own_objects *objects)
{
	pthread_rwlock_init(&objects->looked_at, NULL);
	pthread_mutex_init(&objects->lock, NULL);
}

/* Who held them is not here. */
static void in_child(void)
{
	init_locks(cape_runtime->own_objects);
}

static void start(struct cape_runtime *runtime)
{
	struct cape_own_objects *objects = runtime->own_objects;

	init_locks(objects);
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
	pthread_rwlock_rdlock(&runtime->own_objects->looked_at);
}

void cape_own_objects_release(struct cape_runtime *runtime)
{
	pthread_rwlock_unlock(&runtime->own_objects->looked_at);
}

/* The node's own threads change the list only where none of them looks, or one alone does. */
static void begin_change(struct cape_runtime *runtime)
{
	if (!cape_is_member(runtime))
		pthread_rwlock_wrlock(&runtime->own_objects->looked_at);
	pthread_mutex_lock(&runtime->own_objects->lock);
}

static void end_change(struct cape_runtime *runtime)
{
	pthread_mutex_unlock(&runtime->own_objects->lock);
	if (!cape_is_member(runtime))
		pthread_rwlock_unlock(&runtime->own_objects->looked_at);
}

static void set_count(struct cape_own_objects *objects, size_t count)
{
	__atomic_store_n(&objects->count, count, __ATOMIC_RELEASE);
}

void cape_own_objects_add(struct cape_runtime *runtime, uint64_t address, uint64_t size)
{
	struct cape_own_objects *objects = runtime->own_objects;
	struct cape_range *at;

	begin_change(runtime);
	at = objects->object + find(objects, address);
	if (objects->count < OBJECTS_LIMIT &&
	    (at == objects->object + objects->count || at->start >= address + size)) {
		memmove(at + 1, at, (size_t)(objects->object + objects->count - at) * sizeof(*at));
		*at = (struct cape_range){address, address + size};
		set_count(objects, objects->count + 1);
	}
	end_change(runtime);
}

void cape_own_objects_forget(struct cape_runtime *runtime, uint64_t address, uint64_t size)
{
	struct cape_own_objects *objects = runtime->own_objects;
	size_t first, end;

	begin_change(runtime);
	first = end = find(objects, address);
	while (end < objects->count && objects->object[end].start < address + size)
		end++;
	memmove(objects->object + first, objects->object + end,
		(objects->count - end) * sizeof(*objects->object));
	set_count(objects, objects->count - (end - first));
	end_change(runtime);
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
