/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * planned-indices.c - loops that read by lists of indices, of matrices in rows without zeros, in
 * records on the stack, in tables of tables; lists that are changed by loops, by one thread, by
 * sequential code and by the loop itself, or lie in memory that the program maps; and indices that
 * are nowhere, in rounds that do not come to them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define N     3000
#define EACH  4
#define STEPS 9

struct matrix {
	int *start, *column;
	double *value;
};

static int front[N], side[N], wild[N], limit = N;
static double x[N], y[N], z[N], total;
static double *line[N];

static double product(const struct matrix *A, int row, const double *vector)
{
	double sum = 0;

	for (int entry = A->start[row]; entry < A->start[row + 1]; entry++)
		sum += A->value[entry] * vector[A->column[entry]];
	return sum;
}

/* All of it stands from the first step to the last. */
static void iterate(const struct matrix *A, double *from, double *to)
{
	double sum = 0;

#pragma omp parallel for reduction(+ : sum)
	for (int row = 0; row < N; row++) {
		to[row] = product(A, row, from);
		sum += (long)to[row] % 7;
	}
	total += sum;
#pragma omp parallel for
	for (int row = 0; row < N; row++)
		from[row] = (long)(from[row] + to[row]) % 10007;
}

/* What is looked up changes, in one of five ways. */
static void gather(int step, int *mapped)
{
#pragma omp parallel
	{
#pragma omp for
		for (int i = 0; i < limit; i++)
			z[i] = x[front[i]] + y[side[front[i]]];
		if (step % 3 == 1) {
#pragma omp for
			for (int i = 0; i < N; i++)
				front[i] = (front[i] + 5) % N;
		}
#pragma omp single
		side[step] = N - 1 - step;
#pragma omp for schedule(static, 16)
		for (int i = 0; i < N; i++)
			if (wild[i] >= 0)
				x[i] = z[wild[i]] + line[i][0];
#pragma omp for
		for (int i = 0; i < N; i++)
			y[i] = z[mapped[i]] + step;
#pragma omp for
		for (int i = 0; i < N; i++) {
			z[i] = y[side[i]];
			side[i] = (side[i] + 1) % N;
		}
	}
	if (step == 4)
		for (int i = 0; i < N; i++)
			wild[i] = i % 5 ? i : -100000000;
	if (step % 2)
		mapped[step] = step;
	line[step] = &y[N - 1 - step];
	limit = N - step;
}

static void build(struct matrix *A)
{
	A->start = calloc(N + 1, sizeof(int));
	A->column = malloc(N * EACH * sizeof(int));
	A->value = malloc(N * EACH * sizeof(double));
	for (int row = 0; row < N; row++)
		A->start[row + 1] = A->start[row] + 1 + row % EACH;
#pragma omp parallel for
	for (int row = 0; row < N; row++)
		for (int entry = A->start[row]; entry < A->start[row + 1]; entry++) {
			A->column[entry] = (row + (entry - A->start[row]) * 40) % N;
			A->value[entry] = entry % 3;
		}
}

int main(void)
{
	int *mapped = mmap(NULL, N * sizeof(int), PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct matrix A;

	build(&A);
	for (int i = 0; i < N; i++) {
		front[i] = (i * 37L + 11) % N;
		side[i] = (i + 1) % N;
		wild[i] = i % 4 ? (i * 11) % N : -123456789;
		mapped[i] = N - 1 - i;
		x[i] = i % 10;
		line[i] = &z[i];
	}
	for (int step = 0; step < STEPS; step++) {
		for (int k = 0; k < 3; k++)
			iterate(&A, k % 2 ? x : y, z);
		gather(step, mapped);
		if (step % 4 == 3)
			A.column[step] = step;
	}
	for (int i = 0; i < N; i += 300)
		printf("%.17g %.17g %.17g %d\n", x[i], y[i], z[i], side[i]);
	printf("%.17g\n", total);
	free(A.start);
	free(A.column);
	free(A.value);
	munmap(mapped, N * sizeof(int));
	return 0;
}
