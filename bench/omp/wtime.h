/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wtime.h - omp.h, or what the benchmarks need of it where OpenMP is switched off, and the clock.
 */
#ifndef BENCH_OMP_WTIME_H
#define BENCH_OMP_WTIME_H

#ifdef _OPENMP
#include <omp.h>
#else
#include <time.h>

static inline double omp_get_wtime(void)
{
	struct timespec now;

	timespec_get(&now, TIME_UTC);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static inline int omp_get_thread_num(void)
{
	return 0;
}

static inline int omp_get_num_threads(void)
{
	return 1;
}

static inline int omp_get_max_threads(void)
{
	return 1;
}
#endif

/*
 * The clock, once all nodes have come here, as with the MPI twins (share.h): nodes of CAPE agree
 * about every reading, so the second one is made when all have come to the first.
 */
static inline double common_clock(void)
{
	omp_get_wtime();
	return omp_get_wtime();
}

/* The clock, once all threads are ready. */
static inline double start_clock(void)
{
#pragma omp parallel
	{
	}
	return common_clock();
}

#endif
