/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * team.h - how many threads and nodes a parallel region gets, and a word where that is not what was
 * asked for.
 */
#ifndef CAPE_TEAM_H
#define CAPE_TEAM_H

#include "openmp/openmp.h"

/* The threads of all nodes. */
unsigned cape_team_all(const struct cape_runtime *runtime);

/* The most threads that any team can have: of all nodes, or less by OMP_THREAD_LIMIT. */
unsigned cape_team_limit(const struct cape_runtime *runtime);

/* Of a region whose clauses do not say how many. */
unsigned cape_team_default(const struct cape_runtime *runtime);

/* Of this region, were it active. */
unsigned cape_team_size(const struct cape_runtime *runtime, const struct cape_construct *construct);

/* Nodes that a team of SIZE has, and how many of its threads come before this node's. */
unsigned cape_team_nodes(const struct cape_runtime *runtime, unsigned size);
unsigned cape_team_first(const struct cape_runtime *runtime);

/* Whether there is no message about teams smaller than the program asks for, for one agreed to it.
 */
bool cape_team_agreed(const struct cape_runtime *runtime);

/*
 * One line to the user, once for either, where the program asks for more than there are nodes, or
 * OMP_NUM_THREADS leaves nodes without work.  In sequential code; the nodes come out alike.
 */
void cape_team_tell(struct cape_runtime *runtime, const struct cape_construct *construct);

#endif
