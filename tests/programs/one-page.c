/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Many regions in which the master writes to one and the same page of its stack only. */
#include <stdio.h>

static int filled[1 << 16];

static void __attribute__((noinline)) fill(void)
{
	for (int round = 0; round < 20; round++) {
#pragma omp parallel for
		for (int i = 0; i < 1 << 16; i++)
			filled[i] += i ^ round;
	}
}

int main(void)
{
	/* What is called from here begins at the end of a page. */
	_Alignas(4096) volatile char page[4096];
	long sum = 0;

	page[0] = 0;
	fill();
	for (int i = page[0]; i < 1 << 16; i++)
		sum += filled[i];
	printf("%ld\n", sum);
	return 0;
}
