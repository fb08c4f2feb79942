/* SPDX-License-Identifier: GPL-2.0-or-later */
/* static-locals.c - static variables in functions are shared, and keep what a region gave them. */
#include <stdio.h>

static int *counter(void)
{
	static int count = 40;

	return &count;
}

static long accumulate(int n)
{
	static long history[8];
	static int calls;
	static double average = 1.5;
	long sum = 0;

#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < n; i++) {
		static int marks[100];

		marks[i] += i;
		sum += marks[i];
	}
	history[calls++ % 8] = sum;
#pragma omp parallel
	{
		static int inside = 3;

#pragma omp single
		{
			inside *= 2;
			average += inside;
			++*counter();
		}
	}
	return history[0] + calls * 10 + (long)(average * 2);
}

static int static_table(int index)
{
	static int table[10];
	static int filled;

	if (!filled) {
#pragma omp parallel for
		for (int i = 0; i < 10; i++)
			table[i] = i * i + *counter();
		filled = 1;
	}
	return table[index];
}

int main(void)
{
	for (int i = 0; i < 5; i++)
		printf("%ld %d\n", accumulate(20 + i * 10), *counter());
	printf("%d %d\n", static_table(3), static_table(9));
	return 0;
}
