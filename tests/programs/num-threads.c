/* SPDX-License-Identifier: GPL-2.0-or-later */
/* num-threads.c - fewer threads than there are, and a wish for more; omp_set_num_threads. */
#include <omp.h>
#include <stdio.h>

static int marks[128];

static int at_most(int wish)
{
	int have = omp_get_max_threads();

	return wish < have ? wish : have;
}

int main(void)
{
	int all = omp_get_max_threads(), used = 0, sum = 0;

	for (int wish = 1; wish <= 4; wish++) {
#pragma omp parallel num_threads(at_most(wish))
		{
			int me = omp_get_thread_num();

			marks[me] += wish;
#pragma omp barrier
#pragma omp master
			used = omp_get_num_threads();
#pragma omp for schedule(static, 1)
			for (int i = 0; i < 8; i++)
				marks[100 + i] += me + 1;
		}
		printf("%d ", used);
	}
	for (int i = 0; i < 5; i++)
		printf("%d ", marks[i]);
	for (int i = 100; i < 108; i++)
		printf("%d ", marks[i]);
	putchar('\n');
	/* More than there may be: how many it gets is open, the result is not. */
#pragma omp parallel for num_threads(all + 5) reduction(+ : sum)
	for (int i = 0; i < 1000; i++)
		sum += i;
	printf("%d\n", sum);
	omp_set_num_threads(at_most(2));
	printf("%d\n", omp_get_max_threads());
#pragma omp parallel reduction(+ : used)
	{
		used += omp_get_num_threads();
#pragma omp for
		for (int i = 0; i < 20; i++)
			marks[i] = i * i;
	}
	printf("%d %d\n", used, marks[19]);
	omp_set_num_threads(all);
	used = 0;
#pragma omp parallel reduction(+ : used)
	used++;
	printf("%d\n", used);
	return 0;
}
