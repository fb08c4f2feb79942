/* SPDX-License-Identifier: GPL-2.0-or-later */
/* equal.c - a counter that nodes with equal shares make the same. */
#include <stdio.h>

int main(void)
{
	int count = 0;

#pragma omp parallel for
	for (int i = 0; i < 100; i++)
		count++;
	printf("%d\n", count);
	return 0;
}
