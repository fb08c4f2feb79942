/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pipeline-barriers.c - a loop with flushes and barriers in it: what its later rounds write has not
 * been written at the first barrier, and other threads read what is there until then.
 */
#include <omp.h>
#include <stdio.h>

enum { ROWS = 40, COLUMNS = 1536, AHEAD = 6 };

static double a[ROWS + AHEAD][COLUMNS], b[ROWS][COLUMNS];

static void run(int number)
{
#pragma omp parallel
	{
		int me = omp_get_thread_num(), team = omp_get_num_threads(), next = (me + 1) % team;
		int first = COLUMNS * me / team, end = COLUMNS * (me + 1) / team;
		int begin = COLUMNS * next / team, stop = COLUMNS * (next + 1) / team;

#pragma omp for
		for (int i = 0; i < ROWS + AHEAD; i++)
			for (int j = 0; j < COLUMNS; j++)
				a[i][j] = i * 3 + j + number;
		for (int i = 0; i < ROWS; i++) {
			for (int j = first; j < end; j++)
				a[i][j] = i + j * 0.5;
#pragma omp flush
#pragma omp barrier
			for (int j = begin; j < stop; j++)
				b[i][j] = a[i + AHEAD][j] + a[i][j];
#pragma omp barrier
		}
	}
}

int main(void)
{
	double sum = 0;

	for (int number = 0; number < 3; number++) {
		run(number);
		for (int i = 0; i < ROWS; i++)
			for (int j = 0; j < COLUMNS; j++)
				sum += b[i][j] * (i + 1) - a[i + AHEAD][j];
		printf("%.3f\n", sum);
	}
	return 0;
}
