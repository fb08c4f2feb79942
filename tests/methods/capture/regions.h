/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * regions.h - a region that writes to all of an array, which is then looked at, for programs in
 * which something else goes on meanwhile.  N, how long it is, is defined before this is included.
 */
#ifndef CAPE_TEST_REGIONS_H
#define CAPE_TEST_REGIONS_H

static int data[N];

/* Regions are run in order, REGION from 0 on; how many numbers are not what they are to be. */
static inline int run_region(int region)
{
	int wrong = 0;

#pragma omp parallel for
	for (int i = 0; i < N; i++)
		data[i] += i % 7 + region;
	for (int i = 0; i < N; i += 1000)
		wrong += data[i] != (region + 1) * (i % 7) + region * (region + 1) / 2;
	return wrong;
}

#endif
