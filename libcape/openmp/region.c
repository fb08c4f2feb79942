/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * region.c - the life cycle of constructs: begin, start, end (thesis Fig. 4.5, 4.6).
 *
 * A parallel construct is active when cape-run started the program, no other region is active
 * and its clauses ask for more than one node.  Otherwise its team has one member: outside a
 * region every node runs the block alike, inside one the node that met it does.
 */
#include <string.h>
#include "omp.h"
#include "races/check.h"
#include "memory/apart.h"
#include "memory/frame.h"
#include "replica/input.h"
#include "replica/output.h"
#include "replica/streams.h"
#include "base/context.h"
#include "base/saved.h"
#include "sync/sync_point.h"
#include "memory/threadprivate.h"
#include "base/threads.h"
#include "sync/due.h"
#include "sync/verify.h"
#include "openmp/opened.h"
#include "openmp/constructs.h"
#include "openmp/region.h"
#include "openmp/replicate.h"
#include "openmp/team.h"
#include "heap/heap_lock.h"
#include "memory/calls.h"
#include "memory/mapping.h"
#include "memory/written.h"
#include "base/way.h"
#include "profile/profile.h"
#include "replica/description.h"
#include "replica/open_files.h"
#include "replica/region_files.h"
#include "save/save.h"

/* The child of fork() is no node: its constructs are run by one thread. */
static void in_child(void)
{
	struct cape_openmp *openmp = cape_runtime->openmp;

	for (size_t i = 0; i < openmp->depth; i++)
		openmp->construct[i].active = false;
}

static void start(struct cape_runtime *runtime)
{
	struct cape_openmp *openmp = runtime->openmp;

	/* Threads have their own (threads/worker.h). */
	if (!runtime->by_itself)
		openmp->construct = cape_must_reserve(runtime, CAPE_CONSTRUCTS_LIMIT *
								       sizeof(*openmp->construct));
	openmp->settings.max_active_levels = 1;
	openmp->settings.schedule_kind = omp_sched_static;
	pthread_atfork(NULL, NULL, in_child);
}

CAPE_PART(openmp, start);
CAPE_SAVED_LINKED(region);

static bool is_parallel(enum cape_directive directive)
{
	return directive == CAPE_PARALLEL || directive == CAPE_PARALLEL_FOR ||
	       directive == CAPE_PARALLEL_SECTIONS;
}

static bool has_sync_point(const struct cape_construct *construct)
{
	return construct->directive == CAPE_FOR || construct->directive == CAPE_SECTIONS ||
	       construct->directive == CAPE_SINGLE || construct->waits;
}

struct cape_construct *cape_innermost(struct cape_runtime *runtime)
{
	if (!runtime->openmp->depth)
		cape_fail(runtime, 0, "a clause or an end without cape_begin()");
	return &runtime->openmp->construct[runtime->openmp->depth - 1];
}

const char *cape_region_name(enum cape_directive directive)
{
	static const char *const name[] = {
		[CAPE_PARALLEL] = "parallel",
		[CAPE_FOR] = "for",
		[CAPE_FOR_NOWAIT] = "for nowait",
		[CAPE_SECTIONS] = "sections",
		[CAPE_SECTIONS_NOWAIT] = "sections nowait",
		[CAPE_SINGLE] = "single",
		[CAPE_SINGLE_NOWAIT] = "single nowait",
		[CAPE_PARALLEL_FOR] = "parallel for",
		[CAPE_PARALLEL_SECTIONS] = "parallel sections",
	};

	return name[directive];
}

/* All nodes of a team meet the same work-sharing constructs in the same order. */
static uint64_t next_id(struct cape_runtime *runtime, enum cape_directive directive)
{
	if (is_parallel(directive) || !cape_is_shared_out(runtime))
		return 0;
	return (uint64_t)runtime->regions << 32 | ++runtime->openmp->shared_out;
}

CAPE_APART_VOID(cape_node_begin_at, (enum cape_directive directive, unsigned long first,
				     unsigned long last, const struct cape_place *place))
{
	struct cape_runtime *runtime = cape_runtime_get();

	cape_threads_refuse(runtime, place);
	if (runtime->openmp->depth == CAPE_CONSTRUCTS_LIMIT)
		cape_fail(runtime, 0, "constructs are nested deeper than %lu",
			  CAPE_CONSTRUCTS_LIMIT);
	if (is_parallel(directive) && !runtime->in_region)
		runtime->stack->reaching_count = 0;
	runtime->openmp->construct[runtime->openmp->depth++] = (struct cape_construct){
		.directive = directive,
		.place = place,
		.work = {.first = first, .last = last},
		.next = first,
		.condition = 1,
		.is_parallel = is_parallel(directive),
		.id = next_id(runtime, directive),
		.local_mark = runtime->stack->local_count,
		.team = runtime->team,
		.thread = runtime->thread,
		.settings = runtime->openmp->settings,
	};
	cape_runtime_place(runtime, place);
	cape_profile_begin(runtime, place, cape_region_name(directive));
}

static bool is_active(const struct cape_runtime *runtime, const struct cape_construct *construct)
{
	/* One around it may be a team of one, which every node runs alike. */
	if (!runtime->channel || runtime->in_region ||
	    runtime->openmp->settings.max_active_levels == 0)
		return false;
	return runtime->nodes == 1 || cape_team_size(runtime, construct) > 1;
}

void cape_region_open(struct cape_runtime *runtime)
{
	cape_written_enter(runtime);
	cape_sync_fold(runtime);
	cape_mapping_close(runtime);
	runtime->in_region = true;
	runtime->channel->state.in_region = 1;
	cape_threadprivate_enter(runtime);
	cape_open_files_enter(runtime);
	cape_heap_lock_parallel(runtime, true);
	if (runtime->node > 0)
		cape_output_switch(runtime, true);
	cape_due_enter(runtime);
	__atomic_store_n(&runtime->channel->state.entered, runtime->regions, __ATOMIC_RELEASE);
	/* What is mapped is read without a call. */
	if (runtime->files->mapped && runtime->files->wrote)
		cape_description_await_master(runtime);
}

static bool is_on_stack(const struct cape_runtime *runtime, uint64_t address)
{
	const struct cape_area *area = cape_areas_find(runtime->areas, address, 1);

	return area && area->kind == CAPE_AREA_STACK;
}

static void enter_region(struct cape_runtime *runtime, struct cape_construct *construct,
			 const void *frame)
{
	enum cape_phase phase = cape_profile_phase(runtime, CAPE_PHASE_FIND);

	construct->active = construct->was_active = true;
	construct->id = (uint64_t)++runtime->regions << 32;
	runtime->openmp->shared_out = 0;
	/* Streams may lie in memory that is not here. */
	if (!runtime->way->waits(runtime))
		cape_streams_flush();
	cape_opened_refuse(runtime, construct->place);
	runtime->stack->frame = (uint64_t)(uintptr_t)frame;
	/* What is private to a node would lie in memory that is exchanged. */
	if (runtime->nodes > 1 && !is_on_stack(runtime, runtime->stack->frame))
		cape_fail(runtime, 0,
			  "%s:%d: the region begins on a stack that the program has made itself; "
			  "CAPE distributes only regions that begin on the stack of main()",
			  construct->place->file, construct->place->line);
	cape_way_choose(runtime);
	runtime->way->enter(runtime);
	if (runtime->channel->flags & CAPE_CHANNEL_VERIFY)
		cape_verify(runtime, true, construct->place);
	cape_input_note(runtime, false);
	runtime->active_level++;
	runtime->shared_level = runtime->level + 1;
	runtime->team = cape_team_nodes(runtime, cape_team_size(runtime, construct));
	runtime->thread = runtime->node;
	cape_region_open(runtime);
	cape_profile_phase(runtime, phase);
}

/* Whether the program says that it touches no shared memory before the next region. */
static bool is_untouched(const struct cape_runtime *runtime, const struct cape_construct *construct)
{
	return construct->untouched && is_on_stack(runtime, runtime->stack->frame);
}

static void leave_region(struct cape_runtime *runtime, const struct cape_construct *construct,
			 bool untouched, const struct cape_place *place)
{
	enum cape_phase phase = cape_profile_phase(runtime, CAPE_PHASE_MERGE);
	bool open, locked;
	size_t bad;

	/* Where all is known that was done in it, no node has freed blocks of others'. */
	if (!untouched || !cape_heap_is_settled(runtime->heap) ||
	    !cape_sync_skip_end(runtime, construct->place))
		cape_sync_point(runtime, CAPE_SYNC_END, construct->place);
	/* As all nodes see only now; settling them touches shared memory. */
	open = untouched && cape_heap_is_settled(runtime->heap);
	runtime->way->leave(runtime, open);
	if (runtime->node > 0)
		cape_output_switch(runtime, false);
	locked = cape_heap_lock(runtime);
	cape_heap_parallel(runtime->heap, false);
	bad = cape_heap_settle(runtime->heap, NULL, NULL);
	cape_heap_unlock(runtime, locked);
	if (bad > 0)
		cape_fail(runtime, 0,
			  "%s:%d: a block was freed twice, or was never allocated, in this region",
			  place->file, place->line);
	cape_written_leave(runtime);
	runtime->active_level--;
	runtime->in_region = false;
	/* Their notes are in shared memory. */
	if (!cape_calls_are_settled(runtime))
		runtime->way->touched(runtime);
	cape_calls_settle(runtime);
	runtime->stack->frame = 0;
	runtime->channel->state.in_region = 0;
	cape_open_files_leave(runtime);
	cape_region_files_settle(runtime);
	cape_profile_phase(runtime, phase);
}

/* Every node runs REGION in whole, from here on to its end. */
static void run_in_whole(struct cape_runtime *runtime, struct cape_construct *region)
{
	region->active = false;
	region->whole = cape_team_size(runtime, region);
	runtime->channel->state.whole = 1;
}

/* Whether the outermost region is run so. */
static bool is_in_whole(const struct cape_runtime *runtime)
{
	return runtime->openmp->depth && runtime->openmp->construct[0].whole;
}

/* A sync point in REGION at PLACE: every node runs in whole what comes after it. */
static void leave_to_all(struct cape_runtime *runtime, struct cape_construct *region,
			 const struct cape_place *place)
{
	/* That was of a team that goes on. */
	runtime->way->forget_said(runtime);
	leave_region(runtime, region, false, place);
	run_in_whole(runtime, region);
	runtime->team = 1;
	runtime->thread = 0;
	cape_replicate_bring(runtime);
}

/* Whether all nodes come to sync points of the region: one that began in whole has none. */
static bool has_sync_points(const struct cape_runtime *runtime)
{
	return cape_is_shared_out(runtime) ||
	       (is_in_whole(runtime) && runtime->openmp->construct[0].was_active &&
		runtime->level == 1);
}

/* All threads of a region come to a sync point at PLACE. */
static void come_together(struct cape_runtime *runtime, const struct cape_place *place)
{
	struct cape_construct *region = &runtime->openmp->construct[0];

	if (runtime->level == 1 &&
	    cape_replicate_from_here(runtime, region, cape_team_size(runtime, region)))
		leave_to_all(runtime, region, place);
	else if (cape_is_shared_out(runtime))
		cape_sync_point(runtime, CAPE_SYNC_BARRIER, place);
}

void cape_region_meet(struct cape_runtime *runtime, const struct cape_place *place)
{
	unsigned team = runtime->team, thread = runtime->thread;

	runtime->team = cape_team_nodes(runtime, cape_team_all(runtime));
	runtime->thread = runtime->node;
	runtime->in_region = true;
	runtime->way->end_alike(runtime);
	cape_threadprivate_enter(runtime);
	cape_sync_point(runtime, CAPE_SYNC_END, place);
	runtime->way->begin_alike(runtime);
	runtime->in_region = false;
	runtime->team = team;
	runtime->thread = thread;
}

CAPE_APART_VOID(cape_region_run_here, (void (*body)(void *data), void *data))
{
	body(data);
}

/* By one thread of each node, or by all of the team, one after the other. */
static void run_alike(struct cape_runtime *runtime, void (*body)(void *data), void *data)
{
	const struct cape_construct *region = cape_innermost(runtime);
	bool repeats = runtime->profiling->repeats;

	if (region->whole && region->by_turns)
		runtime->team = region->whole;
	for (runtime->thread = 0; runtime->thread < runtime->team; runtime->thread++) {
		/* Where the region is a loop, too, each of them has a share. */
		cape_innermost(runtime)->work.has_job = false;
		cape_innermost(runtime)->ran_last = false;
		runtime->profiling->repeats = repeats || runtime->thread;
		body(data);
	}
	runtime->profiling->repeats = repeats;
	runtime->team = 1;
	runtime->thread = 0;
}

/* What all nodes run alike is sequential code. */
void cape_node_region_run(void (*body)(void *data), void *data)
{
	struct cape_runtime *runtime = cape_runtime_get();

	if (cape_innermost(runtime)->active)
		cape_region_run_here(body, data);
	else
		run_alike(runtime, body, data);
}

/* A node is one thread, and what other nodes store comes with a sync point. */
void cape_node_values_read(void)
{
}

void cape_node_untouched(void)
{
	cape_innermost(cape_runtime_get())->untouched = true;
}

CAPE_APART(void, cape_node_touch, (void))
{
	cape_runtime_get()->way->touched(cape_runtime_get());
}

CAPE_APART(void, cape_region_read, (uint64_t address, uint64_t size))
{
	struct cape_runtime *runtime = cape_runtime_get();

	runtime->way->touched_read(runtime, &(struct cape_range){address, address + size});
}

void cape_node_touch_read(unsigned long address, unsigned long size)
{
	struct cape_runtime *runtime = cape_runtime_get();

	if (runtime->way->waits(runtime))
		cape_region_read(address, size);
}

CAPE_APART_VOID(cape_node_start, (const void *frame))
{
	struct cape_runtime *runtime = cape_runtime_get();
	struct cape_construct *construct = cape_innermost(runtime);

	if (!construct->is_parallel)
		return;
	if (!runtime->in_region)
		cape_team_tell(runtime, construct);
	if (is_active(runtime, construct) &&
	    cape_replicate_begin(runtime, construct, cape_team_size(runtime, construct))) {
		run_in_whole(runtime, construct);
		construct->condition = 0;
	}
	if (is_active(runtime, construct)) {
		enter_region(runtime, construct, frame);
	} else {
		runtime->way->touched(runtime);
		if (!runtime->in_region)
			runtime->said->known = false;
		runtime->stack->local_count = construct->local_mark;
		runtime->team = 1;
		runtime->thread = 0;
	}
	runtime->level++;
}

bool cape_region_can_spread(struct cape_runtime *runtime, const void *frame)
{
	const struct cape_construct *construct = cape_innermost(runtime);

	return runtime->openmp->depth == 1 && !construct->is_parallel && runtime->level == 0 &&
	       runtime->nodes > 1 && is_active(runtime, construct) &&
	       cape_team_size(runtime, construct) == runtime->nodes &&
	       cape_is_initial_thread(runtime) && !cape_save_has_loaded(runtime) &&
	       is_on_stack(runtime, (uint64_t)(uintptr_t)frame);
}

void cape_region_spread(struct cape_runtime *runtime, const void *frame)
{
	struct cape_construct *construct = cape_innermost(runtime);

	cape_replicate_follow(runtime);
	runtime->stack->reaching_count = 0;
	construct->is_parallel = true;
	enter_region(runtime, construct, frame);
	runtime->level++;
}

CAPE_APART_VOID(cape_node_end, (enum cape_directive directive, const struct cape_place *place))
{
	struct cape_runtime *runtime = cape_runtime_get();
	struct cape_construct *construct = cape_innermost(runtime);

	cape_check_pause(runtime, false);
	if (construct->directive != directive)
		cape_fail(runtime, 0, "%s:%d: the end of a construct that is not the innermost",
			  place->file, place->line);
	if (is_in_whole(runtime) && runtime->openmp->depth > 1)
		cape_profile_planning(runtime, CAPE_REPLICATED);
	if (construct->active)
		leave_region(runtime, construct, is_untouched(runtime, construct), place);
	else if (has_sync_point(construct) && has_sync_points(runtime))
		come_together(runtime, construct->place);
	/* In a run that goes on inside the region, the list of constructs may lie elsewhere. */
	construct = cape_innermost(runtime);
	if (construct->is_parallel) {
		runtime->level--;
		runtime->team = construct->team;
		runtime->thread = construct->thread;
		runtime->openmp->settings = construct->settings;
	}
	runtime->stack->local_count = construct->local_mark;
	runtime->openmp->depth--;
	if (!runtime->openmp->depth) {
		if (construct->whole)
			runtime->channel->state.whole = 0;
		cape_replicate_end(runtime);
	}
	cape_profile_end(runtime);
	if (construct->active && runtime->due->at_end && !runtime->openmp->depth) {
		runtime->way->touched(runtime);
		cape_save(runtime, runtime->stack->registers);
	}
	if (construct->was_active && runtime->nodes > 1)
		cape_frame_wipe();
}

void cape_node_barrier_at(const struct cape_place *place)
{
	struct cape_runtime *runtime = cape_runtime_get();

	if (!cape_is_shared_out(runtime) && !is_in_whole(runtime))
		return;
	cape_profile_begin(runtime, place, "barrier");
	if (is_in_whole(runtime))
		cape_profile_planning(runtime, CAPE_REPLICATED);
	if (has_sync_points(runtime))
		come_together(runtime, place);
	cape_profile_end(runtime);
}
