/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pipeline-relay.c - each thread waits for the one before it alone, and reads what all before it
 * have written: what comes from one it has not waited for must be there as well.
 */
#include <omp.h>
#include <stdio.h>

enum { ROWS = 200, MOST = 64, EACH = 40 };

static double field[ROWS][MOST][EACH];
static int ended[MOST][16];

static void wait_for(const int *flag, int row)
{
	int seen;

	do {
#pragma omp atomic read
		seen = *flag;
	} while (seen < row);
#pragma omp flush
}

static void set(int *flag, int row)
{
#pragma omp flush
#pragma omp atomic write
	*flag = row;
}

static void run(int step)
{
#pragma omp parallel
	{
		int me = omp_get_thread_num();

		for (int i = 1; i < ROWS; i++) {
			if (me > 0)
				wait_for(&ended[me - 1][0], step * ROWS + i);
			for (int j = 0; j < EACH; j++)
				field[i][me][j] = field[i - 1][me][j] * 0.5 + i + step;
			for (int k = 0; k < me; k++)
				field[i][me][0] += field[i][k][EACH - 1] * 0.25;
			set(&ended[me][0], step * ROWS + i);
		}
	}
}

int main(void)
{
	double sum = 0;

	for (int step = 0; step < 3; step++)
		run(step);
	for (int i = 0; i < ROWS; i++)
		for (int k = 0; k < MOST; k++)
			for (int j = 0; j < EACH; j++)
				sum += (k * EACH + j + 1) * field[i][k][j];
	printf("%.6f\n", sum);
	return 0;
}
