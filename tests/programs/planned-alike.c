/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values of a thread's own that decide on what a loop writes, and that loops around it change from
 * round to round: pointers that are swapped, places that go on, counters, choices by conditions.
 */
#include <stdio.h>
#include <stdlib.h>

#define N     3000
#define LEVEL 4

static double field[2][N + 64];
static int level[LEVEL][N], limit = 11;
static long sum;

static void swap(double *from, double *to)
{
#pragma omp parallel
	{
		double *in = from, *out = to;

		for (int t = 0; t < limit; t++) {
#pragma omp for
			for (int i = 0; i < N; i++) {
				int left = i == 0 ? N - 1 : i - 1, right = i == N - 1 ? 0 : i + 1;

				out[i] = (in[left] + 2 * in[i] + in[right]) / 4 + t;
			}
			double *other = in;

			in = out;
			out = other;
		}
	}
}

static void choose(void)
{
#pragma omp parallel
	{
		int (*to)[N] = level, place = 0, step = 1, round = 0;

		while (round < limit) {
			if (round % 3 == 1) {
				to = level + round % LEVEL;
			} else if (round & 1) {
				step++;
				place = 5;
			}
			for (int k = 0; k < step % 3; k++)
				place += 7;
#pragma omp for schedule(static, 50)
			for (int i = place; i < N; i += step)
				(*to)[i] += i + round;
			round++;
			place++;
		}
		do {
			int (*from)[N] = to == level ? level + 1 : level;

#pragma omp for
			for (int i = 0; i < N; i++)
				(*to)[i] += (*from)[N - 1 - i] & 15;
			to = from;
		} while (++round < 2 * limit);
	}
}

int main(void)
{
	for (int i = 0; i < N; i++)
		field[0][i] = i % 17;
	swap(field[0], field[1]);
	swap(field[1] + 9, field[0] + 3);
	choose();
	for (int i = 0; i < N; i++) {
		sum = (sum * 31 + (long)(1000 * field[0][i]) + (long)(700 * field[1][i])) % 1000003;
		for (int j = 0; j < LEVEL; j++)
			sum = (sum * 3 + level[j][i]) % 1000003;
	}
	printf("%ld\n", sum);
	return 0;
}
