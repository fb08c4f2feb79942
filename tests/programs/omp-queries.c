/* SPDX-License-Identifier: GPL-2.0-or-later */
/* omp-queries.c - what the run-time library says about itself, outside and inside of a region. */
#include <omp.h>
#include <stdio.h>

#ifndef _OPENMP
#error "_OPENMP is not defined"
#endif

static int seen[64];

int main(void)
{
	double start = omp_get_wtime(), tick = omp_get_wtick();
	omp_sched_t kind;
	int chunk, inside[6] = {0};

	printf("%d %d %d %d\n", omp_get_num_threads(), omp_get_thread_num(), omp_in_parallel(),
	       omp_get_max_threads());
	printf("%d %d %d %d\n", omp_get_level(), omp_get_active_level(), omp_get_team_size(0),
	       omp_get_ancestor_thread_num(0));
	printf("%d %d\n", omp_get_ancestor_thread_num(-1), omp_get_team_size(9));
	omp_set_dynamic(0);
	printf("%d %d %d\n", omp_get_dynamic(), omp_get_num_procs() > 0,
	       omp_get_thread_limit() > 0);
	omp_set_schedule(omp_sched_static, 5);
	omp_get_schedule(&kind, &chunk);
	printf("%d %d\n", kind == omp_sched_static, chunk);
#pragma omp parallel
	{
		seen[omp_get_thread_num()] = omp_get_num_threads();
#pragma omp master
		{
			inside[0] = omp_in_parallel();
			inside[1] = omp_get_level();
			inside[2] = omp_get_team_size(1);
			inside[3] = omp_get_ancestor_thread_num(1);
			inside[4] = omp_get_max_threads();
			inside[5] = omp_get_team_size(0);
		}
	}
	for (int i = 0; i < omp_get_max_threads(); i++)
		printf("%d ", seen[i]);
	printf("\n%s %d %s %d %d %d\n", inside[0] || omp_get_max_threads() == 1 ? "in" : "out",
	       inside[1], inside[2] == omp_get_max_threads() ? "all" : "some", inside[3], inside[4],
	       inside[5]);
	printf("%d %d %d\n", omp_get_wtime() >= start, tick > 0, tick < 1);
	printf("%d\n", _OPENMP >= 201107);
	return 0;
}
