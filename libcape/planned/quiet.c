// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * quiet.c - what the program says of the time between two sync points: that it accesses nothing
 * which nodes exchange, but for variables that are on every node.
 */
#include <stdio.h>
#include "base/ordering.h"
#include "memory/directory.h"
#include "need/divided.h"
#include "need/parts.h"
#include "openmp/constructs.h"
#include "openmp/team.h"
#include "planned/planned.h"

#define LOCK_SIZE 16u	      /* of a stream, in glibc */
#define PASS_MOST (1ul << 20) /* bytes: to copy more costs more than to make pages whole */

/* Here, for whatever a program calls of this room, this file is linked with it. */
static void start(struct cape_runtime *runtime)
{
	struct cape_planned *planned = runtime->planned;

	planned->team = &cape_plan_team_of_nodes;
	planned->scratch =
		cape_must_reserve(runtime, (runtime->nodes + 2) * sizeof(*planned->scratch));
	for (unsigned i = 0; i < runtime->nodes + 2; i++)
		planned->scratch[i].memory = &runtime->blocks.memory;
	planned->written.memory = planned->read.memory = planned->rows.words.memory =
		&runtime->blocks.memory;
	cape_plan_plain_start(runtime);
	for (unsigned i = 0; i < CAPE_PIPELINES; i++) {
		struct cape_pipeline_sets *sets = &planned->pipeline.sets[i];

		sets->own.memory = sets->theirs.memory = sets->others.memory =
			&runtime->blocks.memory;
	}
}

CAPE_PART_OF_NODES(planned, start);

/* What threads of a node all say, one is asked for. */
static bool is_asked(const struct cape_runtime *runtime)
{
	return runtime->need->on && runtime->planned->team->describes();
}

/* Other threads of this node may still run the loop. */
static void bring_alone(struct cape_runtime *runtime, struct cape_range range)
{
	if (cape_directory_is_common(runtime, range))
		return;
	runtime->ordering->begin_access(runtime);
	cape_divided_bring_alone(runtime, range);
	runtime->ordering->end_access(runtime);
}

/* Whether a sync point comes, at the end of what is innermost or of a barrier in it. */
static bool is_before_sync_point(struct cape_runtime *runtime)
{
	const struct cape_construct *construct;

	if (!runtime->planned->team->shares(runtime))
		return false;
	construct = cape_constructs->innermost();
	return construct->directive != CAPE_FOR_NOWAIT || construct->waits;
}

CAPE_EXPORT void cape_plan_quiet(void)
{
	struct cape_runtime *runtime = cape_runtime_get();

	if (!is_asked(runtime) || cape_constructs->size() != cape_team_all(runtime) ||
	    !is_before_sync_point(runtime))
		return;
	cape_plan_begin_quiet(runtime->planned, runtime->need->known);
}

/* Of memory that nodes exchange by need. */
static bool find_area(const struct cape_runtime *runtime, uint64_t address, uint64_t size)
{
	const struct cape_area *area = cape_areas_find(runtime->areas, address, size);

	return area && area->directory;
}

CAPE_EXPORT void cape_plan_pass(unsigned long address, unsigned long size)
{
	struct cape_runtime *runtime = cape_runtime_get();
	struct cape_planned *planned = runtime->planned;
	struct cape_range range = {address, address + size};

	if (!is_asked(runtime) || !cape_is_member(runtime) || !find_area(runtime, address, size))
		return;
	cape_must_grow(runtime, (void **)&planned->pass, &planned->pass_room, planned->passes + 1,
		       sizeof(range));
	planned->pass[planned->passes++] = range;
	/* Nobody changes it before the next loop: a copy of it will do. */
	if ((planned->on && cape_plan_writes(runtime, planned->on, range)) ||
	    ((runtime->need->divided.sends || size > PASS_MOST) &&
	     !cape_directory_is_common(runtime, range)))
		planned->quiet = false;
	else if (runtime->need->known && planned->team->shares(runtime))
		bring_alone(runtime, range);
}

CAPE_EXPORT void cape_plan_change(unsigned long address, unsigned long size)
{
	struct cape_runtime *runtime = cape_runtime_get();
	struct cape_planned *planned = runtime->planned;
	struct cape_range range = {address, address + size};

	if (!is_asked(runtime) || !cape_is_member(runtime) || !find_area(runtime, address, size))
		return;
	cape_must_grow(runtime, (void **)&planned->change, &planned->change_room,
		       planned->changes + 1, sizeof(*planned->change));
	planned->change[planned->changes++] = range;
	cape_plan_make_base(runtime, range);
}

/* What printing changes of the program's memory: the stream, its lock, its buffer. */
CAPE_EXPORT void cape_plan_print(void)
{
	struct cape_runtime *runtime = cape_runtime_get();
	const FILE *stream = stdout;

	if (!is_asked(runtime))
		return;
	runtime->planned->prints = true;
	cape_plan_change((uintptr_t)stream, sizeof(*stream));
	cape_plan_change((uintptr_t)stream->_lock, LOCK_SIZE);
	cape_plan_change((uintptr_t)stream->_IO_buf_base,
			 (size_t)(stream->_IO_buf_end - stream->_IO_buf_base));
	/* Else the first thread that prints allocates one. */
	if (!stream->_IO_buf_base)
		runtime->planned->quiet = false;
}

CAPE_EXPORT void cape_plan_reduced(unsigned long address, unsigned long size)
{
	struct cape_runtime *runtime = cape_runtime_get();
	struct cape_planned *planned = runtime->planned;
	struct cape_range range = {address, address + size};

	if (!is_asked(runtime) || !runtime->need->known || !planned->team->shares(runtime) ||
	    !find_area(runtime, address, size))
		return;
	cape_must_grow(runtime, (void **)&planned->reduced, &planned->reduced_room,
		       planned->reduced_count + 1, sizeof(range));
	planned->reduced[planned->reduced_count++] = range;
	bring_alone(runtime, range);
}

bool cape_plan_reads_reduced(const struct cape_runtime *runtime)
{
	const struct cape_planned *planned = runtime->planned;

	for (size_t i = 0; i < planned->reduced_count; i++)
		for (size_t j = 0; j < planned->passes; j++)
			if (planned->reduced[i].start < planned->pass[j].end &&
			    planned->pass[j].start < planned->reduced[i].end)
				return true;
	return false;
}

void cape_plan_leave_reduced(struct cape_runtime *runtime)
{
	struct cape_planned *planned = runtime->planned;

	for (size_t i = 0; i < planned->reduced_count; i++) {
		struct cape_range left = planned->reduced[i], part;
		const struct cape_area *area = cape_areas_find(runtime->areas, left.start, 1);

		for (; left.start < left.end; left.start = part.end) {
			const struct cape_directory_page *page =
				cape_directory_page(area, left.start);

			part = (struct cape_range){left.start, cape_page_end(left.start, left.end)};
			if (page->agreed.holders)
				cape_divided_write(runtime, page->agreed.owner, part);
		}
	}
}

void cape_plan_bring_passes(struct cape_runtime *runtime)
{
	const struct cape_planned *planned = runtime->planned;

	for (size_t i = 0; i < planned->passes; i++)
		cape_divided_bring_to_all(runtime, &planned->pass[i], 1);
}

static bool are_common(const struct cape_runtime *runtime, const struct cape_range *range,
		       size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!cape_directory_is_common(runtime, range[i]))
			return false;
	return true;
}

bool cape_plan_passes_common(const struct cape_runtime *runtime)
{
	return are_common(runtime, runtime->planned->pass, runtime->planned->passes);
}

bool cape_plan_changes_common(const struct cape_runtime *runtime)
{
	return are_common(runtime, runtime->planned->change, runtime->planned->changes);
}
