/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * schedule.c - which iterations, sections and blocks are this node's.
 */
#include "runtime/runtime.h"

CAPE_EXPORT void cape_schedule_static(unsigned long chunk)
{
	struct cape_runtime *runtime = cape_runtime_get();

	cape_innermost(runtime)->chunk = chunk ? chunk : 1;
}

/* One block for each node, of sizes that differ by one at most, the larger ones first. */
static int block(const struct cape_runtime *runtime, struct cape_construct *construct,
		 unsigned long *left, unsigned long *right)
{
	unsigned long count = construct->last - construct->first;
	unsigned long each = count / runtime->team, more = count % runtime->team;
	unsigned long thread = runtime->thread;

	if (construct->next != construct->first)
		return 0;
	*left = construct->first + thread * each + (thread < more ? thread : more);
	*right = *left + each + (thread < more);
	return *left < *right;
}

/* Chunks dealt out in turn; NEXT counts those this node was given. */
static int chunk(const struct cape_runtime *runtime, struct cape_construct *construct,
		 unsigned long *left, unsigned long *right)
{
	unsigned long round = construct->next - construct->first;
	unsigned long size = construct->chunk, start;
	unsigned long count = construct->last - construct->first;

	if (__builtin_mul_overflow(round, (unsigned long)runtime->team, &start) ||
	    __builtin_add_overflow(start, (unsigned long)runtime->thread, &start) ||
	    __builtin_mul_overflow(start, size, &start) || start >= count)
		return 0;
	*left = construct->first + start;
	*right = *left + (count - start < size ? count - start : size);
	return 1;
}

CAPE_EXPORT int cape_chunk(unsigned long *left, unsigned long *right)
{
	struct cape_runtime *runtime = cape_runtime_get();
	struct cape_construct *construct = cape_innermost(runtime);
	int got;

	if (runtime->thread >= runtime->team || construct->first >= construct->last)
		return 0;
	got = construct->chunk ? chunk(runtime, construct, left, right)
			       : block(runtime, construct, left, right);
	if (!got)
		return 0;
	construct->next++;
	construct->ran_last = *right == construct->last;
	runtime->time_stamp = *right;
	return 1;
}

CAPE_EXPORT int cape_section(void)
{
	struct cape_runtime *runtime = cape_runtime_get();
	struct cape_construct *construct = cape_innermost(runtime);
	unsigned long section = construct->next++;

	if (runtime->thread >= runtime->team || section % runtime->team != runtime->thread)
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
