// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * task.c - the making of tasks, their running and their end.
 *
 * A task is put where all threads of the team take it, or it runs at once: where it says so, where
 * nobody shares the work, in a final task, and where the thread has made so many already that
 * nobody can be idle.
 */
#include "threads/task.h"

#include <stdlib.h>
#include <string.h>
#include "threads/depend.h"
#include "threads/news.h"
#include "threads/process.h"
#include "threads/task_reduction.h"
#include "threads/urgent.h"

#define WAITING_LIMIT  256u  /* tasks of a thread that wait to be run */
#define CHILDREN_LIMIT 4096u /* of a task, that wait for each other */
#define COMMON_SIZE    256u  /* bytes of a task with its data that are kept for the next one */
#define SPARE_LIMIT    64u   /* such pieces of memory */

static uint64_t subtrees(uint64_t live)
{
	return live / CAPE_TASK_SUBTREE;
}

static uint64_t live_of(const struct cape_task *task)
{
	return __atomic_load_n(&task->live, __ATOMIC_ACQUIRE);
}

/* A task with room for SIZE bytes of data. */
static struct cape_task *allocate(struct cape_worker *worker, size_t size, size_t alignment)
{
	struct cape_worker_tasks *tasks = &worker->tasks;
	size_t whole = sizeof(struct cape_task) + alignment + size;
	struct cape_task *task = tasks->spare;

	if (whole < size || whole > COMMON_SIZE) {
		task = cape_must_resize(NULL, whole < size ? SIZE_MAX / 2 : whole);
	} else if (task) {
		tasks->spare = task->parent;
		tasks->spare_count--;
	} else {
		task = cape_must_resize(NULL, COMMON_SIZE);
	}
	task->large = whole > COMMON_SIZE;
	task->data = (void *)(((uintptr_t)(task + 1) + alignment - 1) & ~(alignment - 1));
	return task;
}

static void release(struct cape_worker *worker, struct cape_task *task)
{
	struct cape_worker_tasks *tasks = &worker->tasks;

	if (task->large || tasks->spare_count == SPARE_LIMIT) {
		cape_release(task);
		return;
	}
	task->parent = tasks->spare;
	tasks->spare = task;
	tasks->spare_count++;
}

/* TASK, whose memory and data are there already, as a child of what runs here. */
static void begin(struct cape_worker *worker, struct cape_task *task, enum cape_task_kind kind,
		  bool final)
{
	struct cape_task *parent = worker->tasks.current;

	task->live = CAPE_TASK_SUBTREE;
	task->parent = parent;
	task->origin = parent->origin;
	task->depth = parent->depth + 1;
	task->kind = kind;
	task->final = final || parent->final;
	task->ended = false;
	task->reduced = parent->reduced;
	task->dependence = NULL;
	task->children = NULL;
}

void cape_tasks_fork(struct cape_worker *worker)
{
	struct cape_deque *deque = &worker->tasks.deque;

	deque->first = deque->end = 0;
	deque->lock = 0;
	worker->tasks.base = 0;
}

/* Of PARENT's live tasks there are so many fewer; the last one takes it with it. */
static void leave_parent(struct cape_worker *worker, struct cape_task *parent, uint64_t fewer)
{
	while (parent) {
		struct cape_task *grandparent = parent->parent;
		enum cape_task_kind kind = parent->kind;
		uint64_t live = __atomic_sub_fetch(&parent->live, fewer, __ATOMIC_ACQ_REL);

		if (live & CAPE_TASK_AWAITED &&
		    (!(live & CAPE_TASK_CHILDREN) || subtrees(live) == 1))
			cape_task_news(worker);
		if (subtrees(live))
			return;
		if (kind == CAPE_TASK_IMPLICIT) {
			cape_team_arrive(worker);
			return;
		}
		release(worker, parent);
		parent = grandparent;
		fewer = CAPE_TASK_SUBTREE;
	}
}

/* Runs TASK's body between what runs here; its settings are those of this thread, or IN_TASK. */
static inline void run_body(struct cape_worker *worker, struct cape_task *task,
			    void (*body)(void *data), void *data, bool in_task)
{
	struct cape_worker_tasks *tasks = &worker->tasks;
	struct cape_settings settings = worker->settings;
	struct cape_task *around = tasks->current;
	uint64_t base = tasks->base;

	tasks->current = task;
	tasks->running++;
	tasks->base = tasks->deque.end;
	if (in_task)
		worker->settings = task->settings;
	body(data);
	worker->settings = settings;
	tasks->running--;
	tasks->base = base;
	tasks->current = around;
	if (task->children)
		cape_dependences_forget(task);
	if (task->dependence)
		cape_dependence_done(worker, task->dependence);
}

/*
 * Leaves ancestors that have ended, lest a chain of tasks that make each other grow for ever.  TASK
 * has no children yet, who would look for them.  Returns what its end will take from its parent.
 */
static uint64_t leave_ended(struct cape_worker *worker, struct cape_task *task)
{
	uint64_t own = CAPE_TASK_CHILD + CAPE_TASK_SUBTREE;

	while (__atomic_load_n(&task->parent->ended, __ATOMIC_ACQUIRE)) {
		struct cape_task *parent = task->parent;

		task->parent = parent->parent;
		task->depth = task->parent->depth + 1;
		__atomic_add_fetch(&task->parent->live, CAPE_TASK_SUBTREE, __ATOMIC_RELAXED);
		leave_parent(worker, parent, own);
		own = CAPE_TASK_SUBTREE;
	}
	return own;
}

static void end_block(struct cape_worker *worker, struct cape_task *task)
{
	__atomic_store_n(&task->ended, true, __ATOMIC_RELEASE);
	leave_parent(worker, task, CAPE_TASK_SUBTREE);
}

void cape_task_run(struct cape_worker *worker, struct cape_task *task)
{
	uint64_t own = leave_ended(worker, task);
	struct cape_task *parent = task->parent;

	run_body(worker, task, task->body, task->data, true);
	if (subtrees(live_of(task)) == 1) {
		release(worker, task);
		leave_parent(worker, parent, own);
		return;
	}
	if (own & CAPE_TASK_CHILD)
		leave_parent(worker, parent, CAPE_TASK_CHILD);
	end_block(worker, task);
}

/* What TASK has made may live longer; only then its parent counts it. */
static void run_now(struct cape_worker *worker, struct cape_task *task,
		    const struct cape_task_made *made)
{
	run_body(worker, task, made->body, made->copy || made->in_room ? task->data : made->data,
		 false);
	if (subtrees(live_of(task)) == 1) {
		release(worker, task);
		return;
	}
	__atomic_add_fetch(&task->parent->live, CAPE_TASK_SUBTREE, __ATOMIC_RELAXED);
	end_block(worker, task);
}

static bool has_no_children(void *thing)
{
	return !(live_of(thing) & CAPE_TASK_CHILDREN);
}

static bool is_alone(void *thing)
{
	return subtrees(live_of(thing)) == 1;
}

/* The child of a fork() has nobody who would end them. */
static void await(struct cape_worker *worker, struct cape_task *task, bool (*is_done)(void *thing))
{
	if (is_done(task) || !cape_worker_shares(worker))
		return;
	__atomic_fetch_or(&task->live, CAPE_TASK_AWAITED, __ATOMIC_SEQ_CST);
	cape_task_help(worker, is_done, task);
	__atomic_fetch_and(&task->live, ~CAPE_TASK_AWAITED, __ATOMIC_RELAXED);
}

static void await_children(struct cape_worker *worker)
{
	struct cape_task *task = worker->tasks.current;

	while (task->kind == CAPE_TASK_GROUP) {
		await(worker, task, has_no_children);
		task = task->parent;
	}
	await(worker, task, has_no_children);
	if (task->children)
		cape_dependences_forget(task);
}

/* An item of all memory is one after everything. */
static bool names_all(const struct cape_worker_tasks *tasks)
{
	for (size_t i = 0; i < tasks->items; i++)
		if (!tasks->item[i].item)
			return true;
	return false;
}

/* Waits for what the task that comes next depends on, and runs here. */
static struct cape_dependence *await_dependences(struct cape_worker *worker)
{
	struct cape_worker_tasks *tasks = &worker->tasks;
	struct cape_dependence *dependence = NULL;

	if (!tasks->items)
		return NULL;
	if (names_all(tasks)) {
		/* Tasks that run meanwhile make others. */
		tasks->items = 0;
		await_children(worker);
	} else {
		dependence = cape_dependence_new(worker, cape_worker_task(worker), NULL,
						 tasks->item, tasks->items);
		tasks->items = 0;
		if (!cape_dependence_release(dependence))
			cape_task_help(worker, cape_dependence_ready, dependence);
	}
	return dependence;
}

/* In a task whose children all run at once; so nothing of this one is left after it. */
static void run_included(struct cape_worker *worker, const struct cape_task_made *made,
			 struct cape_task *room, bool final)
{
	struct cape_task task;

	begin(worker, &task, CAPE_TASK_EXPLICIT, final);
	run_body(worker, &task, made->body, room ? room->data : made->data, false);
	if (room)
		release(worker, room);
}

/* The task's memory, and in it the data, but if they may stay where they are. */
static struct cape_task *take_room(struct cape_worker *worker, const struct cape_task_made *made,
				   bool needed)
{
	struct cape_task *task = worker->tasks.room;

	if (made->in_room) {
		worker->tasks.room = NULL;
		return task;
	}
	if (!made->copy && !needed)
		return NULL;
	task = allocate(worker, made->size, made->alignment);
	if (made->copy)
		made->copy(task->data, made->data);
	else if (made->size)
		memcpy(task->data, made->data, made->size);
	return task;
}

/* As far as the settings allow any. */
static unsigned priority_of(int flags)
{
	unsigned priority = (unsigned)flags >> CAPE_TASK_PRIORITY_SHIFT, most;

	if (!priority)
		return 0;
	most = (unsigned)cape_runtime->openmp->max_task_priority;
	return priority < most ? priority : most;
}

static void defer(struct cape_worker *worker, const struct cape_task_made *made, int flags)
{
	struct cape_worker_tasks *tasks = &worker->tasks;
	struct cape_task *task = take_room(worker, made, true);

	begin(worker, task, CAPE_TASK_EXPLICIT, flags & CAPE_TASK_FINAL);
	task->settings = worker->settings;
	task->body = made->body;
	task->priority = priority_of(flags);
	__atomic_add_fetch(&task->parent->live, CAPE_TASK_CHILD + CAPE_TASK_SUBTREE,
			   __ATOMIC_RELAXED);
	if (tasks->items) {
		struct cape_dependence *dependence = cape_dependence_new(
			worker, cape_worker_task(worker), task, tasks->item, tasks->items);

		tasks->items = 0;
		if (!cape_dependence_release(dependence))
			return;
	}
	cape_task_push(worker, task);
}

static bool is_full(const struct cape_worker *worker, int flags)
{
	const struct cape_worker_tasks *tasks = &worker->tasks;

	if (flags >> CAPE_TASK_PRIORITY_SHIFT && cape_urgent_count(worker->team) >= WAITING_LIMIT)
		return true;

	if (tasks->items && (live_of(tasks->current) & CAPE_TASK_CHILDREN) >= CHILDREN_LIMIT)
		return true;
	return !tasks->items && cape_deque_count(&tasks->deque) >= WAITING_LIMIT;
}

void cape_thread_task_made(const struct cape_task_made *made)
{
	struct cape_worker *worker = cape_worker_get();
	struct cape_worker_tasks *tasks = &worker->tasks;
	struct cape_dependence *dependence;
	struct cape_task *task;
	int flags = tasks->flags;

	tasks->flags = 0;
	if (!cape_worker_shares(worker) || tasks->current->final) {
		tasks->items = 0;
		run_included(worker, made, take_room(worker, made, false), flags & CAPE_TASK_FINAL);
		return;
	}
	if (!(flags & (CAPE_TASK_UNDEFERRED | CAPE_TASK_IN_PLACE)) && !is_full(worker, flags) &&
	    !names_all(tasks)) {
		defer(worker, made, flags);
		return;
	}
	task = take_room(worker, made, false);
	dependence = await_dependences(worker);
	if (!task)
		task = allocate(worker, 0, 1);
	begin(worker, task, CAPE_TASK_EXPLICIT, flags & CAPE_TASK_FINAL);
	task->dependence = dependence;
	run_now(worker, task, made);
}

void *cape_thread_task_room(size_t size)
{
	struct cape_worker *worker = cape_worker_get();

	worker->tasks.room = allocate(worker, size, _Alignof(max_align_t));
	return worker->tasks.room->data;
}

void cape_task_drop_room(struct cape_worker *worker)
{
	release(worker, worker->tasks.room);
	worker->tasks.room = NULL;
}

void cape_thread_task_next(int label, int flags)
{
	(void)label;
	cape_worker_get()->tasks.flags = flags;
}

void cape_thread_task_depend(enum cape_depend kind, const volatile void *item)
{
	struct cape_worker_tasks *tasks = &cape_worker_get()->tasks;

	if (tasks->items == tasks->items_room) {
		tasks->items_room = 2 * tasks->items_room + 8;
		tasks->item =
			cape_must_resize(tasks->item, tasks->items_room * sizeof(*tasks->item));
	}
	tasks->item[tasks->items++] = (struct cape_depend_item){kind, item};
}

/* They are run where threads wait. */
void cape_thread_tasks_run(void)
{
}

void cape_thread_taskwait_at(const struct cape_place *place)
{
	(void)place;
	await_children(cape_worker_get());
}

void cape_thread_taskgroup_begin(void)
{
	struct cape_worker *worker = cape_worker_get();
	struct cape_task *group = allocate(worker, 0, 1);

	begin(worker, group, CAPE_TASK_GROUP, false);
	worker->tasks.current = group;
}

void cape_thread_taskgroup_end_at(const struct cape_place *place)
{
	struct cape_worker *worker = cape_worker_get();
	struct cape_task *group = worker->tasks.current;

	(void)place;
	if (group->kind != CAPE_TASK_GROUP)
		cape_fail(cape_runtime_get(), 0, "the end of a taskgroup that was not begun");
	await(worker, group, is_alone);
	cape_task_reductions_end(group);
	worker->tasks.current = group->parent;
	release(worker, group);
}

int cape_thread_in_final(void)
{
	return cape_worker_get()->tasks.current->final;
}

int cape_thread_in_task(void)
{
	return cape_worker_task(cape_worker_get())->kind == CAPE_TASK_EXPLICIT;
}

bool cape_tasks_leave(struct cape_worker *worker)
{
	struct cape_task *task = &worker->tasks.implicit;

	cape_dependences_forget(task);
	if (live_of(task) == CAPE_TASK_SUBTREE)
		return true;
	return !subtrees(__atomic_sub_fetch(&task->live, CAPE_TASK_SUBTREE, __ATOMIC_ACQ_REL));
}
