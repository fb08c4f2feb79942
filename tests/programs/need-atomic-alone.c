/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * need-atomic-alone.c - a node writes atomically to a page that it has alone, then under a lock:
 * who reads it under that lock sees what was written last.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define SIZE 65536
#define AT   50000

static int turn;

static int turn_now(void)
{
	int now;

#pragma omp critical
	now = turn;
	return now;
}

static void await(int number)
{
	while (turn_now() < number)
		;
}

static void pass(int number)
{
#pragma omp critical
	turn = number;
}

static void write_twice(int *p)
{
#pragma omp atomic write
	p[AT] = 3;
	pass(1);
	await(2);
#pragma omp critical
	{
		p[AT] = 5;
		turn = 3;
	}
}

static int read_then(const int *p)
{
	int seen;

	await(1);
	pass(2);
	await(3);
#pragma omp critical
	seen = p[AT];
	return seen;
}

int main(void)
{
	int *p = malloc(SIZE * sizeof(*p)), seen;

	for (int round = 0; round < 3; round++) {
		turn = 0;
		seen = 5;
#pragma omp parallel
		{
			int me = omp_get_thread_num();

			if (me == 0)
				for (int i = 0; i < SIZE; i++)
					p[i] = round + 10;
#pragma omp barrier
			if (omp_get_num_threads() == 1)
				p[AT] = 5;
			else if (me == 0)
				write_twice(p);
			else if (me == 1)
				seen = read_then(p);
		}
		printf("%d: %d %d\n", round, seen, p[AT]);
	}
	free(p);
	return 0;
}
