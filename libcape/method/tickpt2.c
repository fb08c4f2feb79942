// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * tickpt2.c - method tickpt2: shared memory is compared with its twin; no page is protected.
 */
#include "base/context.h"
#include "base/method.h"
#include "base/model.h"
#include "memory/shared.h"
#include "memory/track.h"
#include "memory/twin.h"

static int fold_range(void *context, struct cape_area *area, struct cape_range range)
{
	struct cape_runtime *runtime = context;

	cape_twin_fold(runtime->areas, area, range);
	return 0;
}

/* Where the master hands out jobs, as the papers do, all is compared, as they do. */
static void enter(struct cape_runtime *runtime)
{
	if (runtime->model->hands_out)
		cape_shared_each_written(runtime, true, fold_range, runtime);
	else
		cape_track_fold(runtime);
}

struct generation {
	struct cape_runtime *runtime;
	struct cape_runs *runs;
};

static int diff_range(void *context, struct cape_area *area, struct cape_range range)
{
	const struct generation *generation = context;

	return cape_area_diff(generation->runtime->areas, area, range, generation->runs);
}

static int generate(struct cape_runtime *runtime, bool end, bool all, struct cape_runs *runs)
{
	struct generation generation = {runtime, runs};

	(void)end;
	if (runtime->model->hands_out)
		return cape_shared_each_written(runtime, all, diff_range, &generation);
	return cape_track_diff(runtime, all, runs);
}

const struct cape_method cape_method_tickpt2 = {
	.base = &cape_base_twin,
	.publishes = true,
	.alone = &cape_method_unwatched,
	.enter = enter,
	.generate = generate,
};
