/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * heap-blocks.c - regions that write to some blocks of the heap only, between sequential code
 * that changes all of them: by pointers, rows, members, in steps, and through what only looks
 * like one of these.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 3000

struct point {
	double x, y;
	int *link;
};

static double fixed[N];

static double sum(const double *values)
{
	double all = 0;

	for (int i = 0; i < N; i++)
		all += values[i] * (i % 7 + 1);
	return all;
}

static void store(double *to, double value)
{
	*to = value;
}

static void by_pointer(double *a, double *b, double *c)
{
#pragma omp parallel for
	for (int i = 0; i < N; i++)
		c[i] = a[i] + 2 * b[N - 1 - i];
	for (int i = 0; i < N; i += 5)
		a[i] += c[i];
#pragma omp parallel
	{
#pragma omp for
		for (int i = 0; i < N; i++)
			b[i] -= a[i];
#pragma omp single
		*c = 5;
#pragma omp for nowait
		for (int i = 1; i < N; i++)
			c[i] += b[i - 1];
	}
	/* Unknown: everything is compared, and what the others left behind must not show. */
#pragma omp parallel for
	for (int i = 0; i < N; i++)
		store(i % 2 ? &a[i] : &b[i], c[i] / 2);
	printf("%.1f %.1f %.1f\n", sum(a), sum(b), sum(c));
}

static void by_row(int n, double grid[n][n], double **rows)
{
#pragma omp parallel for
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			grid[i][j] += i - j;
#pragma omp parallel for
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			rows[i][j] = grid[j][i] + 1;
	printf("%.1f %.1f\n", sum(&grid[0][0]), sum(rows[3]));
}

static void by_member(struct point *points, int *numbers)
{
#pragma omp parallel for
	for (int i = 0; i < N; i++) {
		points[i].x = i / 2.0;
		points[i].y++;
		points[i].link = &numbers[N - 1 - i];
	}
#pragma omp parallel for
	for (int i = 0; i < N; i++)
		*points[i].link = i;
#pragma omp parallel for
	for (int i = 0; i < N; i++)
		points[i].link[0] += 3;
	printf("%.1f %.1f %d %d\n", points[7].x, points[9].y, numbers[0], *points[0].link);
}

static void by_step(double *a, double *b)
{
	double *inside = a + N / 2, *moving, *chosen = a;

	/* Into a block, and through a pointer that the region sets. */
#pragma omp parallel for
	for (int i = 0; i < N / 2; i++)
		inside[i] = i;
#pragma omp parallel private(moving)
	{
		moving = b + omp_get_thread_num();
		if (omp_get_thread_num() == 0)
			for (int i = 0; i < 10; i++)
				*moving++ = 100 + i;
	}
#pragma omp parallel
	{
		double *mine = b + 20;

#pragma omp master
		{
			++mine[1];
			(*mine)++;
			--b[30];
		}
#pragma omp barrier
#pragma omp master
		chosen = b;
#pragma omp barrier
#pragma omp for
		for (int i = 40; i < 80; i++)
			chosen[i] = i;
	}
	printf("%.1f %.1f\n", sum(a), sum(b));
}

static void by_other_names(double *a)
{
	double *same = a, *nowhere = NULL, *still = fixed;
	double **address = &same;
	int count = 0;

#pragma omp parallel for reduction(+ : count)
	for (int i = 0; i < N; i++) {
		if (nowhere)
			nowhere[i] = 1;
		same[i] += 1;
		still[i] = a[i];
		count++;
	}
	*address = fixed;
#pragma omp parallel for
	for (int i = 0; i < N; i++)
		same[i] *= 2;
	printf("%.1f %.1f %d\n", sum(a), sum(fixed), count);
}

int main(void)
{
	double *a = calloc(N, sizeof(*a)), *b = malloc(N * sizeof(*b)), *c = malloc(N * sizeof(*c));
	double(*grid)[60] = malloc(sizeof(double[60][60])), *rows[60];
	struct point *points = calloc(N, sizeof(*points));
	int *numbers = calloc(N, sizeof(*numbers));

	for (int i = 0; i < N; i++)
		b[i] = c[i] = i % 13;
	by_pointer(a, b, c);
	for (int i = 0; i < 60; i++) {
		rows[i] = calloc(N, sizeof(double));
		for (int j = 0; j < 60; j++)
			grid[i][j] = i * j % 11;
	}
	by_row(60, grid, rows);
	by_member(points, numbers);
	by_step(a, b);
	by_other_names(a);
	/* A block that takes another's place. */
	free(c);
	c = malloc(N * sizeof(*c));
	memset(c, 0, N * sizeof(*c));
	by_pointer(b, c, a);
	return 0;
}
