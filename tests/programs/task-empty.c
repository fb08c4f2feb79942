/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tasks that do nothing, but wait for others by their depend clauses. */
#include <stdio.h>

#define ROUNDS 20

static void work(int *x, int n)
{
	for (int i = 0; i < n; i++)
		__asm__ volatile("" : : : "memory");
	*x += 5;
}

int main(void)
{
	int wrong = 0;

#pragma omp parallel
#pragma omp single
	for (int round = 0; round < ROUNDS; round++) {
		int x = 0, y = 0;

#pragma omp task depend(inout : x) shared(x)
		work(&x, 200000);
#pragma omp task if (0) depend(inout : x)
		;
		wrong += x != 5;
#pragma omp task depend(out : x) shared(x)
		work(&x, 200000);
#pragma omp task depend(in : x) depend(out : y)
		{
		}
#pragma omp task if (0) depend(in : y) shared(x, wrong)
		wrong += x != 10;
#pragma omp taskwait
	}
	printf("%d wrong\n", wrong);
	return 0;
}
