// SPDX-License-Identifier: GPL-2.0-or-later
/* stdin-between-regions.c - numbers are read between regions of several loops. */
#include <stdio.h>

#define N 2000

static double a[N], b[N];

int main(void)
{
	int n, m;
	double sum = 0;

	while (scanf("%d %d", &n, &m) == 2) {
#pragma omp parallel
		{
#pragma omp for
			for (int i = 0; i < n; i++)
				a[i] = i + m;
#pragma omp for
			for (int i = 0; i < n; i++)
				b[i] = a[n - 1 - i];
		}
		for (int i = 0; i < n; i++)
			sum += b[i] * m;
		printf("%g\n", sum);
	}
	return 0;
}
