/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inactive.h - two regions of known loops, the first of which may be inactive: for programs of
 * which it is so the first time, before something happens that changes how nodes exchange.
 */
#ifndef INACTIVE_H
#define INACTIVE_H

enum { COUNT = 30000 };

static int from[COUNT], to[COUNT];

static void fill(void)
{
	for (int i = 0; i < COUNT; i++)
		from[i] = i;
}

static void copy(int active)
{
#pragma omp parallel for if (active)
	for (int i = 0; i < COUNT; i++)
		to[i] = from[i] + 1;
}

static void turn(void)
{
#pragma omp parallel for
	for (int i = 0; i < COUNT; i++)
		from[i] = to[COUNT - 1 - i];
}

static unsigned sum_of_all(void)
{
	unsigned sum = 0;

	for (int i = 0; i < COUNT; i++)
		sum = sum * 31 + (unsigned)from[i];
	return sum;
}

#endif
