/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parallel-sections.c - independent jobs side by side: sort, search, text, and a lonely section. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int numbers[200];
static char text[64];

static int compare(const void *left, const void *right)
{
	return *(const int *)left - *(const int *)right;
}

static int fibonacci(int n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

int main(void)
{
	int primes = 0, small = 2000, deep, once = 0, last;

	for (int i = 0; i < 200; i++)
		numbers[i] = (i * 7919 + 13) % 1009;
#pragma omp parallel sections lastprivate(last) shared(primes, deep)
	{
#pragma omp section
		qsort(numbers, 200, sizeof(int), compare);
#pragma omp section
		for (int i = 2; i < 500; i++) {
			int divisor = 2;

			while (i % divisor)
				divisor++;
			primes += divisor == i;
		}
#pragma omp section
		deep = fibonacci(15);
#pragma omp section
		{
			strcpy(text, "written by");
			strcat(text, " one section");
			last = 42;
		}
	}
	printf("%d %d %d %d %d %s %d\n", numbers[0], numbers[99], numbers[199], primes, deep, text,
	       last);
#pragma omp parallel sections num_threads(2) reduction(min : small)
	{
		small = numbers[100] < small ? numbers[100] : small;
#pragma omp section
		small = numbers[50] < small ? numbers[50] : small;
	}
#pragma omp parallel sections if (numbers[0] < 0)
	{
#pragma omp section
		once++;
#pragma omp section
		once += 10;
	}
	printf("%d %d\n", small, once);
	return 0;
}
