/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nested.c - nested regions with nesting off: teams of one that know where they are. */
#include <omp.h>
#include <stdio.h>

static int inner[64], levels[64], sums[64];

static void work(int me, int n)
{
#pragma omp parallel for
	for (int i = 0; i < n; i++)
		sums[me] += i + omp_get_thread_num();
}

int main(void)
{
	int outer = 0, wrong = 0;

	omp_set_nested(0);
#pragma omp parallel reduction(+ : wrong)
	{
		int me = omp_get_thread_num(), mine = 1;

#pragma omp parallel firstprivate(mine)
		{
			inner[me] = omp_get_num_threads() * 100 + omp_get_thread_num();
			levels[me] = omp_get_level() * 10 + omp_get_active_level();
			wrong += omp_get_ancestor_thread_num(1) != me || omp_get_team_size(2) != 1;
#pragma omp barrier
#pragma omp single
			mine++;
#pragma omp for
			for (int i = 0; i < 4; i++)
				inner[me] += mine;
#pragma omp parallel
			levels[me] += omp_get_level() * 1000 * (omp_get_num_threads() == 1);
		}
		mine += 10;
		work(me, mine);
		wrong += omp_get_level() != 1;
#pragma omp for
		for (int i = 0; i < 16; i++)
			work(20 + i, i);
#pragma omp master
		outer = omp_get_num_threads();
	}
	printf("%d %d %d\n", outer, wrong, omp_get_level());
	for (int i = 0; i < outer; i++)
		printf("%d %d %d\n", inner[i], levels[i], sums[i]);
	for (int i = 20; i < 36; i++)
		printf("%d ", sums[i]);
	putchar('\n');
	return 0;
}
