/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * region.h - what entering an active region and going on inside one have in common.
 */
#ifndef CAPE_REGION_H
#define CAPE_REGION_H

#include "openmp/openmp.h"

/* What users call it. */
const char *cape_region_name(enum cape_directive directive);

/* From here on changes of memory count, and each node has its own of what is its own. */
void cape_region_open(struct cape_runtime *runtime);

/* Between regions, all nodes meet as at the end of the last one, that at PLACE. */
void cape_region_meet(struct cape_runtime *runtime, const struct cape_place *place);

/*
 * Whether the innermost loop, of sequential code, may be shared out among all nodes: then it
 * becomes a region.  FRAME as for ckpt_start(); the second one is called on the stack apart.
 */
bool cape_region_can_spread(struct cape_runtime *runtime, const void *frame);
void cape_region_spread(struct cape_runtime *runtime, const void *frame);

#endif
