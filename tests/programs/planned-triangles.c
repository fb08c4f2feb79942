/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * planned-triangles.c - each iteration writes and reads a part of a column, as of a triangle or a
 * band: above the diagonal, below it, every second column, columns of structures, and downwards.
 */
#include <stdio.h>

enum { SIZE = 300, ROUNDS = 4 };

struct pair {
	int first;
	long second;
};

static double matrix[SIZE][SIZE], other[SIZE][SIZE];
static struct pair pairs[SIZE][SIZE];

static void fill(void)
{
	for (int i = 0; i < SIZE; i++)
		for (int j = 0; j < SIZE; j++) {
			matrix[i][j] = (i * 7 + j * 3) % 101;
			pairs[i][j] = (struct pair){i + j, i - j};
		}
}

static void work(int round)
{
#pragma omp parallel
	{
#pragma omp for
		for (int i = 0; i < SIZE; i++)
			for (int j = i + 1; j < SIZE; j++)
				matrix[j][i] = matrix[i][j] + round;
#pragma omp for
		for (int i = 0; i < SIZE; i++)
			for (int j = 0; j < i; j++)
				other[j][i] += matrix[i][j] - 1;
#pragma omp for schedule(static, 7)
		for (int i = 0; i < SIZE; i++)
			for (int j = SIZE - 1; j >= i; j--) {
				other[j][i] += matrix[j][i];
				pairs[j][i].second += round;
			}
#pragma omp for
		for (int i = 0; i < SIZE / 2; i++)
			for (int j = i; j < SIZE - i; j++) {
				matrix[j][2 * i] += other[j][i];
				pairs[j][i].first++;
			}
#pragma omp for
		for (int i = 0; i < SIZE; i++)
			for (int j = i > 20 ? i - 20 : 0; j < i; j++)
				other[j][i] -= matrix[j][i] + (double)pairs[j][i].second;
	}
}

static long sum(void)
{
	long sum = 0;

	for (int i = 0; i < SIZE; i++)
		for (int j = 0; j < SIZE; j++) {
			sum = (sum * 31 + (long)matrix[i][j]) % 1000003;
			sum = (sum * 31 + (long)other[i][j]) % 1000003;
			sum = (sum * 31 + pairs[i][j].first + pairs[i][j].second) % 1000003;
		}
	return sum;
}

int main(void)
{
	fill();
	for (int round = 0; round < ROUNDS; round++) {
		work(round);
		printf("%ld\n", sum());
	}
	return 0;
}
