/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * schedule.c - which iterations, sections and blocks are this node's.
 */
#include "runtime/model.h"

CAPE_EXPORT void cape_schedule_static(unsigned long chunk)
{
	struct cape_runtime *runtime = cape_runtime_get();

	cape_innermost(runtime)->chunk = chunk ? chunk : 1;
}

CAPE_EXPORT int cape_chunk(unsigned long *left, unsigned long *right)
{
	struct cape_runtime *runtime = cape_runtime_get();
	struct cape_construct *construct = cape_innermost(runtime);

	if (runtime->thread >= runtime->team || construct->first >= construct->last ||
	    !cape_model_take_job(runtime, construct) ||
	    !cape_job_next(&construct->job, left, right))
		return 0;
	construct->ran_last = *right == construct->last;
	runtime->time_stamp = *right;
	return 1;
}

CAPE_EXPORT int cape_section(void)
{
	struct cape_runtime *runtime = cape_runtime_get();
	struct cape_construct *construct = cape_innermost(runtime);
	unsigned long section = construct->next++;

	if (runtime->thread >= runtime->team || !cape_model_take_job(runtime, construct) ||
	    section % construct->job.workers != construct->job.worker)
		return 0;
	construct->ran_last = section + 1 == construct->last;
	runtime->time_stamp = section + 1;
	return 1;
}

/* The master: every node may, and it is the one whose files and input are the real ones. */
CAPE_EXPORT int cape_single(void)
{
	struct cape_runtime *runtime = cape_runtime_get();
	struct cape_construct *construct = cape_innermost(runtime);

	construct->ran_single = runtime->thread == 0;
	return construct->ran_single;
}

CAPE_EXPORT int cape_master(void)
{
	return cape_runtime_get()->thread == 0;
}

CAPE_EXPORT int cape_is_last(void)
{
	struct cape_runtime *runtime = cape_runtime_get();

	return cape_innermost(runtime)->ran_last;
}
