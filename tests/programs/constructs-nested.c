/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Constructs in places where they were refused: loop and simd inside loops, scope in scope, regions
 * in functions that are to be inlined, bounds of taskloop under default(none). */
#include <stdio.h>

static int a[8][8];

static inline __attribute__((always_inline)) int inlined(int n);

static inline __attribute__((always_inline)) int inlined(int n)
{
	int sum = 0;

#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < n; i++)
		sum += i;
	return sum;
}

inline int external(int n);

inline int external(int n)
{
	int product = 1;

#pragma omp parallel for reduction(* : product)
	for (int i = 1; i < n; i++)
		product *= i;
	return product;
}

extern int external(int n);

static void loops(void)
{
	int i, j = -1, sum = 0;

#pragma omp parallel for
	for (i = 0; i < 8; i++)
#pragma omp loop bind(thread)
		for (j = 0; j < 8; j++)
			a[i][j] = i + j;
#pragma omp parallel for reduction(+ : sum)
	for (i = 0; i < 8; i++) {
#pragma omp loop private(j)
		for (j = 0; j < 8; j++)
			sum += a[i][j];
	}
#pragma omp parallel
	{
#pragma omp loop
		for (i = 0; i < 8; i++)
			a[i][7]++;
	}
	printf("loops %d %d %d\n", j, sum, a[7][7]);
}

static void scopes(void)
{
	int sum = 0, inner = 0, single = 0;

#pragma omp parallel num_threads(2)
	{
#pragma omp scope reduction(+ : sum)
		{
			sum++;
#pragma omp scope reduction(+ : inner) nowait
			inner += 2;
#pragma omp single
			single++;
#pragma omp for
			for (int i = 0; i < 8; i++)
				a[i][0] = i;
#pragma omp barrier
		}
	}
	printf("scopes %d %d %d %d\n", sum > 0, inner == 2 * sum, single, a[7][0]);
}

static void taskloops(int n)
{
	int sum = 0;

#pragma omp parallel shared(sum, n)
#pragma omp master
#pragma omp taskloop default(none) reduction(+ : sum)
	for (int i = n - 3; i < n * 2; i += n / n)
		sum += i;
	printf("taskloops %d\n", sum);
}

int main(void)
{
	loops();
	scopes();
	taskloops(7);
	printf("inlined %d %d\n", inlined(100), external(6));
}
