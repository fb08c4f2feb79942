// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * task.c - tasks: run where they are met, or put where all threads take them that wait at the end
 * of the single construct that makes them.
 *
 * Tasks inside tasks run where they are met.
 */
#include <stdlib.h>
#include <string.h>
#include "threads/process.h"
#include "threads/share.h"

#define WAITING_LIMIT                                                                              \
	64u /* posted tasks for each member of the team; more run where they are met */

/* A task that waits for a thread, with the values that it was given. */
struct cape_posted_task {
	struct cape_posted_task *next;
	int label;
	size_t size;
	_Alignas(max_align_t) unsigned char values[];
};

static const struct cape_worker_task *innermost(const struct cape_worker_tasks *tasks)
{
	return tasks->depth ? &tasks->running[tasks->depth - 1] : NULL;
}

static void push(struct cape_worker *worker, bool final, struct cape_posted_task *posted)
{
	struct cape_worker_tasks *tasks = &worker->tasks;
	const struct cape_worker_task *around = innermost(tasks);

	final |= around && around->final;
	if (tasks->depth == tasks->capacity) {
		tasks->capacity = 2 * tasks->capacity + 8;
		tasks->running =
			cape_must_resize(tasks->running, tasks->capacity * sizeof(*tasks->running));
	}
	tasks->running[tasks->depth++] = (struct cape_worker_task){
		.final = final, .posted = posted, .settings = worker->settings};
}

static struct cape_posted_task *pop(struct cape_worker *worker)
{
	struct cape_worker_tasks *tasks = &worker->tasks;

	if (!tasks->depth)
		cape_fail(cape_runtime_get(), 0, "the end of a task that was not begun");
	worker->settings = tasks->running[--tasks->depth].settings;
	return tasks->running[tasks->depth].posted;
}

void cape_thread_task_begin(int flags)
{
	push(cape_worker_get(), flags & CAPE_TASK_FINAL, NULL);
}

void cape_thread_task_end(void)
{
	pop(cape_worker_get());
}

int cape_thread_task_is_taken(void)
{
	const struct cape_worker_task *task = innermost(&cape_worker_get()->tasks);

	return task && task->posted;
}

int cape_thread_in_final(void)
{
	const struct cape_worker_task *task = innermost(&cape_worker_get()->tasks);

	return task && task->final;
}

int cape_thread_in_task(void)
{
	return cape_worker_get()->tasks.depth > 0;
}

/* Values lie close together, as they are taken. */
void cape_thread_task_value(const volatile void *value, unsigned long size)
{
	struct cape_buffer *values = &cape_worker_get()->tasks.values;
	size_t before = values->size;

	memcpy(cape_buffer_add(values, size), (const void *)value, size);
	values->size = before + size;
}

/* The single construct whose block makes tasks that others may take, or NULL. */
static struct cape_construct *source_of_tasks(struct cape_worker *worker)
{
	return worker->depth && cape_worker_shares(worker) ? cape_worker_innermost(worker) : NULL;
}

static void lock(struct cape_worker *worker, struct cape_share *share)
{
	cape_word_lock(&share->mutex, worker->id, worker->looks);
}

static void unlock(struct cape_share *share)
{
	cape_word_unlock(&share->mutex);
}

/* To be told when the lock is free again, for who is woken wants it. */
static void change(struct cape_share *share)
{
	__atomic_fetch_add(&share->news.word, 1, __ATOMIC_SEQ_CST);
}

static bool post(struct cape_worker *worker, struct cape_share *share, int label)
{
	const struct cape_buffer *values = &worker->tasks.values;
	struct cape_posted_task *task = malloc(sizeof(*task) + values->size);
	bool full;

	if (!task)
		return false;
	*task = (struct cape_posted_task){.label = label, .size = values->size};
	if (values->size)
		memcpy(task->values, values->memory, values->size);
	lock(worker, share);
	full = share->waiting >= (size_t)WAITING_LIMIT * worker->size;
	if (!full) {
		if (share->first)
			share->last->next = task;
		else
			share->first = task;
		share->last = task;
		share->waiting++;
		share->undone++;
		change(share);
	}
	unlock(share);
	if (full)
		free(task);
	else
		cape_signal_wake(&share->news);
	return !full;
}

int cape_thread_task_post(int label, int flags)
{
	struct cape_worker *worker = cape_worker_get();
	struct cape_worker_tasks *tasks = &worker->tasks;
	struct cape_construct *construct = source_of_tasks(worker);
	bool posted = false;

	/* Parts of reductions are added by the thread whose reduction it is. */
	if (construct && construct->ran_single && !tasks->depth && !flags &&
	    !tasks->contributions.scopes)
		posted = post(worker, cape_share_take(worker, construct), label);
	tasks->values.size = 0;
	return posted;
}

/* The next task of SHARE, or NULL when all are done and there come no more. */
static struct cape_posted_task *next_task(struct cape_worker *worker, struct cape_share *share)
{
	struct cape_posted_task *task;
	uint32_t seen;
	bool done;

	for (;;) {
		lock(worker, share);
		seen = __atomic_load_n(&share->news.word, __ATOMIC_RELAXED);
		task = share->first;
		if (task) {
			share->first = task->next;
			share->waiting--;
		}
		done = share->closed && !share->undone;
		unlock(share);
		if (task || done)
			return task;
		cape_worker_await(worker, &share->news, seen);
	}
}

/* Who makes the tasks makes no more. */
static void close_share(struct cape_worker *worker, struct cape_share *share)
{
	bool closed;

	lock(worker, share);
	closed = share->closed;
	share->closed = true;
	if (!closed)
		change(share);
	unlock(share);
	if (!closed)
		cape_signal_wake(&share->news);
}

int cape_thread_task_take(void)
{
	struct cape_worker *worker = cape_worker_get();
	struct cape_construct *construct = source_of_tasks(worker);
	struct cape_posted_task *task;
	struct cape_share *share;

	if (!construct)
		return 0;
	share = cape_share_take(worker, construct);
	if (construct->ran_single)
		close_share(worker, share);
	task = next_task(worker, share);
	if (!task)
		return 0;
	push(worker, false, task);
	worker->tasks.taken = task->values;
	worker->tasks.taken_size = task->size;
	return task->label;
}

void cape_thread_task_take_value(volatile void *value, unsigned long size)
{
	struct cape_worker_tasks *tasks = &cape_worker_get()->tasks;

	if (size > tasks->taken_size)
		cape_fail(cape_runtime_get(), 0, "a task came with too few values");
	memcpy((void *)value, tasks->taken, size);
	tasks->taken += size;
	tasks->taken_size -= size;
}

void cape_thread_task_taken_end(void)
{
	struct cape_worker *worker = cape_worker_get();
	struct cape_share *share = cape_share_take(worker, cape_worker_innermost(worker));

	free(pop(worker));
	lock(worker, share);
	if (--share->undone == 0)
		change(share);
	unlock(share);
	cape_signal_wake(&share->news);
}

/* Tasks that ran here are done; those that were posted may not be. */
static void wait_for_posted(void)
{
	struct cape_worker *worker = cape_worker_get();
	struct cape_construct *construct = source_of_tasks(worker);
	struct cape_share *share;
	uint32_t seen;
	size_t undone;

	if (!construct || !construct->ran_single || !construct->id || worker->tasks.depth)
		return;
	share = cape_share_take(worker, construct);
	for (;;) {
		lock(worker, share);
		seen = __atomic_load_n(&share->news.word, __ATOMIC_RELAXED);
		undone = share->undone;
		unlock(share);
		if (!undone)
			return;
		cape_worker_await(worker, &share->news, seen);
	}
}

void cape_thread_taskwait_at(const struct cape_place *place)
{
	(void)place;
	wait_for_posted();
}

void cape_thread_taskgroup_end_at(const struct cape_place *place)
{
	(void)place;
	wait_for_posted();
}
