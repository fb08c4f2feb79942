// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * barrier.c - the barrier: a counter, and a word that changes when all have come, whose tasks are
 * done, too.
 */
#include "threads/barrier.h"

#include "threads/news.h"
#include "threads/task.h"

static bool is_open(const struct cape_team *team, uint32_t barriers)
{
	return __atomic_load_n(&team->barriers, __ATOMIC_ACQUIRE) != barriers;
}

/* Until a later barrier is reached than the one so many before; or the team has ended. */
static void await(struct cape_worker *worker, struct cape_team *team, uint32_t barriers)
{
	while (!is_open(team, barriers) && cape_worker_shares(worker)) {
		uint32_t seen = __atomic_load_n(&team->barrier.word, __ATOMIC_ACQUIRE);
		struct cape_task *task;
		struct cape_search search = {0};

		if (is_open(team, barriers))
			return;
		if (!__atomic_load_n(&team->has_tasks, __ATOMIC_ACQUIRE)) {
			cape_worker_await(worker, &team->barrier, seen);
			continue;
		}
		task = cape_task_find(worker, &search);
		if (task)
			cape_task_run_waiting(worker, task);
		else
			cape_task_idle(worker, seen, &search);
	}
}

void cape_team_barrier(struct cape_worker *worker)
{
	struct cape_team *team = worker->team;
	uint32_t barriers = __atomic_load_n(&team->barriers, __ATOMIC_RELAXED);

	if (cape_tasks_leave(worker))
		cape_team_arrive(worker);
	await(worker, team, barriers);
	worker->tasks.implicit.live = CAPE_TASK_SUBTREE;
}

void cape_team_meet(struct cape_worker *worker, const struct cape_place *place)
{
	(void)place;
	cape_team_barrier(worker);
}

void cape_thread_barrier_at(const struct cape_place *place)
{
	struct cape_worker *worker = cape_worker_get();

	if (cape_worker_shares(worker))
		worker->team->kind->meet(worker, place);
}

/* Other nodes have memory of their own. */
void cape_thread_values_read(void)
{
	struct cape_worker *worker = cape_worker_get();

	if (cape_worker_shares(worker))
		cape_team_barrier(worker);
}
