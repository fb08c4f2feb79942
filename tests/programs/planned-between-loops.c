// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sequential code between regions of known loops: short loops that read what the loops have
 * written, functions that compute with it, and blocks of the heap that change their sizes.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define N      4000
#define ROUNDS 40

static double a[N], b[N];
static int sizes[6], limit;
static double *volatile everywhere;

static int whole_log(int n)
{
	int log = 0;

	if (n < 2)
		return 0;
	for (int power = 2; power < n; power *= 2) {
		if (power < 0)
			break;
		log++;
	}
	return log;
}

static void fill(double *to, const double *from, const int *of, double with)
{
	int logs[3], i;

	for (i = 0; i < 3; i++)
		logs[i] = whole_log(of[i]);
#pragma omp parallel for
	for (int j = 0; j < N; j++)
		to[j] = from[N - 1 - j] * 0.5 + j % (logs[0] + 2) + logs[1] * with + logs[2];
}

/* What the tables hold another node has just written, or is about to. */
static double tables(void)
{
	double sum = 0;

	for (int round = 0; round < ROUNDS; round++) {
		double few[2][4], most = 0;

		fill(a, b, sizes, sum / 4096);
		for (int i = 0; i < 2; i++)
			for (int j = 0; j < 4; j++)
				few[i][j] = a[i * (N - 9) + 2 * j];
		fill(b, a, sizes + 3, round);
		for (int i = 0; i < 8; i++) {
			double here = b[round + i * (N / 9)] + few[i / 4][i % 4];

			if (here > most)
				most = here;
			else if (i == 5)
				continue;
			if (i > 6)
				break;
			sum += here * (i + 1);
		}
#pragma omp parallel for
		for (int i = 0; i < 6; i++)
			sizes[i] = (i + 1) * (round + 3) * 5;
		sum += most;
	}
	return sum;
}

/* Scalars that loops leave beside what all of them write. */
static double scalars(void)
{
	double sum = 0;

	for (int round = 0; round < ROUNDS; round++) {
#pragma omp parallel for lastprivate(limit)
		for (int i = 0; i < N; i++) {
			a[i] += b[i] / (round + 1);
			limit = i / 100 + round;
		}
		int odd = 0;

		for (int i = 0; i < limit; i++)
			odd += limit % (i + 1) ? 0 : i;
		while (odd > limit)
			odd -= 3;
#pragma omp parallel for
		for (int i = 0; i < N; i++)
			b[i] += a[i] / 8 + odd;
		sum += b[(odd + 7 * round + N) % N];
	}
	return sum;
}

/* Bounds that a pointer leads to, which the loop before has written, or another region. */
static double bounds(int *of)
{
	double sum = 0;

	for (int round = 0; round < ROUNDS; round++) {
#pragma omp parallel
		{
#pragma omp for
			for (int i = 0; i < of[1]; i++)
				a[i % N] += b[N - 1 - i % N] / 4 + round % 7;
#pragma omp for
			for (int i = 0; i < 6; i++)
				of[i] = (i + 1) * (round + 2) * 9;
#pragma omp for
			for (int i = 0; i < of[2]; i++)
				b[i] = b[i] / 2 + a[of[5] - i];
		}
		sum += a[round] - b[3 * round];
#pragma omp parallel
		{
			int *here = of + round % 2;

#pragma omp for
			for (int i = of[0]; i < here[3]; i++)
				b[i] = b[i] / 4 + a[i + 1];
			here += 2;
#pragma omp for
			for (int i = 0; i < here[1]; i++)
				a[i] = a[i] / 2 + b[i] + here[0];
		}
	}
	return sum;
}

static void raise(double *block, int count, double by)
{
#pragma omp parallel for
	for (int i = 0; i < count; i++)
		block[i] += by + i % 5;
}

static double total(const double *block, int count)
{
	double sum = 0;

	for (int i = 0; i < count; i++)
		sum += block[i] * (i % 3 + 1);
	return sum;
}

/* Blocks whose first words lie on pages that another node writes, and that grow and shrink. */
static double blocks(void)
{
	double *block[4], sum = 0;
	int count[4];

	for (int i = 0; i < 4; i++) {
		count[i] = 700 * (i + 1);
		block[i] = calloc((size_t)count[i], sizeof(double));
	}
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < 4; i++)
			raise(block[i], count[i], round);
		raise(block[round % 4] + 1, count[round % 4] - 1, 0.5);
		if (round % 8 == 7) {
			int which = round / 8 % 4;
			double *larger;

			count[which] = round % 16 == 7 ? count[which] * 2 : count[which] / 3;
			larger = realloc(block[which], (size_t)count[which] * sizeof(double));
			if (!larger)
				abort();
			block[which] = larger;
			for (int i = 0; i < count[which]; i++)
				block[which][i] = i % 11;
		}
		if (round % 10 == 9) {
			free(block[3]);
			everywhere = malloc(160);
			block[3] = calloc((size_t)count[3], sizeof(double));
			free(everywhere);
		}
	}
	for (int i = 0; i < 4; i++) {
		sum += total(block[i], count[i]) / (i + 1);
		free(block[i]);
	}
	return sum;
}

int main(void)
{
	for (int i = 0; i < N; i++)
		a[i] = i % 17, b[i] = i % 23;
	for (int i = 0; i < 6; i++)
		sizes[i] = 3 << i;
	printf("tables %.10e\n", tables());
	printf("scalars %.10e\n", scalars());
	printf("bounds %.10e\n", bounds(sizes));
	printf("blocks %.10e\n", blocks());
	return 0;
}
