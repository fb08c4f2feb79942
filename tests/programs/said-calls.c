/* SPDX-License-Identifier: GPL-2.0-or-later */
/* #pragma cape: loops that call by pointers, functions that call themselves, and lists made there.
 */
#include <stdio.h>
#include <stdlib.h>

#define SIZE	  6000
#define ROWS	  60
#define ROW(x, i) x[(i) * (SIZE / ROWS)]

struct grid {
	double cell[ROWS][SIZE / ROWS];
	int order[SIZE];
};

static double a[SIZE], b[SIZE];
static struct grid grid;

static void stencil(double *to, const double *from, int i)
{
	to[i] = (from[i - 1] + from[i] + from[i + 1]) / 4;
}

static void sum_row(double *to, const double *from, int i)
{
	for (int j = 0; j < SIZE / ROWS; j++)
		to[i] += ROW(from, i + 0) + from[i * (SIZE / ROWS) + j];
}

static void (*volatile calls[])(double *, const double *, int) = {stencil, sum_row};

static int compare(const void *one, const void *other)
{
	double x = *(const double *)one, y = *(const double *)other;

	return (x > y) - (x < y);
}

static double largest(const double *x, int count)
{
	double left, right;

	if (count == 1)
		return x[0];
	left = largest(x, count / 2);
	right = largest(x + count / 2, count - count / 2);
	return left > right ? left : right;
}

static double checksum(const double *x, int count)
{
	double sum = 0;

	for (int i = 0; i < count; i++)
		sum += x[i] * (i % 13);
	return sum;
}

int main(void)
{
	void (*smooth)(double *, const double *, int) = calls[0];
	void (*sum)(double *, const double *, int) = calls[1];
	double *p = malloc(SIZE * sizeof(*p)), *total = calloc(ROWS, sizeof(*total));
	int width = SIZE / ROWS;

	for (int i = 0; i < SIZE; i++) {
		a[i] = i * 7919 % 1009;
		p[i] = 0;
		grid.order[i] = (i + 17) % SIZE;
	}
	for (int round = 0; round < 6; round++) {
#pragma cape reads(a [i - 1:3]) writes(b[i])
#pragma omp parallel for
		for (int i = 1; i < SIZE - 1; i++)
			smooth(b, a, i);

			/* A switch, after which nothing is known of k. */
#pragma omp parallel
		{
			int k = 0;

#pragma omp for
#pragma cape reads(b[i], grid.order[i]) writes(p[i])
			for (int i = 0; i < SIZE; i++) {
				switch (grid.order[i] % 3) {
				case 0:
					k = 1;
					break;
				case 1:
					k = 2;
					break;
				default:
					k = 3;
				}
				p[i] = b[i] + k;
			}
#pragma omp for collapse(2)
#pragma cape writes(grid.cell[r][c])
			for (int r = 0; r < ROWS; r++)
				for (int c = 0; c < width; c++) {
					int at = grid.order[r * width + c];

					grid.cell[r][(c + at) * 0 + c] = p[at];
				}
		}

		/* The C library, which calls back. */
#pragma cape reads(grid.cell[r][:]) writes(grid.cell[r] [0:width])
#pragma omp parallel for schedule(static, 1)
		for (int r = 0; r < ROWS; r++)
			qsort(grid.cell[r], (size_t)width, sizeof(double), compare);

#pragma cape reads(grid.cell[r]) writes(total[r])
#pragma omp parallel for
		for (int r = 0; r < ROWS; r++)
			sum(total, &grid.cell[0][0], r);

#pragma cape reads(grid.cell[r] [0:width]) writes()
#pragma omp parallel for
		for (int r = 0; r < ROWS; r++)
			ROW(a, r) += largest(grid.cell[r], width) / 8;
	}
	printf("%.6f %.6f %.6f %.6f\n", checksum(a, SIZE), checksum(b, SIZE), checksum(p, SIZE),
	       checksum(total, ROWS));
	free(p);
	free(total);
	return 0;
}
