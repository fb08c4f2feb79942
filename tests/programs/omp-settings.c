/* SPDX-License-Identifier: GPL-2.0-or-later */
/* omp-settings.c - the routines that set something, and what the others then say, level by level. */
#include <omp.h>
#include <stdio.h>

static int level[4], active[4], ancestor[4], size[4], in_parallel[4];

static void record(int i)
{
#pragma omp master
	{
		level[i] = omp_get_level();
		active[i] = omp_get_active_level() <= omp_get_level();
		ancestor[i] = omp_get_ancestor_thread_num(omp_get_level());
		size[i] = omp_get_team_size(0);
		in_parallel[i] = omp_in_parallel() == (omp_get_active_level() > 0);
	}
}

int main(void)
{
	int threads = omp_get_max_threads(), wrong = 0, serial = 0, asked = 0;
	omp_sched_t kind;
	int chunk;
	double started = omp_get_wtime(), later;

	omp_set_nested(0);
	omp_set_dynamic(0);
	omp_set_max_active_levels(1);
	printf("%d %d %d %d\n", omp_get_nested(), omp_get_dynamic(), omp_get_max_active_levels(),
	       omp_in_final());
	printf("%d %d\n", omp_get_thread_limit() >= threads, omp_get_num_procs() >= 1);
	record(0);
#pragma omp parallel reduction(+ : wrong, serial)
	{
		record(1);
#pragma omp parallel reduction(+ : serial)
		{
			serial += omp_get_num_threads() == 1 && omp_get_thread_num() == 0;
			wrong += omp_get_level() != 2 || omp_get_team_size(2) != 1;
			wrong += omp_get_ancestor_thread_num(0) != 0;
			wrong += omp_get_team_size(1) != threads;
			record(2);
		}
		wrong += omp_get_ancestor_thread_num(1) != omp_get_thread_num();
		wrong += omp_get_ancestor_thread_num(5) != -1 || omp_get_team_size(7) != -1;
	}
	printf("%d wrong, %d\n", wrong, serial == threads);
	for (int i = 0; i < 3; i++)
		printf("%d %d %d %d %d\n", level[i], active[i], ancestor[i], size[i],
		       in_parallel[i]);
	omp_set_schedule(omp_sched_guided, 9);
	omp_get_schedule(&kind, &chunk);
	printf("%d %d\n", kind == omp_sched_guided, chunk);
	if (threads > 1) {
		omp_set_num_threads(threads - 1);
		wrong += omp_get_max_threads() != threads - 1;
#pragma omp parallel reduction(+ : asked)
		asked++;
		wrong += asked != threads - 1;
		omp_set_num_threads(threads);
	}
	later = omp_get_wtime();
	printf("%d %d %d\n", wrong, later >= started && later < started + 60, omp_get_wtick() > 0);
	return 0;
}
