/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * handed_out.h - dynamic and guided loops: chunks go to nodes in the order in which they ask.
 */
#ifndef CAPE_HANDED_OUT_H
#define CAPE_HANDED_OUT_H

#include "openmp/openmp.h"

/*
 * This node's next chunk of the innermost construct, LEFT .. RIGHT - 1; 0: there is none.  Before
 * it, the run may have been saved, or have gone on from there.
 */
int cape_handed_out_next(struct cape_runtime *runtime, unsigned long *left, unsigned long *right);

/* The only node of a run is about to take a chunk: the same. */
void cape_handed_out_alone(struct cape_runtime *runtime);

#endif
