/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pipeline-frame.c - pipelines one right after the other, forth and back, between loops of which
 * all is known: over memory of main()'s frame, over flags that lie beside
 * the data, and over columns so that all threads write to every page.
 */
#include <omp.h>
#include <stdio.h>

enum { ROWS = 61, COLUMNS = 96, STEPS = 5 };

static struct {
	int done[64];
	double field[ROWS][COLUMNS];
	double other[ROWS][COLUMNS];
} all;
#define done  all.done
#define field all.field

static void wait_for(const int *flag, int value)
{
	int seen;

	do {
#pragma omp flush
#pragma omp atomic read
		seen = *flag;
	} while (seen < value);
#pragma omp flush
}

static void set(int *flag, int value)
{
#pragma omp flush
#pragma omp atomic write
	*flag = value;
}

static void step(int number, double frame[ROWS][COLUMNS], int *back)
{
#pragma omp parallel
	{
		int me = omp_get_thread_num(), team = omp_get_num_threads();
		int first = 1 + me * (COLUMNS - 2) / team, end = 1 + (me + 1) * (COLUMNS - 2) / team;

#pragma omp for
		for (int i = 0; i < ROWS; i++)
			for (int j = 0; j < COLUMNS; j++)
				frame[i][j] = frame[i][j] * 0.5 + all.other[i][j];
		for (int i = 1; i < ROWS; i++) {
			if (me > 0)
				wait_for(&done[me - 1], number * ROWS + i);
			for (int j = first; j < end; j++)
				field[i][j] = (field[i - 1][j] + field[i][j - 1] + frame[i][j]) / 3;
			set(&done[me], number * ROWS + i);
		}
#pragma omp barrier
		for (int i = ROWS - 2; i >= 0; i--) {
			if (me + 1 < team)
				wait_for(&back[me + 1], number * ROWS + ROWS - i);
			for (int j = end - 1; j >= first; j--)
				frame[i][j] += (frame[i + 1][j] + frame[i][j + 1] - field[i][j]) / 4;
			set(&back[me], number * ROWS + ROWS - i);
		}
#pragma omp barrier
#pragma omp for schedule(static, 3)
		for (int i = 0; i < ROWS; i++)
			for (int j = 1; j < COLUMNS - 1; j++)
				all.other[i][j] = frame[i][j - 1] - field[i][j + 1];
	}
}

int main(void)
{
	double frame[ROWS][COLUMNS], sum = 0;
	int back[64] = {0};

	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < COLUMNS; j++) {
			frame[i][j] = i - j;
			field[i][j] = i * 0.25 + j;
		}
	for (int number = 0; number < STEPS; number++) {
		step(number, frame, back);
		if (number % 2)
			printf("%.6f %.6f\n", field[ROWS / 2][COLUMNS / 2], all.other[3][4]);
	}
	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < COLUMNS; j++)
			sum += frame[i][j] + field[i][j] + all.other[i][j];
	printf("%.6f\n", sum);
	return 0;
}
