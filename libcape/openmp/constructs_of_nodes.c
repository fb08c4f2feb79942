// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * constructs_of_nodes.c - the object that does what nodes do, and what routines ask of nodes.
 */
#include "openmp/constructs.h"
#include "openmp/team.h"
#include "sync/elements.h"
#include "sync/flush.h"

/* What a program needs of these it is linked with by their exports. */
#pragma weak cape_tasks_of_nodes
#pragma weak cape_task_reductions_of_nodes
#pragma weak cape_locks_of_nodes
#pragma weak cape_node_look_at

const struct cape_constructs *cape_constructs = &cape_constructs_of_nodes;

const struct cape_constructs cape_constructs_of_nodes = {
	CAPE_CONSTRUCT_CALLS(CAPE_CALL_OF_NODE) CAPE_CONSTRUCT_PARTS(CAPE_CALL_OF_NODE).tasks =
		&cape_tasks_of_nodes,
	.task_reductions = &cape_task_reductions_of_nodes,
	.locks = &cape_locks_of_nodes,
};

CAPE_ANSWERS(node, struct cape_construct *, innermost, cape_innermost(cape_runtime_get()))

const struct cape_construct *cape_node_region(int level)
{
	const struct cape_openmp *openmp = cape_runtime_get()->openmp;

	return cape_region_at(openmp->construct, openmp->depth, level);
}

CAPE_ANSWERS(node, struct cape_settings *, settings, &cape_runtime_get()->openmp->settings)
CAPE_ANSWERS(node, unsigned, number, cape_runtime_get()->thread)
CAPE_ANSWERS(node, unsigned, size, cape_runtime_get()->team)
CAPE_ANSWERS(node, unsigned, level, cape_runtime_get()->level)

unsigned cape_node_active_level(void)
{
	const struct cape_runtime *runtime = cape_runtime_get();

	return runtime->in_region && runtime->nodes > 1;
}

/*
 * The program gets back what it has set: cape_team_tell() reports to the user where a region
 * has fewer.  Where it does not, the answer is what regions get, for work may be divided by it.
 */
unsigned cape_node_max_size(void)
{
	struct cape_runtime *runtime = cape_runtime_get();
	const struct cape_settings *settings = &runtime->openmp->settings;
	unsigned team = cape_team_default(runtime);

	if (settings->wanted_by_environment || settings->wanted_nodes <= (int)team ||
	    cape_team_agreed(runtime))
		return team;
	if (!runtime->openmp->counted_on)
		runtime->openmp->many_reported = false;
	runtime->openmp->counted_on = true;
	return (unsigned)settings->wanted_nodes;
}

CAPE_ANSWERS(node, unsigned, processors, cape_runtime_get()->nodes)
CAPE_ANSWERS(node, struct cape_seat, seat, (struct cape_seat){.spot = -1})
CAPE_ANSWERS(node, unsigned, limit, cape_runtime_get()->nodes)
