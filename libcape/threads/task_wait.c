// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * task_wait.c - what a thread does that waits: it runs tasks, its own newest first, then others'
 * oldest; and where there are none it looks for a while, and sleeps.
 *
 * A thread that waits within a task runs only what comes from that task (the task scheduling
 * constraint): what it has below on its stack never waits for something that it has above.
 */
#include "channel/profile.h"
#include "threads/news.h"
#include "threads/process.h"
#include "threads/task.h"
#include "threads/urgent.h"

#define LOOKS_BETWEEN 16u /* at the news, for one at the tasks */

struct cape_task *cape_task_find(struct cape_worker *worker, struct cape_search *search)
{
	struct cape_team *team = worker->team;
	struct cape_task *task = NULL;
	unsigned victim = worker->tasks.victim;

	if (cape_urgent_count(team))
		task = cape_urgent_take(worker, search);
	if (!task)
		task = cape_deque_pop(worker, worker->tasks.base);
	for (unsigned i = 0; i < team->size && !task; i++, victim++) {
		if (victim >= team->size)
			victim = 0;
		if (team->member[victim] != worker)
			task = cape_deque_steal(team->member[victim], worker, search);
		if (task)
			worker->tasks.victim = victim;
	}
	return task;
}

static bool has_tasks(const struct cape_worker *worker)
{
	const struct cape_team *team = worker->team;

	for (unsigned i = 0; i < team->size; i++)
		if (team->member[i] != worker && cape_deque_any(&team->member[i]->tasks.deque))
			return true;
	return cape_urgent_count(team);
}

void cape_task_idle(struct cape_worker *worker, uint32_t seen, const struct cape_search *search)
{
	struct cape_signal *news = &worker->team->barrier;
	bool others = search->others && !search->busy;

	for (unsigned look = 0; look < worker->looks; look++) {
		if (__atomic_load_n(&news->word, __ATOMIC_ACQUIRE) != seen ||
		    (!others && look % LOOKS_BETWEEN == 0 && has_tasks(worker))) {
			cape_worker_waited(worker, false);
			return;
		}
		__builtin_ia32_pause();
	}
	__atomic_fetch_add(&news->sleepers, 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&news->word, __ATOMIC_SEQ_CST) == seen &&
	    (others || !has_tasks(worker)))
		cape_sleep(&news->word, seen);
	__atomic_fetch_sub(&news->sleepers, 1, __ATOMIC_RELAXED);
	cape_worker_waited(worker, true);
}

/* Returns what it was before, for a profile. */
static enum cape_phase be(const struct cape_worker *worker, enum cape_phase phase)
{
	return worker->profiling ? worker->pool->be(worker->profiling, phase) : phase;
}

void cape_task_run_waiting(struct cape_worker *worker, struct cape_task *task)
{
	enum cape_phase before = be(worker, CAPE_PHASE_WORK);

	cape_task_run(worker, task);
	be(worker, before);
}

void cape_task_help(struct cape_worker *worker, bool (*is_done)(void *thing), void *thing)
{
	struct cape_signal *news = &worker->team->barrier;
	const struct cape_task *root = cape_worker_task(worker);
	enum cape_phase before = be(worker, CAPE_PHASE_WAIT);
	bool choosy = false;

	while (!is_done(thing) && cape_worker_shares(worker)) {
		uint32_t seen = __atomic_load_n(&news->word, __ATOMIC_ACQUIRE);
		struct cape_search search = {.root = root};
		struct cape_task *task = cape_task_find(worker, &search);

		if (task) {
			cape_task_run_waiting(worker, task);
		} else if (search.others && !choosy) {
			/* A thread that makes one from now on wakes this one; earlier ones are
			 * looked for. */
			choosy = true;
			__atomic_fetch_add(&worker->team->choosy, 1, __ATOMIC_SEQ_CST);
			/* What woke this thread may be for another one. */
			cape_task_news(worker);
		} else if (!is_done(thing)) {
			cape_task_idle(worker, seen, &search);
		}
	}
	if (choosy)
		__atomic_fetch_sub(&worker->team->choosy, 1, __ATOMIC_RELAXED);
	be(worker, before);
}

/* One at most: what it makes may be run where this thread yields again. */
void cape_thread_taskyield(void)
{
	struct cape_worker *worker = cape_worker_get();
	struct cape_search search = {.root = cape_worker_task(worker)};
	struct cape_task *task;

	if (!cape_worker_shares(worker) ||
	    !__atomic_load_n(&worker->team->has_tasks, __ATOMIC_RELAXED))
		return;
	task = cape_task_find(worker, &search);
	if (task)
		cape_task_run(worker, task);
}
