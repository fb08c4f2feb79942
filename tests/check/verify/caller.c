/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The same with an array in the frame of a caller. */
#include <stdio.h>
#include <x86intrin.h>

static void sum_up(unsigned long *list, int count)
{
#pragma omp parallel for
	for (int i = 1; i < count; i++)
		list[i] = (unsigned long)i;
}

int main(void)
{
	unsigned long list[64] = {__rdtsc()};

	sum_up(list, 64);
	printf("%lu %lu\n", list[0], list[63]);
	return 0;
}
