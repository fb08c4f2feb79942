/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * urgent.h - the tasks of a team that have a priority: one list for all of its threads.
 */
#ifndef CAPE_URGENT_H
#define CAPE_URGENT_H

#include "threads/worker.h"

static inline uint32_t cape_urgent_count(const struct cape_team *team)
{
	return __atomic_load_n(&team->urgent_count, __ATOMIC_SEQ_CST);
}

/* TASK has a priority, and WORKER's team is to run it. */
void cape_urgent_put(struct cape_worker *worker, struct cape_task *task);
/* The most urgent task that SEARCH is for, or NULL. */
struct cape_task *cape_urgent_take(struct cape_worker *worker, struct cape_search *search);

#endif
