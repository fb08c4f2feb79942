/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ordered-print.c - what ordered blocks print comes out in the order of the iterations. */
#include <stdio.h>

static int square(int i)
{
	return i * i;
}

int main(void)
{
	printf("squares:\n");
#pragma omp parallel for ordered schedule(dynamic)
	for (int i = 0; i < 40; i++) {
		int value = square(i);

#pragma omp ordered
		printf("%d: %d\n", i, value);
	}
	printf("in one line:");
#pragma omp parallel for ordered schedule(static, 1)
	for (int i = 0; i < 25; i++) {
#pragma omp ordered
		printf(" %d", i);
	}
	printf("\nflushed:\n");
#pragma omp parallel for ordered schedule(static)
	for (int i = 0; i < 25; i++) {
#pragma omp ordered
		{
			printf("%c", 'a' + i);
			fflush(stdout);
		}
	}
	printf("\n");
	return 0;
}
