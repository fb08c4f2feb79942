/* SPDX-License-Identifier: GPL-2.0-or-later */
/* task-depend.c - depend(in, out, inout) puts tasks into an order: chains, fans, a blocked product. */
#include <stdio.h>

#define BLOCKS 4
#define SIZE   6

static double a[BLOCKS][BLOCKS][SIZE][SIZE], c[BLOCKS][BLOCKS][SIZE][SIZE];
static int log_of[16], logged;

static void multiply(double x[SIZE][SIZE], double y[SIZE][SIZE], double z[SIZE][SIZE])
{
	for (int i = 0; i < SIZE; i++)
		for (int j = 0; j < SIZE; j++)
			for (int k = 0; k < SIZE; k++)
				z[i][j] += x[i][k] * y[k][j];
}

static void note(int what)
{
	log_of[logged++] = what;
}

int main(void)
{
	int x = 1, y = 0, z = 0, stages[5] = {0};
	double trace = 0;

#pragma omp parallel
	{
#pragma omp single
		{
#pragma omp task depend(out : x)
			x = 10;
#pragma omp task depend(in : x) depend(out : y)
			y = x + 1;
#pragma omp task depend(in : x) depend(out : z)
			z = x * 2;
#pragma omp task depend(inout : x) depend(in : y, z)
			x = x + y * z;
#pragma omp task depend(in : x) depend(out : stages[0])
			stages[0] = x;
			for (int i = 1; i < 5; i++) {
#pragma omp task depend(in : stages[i - 1], x) depend(out : stages[i])
				stages[i] = stages[i - 1] + i;
			}
			for (int i = 0; i < 10; i++) {
#pragma omp task depend(inout : logged)
				note(i);
			}
		}
#pragma omp for
		for (int i = 0; i < BLOCKS * BLOCKS; i++)
			for (int j = 0; j < SIZE * SIZE; j++)
				a[i / BLOCKS][i % BLOCKS][j / SIZE][j % SIZE] = (i * j) % 5;
#pragma omp single
		for (int k = 0; k < BLOCKS; k++)
			for (int i = 0; i < BLOCKS; i++)
				for (int j = 0; j < BLOCKS; j++) {
#pragma omp task depend(in : a[i][k], a[k][j]) depend(inout : c[i][j])
					multiply(a[i][k], a[k][j], c[i][j]);
				}
	}
	for (int i = 0; i < BLOCKS; i++)
		for (int k = 0; k < SIZE; k++)
			trace += c[i][i][k][k] + c[i][BLOCKS - 1 - i][k][SIZE - 1];
	printf("%d %d %d %d %d %.0f\n", x, y, z, stages[0], stages[4], trace);
	for (int i = 0; i < logged; i++)
		printf("%d ", log_of[i]);
	putchar('\n');
	return 0;
}
