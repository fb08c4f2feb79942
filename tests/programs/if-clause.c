/* SPDX-License-Identifier: GPL-2.0-or-later */
/* if-clause.c - if(0) makes a team of one, inside as outside; if(1) changes nothing. */
#include <omp.h>
#include <stdio.h>

static int threads, levels, values[50];

static void region(int n)
{
	threads = 0;
#pragma omp parallel if (n > 10)
	{
#pragma omp single
		{
			threads = omp_get_num_threads();
			levels = omp_get_level() * 10 + omp_get_active_level();
		}
#pragma omp for
		for (int i = 0; i < n; i++)
			values[i] += n;
	}
	printf("%d %s %d\n", n, threads == (n > 10 ? omp_get_max_threads() : 1) ? "right" : "wrong",
	       n > 10 ? 0 : levels);
}

int main(void)
{
	int local = 1, n = 8;
	double fraction = 0.25;
	const char *text = "";

	region(3);
	region(30);
	region(10);
	region(50);
#pragma omp parallel if (0)
	{
		local += 5;
		values[omp_get_thread_num()] += 1000;
#pragma omp barrier
#pragma omp master
		local *= 2;
	}
#pragma omp parallel for if (fraction) lastprivate(local)
	for (int i = 0; i < n; i++)
		local = values[i];
	printf("%d\n", local);
#pragma omp parallel if (text == NULL || n == 1) firstprivate(n)
	{
		n = omp_get_num_threads() + omp_in_parallel();
		local = n;
	}
	printf("%d %d\n", local, n);
	for (int i = 0; i < 50; i++)
		printf("%d ", values[i]);
	putchar('\n');
	return 0;
}
