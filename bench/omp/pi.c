/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pi.c - PI: integrates 4 / (1 + x^2) over 0 .. 1 (thesis Fig. 4.17 and equation 4.1).
 *
 * Usage: pi [steps]
 *
 * Nothing to mend.
 */
#include "../pi.h"
#include "wtime.h"

static double integrate(int steps)
{
	double x, aux, sum, pi, step;
	int i;

	sum = 0.0;
	step = 1.0 / (double)steps;
#pragma omp parallel private(i, x, aux) shared(sum)
	{
#pragma omp for reduction(+ : sum)
		for (i = 0; i < steps; i++) {
			x = (i + 0.5) * step;
			aux = 4.0 / (1.0 + x * x);
			sum += aux;
		}
	}
	pi = step * sum;
	return pi;
}

int main(int argc, char **argv)
{
	int steps = argument(argc, argv, 1, PI_STEPS, 1, PI_MOST);
	double started = start_clock();
	double pi = integrate(steps);

	report_time("pi", common_clock() - started);
	print_pi(steps, pi);
	return verdict("pi", check_pi(steps, pi));
}
