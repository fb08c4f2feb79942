/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loop-few-trips.c - no iteration, one, fewer than threads; the same loop many times. */
#include <stdio.h>

static int marks[40];

static int fill(int first, int limit, int value)
{
	int count = 0;

#pragma omp parallel for reduction(+ : count)
	for (int i = first; i < limit; i++) {
		marks[i] += value;
		count++;
	}
	return count;
}

static int fill_down(int first, int limit, int value)
{
	int count = 0;

#pragma omp parallel for reduction(+ : count) schedule(static, 2)
	for (int i = first; i > limit; i -= 3) {
		marks[i] -= value;
		count++;
	}
	return count;
}

int main(void)
{
	unsigned int none = 0;

	printf("%d %d %d\n", fill(0, 0, 1), fill(5, 2, 1), fill(-3, -9, 1));
	printf("%d %d\n", fill_down(2, 2, 1), fill_down(2, 30, 1));
	for (int trips = 1; trips <= 9; trips++)
		printf("%d ", fill(trips, 2 * trips, trips));
	for (int trips = 1; trips <= 9; trips++)
		printf("%d ", fill_down(trips * 4, trips, trips * 10));
	putchar('\n');
#pragma omp parallel for
	for (unsigned int i = 0; i < none; i++)
		marks[i] = 999;
#pragma omp parallel for
	for (unsigned long i = 3; i < none; i++)
		marks[i] = 999;
#pragma omp parallel for collapse(3) /* bounds that leave nothing, whatever the step */
	for (int i = 0; i < 9; i++)
		for (int j = 7; j < -2; j--)
			for (int k = 4; k <= 3; k--)
				marks[i] = 999;
#pragma omp parallel
	{
#pragma omp for nowait
		for (int i = 0; i < 1; i++)
			marks[39] = 7;
#pragma omp for
		for (int i = 0; i < 0; i++)
			marks[38] = 7;
#pragma omp for
		for (int i = 38; i < 39; i++)
			marks[i] += marks[i + 1] * 2;
	}
	for (int i = 0; i < 40; i++)
		printf("%d%c", marks[i], i == 39 ? '\n' : ' ');
	return 0;
}
