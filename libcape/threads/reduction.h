/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * reduction.h - parts of reductions that threads hand over to their team.
 */
#ifndef CAPE_THREADS_REDUCTION_H
#define CAPE_THREADS_REDUCTION_H

#include "threads/worker.h"

/*
 * All members have come to a barrier, and one calls this: adds what they have handed over, in the
 * order of their numbers, as nodes do, so that rounding depends on the team's size alone.
 */
void cape_reductions_fold(struct cape_team *team);

#endif
