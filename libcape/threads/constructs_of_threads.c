// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * constructs_of_threads.c - the object that does what threads do.
 */
#include "openmp/constructs.h"

static const struct cape_task_calls tasks = {CAPE_TASK_CALLS(CAPE_CALL_OF_THREAD)
						     CAPE_TASK_PARTS(CAPE_CALL_OF_THREAD)};

static const struct cape_task_reduction_calls task_reductions = {
	CAPE_TASK_REDUCTION_CALLS(CAPE_CALL_OF_THREAD)};

static const struct cape_lock_calls locks = {CAPE_LOCK_PARTS(CAPE_CALL_OF_THREAD)};

const struct cape_constructs cape_constructs_of_threads = {
	CAPE_CONSTRUCT_CALLS(CAPE_CALL_OF_THREAD) CAPE_CONSTRUCT_PARTS(CAPE_CALL_OF_THREAD).tasks =
		&tasks,
	.task_reductions = &task_reductions,
	.locks = &locks,
};
