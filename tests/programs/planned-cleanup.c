/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * planned-cleanup.c - after the last loop of a block a function is called: where a variable goes,
 * or for the size of an array.  It reads what the loop's other threads have written.
 */
#include <stdio.h>

#define SIZE 1200

static int value[SIZE], most;

static int look(int round)
{
	int seen = value[SIZE - 1 - round * 100] + value[round * 10];

#pragma omp critical
	if (seen > most)
		most = seen;
	return 1;
}

static void clean(int *round)
{
	look(*round);
}

static void fill(int round)
{
#pragma omp for
	for (int i = 0; i < SIZE; i++)
		value[i] = i * round;
}

static void spoil(void)
{
	printf("%d\n", most);
	most = 0;
#pragma omp parallel for
	for (int i = 0; i < SIZE; i++)
		value[i] += 3000;
}

int main(void)
{
	for (int round = 0; round < 9; round++) {
#pragma omp parallel
		{
			int own __attribute__((cleanup(clean))) = round;
#pragma omp for
			for (int i = 0; i < SIZE; i++)
				value[i] = i * round;
		}
		spoil();
#pragma omp parallel
		{{int own __attribute__((cleanup(clean))) = round;

		fill(round);
	}
#pragma omp barrier
}
spoil();
#pragma omp parallel
{
#pragma omp for
	for (int i = 0; i < SIZE; i++)
		value[i] = i * round;
	int sized[look(round)];
}
spoil();
#pragma omp parallel
{
#pragma omp for
	for (int i = 0; i < SIZE; i++)
		value[i] = i * round;
	typedef int sized[(look(round), 1)];
}
spoil();
}
return 0;
}
