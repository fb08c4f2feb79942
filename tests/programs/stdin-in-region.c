/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stdin-in-region.c - one thread of a region reads for all; sequential code reads on behind it. */
#include <stdio.h>

int main(void)
{
	int first = 0, numbers[6], rest = 0, sum = 0;
	char word[12];

	if (scanf("%d", &first) != 1)
		return 1;
#pragma omp parallel
	{
		for (int i = 0; i < 3; i++) {
#pragma omp single
			if (scanf("%d", &numbers[i]) != 1)
				numbers[i] = -1;
		}
#pragma omp master
		for (int i = 3; i < 6; i++)
			if (scanf("%d", &numbers[i]) != 1)
				numbers[i] = -1;
#pragma omp barrier
#pragma omp for reduction(+ : sum)
		for (int i = 0; i < 6; i++)
			sum += numbers[i] * (i + 1);
	}
	if (scanf("%11s %d", word, &rest) != 2)
		return 2;
	printf("%d %d %s %d\n", first, sum, word, rest);
	return 0;
}
