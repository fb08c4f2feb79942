// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * news.c - how waiting threads are woken: all of a team's wait for one word to change.
 */
#include "threads/news.h"

#include "threads/reduction.h"
#include "threads/urgent.h"

void cape_task_news(struct cape_worker *worker)
{
	struct cape_signal *news = &worker->team->barrier;

	__atomic_fetch_add(&news->word, 1, __ATOMIC_SEQ_CST);
	cape_signal_wake(news);
}

/* Who waits at the barrier has looked for no tasks, until there is a first one. */
void cape_task_push(struct cape_worker *worker, struct cape_task *task)
{
	struct cape_team *team = worker->team;

	if (task->priority)
		cape_urgent_put(worker, task);
	else
		cape_deque_push(worker, task);
	if (!__atomic_load_n(&team->has_tasks, __ATOMIC_RELAXED)) {
		__atomic_store_n(&team->has_tasks, true, __ATOMIC_SEQ_CST);
		cape_task_news(worker);
		return;
	}
	/* One of those who would wake may not run it. */
	if (__atomic_load_n(&team->choosy, __ATOMIC_SEQ_CST)) {
		cape_task_news(worker);
	} else if (__atomic_load_n(&team->barrier.sleepers, __ATOMIC_SEQ_CST)) {
		__atomic_fetch_add(&team->barrier.word, 1, __ATOMIC_SEQ_CST);
		cape_wake(&team->barrier.word, 1);
	}
}

void cape_team_arrive(struct cape_worker *worker)
{
	struct cape_team *team = worker->team;

	if (__atomic_add_fetch(&team->arrived, 1, __ATOMIC_ACQ_REL) != team->size)
		return;
	team->arrived = 0;
	cape_reductions_fold(team);
	__atomic_store_n(&team->barriers, team->barriers + 1, __ATOMIC_RELEASE);
	cape_task_news(worker);
}
