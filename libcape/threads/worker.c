// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * worker.c - what each thread knows of itself, and memory for it.
 */
#include "threads/worker.h"

#include <stdlib.h>
#include "threads/process.h"

__thread struct cape_worker *cape_worker;

#define FIRST_CONSTRUCTS 16u
#define FIRST_BYTES	 256u

void *cape_buffer_add(struct cape_buffer *buffer, size_t size)
{
	size_t alignment = _Alignof(max_align_t);
	size_t whole = (size + alignment - 1) / alignment * alignment;
	void *room;

	if (whole < size || whole > SIZE_MAX / 4)
		cape_fail(cape_runtime_get(), 0, "out of memory for threads (%zu bytes)", size);
	if (whole > buffer->capacity - buffer->size) {
		buffer->capacity = 2 * (buffer->size + whole) + FIRST_BYTES;
		buffer->memory = cape_must_resize(buffer->memory, buffer->capacity);
	}
	room = buffer->memory + buffer->size;
	buffer->size += whole;
	return room;
}

struct cape_worker *cape_worker_new(struct cape_pool *pool)
{
	struct cape_worker *worker = cape_try_allocate(sizeof(*worker));

	if (!worker)
		cape_fail(cape_runtime_get(), 0, "out of memory for a thread");
	*worker = (struct cape_worker){
		.size = 1,
		.id = __atomic_add_fetch(&pool->ids, 1, __ATOMIC_RELAXED),
		.looks = CAPE_LOOKS_FEW,
		.most_looks = CAPE_LOOKS_FEW,
		.pool = pool,
		.seat.spot = -1,
		.settings = cape_runtime_get()->openmp->settings,
	};
	cape_worker_begin_tasks(worker);
	return worker;
}

static void free_tasks(struct cape_worker_tasks *tasks)
{
	struct cape_task *next;

	for (struct cape_task *task = tasks->spare; task; task = next) {
		next = task->parent;
		cape_release(task);
	}
	cape_release(tasks->deque.ring);
	cape_release(tasks->item);
}

void cape_worker_free(void *thing)
{
	struct cape_worker *worker = thing;

	cape_release(worker->construct);
	cape_release(worker->handed_over.memory);
	cape_release(worker->copyprivate.memory);
	free_tasks(&worker->tasks);
	cape_release(worker);
	cape_worker = NULL;
}

/* Where the initial thread was bound when the program started. */
static void take_first_seat(struct cape_worker *worker)
{
	unsigned spots = cape_runtime_get()->openmp->spots.count;

	if (spots)
		worker->seat = (struct cape_seat){.count = spots};
}

struct cape_worker *cape_worker_make(void)
{
	struct cape_pool *pool = cape_pool_get();

	cape_worker = cape_worker_new(pool);
	cape_worker->is_initial = cape_is_initial_thread(cape_runtime_get());
	if (cape_worker->is_initial)
		take_first_seat(cape_worker);
	else
		pthread_setspecific(pool->key, cape_worker);
	return cape_worker;
}

void cape_worker_set_looks(struct cape_worker *worker, unsigned most)
{
	worker->most_looks = most;
	if (worker->looks > most || most == CAPE_LOOKS_LONG)
		worker->looks = most;
}

void cape_worker_waited(struct cape_worker *worker, bool slept)
{
	unsigned most = worker->most_looks, looks = worker->looks;

	if (slept) {
		looks /= 2;
		if (looks < CAPE_LOOKS_LEAST)
			looks = CAPE_LOOKS_LEAST;
	} else if (looks < CAPE_LOOKS_MANY) {
		looks = 2 * looks + CAPE_LOOKS_LEAST;
	}
	worker->looks = most == CAPE_LOOKS_LONG || looks > most ? most : looks;
}

void cape_worker_await(struct cape_worker *worker, struct cape_signal *signal, uint32_t seen)
{
	cape_worker_waited(worker, cape_signal_await(signal, seen, worker->looks));
}

struct cape_construct *cape_worker_innermost(struct cape_worker *worker)
{
	if (!worker->depth)
		cape_fail(cape_runtime_get(), 0, "a clause or an end without cape_begin()");
	return &worker->construct[worker->depth - 1];
}

struct cape_construct *cape_worker_push(struct cape_worker *worker)
{
	if (worker->depth == worker->capacity) {
		worker->capacity = worker->capacity ? 2 * worker->capacity : FIRST_CONSTRUCTS;
		worker->construct = cape_must_resize(worker->construct,
						     worker->capacity * sizeof(*worker->construct));
	}
	return &worker->construct[worker->depth++];
}
