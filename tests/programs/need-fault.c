/* SPDX-License-Identifier: GPL-2.0-or-later */
/* need-fault.c - a program that ends by SIGSEGV of its own, behind regions that write much. */
#include <stdio.h>
#include <stdlib.h>

#define SIZE (5 * 64 * 1024)

int main(void)
{
	unsigned char *array = malloc(SIZE);
	volatile int *volatile nowhere = NULL;
	unsigned long sum = 0;

#pragma omp parallel for
	for (int i = 0; i < SIZE; i++)
		array[i] = (unsigned char)(i * 7);
	for (int i = 0; i < SIZE; i++)
		sum = sum * 31 + array[i];
	printf("%lx\n", sum);
	fflush(stdout);
#pragma omp parallel for
	for (int i = 0; i < SIZE; i++)
		array[i]++;
	*nowhere = array[5];
	return 0;
}
