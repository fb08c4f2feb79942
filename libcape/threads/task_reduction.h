/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * task_reduction.h - the variables that a group's tasks have parts of.
 */
#ifndef CAPE_THREADS_TASK_REDUCTION_H
#define CAPE_THREADS_TASK_REDUCTION_H

#include "threads/worker.h"

/* All tasks of GROUP are done: their parts come to its variables. */
void cape_task_reductions_end(struct cape_task *group);

#endif
