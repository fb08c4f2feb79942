/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sharing.c - the clause functions: data-sharing of variables (thesis Table 5.2).
 */
#include <errno.h>
#include <string.h>
#include "checkpoint/reduction.h"
#include "sync/reduction_list.h"
#include "base/context.h"
#include "memory/area.h"
#include "memory/threadprivate.h"
#include "memory/frame.h"
#include "openmp/constructs.h"
#include "openmp/sharing.h"
#include "sync/sync_point.h"

/* Copyprivate values of one single construct. */
#define COPYPRIVATE_LIMIT (1ull << 36)

void cape_node_set_shared_at(const volatile void *variable, unsigned long size, const char *name)
{
	struct cape_runtime *runtime = cape_runtime_get();

	/* Inside a region an inner team has one member, and its variables are that node's own. */
	if (runtime->in_region)
		return;
	if (runtime->stack->local_count == CAPE_LOCALS_LIMIT)
		cape_fail(runtime, 0, "more than %lu shared automatic variables in one function",
			  CAPE_LOCALS_LIMIT);
	runtime->stack->local[runtime->stack->local_count++] = (struct cape_local){
		.address = (uint64_t)(uintptr_t)variable,
		.size = size,
		.name = *name == '&' ? name + 1 : name,
	};
}

void cape_node_set_reaching_at(const volatile void *pointer, const char *name)
{
	struct cape_runtime *runtime = cape_runtime_get();

	if (runtime->in_region || runtime->stack->reaching_count == CAPE_REACHING_LIMIT)
		return;
	runtime->stack->reaching[runtime->stack->reaching_count++] = (struct cape_reaching){
		.address = (uint64_t)(uintptr_t)pointer,
		.name = name,
	};
}

void cape_node_set_copyin_at(volatile void *variable, unsigned long size)
{
	struct cape_runtime *runtime = cape_runtime_get();

	/* Inside a region an inner team has one member, whose values are its own. */
	if (runtime->channel && !runtime->in_region)
		cape_threadprivate_copyin(runtime, (uint64_t)(uintptr_t)variable, size);
}

CAPE_EXPORT void cape_copyin(volatile void *variable, const volatile void *from, unsigned long size)
{
	if (variable != from)
		memcpy((void *)variable, (const void *)from, size);
}

void cape_copyprivate_add(struct cape_runtime *runtime, volatile void *variable, uint64_t size,
			  bool give)
{
	struct cape_sync *sync = runtime->sync;
	uint64_t *target;

	if (size > COPYPRIVATE_LIMIT - sync->copyprivate_size)
		cape_fail(runtime, 0, "copyprivate values of more than %llu bytes",
			  COPYPRIVATE_LIMIT);
	if (give) {
		memcpy(sync->copyprivate + sync->copyprivate_size, (const void *)variable, size);
		sync->copyprivate_size += size;
		return;
	}
	target = sync->copyprivate_target + 2 * sync->copyprivate_count++;
	target[0] = (uint64_t)(uintptr_t)variable;
	target[1] = size;
}

void cape_node_set_copyprivate_at(volatile void *variable, unsigned long size)
{
	struct cape_runtime *runtime = cape_runtime_get();

	if (cape_is_shared_out(runtime))
		cape_copyprivate_add(runtime, variable, size, cape_innermost(runtime)->ran_single);
}

void cape_node_reduction(const volatile void *values, volatile void *original,
			 enum cape_operator op, enum cape_type type, unsigned long count)
{
	struct cape_runtime *runtime = cape_runtime_get();

	if (count == 0 || runtime->thread >= runtime->team)
		return;
	if (cape_is_shared_out(runtime))
		cape_reduction_list_add(runtime, (const void *)values, (void *)original, op, type,
					count);
	else
		cape_reduction_apply(op, type, (void *)original, (const void *)values, count);
}

void cape_node_reduction_user(const volatile void *values, volatile void *original,
			      unsigned long size, unsigned long count,
			      void (*combine)(void *out, const void *in))
{
	struct cape_runtime *runtime = cape_runtime_get();

	if (count == 0 || size == 0 || runtime->thread >= runtime->team)
		return;
	if (cape_is_shared_out(runtime)) {
		cape_reduction_list_add_user(runtime, (const void *)values, (void *)original, size,
					     count, combine);
		return;
	}
	for (unsigned long i = 0; i < count; i++)
		combine((char *)original + i * size, (const char *)values + i * size);
}

CAPE_EXPORT void cape_reduction_identity(volatile void *values, enum cape_operator op,
					 enum cape_type type, unsigned long count)
{
	cape_reduction_identity_set(op, type, (void *)values, count);
}

CAPE_EXPORT int cape_declare_at(void *memory, unsigned long size, const char *name)
{
	struct cape_runtime *runtime = cape_runtime_get();
	uint64_t start = (uint64_t)(uintptr_t)memory;

	if (!runtime->channel)
		return 0;
	if (runtime->in_region)
		return -EBUSY;
	if (!size || start + size < start)
		return -EINVAL;
	return cape_areas_add(runtime->areas, CAPE_AREA_DECLARED, start, start + size, start + size,
			      name);
}

CAPE_EXPORT void cape_undeclare(void *memory)
{
	struct cape_runtime *runtime = cape_runtime_get();

	if (runtime->channel)
		cape_areas_remove(runtime->areas, (uint64_t)(uintptr_t)memory);
}
