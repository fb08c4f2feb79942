/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loops of many shapes: what they write is known, and all but for one loop what they read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 24

struct point {
	double x, y[3];
	int number;
};

static double a[N][N], b[N][N], line[N * N], sum;
static struct point points[N];
static int steps[4 * N], starts[N + 1], entries[4 * N], n = N, from = 1;
static double *rows[N];
static unsigned char bytes[N][N];
enum { EDGE = 2 };

static double mean(const double *v, int count)
{
	double total = 0;
	int k;

	for (k = 0; k < count; k++)
		total += v[k];
	return total / count;
}

static void fill(double row[N], int count, double value)
{
	for (int k = 0; k < count; k++)
		row[k] = value;
}

static void shift(struct point *point, double by)
{
	point->x += by;
	for (int k = 2; k >= 0; k--)
		point->y[k] -= by;
}

static void stencils(void)
{
	int i, j;

#pragma omp parallel for private(j)
	for (i = from; i < n - 1; i++)
		for (j = 1; j <= N - 2; j++)
			b[i][j] = a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1];
#pragma omp parallel for collapse(2)
	for (i = 0; i < N; i++)
		for (j = N - 1; j >= 0; j -= 3)
			a[i][j] = b[i][j] + 1;
#pragma omp parallel for
	for (int k = N - 1; k > 2; k -= 2)
		for (int l = k; l < N; l++)
			b[k][l] += b[k - 1][l];
}

static void subscripts(int offset)
{
#pragma omp parallel for
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			int at = i * n + j;

			line[at] = a[j][i];
			if (j > EDGE && i + offset < n)
				b[j][i] = line[i * n + 2];
		}
#pragma omp parallel for schedule(static, 3)
	for (unsigned i = 1; i < N; i++)
		line[(i - 1) * 2] = i % 2 ? line[N * i + 1] : line[N * i + 2];
#pragma omp parallel for
	for (long i = 0; i < N; i++)
		for (int j = 0; j != 3; ++j)
			points[i].y[j] = points[(i + 1) % N].x;
}

static struct point made(int i)
{
	return (struct point){i, {1, 2, i}, i};
}

static void lists(void)
{
#pragma omp parallel for
	for (int i = 0; i < N; i++)
		points[i] = made(i);
#pragma omp parallel for
	for (int i = 0; i < N; i++) {
		double total = 0;

		for (int k = starts[i]; k < starts[i + 1]; k++)
			total += line[entries[k]];
		points[i].x = total;
	}
#pragma omp parallel for
	for (int i = 0; i < N; i++) {
		double *row = rows[i];
		int last = i;

		while (last > 0 && row[last] > 1e9)
			last--;
		row[0] = row[last] + 1;
		for (int j = 1; j < i; j++)
			*(row + j) = row[j - 1] * 2;
	}
}

static void calls(void)
{
#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < N; i++) {
		double own[N];

		fill(own, N, i);
		sum += mean(own, N) + mean(a[i], n);
		fill(&b[i][1], 4, own[3]);
		shift(&points[i], 1);
		shift(points + i, 2);
		memset(bytes[i], i, N / 2);
		memcpy(&bytes[i][N / 2], bytes[i], 4);
	}
#pragma omp parallel
	{
		struct point copy = points[0];

#pragma omp for
		for (int i = 1; i < N; i++) {
			points[i] = copy;
			points[i].number = i;
		}
	}
}

static void add_both(int *to, int by)
{
	*to++ += by;
	(*to++)--;
	*to = by;
}

static void subscripts_that_change(void)
{
#pragma omp parallel for
	for (int i = 0; i < N; i++) {
		int k = 4 * i;

		steps[k++] += i;
		steps[k++]--;
		++steps[k++];
		steps[k] = 1;
	}
#pragma omp parallel for
	for (int i = 0; i < N; i++)
		add_both(steps + 4 * i, i);
		/* What may be written is read by compilers, for its value. */
#pragma omp parallel for
	for (int i = 0; i < N; i++)
		for (int k = 0; k < 3 && points[i].x > k - 1e9; k++)
			steps[4 * i] = steps[4 * i + 1] = k;
}

static void conditions(int flag)
{
	int count = 0;

#pragma omp parallel for reduction(+ : count)
	for (int i = 0; i < N; i++) {
		if (line[i] > 3) {
			a[i][0] = 1;
			continue;
		}
		for (int j = 0; j < N; j++) {
			if (line[j] < -1e9)
				break;
			a[i][j] = flag && i > 2 ? b[i][j] : b[N - 1 - i][j];
		}
		count++;
	}
#pragma omp parallel for
	for (int i = 0; i < N; i++) {
		if (flag || line[i] > 0)
			a[i][i] = 0;
		else
			a[i][i] += 1;
	}
}

int main(void)
{
	for (int i = 0; i < N; i++) {
		rows[i] = calloc(N, sizeof(**rows));
		starts[i + 1] = starts[i] + i % 4;
		for (int k = starts[i]; k < starts[i + 1]; k++)
			entries[k] = (i * 7 + k * 3) % (N * N);
		for (int j = 0; j < N; j++)
			a[i][j] = b[i][j] = i + j;
	}
	for (int round = 0; round < 3; round++) {
		stencils();
		subscripts(round);
		lists();
		calls();
		subscripts_that_change();
		conditions(round & 1);
	}
	printf("%g %g %d\n", sum, a[3][4] + b[5][6] + rows[7][3], bytes[9][13]);
	return 0;
}
