/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The same with an automatic variable that the region shares. */
#include <stdio.h>
#include <x86intrin.h>

int main(void)
{
	unsigned long ticks = __rdtsc();
	int sum = 0;

#pragma omp parallel for reduction(+ : sum) shared(ticks)
	for (int i = 0; i < 100; i++) {
		sum += i;
		if (i == 99)
			ticks++;
	}
	printf("%d %lu\n", sum, ticks);
	return 0;
}
