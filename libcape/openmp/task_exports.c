// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * task_exports.c - the calls of tasks, as the object in use does them.
 */
#include "openmp/constructs.h"

#define EXPORT(type, name, parameters, arguments)                                                  \
	CAPE_EXPORT type cape_##name parameters                                                    \
	{                                                                                          \
		return cape_constructs->tasks->name arguments;                                     \
	}

CAPE_TASK_CALLS(EXPORT)

CAPE_EXPORT_IS(int, omp_in_final, (void), cape_constructs->tasks->in_final())
CAPE_EXPORT_IS(int, omp_in_explicit_task, (void), cape_constructs->tasks->in_task())

/* So that nodes' are linked where there are tasks. */
__attribute__((used)) static const struct cape_task_calls *const of_nodes = &cape_tasks_of_nodes;
