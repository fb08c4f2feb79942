// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sums of floating numbers, which are rounded by the order in which threads' parts are added; each
 * is used by what comes next.  With an argument their bits are printed.
 */
#include <math.h>
#include <stdio.h>

#define SIZE   300
#define ROUNDS 400

static double value[SIZE], norm, product = 1;
static float largest, total;

static void relax(int round)
{
	double change = 0, next;
	int i;

#pragma omp parallel for private(next) reduction(+ : change) reduction(max : largest)
	for (i = 0; i < SIZE; i++) { /* marked */
		next = value[i] + value[(i * 7 + round) % SIZE] * 1e-3 + norm / 3;

		change += next - value[i];
		largest = next > largest ? (float)next : largest;
	}
	norm = sin(change + largest);
#pragma omp parallel for schedule(static, 7)
	for (int i = 0; i < SIZE; i++)
		value[i] = cos(value[i] + norm);
}

int main(int argc, char **argv)
{
	(void)argv;
	for (int i = 0; i < SIZE; i++)
		value[i] = i / 7.;
	for (int round = 0; round < ROUNDS; round++)
		relax(round);
#pragma omp parallel
	for (int round = 0; round < ROUNDS; round++) {
#pragma omp for reduction(+ : total) reduction(* : product) schedule(static, 11)
		for (int i = 0; i < SIZE; i++) {
			total += (float)value[i] / 3;
			product *= 1 + value[i] * 1e-3;
		}
#pragma omp single
		product = fmod(product, 10) + 1;
#pragma omp for
		for (int i = 0; i < SIZE; i++)
			value[i] = sin(value[i] + product + total);
	}
	if (argc > 1)
		printf("%a %a %a %a\n", norm, product, largest, total);
	else
		printf("%.1f\n", largest);
	return 0;
}
