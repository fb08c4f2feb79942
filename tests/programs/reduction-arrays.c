/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reduction-arrays.c - whole arrays, two dimensions, sections of arrays, pointers and VLAs. */
#include <stdio.h>
#include <stdlib.h>

static int histogram[16];
static double matrix[3][4];

static void count(const unsigned char *data, int n, long *bins, int used)
{
#pragma omp parallel for reduction(+ : bins [0:used])
	for (int i = 0; i < n; i++)
		bins[data[i] % used]++;
}

static void by_parameter(int n, int sums[n], short low[4])
{
#pragma omp parallel for reduction(+ : sums[:n]) reduction(min : low [1:2])
	for (int i = 0; i < 90; i++) {
		sums[i % n] += i;
		low[1 + i % 2] = (short)(low[1 + i % 2] < 40 - i ? low[1 + i % 2] : 40 - i);
	}
}

int main(void)
{
	unsigned char data[500];
	long *bins = calloc(10, sizeof(long));
	int n = 6, vla[n], product[3] = {1, 1, 1};
	short low[4] = {1, 2, 3, 4};
	int sums[7] = {0};

	for (int i = 0; i < 500; i++)
		data[i] = (unsigned char)(i * i * 31 + 7);
	for (int i = 0; i < n; i++)
		vla[i] = i;
#pragma omp parallel for reduction(+ : histogram, matrix)
	for (int i = 0; i < 500; i++) {
		histogram[data[i] >> 4]++;
		matrix[data[i] % 3][data[i] % 4] += 0.5;
	}
#pragma omp parallel for reduction(max : vla) reduction(* : product)
	for (int i = 0; i < 60; i++) {
		vla[i % n] = vla[i % n] > i ? vla[i % n] : i;
		product[i % 3] *= i % 10 == 3 ? 3 : 1;
	}
	count(data, 500, bins, 7);
	count(data, 250, bins, 10);
	by_parameter(7, sums, low);
#pragma omp parallel
	{
#pragma omp for reduction(+ : bins [2:3], matrix [1:1] [0:4]) schedule(static, 9)
		for (int i = 0; i < 100; i++) {
			bins[2 + i % 3] += 1000;
			matrix[1][i % 4] += 100;
		}
	}
	for (int i = 0; i < 16; i++)
		printf("%d ", histogram[i]);
	putchar('\n');
	for (int i = 0; i < 12; i++)
		printf("%.1f ", matrix[i / 4][i % 4]);
	putchar('\n');
	for (int i = 0; i < 10; i++)
		printf("%ld ", bins[i]);
	putchar('\n');
	for (int i = 0; i < 7; i++)
		printf("%d ", sums[i]);
	for (int i = 0; i < 4; i++)
		printf("%d ", low[i]);
	for (int i = 0; i < n; i++)
		printf("%d ", vla[i]);
	printf("%d %d %d\n", product[0], product[1], product[2]);
	free(bins);
	return 0;
}
