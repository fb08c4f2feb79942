// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * settings.c - a region that is saved while each thread has other settings of OpenMP, which it has
 * set for itself; behind the region they are again what they were before it.
 *
 * Usage: settings STEPS [MICROSECONDS]
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void set(int value)
{
	omp_set_num_threads(value);
	omp_set_schedule(value % 2 ? omp_sched_dynamic : omp_sched_guided, value);
	omp_set_dynamic(value % 2);
	omp_set_max_active_levels(1 + value);
	omp_set_default_allocator(value % 2 ? omp_large_cap_mem_alloc : omp_const_mem_alloc);
}

static long get(void)
{
	omp_sched_t kind;
	int chunk;

	omp_get_schedule(&kind, &chunk);
	return kind + 10l * chunk + 1000 * omp_get_dynamic() +
	       10000l * omp_get_max_active_levels() + 1000000l * omp_get_max_threads() +
	       10000000l * (long)omp_get_default_allocator();
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 10;
	unsigned pause = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
	long sum = 0;
	int members = 0;

#pragma omp parallel reduction(+ : sum)
	{
		set(omp_get_thread_num() + 1);
		for (int step = 0; step < steps; step++) {
			sum += get() * (omp_get_thread_num() + 1);
#pragma omp barrier
#pragma omp master
			{
				printf("step %d: %ld\n", step, get());
				fflush(stdout);
			}
			if (pause)
				usleep(pause);
			if (step == steps / 2)
				set(omp_get_thread_num() + 2);
		}
	}
#pragma omp parallel reduction(+ : members)
	members++;
	printf("end: %ld %ld %d\n", sum, get(), members);
	return 0;
}
