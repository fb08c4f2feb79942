// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * constructs.c - the object for nodes of several threads: in a region a call does what threads do,
 * elsewhere what nodes do, which all run sequential code.
 */
#include "mixed/mixed.h"

#include "openmp/team.h"

#pragma weak cape_node_look_at
#pragma weak cape_task_reductions_of_nodes
#pragma weak cape_locks_of_nodes

#define IN_REGION(type, name, parameters, arguments)                                               \
	static type mixed_##name parameters                                                        \
	{                                                                                          \
		return cape_mixed_worker() ? cape_thread_##name arguments                          \
					   : cape_node_##name arguments;                           \
	}

IN_REGION(void, begin_at,
	  (enum cape_directive directive, unsigned long first, unsigned long last,
	   const struct cape_place *place),
	  (directive, first, last, place))
IN_REGION(void, values_read, (void), ())
IN_REGION(void, untouched, (void), ())
IN_REGION(void, touch, (void), ())
IN_REGION(void, touch_read, (unsigned long address, unsigned long size), (address, size))
IN_REGION(void, set_shared_at,
	  (const volatile void *variable, unsigned long size, const char *name),
	  (variable, size, name))
IN_REGION(void, set_reaching_at, (const volatile void *pointer, const char *name), (pointer, name))
IN_REGION(void, set_copyin_at, (volatile void *variable, unsigned long size), (variable, size))
IN_REGION(void, set_copyprivate_at, (volatile void *variable, unsigned long size), (variable, size))
IN_REGION(void, reduction,
	  (const volatile void *values, volatile void *original, enum cape_operator op,
	   enum cape_type type, unsigned long count),
	  (values, original, op, type, count))
IN_REGION(void, reduction_user,
	  (const volatile void *values, volatile void *original, unsigned long size,
	   unsigned long count, void (*combine)(void *out, const void *in)),
	  (values, original, size, count, combine))
IN_REGION(int, chunk, (unsigned long *left, unsigned long *right), (left, right))
IN_REGION(int, is_last, (void), ())
IN_REGION(void, barrier_at, (const struct cape_place *place), (place))
IN_REGION(void, ordered_begin_at, (const struct cape_place *place), (place))
IN_REGION(void, ordered_end, (void), ())
IN_REGION(struct cape_construct *, innermost, (void), ())
IN_REGION(const struct cape_construct *, region, (int level), (level))
IN_REGION(struct cape_settings *, settings, (void), ())
IN_REGION(unsigned, number, (void), ())
IN_REGION(unsigned, size, (void), ())
IN_REGION(unsigned, level, (void), ())
IN_REGION(unsigned, active_level, (void), ())

static void mixed_region_run(void (*body)(void *data), void *data)
{
	struct cape_worker *worker = cape_mixed_worker();

	if (!worker)
		cape_node_region_run(body, data);
	else if (cape_worker_innermost(worker)->active)
		cape_mixed_run_region(body, data);
	else
		body(data);
}

static void mixed_start(const void *frame)
{
	if (cape_mixed_worker())
		cape_thread_start(frame);
	else
		cape_mixed_start_region(frame);
}

static void mixed_end(enum cape_directive directive, const struct cape_place *place)
{
	struct cape_worker *worker = cape_mixed_worker();

	if (!worker)
		cape_node_end(directive, place);
	else if (cape_worker_innermost(worker)->active)
		cape_mixed_end_region(directive, place);
	else
		cape_thread_end(directive, place);
}

static int mixed_section(void)
{
	struct cape_worker *worker = cape_mixed_worker();

	return worker ? cape_mixed_has_section(worker) : cape_node_section();
}

static int mixed_single(void)
{
	struct cape_worker *worker = cape_mixed_worker();

	return worker ? cape_mixed_wins(worker, false) : cape_node_single();
}

static int mixed_single_any(void)
{
	struct cape_worker *worker = cape_mixed_worker();

	return worker ? cape_mixed_wins(worker, true) : cape_node_single_any();
}

/* A region inside of one is one thread's, whatever it asks for. */
static unsigned mixed_max_size(void)
{
	const struct cape_worker *worker = cape_mixed_worker();
	unsigned most = cape_team_all(cape_runtime_get()), wanted;

	if (!worker)
		return cape_node_max_size();
	if (worker->settings.thread_limit && (unsigned)worker->settings.thread_limit < most)
		most = (unsigned)worker->settings.thread_limit;
	wanted = (unsigned)worker->settings.wanted_nodes;
	return wanted && wanted < most ? wanted : most;
}

static unsigned mixed_processors(void)
{
	return cape_team_all(cape_runtime_get());
}

#define mixed_limit mixed_processors

/* What nodes do, whose threads run alike outside of regions, and order each other in them. */
#define mixed_critical_begin_at cape_node_critical_begin_at
#define mixed_critical_end	cape_node_critical_end
#define mixed_atomic_begin_at	cape_node_atomic_begin_at
#define mixed_atomic_end	cape_node_atomic_end
#define mixed_atomic_element	cape_node_atomic_element
#define mixed_flush		cape_node_flush
#define mixed_look_at		cape_node_look_at
#define mixed_seat		cape_node_seat

#define MIXED(type, name, parameters, arguments) .name = mixed_##name,

#define TASK_REDUCTIONS(type, name, parameters, arguments)                                         \
	static type mixed_##name parameters                                                        \
	{                                                                                          \
		return cape_mixed_worker() ? cape_thread_##name arguments                          \
					   : cape_task_reductions_of_nodes.name arguments;         \
	}

CAPE_TASK_REDUCTION_CALLS(TASK_REDUCTIONS)

static const struct cape_task_reduction_calls task_reductions = {CAPE_TASK_REDUCTION_CALLS(MIXED)};

const struct cape_constructs cape_constructs_of_mixed = {
	CAPE_CONSTRUCT_CALLS(MIXED) CAPE_CONSTRUCT_PARTS(MIXED).tasks = &cape_tasks_of_mixed,
	.task_reductions = &task_reductions,
	.locks = &cape_locks_of_nodes,
};
