// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * urgent.c - a list in the order of priorities, under a lock: they are meant for few tasks.
 */
#include "threads/urgent.h"

static void lock(struct cape_team *team, const struct cape_worker *worker)
{
	cape_word_lock(&team->urgent_lock, worker->id, worker->looks);
}

static void unlock(struct cape_team *team, uint32_t count)
{
	__atomic_store_n(&team->urgent_count, count, __ATOMIC_SEQ_CST);
	cape_word_unlock(&team->urgent_lock);
}

void cape_urgent_put(struct cape_worker *worker, struct cape_task *task)
{
	struct cape_team *team = worker->team;
	struct cape_task **at = &team->urgent;

	lock(team, worker);
	while (*at && (*at)->priority >= task->priority)
		at = &(*at)->next;
	task->next = *at;
	*at = task;
	unlock(team, team->urgent_count + 1);
}

struct cape_task *cape_urgent_take(struct cape_worker *worker, struct cape_search *search)
{
	struct cape_team *team = worker->team;
	struct cape_task **at = &team->urgent, *task;

	lock(team, worker);
	while (*at && search->root && !cape_task_comes_from(*at, search->root)) {
		search->others = true;
		at = &(*at)->next;
	}
	task = *at;
	if (task)
		*at = task->next;
	unlock(team, team->urgent_count - (task != NULL));
	return task;
}
