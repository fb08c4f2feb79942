/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sequential code that gives a static variable another value on every node. */
#include <stdio.h>
#include <x86intrin.h>

int before[16];
unsigned long ticks;

int main(void)
{
	int sum = 0;

	before[3] = 1;
	ticks = __rdtsc();
#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < 100; i++)
		sum += i;
	printf("%d %lu %d\n", sum, ticks, before[3]);
	return 0;
}
