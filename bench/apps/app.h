/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * app.h - what the programs of bench/apps and their MPI twins have in common: numbers without a
 * pattern, and a sum over an array that stands for all of its bits, whoever adds up which part.
 */
#ifndef BENCH_APPS_APP_H
#define BENCH_APPS_APP_H

#include <string.h>
#include "../program.h"

#define PI 3.14159265358979323846

/* A number in 0 .. 1 that depends on KEY only. */
static inline double scattered(unsigned int key)
{
	key = (key ^ key >> 16) * 0x45d9f3bU;
	key = (key ^ key >> 16) * 0x45d9f3bU;
	return (double)(key ^ key >> 16) / 4294967296.0;
}

/*
 * What the element at INDEX adds to the sum of its array.  Sums of integers are alike in any order,
 * so every thread, or rank, adds up what it has.
 */
static inline unsigned long fingerprint(double value, size_t index)
{
	unsigned long bits;

	memcpy(&bits, &value, sizeof(bits));
	bits = (bits ^ index * 0x9e3779b97f4a7c15UL) * 0xbf58476d1ce4e5b9UL;
	return (bits ^ bits >> 29) * 0x94d049bb133111ebUL;
}

#endif
