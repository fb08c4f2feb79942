/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * task.h - tasks, from their making to the end of all that come from them.
 */
#ifndef CAPE_THREADS_TASK_H
#define CAPE_THREADS_TASK_H

#include "threads/worker.h"

/* In the child of a fork(), where nobody runs what WORKER has made. */
void cape_tasks_fork(struct cape_worker *worker);

/*
 * WORKER has come to a barrier, where its region's own task makes no more: whether all tasks that
 * come from it are done.  If not, who does the last calls cape_team_arrive() for it.
 */
bool cape_tasks_leave(struct cape_worker *worker);

/* What cape_thread_task_room() gave is not needed: the task is none of this node's. */
void cape_task_drop_room(struct cape_worker *worker);

/* WORKER's next task, or NULL: one that is urgent, its own, of those that it may begin now, or
 * another thread's. */
struct cape_task *cape_task_find(struct cape_worker *worker, struct cape_search *search);
void cape_task_run(struct cape_worker *worker, struct cape_task *task);
/* The same by a thread that waits, for its profile. */
void cape_task_run_waiting(struct cape_worker *worker, struct cape_task *task);

/* Runs tasks that come from WORKER's own until IS_DONE(THING); who makes it so wakes the team. */
void cape_task_help(struct cape_worker *worker, bool (*is_done)(void *thing), void *thing);

/* Until there is news since SEEN; any task ends it, too, unless SEARCH has seen that all are
 * others'. */
void cape_task_idle(struct cape_worker *worker, uint32_t seen, const struct cape_search *search);

#endif
