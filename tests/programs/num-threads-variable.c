/* SPDX-License-Identifier: GPL-2.0-or-later */
/* num-threads-variable.c - OMP_NUM_THREADS=1 makes teams of one; num_threads() may still ask for more. */
#include <omp.h>
#include <stdio.h>

static int seen[64], team;

int main(void)
{
	int sum = 0, asked = 0;

	printf("%d\n", omp_get_max_threads());
#pragma omp parallel reduction(+ : sum)
	{
		sum += omp_get_thread_num() + 1;
		seen[omp_get_thread_num()]++;
		team = omp_get_num_threads();
	}
	printf("%d %d %d %d\n", sum, seen[0], seen[1], team);
#pragma omp parallel num_threads(3) reduction(+ : asked)
	{
		asked++;
#pragma omp single
		team = omp_get_num_threads();
	}
	printf("%d\n", asked == team);
	omp_set_num_threads(2);
#pragma omp parallel reduction(+ : asked)
	asked += 10;
	printf("%d %d\n", omp_get_max_threads() <= 2, asked >= 11 && asked <= 23);
	return 0;
}
