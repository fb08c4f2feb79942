/* SPDX-License-Identifier: GPL-2.0-or-later */
/* row.c - an element of a row that a block of pointers leads to. */
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	float **rows = malloc(10 * sizeof(*rows));

	for (int i = 0; i < 10; i++)
		rows[i] = calloc(10, sizeof(**rows));
#pragma omp parallel for
	for (int i = 0; i < 100; i++)
		rows[3][4] += (float)i + .5f;
	printf("%g\n", rows[3][4]);
	return 0;
}
