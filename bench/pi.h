/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pi.h - the sizes of PI and the check of its value. */
#ifndef BENCH_PI_H
#define BENCH_PI_H

#include "program.h"

#define PI_STEPS 400000000 /* by default */
#define PI_MOST	 2147483647

/* The midpoint rule is off by step^2 / 12; rounding is allowed for besides. */
static inline int check_pi(int steps, double pi)
{
	double error = pi - 3.14159265358979323846;
	double allowed = 1.0 / ((double)steps * (double)steps) + 1e-11;

	return error < allowed && -error < allowed;
}

/* Ten digits: the order of the sum, which OpenMP leaves open, shows in later ones. */
static inline void print_pi(int steps, double pi)
{
	printf("pi: %.10f from %d steps\n", pi, steps);
}

#endif
