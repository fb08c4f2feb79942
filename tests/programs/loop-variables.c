/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loop-variables.c - what happens to loop variables, bounds and steps outside of the loop. */
#include <stdio.h>

static int global_index = 77, calls;
static long values[64];

static int counted(int value)
{
	calls++;
	return value;
}

int main(void)
{
	int i = 55, n = 20, step = 3;
	unsigned int u;

	/* A predetermined private loop variable keeps its value outside. */
#pragma omp parallel for
	for (i = 0; i < n; i++)
		values[i] = i;
#pragma omp parallel for
	for (global_index = 0; global_index < n; global_index++)
		values[global_index] += global_index;
#pragma omp parallel for lastprivate(u)
	for (u = 1; u < 50; u += 9)
		values[u] += 100;
	printf("%u\n", u);
#pragma omp parallel for lastprivate(i) firstprivate(n)
	for (i = n - 1; i >= 0; i -= step) {
		values[i] *= 2;
		n += 1000; /* the bounds were settled before */
	}
	printf("%d %d\n", i, n);
#pragma omp parallel
	{
		int j;

#pragma omp for
		for (j = 0; j < 10; j++)
			for (int k = 0; k < 3; k++)
				values[40 + j] += k * j;
	}
	/* Sequential: evaluated once, by one thread as by many. */
	n = counted(30);
#pragma omp parallel for schedule(static, step - 1)
	for (int j = n / 3; j < n; j += step - 1)
		values[j] -= 5000;
	printf("%d\n", calls);
	for (int j = 0; j < 64; j++)
		printf("%ld%c", values[j], j % 16 == 15 ? '\n' : ' ');
	return 0;
}
