/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * barrier.h - the barrier of a team.
 */
#ifndef CAPE_BARRIER_H
#define CAPE_BARRIER_H

#include "threads/worker.h"

/* Waits for all of WORKER's team, of several; what they have handed over is folded then. */
void cape_team_barrier(struct cape_worker *worker);

/* The same, which is all that a construct's barrier at PLACE is between threads alone. */
void cape_team_meet(struct cape_worker *worker, const struct cape_place *place);

/* Whether the end of DIRECTIVE, which is no parallel one, is a barrier. */
static inline bool cape_team_has_barrier(enum cape_directive directive)
{
	return directive == CAPE_FOR || directive == CAPE_SECTIONS || directive == CAPE_SINGLE;
}

#endif
