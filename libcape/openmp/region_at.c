// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * region_at.c - finding a region among the constructs that enclose the caller.
 */
#include "openmp/openmp.h"

const struct cape_construct *cape_region_at(const struct cape_construct *construct, size_t depth,
					    int level)
{
	int seen = 0;

	for (size_t i = 0; i < depth; i++)
		if (construct[i].is_parallel && ++seen == level)
			return &construct[i];
	return NULL;
}
