// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * task_reduction_exports.c - the calls of tasks' reductions, as the object in use does them.
 */
#include "openmp/constructs.h"

#define EXPORT(type, name, parameters, arguments)                                                  \
	CAPE_EXPORT type cape_##name parameters                                                    \
	{                                                                                          \
		return cape_constructs->task_reductions->name arguments;                           \
	}

CAPE_TASK_REDUCTION_CALLS(EXPORT)

/* So that nodes' are linked where there are such reductions. */
__attribute__((used)) static const struct cape_task_reduction_calls *const of_nodes =
	&cape_task_reductions_of_nodes;
