/* SPDX-License-Identifier: GPL-2.0-or-later */
/* schedule-chunks.c - the chunk that a schedule has when none, or none that is sensible, was given. */
#include <omp.h>
#include <stdio.h>

static void show(void)
{
	omp_sched_t kind;
	int chunk, count = 0;

	omp_get_schedule(&kind, &chunk);
#pragma omp parallel for schedule(runtime) reduction(+ : count)
	for (int i = 0; i < 100; i++)
		count++;
	printf("%x %d %d\n", (unsigned int)kind, chunk, count);
}

int main(void)
{
	show(); /* schedule-chunks.env */
	omp_set_schedule(omp_sched_guided, -1);
	show();
	omp_set_schedule(omp_sched_dynamic, 0);
	show();
	omp_set_schedule((omp_sched_t)(omp_sched_dynamic | omp_sched_monotonic), 3);
	show();
	omp_set_schedule(omp_sched_static, -1);
	show();
	omp_set_schedule(omp_sched_static, 7);
	show();
	omp_set_schedule(omp_sched_auto, 9);
	show();
	omp_set_schedule((omp_sched_t)77, 5);
	show();
	printf("%d %d\n", omp_get_thread_limit(), omp_get_max_task_priority());
	return 0;
}
