/* SPDX-License-Identifier: GPL-2.0-or-later */
/* master-barrier-flush.c - a pipeline of phases between barriers; master has no barrier itself. */
#include <omp.h>
#include <stdio.h>

#define PHASES 12

static int token, trace[PHASES], cells[64];

int main(void)
{
	int total = 0, threads = 0;

#pragma omp parallel shared(total, threads)
	{
		int me = omp_get_thread_num();

#pragma omp master
		{
			threads = omp_get_num_threads();
			token = 1;
		}
#pragma omp barrier
		for (int phase = 0; phase < PHASES; phase++) {
			/* The thread whose turn it is passes the token on. */
			if (me == phase % threads) {
				trace[phase] = token;
				token = token * 3 % 1000 + phase;
			}
#pragma omp barrier
			cells[me] += token;
#pragma omp barrier
		}
#pragma omp flush
		cells[me] += 1;
#pragma omp flush(total)
#pragma omp barrier
#pragma omp master
		for (int i = 0; i < threads; i++)
			total += cells[i];
	}
	for (int i = 0; i < PHASES; i++)
		printf("%d ", trace[i]);
	printf("\n%d %d\n", token, total - threads * cells[0]);
	return 0;
}
