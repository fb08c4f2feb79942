/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ordered.h - the chunks of a loop with the clause ordered, and telling the service which of its
 * iterations are done.
 */
#ifndef CAPE_ORDERED_H
#define CAPE_ORDERED_H

#include "openmp/openmp.h"

/* This node's, or thread's, next chunk of CONSTRUCT is LEFT .. RIGHT - 1. */
static inline void cape_ordered_chunk_begin(struct cape_construct *construct, unsigned long left,
					    unsigned long right)
{
	construct->ordered.iteration = left;
	construct->ordered.announced = left;
	construct->ordered.right = right;
}

/* This node's last one is done, whether or not each of its iterations met the ordered construct. */
void cape_ordered_chunk_end(struct cape_runtime *runtime, struct cape_construct *construct);

#endif
