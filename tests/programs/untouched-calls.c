/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * untouched-calls.c - functions with a region at their end, called where the next thing that is
 * touched is hard to see: in a statement expression, a switch, a condition, a region of one thread.
 */
#include <stdio.h>

#define SIZE 3000

static long a[SIZE];

static long in_expression(int by)
{
#pragma omp parallel for
	for (int i = 0; i < SIZE; i++)
		a[i] += by * i;
	return by;
}

static long in_switch(int by)
{
#pragma omp parallel for
	for (int i = 0; i < SIZE; i++)
		a[i] ^= by;
	return by + 1;
}

static long in_condition(int by)
{
#pragma omp parallel for
	for (int i = 1; i < SIZE; i++)
		a[i] -= by;
	return by & 1;
}

static long in_region(int by)
{
#pragma omp parallel for
	for (int i = 0; i < SIZE; i++)
		a[i] += by + i % 7;
	return by;
}

static long plainly(int by)
{
	long sum = 0;

#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < SIZE; i++)
		sum += a[SIZE - 1 - i] % (by + 2);
	return sum;
}

int main(void)
{
	long total = 0;

	for (int round = 1; round < 5; round++) {
		total += ({ in_expression(round); });
		total += a[SIZE - 2];
		switch (round & 1) {
		case 0:
			total += in_switch(round);
			break;
		default:
			in_switch(round + 1);
		}
		total += a[SIZE / 2 + 9];
		if (in_condition(round))
			total++;
		total += a[5] + a[SIZE - 1];
#pragma omp parallel num_threads(1)
		{
			in_region(round);
			total += a[SIZE - 3];
		}
		total += a[7];
		total += plainly(round);
		a[round] = total % 1000;
	}
	printf("%ld\n", total);
	return 0;
}
