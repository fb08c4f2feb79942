/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * team.c - how many threads and nodes a parallel region gets, and a word where that is not what was
 * asked for.
 */
#include "openmp/team.h"

#include <limits.h>
#include <stdio.h>
#include "system/libc.h"

unsigned cape_team_all(const struct cape_runtime *runtime)
{
	return runtime->nodes * runtime->threads;
}

unsigned cape_team_limit(const struct cape_runtime *runtime)
{
	unsigned limit = (unsigned)runtime->openmp->settings.thread_limit;
	unsigned all = cape_team_all(runtime);

	return limit && limit < all ? limit : all;
}

unsigned cape_team_nodes(const struct cape_runtime *runtime, unsigned size)
{
	return (size + runtime->threads - 1) / runtime->threads;
}

unsigned cape_team_first(const struct cape_runtime *runtime)
{
	return runtime->node * runtime->threads;
}

static unsigned at_most(const struct cape_runtime *runtime, unsigned wanted)
{
	unsigned limit = cape_team_limit(runtime);

	return wanted < limit ? wanted : limit;
}

unsigned cape_team_default(const struct cape_runtime *runtime)
{
	unsigned wanted = (unsigned)runtime->openmp->settings.wanted_nodes;

	return at_most(runtime, wanted ? wanted : UINT_MAX);
}

unsigned cape_team_size(const struct cape_runtime *runtime, const struct cape_construct *construct)
{
	if (!construct->condition)
		return 1;
	return construct->requested ? at_most(runtime, (unsigned)construct->requested)
				    : cape_team_default(runtime);
}

bool cape_team_agreed(const struct cape_runtime *runtime)
{
	const struct cape_openmp *openmp = runtime->openmp;

	return openmp->settings.dynamic || openmp->settings.thread_limit || !runtime->channel;
}

static void tell(const struct cape_runtime *runtime, const struct cape_place *place,
		 unsigned wanted)
{
	unsigned all = cape_team_all(runtime), nodes = cape_team_nodes(runtime, wanted);
	const char *what = runtime->threads > 1 ? "thread" : "node";

	if (runtime->node > 0)
		return;
	if (wanted > all)
		dprintf(STDERR_FILENO,
			"cape: asked for %u threads at %s:%d, there %s %u %s%s; cape-run -np %u "
			"makes as many%s%s\n",
			wanted, place->file, place->line, all == 1 ? "is" : "are", all, what,
			all == 1 ? "" : "s", nodes < CAPE_NODES_LIMIT ? nodes : CAPE_NODES_LIMIT,
			nodes > CAPE_NODES_LIMIT ? " as there can be" : "",
			runtime->openmp->counted_on ? "; with fewer, work that is divided by "
						      "omp_get_max_threads() is left undone"
						    : "");
	else
		dprintf(STDERR_FILENO,
			"cape: OMP_NUM_THREADS=%u leaves %u of %u %ss without work at %s:%d; "
			"unset it to use all\n",
			wanted, all - wanted, all, what, place->file, place->line);
}

void cape_team_tell(struct cape_runtime *runtime, const struct cape_construct *construct)
{
	struct cape_openmp *openmp = runtime->openmp;
	bool of_environment = !construct->requested && openmp->settings.wanted_by_environment;
	unsigned wanted = (unsigned)(construct->requested ? construct->requested
							  : openmp->settings.wanted_nodes);
	bool *reported = of_environment ? &openmp->few_reported : &openmp->many_reported;

	if (*reported || !wanted || !construct->condition || !runtime->channel ||
	    (of_environment ? wanted >= cape_team_all(runtime) : wanted <= cape_team_all(runtime)))
		return;
	if (!of_environment && cape_team_agreed(runtime))
		return;
	*reported = true;
	tell(runtime, construct->place, wanted);
}
