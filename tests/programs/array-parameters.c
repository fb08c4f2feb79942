/* SPDX-License-Identifier: GPL-2.0-or-later */
/* array-parameters.c - regions in functions that get arrays in all the ways C has. */
#include <stdio.h>

#define N 24

static int global[N];

static void plain(int values[], int n)
{
#pragma omp parallel for
	for (int i = 0; i < n; i++)
		values[i] += i;
}

static void sized(int values[N], const int *restrict other)
{
#pragma omp parallel for schedule(static, 5)
	for (int i = 0; i < N; i++)
		values[i] -= other[i] * 2;
}

static void rows(int grid[][6], int count)
{
#pragma omp parallel for
	for (int i = 0; i < count; i++)
		for (int j = 0; j < 6; j++)
			grid[i][j] = grid[i][j] * 10 + i;
}

static void at_least(char text[static 4])
{
#pragma omp parallel sections
	{
#pragma omp section
		text[0] = 'X';
#pragma omp section
		text[3] = 'Y';
	}
}

static int advance(const int *values, int n)
{
	int sum = 0;

	values += 2; /* the parameter itself changes */
	n -= 2;
#pragma omp parallel shared(values, n)
	{
#pragma omp for reduction(+ : sum)
		for (int i = 0; i < n; i++)
			sum += values[i];
#pragma omp single
		{
			values++;
			n--;
		}
#pragma omp for reduction(+ : sum)
		for (int i = 0; i < n; i++)
			sum += values[i] * 100;
	}
	return sum + n;
}

int main(void)
{
	int local[N] = {0}, grid[4][6];
	char text[] = "abcdef";
	int *through = &local[4];

	plain(local, N);
	plain(through, 10);
	plain(global, N);
	sized(local, global);
	for (int i = 0; i < N; i++)
		grid[i / 6][i % 6] = local[i];
	rows(grid, 4);
	rows(&grid[1], 2);
	at_least(text);
	at_least(text + 2);
	for (int i = 0; i < N; i++)
		printf("%d %d%c", local[i], grid[i / 6][i % 6], i % 6 == 5 ? '\n' : ' ');
	printf("%s %d\n", text, advance(global, N));
	return 0;
}
