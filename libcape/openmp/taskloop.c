// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * taskloop.c - which iterations of a taskloop each of its tasks has.
 */
#include "cape.h"
#include "omp.h"
#include "base/context.h"

CAPE_EXPORT struct cape_taskloop_parts cape_taskloop(unsigned long trips, enum cape_taskloop by,
						     unsigned long number)
{
	unsigned long tasks = number;

	if (by == CAPE_TASKLOOP_STRICT && number)
		return (struct cape_taskloop_parts){.trips = trips, .size = number};
	if (by == CAPE_TASKLOOP_TEAM || !number)
		tasks = (unsigned long)omp_get_num_threads();
	else if (by == CAPE_TASKLOOP_SIZE)
		tasks = trips / number ? trips / number : 1;
	return (struct cape_taskloop_parts){
		.trips = trips, .size = trips / tasks, .larger = trips % tasks};
}

CAPE_EXPORT int cape_taskloop_next(struct cape_taskloop_parts *parts, unsigned long *left,
				   unsigned long *right)
{
	unsigned long size = parts->size;

	if (*right >= parts->trips)
		return 0;
	if (parts->larger) {
		parts->larger--;
		size++;
	}
	*left = *right;
	*right = size < parts->trips - *left ? *left + size : parts->trips;
	return 1;
}
