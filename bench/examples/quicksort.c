/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * quicksort.c - sorts numbers by tasks that make tasks.
 *
 * Usage: quicksort [numbers]      Ends with 1 if they are not sorted, or not the same numbers.
 */
#include <stdio.h>
#include <stdlib.h>

#define SMALL 200

static void insertion_sort(unsigned *numbers, long n)
{
	for (long i = 1; i < n; i++) {
		unsigned moved = numbers[i];
		long j = i;

		for (; j > 0 && numbers[j - 1] > moved; j--)
			numbers[j] = numbers[j - 1];
		numbers[j] = moved;
	}
}

/* Puts what is less than the middle number to the front; returns where the rest begins. */
static long split(unsigned *numbers, long n)
{
	unsigned pivot = numbers[n / 2];
	long i = -1, j = n;

	for (;;) {
		while (numbers[++i] < pivot)
			;
		while (numbers[--j] > pivot)
			;
		if (i >= j)
			return j + 1;

		unsigned kept = numbers[i];

		numbers[i] = numbers[j];
		numbers[j] = kept;
	}
}

static void sort(unsigned *numbers, long n)
{
	long middle;

	if (n < SMALL) {
		insertion_sort(numbers, n);
		return;
	}
	middle = split(numbers, n);
#pragma omp task
	sort(numbers, middle);
#pragma omp task
	sort(numbers + middle, n - middle);
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 20000, wrong = 0;
	unsigned *numbers = malloc((size_t)n * sizeof(*numbers)), before = 0, after = 0;

#pragma omp parallel for reduction(^ : before)
	for (long i = 0; i < n; i++) {
		numbers[i] = (unsigned)i * 2654435761U % 1000003U;
		before ^= numbers[i] * 31;
	}
#pragma omp parallel
#pragma omp single
	sort(numbers, n);
#pragma omp parallel for reduction(^ : after) reduction(+ : wrong)
	for (long i = 0; i < n; i++) {
		after ^= numbers[i] * 31;
		wrong += i > 0 && numbers[i - 1] > numbers[i];
	}
	wrong += before != after;
	printf("%ld numbers, %ld wrong\n", n, wrong);
	free(numbers);
	return wrong ? 1 : 0;
}
