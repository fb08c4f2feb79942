/* SPDX-License-Identifier: GPL-2.0-or-later */
/* critical.c - unnamed, named and nested critical constructs, in the region and in functions. */
#include <omp.h>
#include <stdio.h>

#define ROUNDS 40

static long unnamed, left, right, both, from_function;
static int largest = -1, largest_at;

static void add(long amount)
{
#pragma omp critical
	from_function += amount;
}

static void add_both(int by)
{
#pragma omp critical(left)
	{
		left += by;
#pragma omp critical(right)
		{
			right -= by;
			both++;
		}
	}
}

int main(void)
{
	long local = 0, expected = 0;
	int threads = 1, text_length = 0;
	char text[2000] = "";

#pragma omp parallel
	{
#pragma omp single
		threads = omp_get_num_threads();
		for (int i = 0; i < ROUNDS; i++) {
#pragma omp critical
			{
				unnamed += i;
				local++;
			}
			add(2);
			add_both(i);
		}
#pragma omp critical(text)
		text[text_length++] = '+';
#pragma omp for
		for (int i = 0; i < 500; i++) {
			int value = i * 7919 % 503;

			/* The first of equal values wins, whoever comes first. */
#pragma omp critical(largest)
			if (value > largest || (value == largest && i < largest_at)) {
				largest = value;
				largest_at = i;
			}
		}
	}
	expected = threads * (ROUNDS * (ROUNDS - 1) / 2);
	printf("%d %d %d %d %d\n", unnamed == expected, local == threads * ROUNDS,
	       from_function == 2L * threads * ROUNDS, left == expected && right == -expected,
	       both == threads * ROUNDS);
	printf("%s %d %d at %d\n", text, text_length == threads, largest, largest_at);
	/* Outside of a region a critical construct is a block. */
#pragma omp critical(left)
	left = 1;
	add(1);
	printf("%ld %ld\n", left, from_function);
	return 0;
}
