/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * news.h - what wakes the threads of a team that wait: a task, the end of one, the barrier.
 */
#ifndef CAPE_NEWS_H
#define CAPE_NEWS_H

#include "threads/worker.h"

/* Wakes waiting threads of WORKER's team, because something is done. */
void cape_task_news(struct cape_worker *worker);

/* TASK may be run by anybody. */
void cape_task_push(struct cape_worker *worker, struct cape_task *task);

/*
 * One more member of the team has come and all tasks that come from it are done: by WORKER, who may
 * be another one.
 */
void cape_team_arrive(struct cape_worker *worker);

#endif
