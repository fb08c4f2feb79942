/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * planned-smaller.c - what threads of a smaller team change between two of its sync points is not
 * said of the time before the next region, in which all take part.
 */
#include <stdio.h>
#include <stdlib.h>

#define SIZE 2103
#define FEW  248

static char before[4096];
static double value[SIZE];
static double *few __attribute__((aligned(32))); /* as arrays are: on their pages */
static long most __attribute__((aligned(32)));
static long set[4];
static char after[4096];

int main(void)
{
	double sum = 0;

	before[0] = after[0] = 1;

	few = malloc(FEW * sizeof(*few));
	if (!few)
		return 1;
	for (int i = 0; i < FEW; i++)
		few[i] = (i * 31 + 46) & 65535;
	for (int round = 0; round < 3; round++) {
#pragma omp parallel num_threads(2)
		{
#pragma omp for nowait
			for (int i = 0; i < SIZE; i++)
				value[i] = 0.5 * (few[FEW - 1] + few[(i * 31 + 3) % FEW]);
#pragma omp single nowait
			set[1] = round;
		}
#pragma omp parallel for reduction(max : most)
		for (int i = 0; i < FEW; i++)
			if ((long)few[i] > most)
				most = (long)few[i];
		most &= 65535;
		printf("%ld %ld\n", most, set[1]);
#pragma omp parallel for
		for (int i = 0; i < 111; i++)
			few[i] = i + round;
#pragma omp parallel for
		for (int i = 0; i < SIZE; i++)
			value[i] += i % 8;
	}
	for (int i = 0; i < SIZE; i++)
		sum += value[i] + before[i] + after[i];
	printf("%g\n", sum);
	free(few);
	return 0;
}
