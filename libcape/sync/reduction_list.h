/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * reduction_list.h - the parts of reductions that wait for the next sync point.
 */
#ifndef CAPE_REDUCTION_LIST_H
#define CAPE_REDUCTION_LIST_H

#include "base/context.h"

#define CAPE_REDUCTION_LIST_LIMIT (1ull << 36) /* bytes */

/* Copies this node's part, to be sent with the next sync point. */
void cape_reduction_list_add(struct cape_runtime *runtime, const void *values, void *original,
			     enum cape_operator op, enum cape_type type, size_t count);

/* What declare reduction makes of a combiner: changes *OUT by *IN. */
typedef void (*cape_combine)(void *out, const void *in);

/* The same for COUNT values of SIZE bytes, not 0, that COMBINE folds. */
void cape_reduction_list_add_user(struct cape_runtime *runtime, const void *values, void *original,
				  size_t size, size_t count, cape_combine combine);

/*
 * Folds the parts of all nodes, as exchanged, into the originals: always in the order of nodes,
 * so that rounding is the same everywhere.  KEEP as for cape_area_settled().
 */
void cape_reduction_list_apply(struct cape_runtime *runtime, bool keep);

/*
 * The sync point is over: folds what was postponed to then.  Collective.  Whether memory may have
 * been changed by functions of the program's.
 */
bool cape_reduction_list_finish(struct cape_runtime *runtime, bool keep);

/* The master of master-slave: makes the list to be sent that of the results, as memory has them. */
void cape_reduction_list_results(struct cape_runtime *runtime);

#endif
