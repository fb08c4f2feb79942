/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * matsum.c - MATSUM: sums two private matrices into a shared one (thesis Fig. 3.5).
 *
 * Usage: matsum [n [rounds [offset]]]
 *
 * With an offset, C begins that many bytes behind the begin of a page; otherwise where calloc()
 * puts it.  How many pages C lies in depends on it, and so does Table 3.3.
 *
 * Mended: the figure's N = 100000 makes three matrices of 40 GB, so n is an argument and A and B
 * are private by being declared in the region.  rand() in a team gives no reproducible numbers and
 * takes a lock; a generator without state is used instead.  No element of C is ever 0 or stays
 * what it was in the round before, so each round changes 4 n^2 bytes in one block (Table 3.3).
 *
 * A and B are on the stack, 8 n^2 bytes: from n = 900 on the plain OpenMP build needs
 * "ulimit -s unlimited", and OMP_STACKSIZE for its other threads.  CAPE needs neither.
 */
#include "../program.h"
#include "wtime.h"

#define PAGE 4096

/* The numbers that A[i][j] and B[i][j] get in a round. */
static int number_a(int n, int i, int j, int round)
{
	return scrambled((unsigned int)(i * n + j)) + 200 * round;
}

static int number_b(int n, int i, int j)
{
	return scrambled(~(unsigned int)(i * n + j));
}

static void sum_matrices(int n, int C[n][n], int round)
{
	int i, j;

#pragma omp parallel private(i, j) shared(C)
	{
		int A[n][n], B[n][n];

		/* Both loops give a thread the same rows, so none waits for the other. */
#pragma omp for schedule(static) nowait
		for (i = 0; i < n; i++)
			for (j = 0; j < n; j++) {
				A[i][j] = number_a(n, i, j, round);
				B[i][j] = number_b(n, i, j);
			}
#pragma omp for schedule(static) nowait
		for (i = 0; i < n; i++)
			for (j = 0; j < n; j++)
				C[i][j] = A[i][j] + B[i][j];
	}
}

static int check_sum(int n, int C[n][n], int round)
{
	int good = 1;

	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			good &= C[i][j] == number_a(n, i, j, round) + number_b(n, i, j);
	return good;
}

/* Where C begins in the MEMORY that has two more pages than C. */
static void *place(void *memory, int offset)
{
	size_t begin = (size_t)memory;

	if (offset < 0)
		return memory;
	return (void *)((begin + PAGE - 1) / PAGE * PAGE + (size_t)offset);
}

int main(int argc, char **argv)
{
	int n = argument(argc, argv, 1, 700, 1, 30000);
	int rounds = argument(argc, argv, 2, 1, 1, 1000000);
	int offset = argument(argc, argv, 3, -1, 0, PAGE - (int)sizeof(int));
	size_t elements = (size_t)n * (size_t)n;
	void *memory = allocate(elements + 2 * PAGE / sizeof(int), sizeof(int));
	int(*C)[n] = place(memory, offset);
	double started = omp_get_wtime();
	int good;

	for (int round = 0; round < rounds; round++)
		sum_matrices(n, C, round);
	report_time("matsum", omp_get_wtime() - started);
	printf("matsum: n %d, hash %016lx\n", n, hash(C, elements * sizeof(int)));
	good = check_sum(n, C, rounds - 1);
	free(memory);
	return verdict("matsum", good);
}
