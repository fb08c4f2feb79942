// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * tickpt2.c - method tickpt2: shared memory is compared with its twin; no page is protected.
 */
#include "base/method.h"
#include "memory/track.h"
#include "memory/twin.h"

const struct cape_method cape_method_tickpt2 = {
	.base = &cape_base_twin,
	.publishes = true,
	.alone = &cape_method_unwatched,
	.enter = cape_track_fold,
	.settle = cape_track_fold_inside,
	.generate = cape_track_diff,
};
