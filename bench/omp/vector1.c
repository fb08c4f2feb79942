/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vector1.c - VECTOR-1: operations on vectors in two sections (thesis Fig. 4.18).
 *
 * Usage: vector1 [n [1]], where 1 prints what the figure prints for every element
 *
 * Mended: each section's printf stood before its loop without braces, which left the loop
 * outside; N is n; j was neither declared nor private; A and B were private parameters, that is
 * pointers without a value.  Here they are arrays, which each section fills, since the first
 * changes A and the second B and one thread may run both.
 */
#include "../vector1.h"
#include "wtime.h"

static void vector(int n, float C[n], float D[n], int talk)
{
	int i, j, nthreads, tid;
	float A[n], B[n];

#pragma omp parallel shared(C, D, nthreads) private(A, B, i, j, tid)
	{
		tid = omp_get_thread_num();
		if (tid == 0) {
			nthreads = omp_get_num_threads();
			printf("Number of threads = %d\n", nthreads);
		}
		if (talk)
			printf("Thread %d starting...\n", tid);
#pragma omp sections nowait
		{
#pragma omp section
			{
				if (talk)
					printf("Thread %d doing section 1\n", tid);
				fill_vectors(n, A, B);
				for (i = 0; i < n; i++) {
					for (j = 0; j < n; j += 25)
						A[j] = (float)(A[j] * 0.15);
					C[i] = A[i] + B[i];
					if (talk)
						printf("Thread %d: C[%d]= %f\n", tid, i, C[i]);
				}
			}
#pragma omp section
			{
				if (talk)
					printf("Thread %d doing section 2\n", tid);
				fill_vectors(n, A, B);
				for (i = 0; i < n; i++) {
					for (j = 0; j < n; j += 25)
						B[j] = (float)(B[j] + 10.25);
					D[i] = A[i] * B[i];
					if (talk)
						printf("Thread %d: D[%d]= %f\n", tid, i, D[i]);
				}
			}
		} /* end of sections */
	}	  /* end of parallel section */
}

int main(int argc, char **argv)
{
	int n = argument(argc, argv, 1, VECTOR1_SIZE, 1, VECTOR1_MOST);
	int talk = argument(argc, argv, 2, 0, 0, 1);
	float *C = allocate((size_t)n, sizeof(*C)), *D = allocate((size_t)n, sizeof(*D));
	double started = common_clock();
	int good;

	vector(n, C, D, talk);
	report_time("vector1", common_clock() - started);
	print_vectors(n, C, D);
	good = check_vectors(n, C, D);
	free(C);
	free(D);
	return verdict("vector1", good);
}
