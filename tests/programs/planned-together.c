/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * planned-together.c - loops of which all is known, but whose threads all write the same value to
 * one variable: they are not planned, and only what they write needs to be looked at.  Sequential
 * code fills arrays before, and elements change their threads from loop to loop.
 */
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 30000, ROUNDS = 5, PART = 300 };

/* On one page: what several threads write, but not all of them, and what each has of its own. */
static _Alignas(4096) struct {
	int same[512], own[512];
} page;

static long table[COUNT], sums[COUNT], shifted[COUNT], done, beside;

static void fill(long *heap, int round)
{
	for (int i = 0; i < COUNT; i++) {
		table[i] = (i + 3L) * (round + 1) % 1013;
		heap[i] = table[i] / 3 + beside;
	}
	beside += done;
}

/* The first loop of the region meets, or one after others that wait for nobody. */
static void add(long *heap, int round)
{
#pragma omp parallel
	{
#pragma omp for
		for (int i = 0; i < COUNT; i++) {
			sums[COUNT - 1 - i] += table[i];
			done = 1;
		}
#pragma omp for
		for (int i = 0; i < COUNT; i++)
			shifted[i] += sums[i] - heap[i];
#pragma omp for
		for (int i = 0; i < COUNT; i++) {
			heap[COUNT - 1 - i] += shifted[i] % 11;
			done = round + 2;
		}
#pragma omp for
		for (int i = 0; i < COUNT; i++)
			sums[i] ^= heap[i] + done;
	}
}

/* What they write is there already. */
static void write_same(int round)
{
#pragma omp parallel
	{
#pragma omp for
		for (int i = 0; i < PART; i++)
			for (int j = i; j < PART * 2 / 3; j++)
				page.same[j] = 7;
#pragma omp for
		for (int i = 0; i < PART; i++)
			page.own[i] += i + round;
#pragma omp for
		for (int i = 0; i < PART; i++)
			sums[i] += page.own[PART - 1 - i];
	}
}

static long sum_of(const long *array)
{
	unsigned long sum = 0;

	for (int i = 0; i < COUNT; i++)
		sum = sum * 31 + (unsigned long)array[i];
	return (long)(sum % 1000003);
}

int main(void)
{
	long *heap = malloc(COUNT * sizeof(*heap));

	for (int i = 0; i < PART; i++)
		page.same[i] = 7;
	for (int round = 0; round < ROUNDS; round++) {
		write_same(round);
		fill(heap, round);
		add(heap, round);
		printf("%ld %ld %ld %ld\n", sum_of(heap), sum_of(sums), sum_of(shifted),
		       sum_of(table));
	}
	printf("%ld\n", beside);
	free(heap);
	return 0;
}
