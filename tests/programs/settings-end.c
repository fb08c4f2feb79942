/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * settings-end.c - what threads set for themselves, each another value, in regions, in regions in
 * them and in tasks: it holds there, and ends there.
 */
#include <omp.h>
#include <stdio.h>

/* Whether all settings are as set() leaves them. */
static int has(int value)
{
	omp_sched_t kind;
	int chunk;

	omp_get_schedule(&kind, &chunk);
	return kind == (value % 2 ? omp_sched_dynamic : omp_sched_guided) && chunk == value &&
	       omp_get_dynamic() == value % 2 && omp_get_max_active_levels() == 1 + value;
}

static void set(int value)
{
	omp_set_schedule(value % 2 ? omp_sched_dynamic : omp_sched_guided, value);
	omp_set_dynamic(value % 2);
	omp_set_max_active_levels(1 + value);
}

int main(void)
{
	int threads = omp_get_max_threads(), wrong = 0, members = 0, iterations = 0, common = 0;
	omp_allocator_handle_t allocator = omp_get_default_allocator();

	set(4);
#pragma omp parallel reduction(+ : wrong)
	{
		int own = 10 + omp_get_thread_num();

		wrong += !has(4);
		set(own);
		omp_set_num_threads(1 + omp_get_thread_num());
		omp_set_default_allocator(omp_get_thread_num() % 2 ? omp_large_cap_mem_alloc
								   : omp_const_mem_alloc);
#pragma omp parallel num_threads(1) reduction(+ : wrong)
		{
			wrong += !has(own);
			set(own + 100);
		}
		wrong += !has(own);
#pragma omp task if (0) shared(wrong)
		{
			wrong += !has(own);
			set(own + 200);
			omp_set_num_threads(7);
		}
#pragma omp barrier
		wrong += !has(own);
		wrong += omp_get_default_allocator() == allocator;
	}
	wrong += !has(4) || omp_get_max_threads() != threads;
	wrong += omp_get_default_allocator() != allocator;
#pragma omp parallel reduction(+ : members, iterations)
	{
		members++;
#pragma omp for schedule(runtime)
		for (int i = 0; i < 100; i++)
			iterations += i;
	}
#pragma omp parallel if (0)
	set(6);
#pragma omp task if (0)
	set(8);
	common = has(4);
	printf("%d wrong, %d, %d iterations, %d\n", wrong, members == threads, iterations, common);
	return 0;
}
