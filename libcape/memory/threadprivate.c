/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * threadprivate.c - each node's own values of thread-local storage, in and out of regions.
 *
 * The storage itself is used inside and outside of regions.  On nodes other than the master the
 * node's own values come from a copy at a region's entry, and go there at its end; what sequential
 * code sees is in the area's twin meanwhile.
 *
 * Where threads run a node's regions each has storage of its own, as far from where its processor
 * finds it as the initial thread's is from there.
 */
#include "memory/threadprivate.h"

#include <string.h>
#include "base/saved.h"
#include "memory/area.h"
#include "memory/twin.h"
#include "memory/shared.h"

static uint64_t own_pointer(void)
{
	uint64_t pointer = 0;

	__asm__("mov %%fs:0, %0" : "=r"(pointer));
	return pointer;
}

static void start(struct cape_runtime *runtime)
{
	struct cape_threadprivates *threadprivates = runtime->threadprivates;

	threadprivates->storage =
		cape_must_reserve(runtime, CAPE_AREAS_LIMIT * sizeof(*threadprivates->storage));
	threadprivates->copyin =
		cape_must_reserve(runtime, CAPE_COPYIN_LIMIT * sizeof(*threadprivates->copyin));
	threadprivates->thread = cape_must_reserve(
		runtime, CAPE_THREAD_VALUES_LIMIT * sizeof(*threadprivates->thread));
	threadprivates->pointer = own_pointer();
}

CAPE_PART_OF_NODES(threadprivates, start);

void cape_thread_storage_add(struct cape_runtime *runtime, uint64_t address, uint64_t size,
			     bool an_area)
{
	struct cape_threadprivates *threadprivates = runtime->threadprivates;
	unsigned char *own = cape_must_reserve(runtime, size),
		      *sequential = an_area ? NULL : cape_must_reserve(runtime, size);

	if (threadprivates->count == CAPE_AREAS_LIMIT)
		cape_fail(runtime, 0, "more than %d objects with thread-local storage",
			  CAPE_AREAS_LIMIT);
	memcpy(own, (const void *)(uintptr_t)address, size);
	if (sequential)
		memcpy(sequential, own, size);
	threadprivates->storage[threadprivates->count++] =
		(struct cape_thread_storage){address, size, own, sequential};
}

void cape_threadprivate_copyin(struct cape_runtime *runtime, uint64_t address, uint64_t size)
{
	struct cape_threadprivates *threadprivates = runtime->threadprivates;

	if (threadprivates->copyin_count == CAPE_COPYIN_LIMIT)
		cape_fail(runtime, 0, "more than %lu variables in copyin", CAPE_COPYIN_LIMIT);
	threadprivates->copyin[threadprivates->copyin_count++] =
		(struct cape_range){address, address + size};
}

/* What memory has of STORAGE and is copied in becomes this node's own. */
static void copy_in(const struct cape_threadprivates *threadprivates,
		    const struct cape_thread_storage *storage)
{
	for (size_t i = 0; i < threadprivates->copyin_count; i++) {
		const struct cape_range *range = &threadprivates->copyin[i];

		if (range->start >= storage->address &&
		    range->end <= storage->address + storage->size)
			memcpy(storage->own + (range->start - storage->address),
			       (const void *)(uintptr_t)range->start, range->end - range->start);
	}
}

void cape_threadprivate_enter(struct cape_runtime *runtime)
{
	struct cape_threadprivates *threadprivates = runtime->threadprivates;

	for (size_t i = 0; i < threadprivates->count && runtime->node > 0; i++) {
		const struct cape_thread_storage *storage = &threadprivates->storage[i];

		if (storage->sequential)
			memcpy(storage->sequential, (const void *)(uintptr_t)storage->address,
			       storage->size);
		copy_in(threadprivates, storage);
		memcpy((void *)(uintptr_t)storage->address, storage->own, storage->size);
	}
	threadprivates->copyin_count = 0;
}

void cape_threadprivate_leave(struct cape_runtime *runtime)
{
	if (runtime->node == 0)
		return;
	for (size_t i = 0; i < runtime->threadprivates->count; i++) {
		const struct cape_thread_storage *storage = &runtime->threadprivates->storage[i];

		memcpy(storage->own, (const void *)(uintptr_t)storage->address, storage->size);
		if (storage->sequential)
			memcpy((void *)(uintptr_t)storage->address, storage->sequential,
			       storage->size);
	}
	for (size_t i = 0; i < runtime->areas->count; i++) {
		struct cape_area *area = &runtime->areas->area[i];

		if (area->kind == CAPE_AREA_MASTER && !cape_shared_stays(runtime, area))
			cape_twin_restore(area, (struct cape_range){area->start, area->end});
	}
}

void cape_threadprivate_keep(struct cape_runtime *runtime, const void *variable, uint64_t size)
{
	uint64_t address = (uint64_t)(uintptr_t)variable;

	for (size_t i = 0; i < runtime->threadprivates->count; i++) {
		const struct cape_thread_storage *storage = &runtime->threadprivates->storage[i];

		if (address >= storage->address &&
		    address + size <= storage->address + storage->size)
			memcpy(storage->own + (address - storage->address), variable, size);
	}
}

/* -- for saving --------------------------------------------------------------------------- */

/* Of a thread, by its number in a team of all; its objects follow. */
struct saved_thread {
	uint64_t number, size;
};

/* Of one object; its values follow. */
struct saved {
	uint64_t address, size;
};

/* The number of this node's initial thread. */
static uint64_t first_number(const struct cape_runtime *runtime)
{
	return (uint64_t)runtime->node * runtime->threads;
}

/* This node's own, or, with POINTER, those of the thread that has it. */
static uint64_t put_values(struct cape_runtime *runtime, uint64_t pointer, unsigned char *to)
{
	uint64_t used = 0;

	for (size_t i = 0; i < runtime->threadprivates->count; i++) {
		const struct cape_thread_storage *storage = &runtime->threadprivates->storage[i];
		struct saved saved = {storage->address, storage->size};
		uint64_t there = storage->address - runtime->threadprivates->pointer + pointer;

		if (to) {
			memcpy(to + used, &saved, sizeof(saved));
			memcpy(to + used + sizeof(saved),
			       pointer ? (const void *)(uintptr_t)there : storage->own,
			       storage->size);
		}
		used += sizeof(saved) + storage->size;
	}
	return used;
}

/* One that this run has not had yet is as it was before. */
static uint64_t put_thread(struct cape_runtime *runtime, size_t number, unsigned char *to)
{
	const struct cape_thread_values *thread = &runtime->threadprivates->thread[number];

	if (!number || thread->pointer)
		return put_values(runtime, number ? thread->pointer : 0, to);
	if (to && thread->before_size)
		memcpy(to, thread->before, thread->before_size);
	return thread->before_size;
}

static uint64_t put_threads(struct cape_runtime *runtime, unsigned char *to)
{
	const struct cape_threadprivates *threadprivates = runtime->threadprivates;
	size_t i = 0;
	uint64_t used = 0;

	do {
		struct saved_thread saved = {first_number(runtime) + i, 0};

		saved.size = put_thread(runtime, i, to ? to + used + sizeof(saved) : NULL);
		if (to)
			memcpy(to + used, &saved, sizeof(saved));
		used += sizeof(saved) + saved.size;
	} while (++i < threadprivates->threads);
	return used;
}

/* To where put_values() has them from. */
static void take_values(struct cape_runtime *runtime, uint64_t pointer, const unsigned char *from,
			uint64_t size)
{
	struct saved saved;

	while (size >= sizeof(saved)) {
		memcpy(&saved, from, sizeof(saved));
		from += sizeof(saved);
		size -= sizeof(saved);
		if (saved.size > size)
			break;
		for (size_t i = 0; i < runtime->threadprivates->count; i++) {
			const struct cape_thread_storage *storage =
				&runtime->threadprivates->storage[i];
			uint64_t there =
				storage->address - runtime->threadprivates->pointer + pointer;

			if (storage->address == saved.address && storage->size == saved.size)
				memcpy(pointer ? (void *)(uintptr_t)there : storage->own, from,
				       saved.size);
		}
		from += saved.size;
		size -= saved.size;
	}
}

/* The thread of that number has not begun yet; what it is taken from stays. */
static void take_thread(struct cape_runtime *runtime, uint64_t number, const unsigned char *from,
			uint64_t size)
{
	struct cape_threadprivates *threadprivates = runtime->threadprivates;

	threadprivates->thread[number] =
		(struct cape_thread_values){.before = from, .before_size = size};
	if (threadprivates->threads <= number)
		threadprivates->threads = number + 1;
}

/* Those of this node, however many threads each node has had where the run was saved. */
static void take_threads(struct cape_runtime *runtime, const unsigned char *from, uint64_t size)
{
	uint64_t first = first_number(runtime), most = runtime->threads;
	struct saved_thread saved;

	if (runtime->channel->flags & CAPE_CHANNEL_THREADS)
		most = CAPE_THREAD_VALUES_LIMIT;
	for (; size >= sizeof(saved); from += saved.size, size -= saved.size) {
		memcpy(&saved, from, sizeof(saved));
		from += sizeof(saved);
		size -= sizeof(saved);
		if (saved.size > size)
			break;
		if (saved.number == first)
			take_values(runtime, 0, from, saved.size);
		else if (saved.number > first && saved.number - first < most)
			take_thread(runtime, saved.number - first, from, saved.size);
	}
}

static void take_others(struct cape_runtime *runtime, unsigned number, const unsigned char *from,
			uint64_t size)
{
	(void)number;
	take_threads(runtime, from, size);
}

CAPE_SAVED(threadprivate, .of_node = true, .put = put_threads, .take = take_threads,
	   .take_other = take_others);

void cape_threadprivate_count(struct cape_runtime *runtime, size_t threads)
{
	if (runtime->threadprivates->threads < threads)
		runtime->threadprivates->threads = threads;
}

void cape_threadprivate_begin(struct cape_runtime *runtime, unsigned number)
{
	struct cape_thread_values *thread = &runtime->threadprivates->thread[number];

	thread->pointer = own_pointer();
	if (thread->before_size)
		take_values(runtime, thread->pointer, thread->before, thread->before_size);
}
