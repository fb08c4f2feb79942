/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ordered.h - telling the service which iterations of a loop with the clause ordered are done.
 */
#ifndef CAPE_ORDERED_H
#define CAPE_ORDERED_H

#include "openmp/openmp.h"

/* This node's next chunk of CONSTRUCT is LEFT .. RIGHT - 1. */
void cape_ordered_chunk_begin(struct cape_construct *construct, unsigned long left,
			      unsigned long right);

/* Its last one is done, whether or not each of its iterations met the ordered construct. */
void cape_ordered_chunk_end(struct cape_runtime *runtime, struct cape_construct *construct);

#endif
