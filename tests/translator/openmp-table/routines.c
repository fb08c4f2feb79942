/* SPDX-License-Identifier: GPL-2.0-or-later */
/* routines.c - the run-time library of OpenMP 3.1. */
#include <omp.h>

#include "check.h"

static int threads;

static int num_threads(void)
{
	int before = omp_get_max_threads(), one = 0, right;

	omp_set_num_threads(1);
	right = omp_get_max_threads() == 1;
#pragma omp parallel
	one = omp_get_num_threads();
	omp_set_num_threads(before);
	return right && one == 1 && omp_get_num_threads() == 1 && before == threads;
}

static int thread_num(void)
{
	int sum = 0;

#pragma omp parallel reduction(+ : sum)
	sum += omp_get_thread_num();
	return sum == threads * (threads - 1) / 2 && omp_get_thread_num() == 0;
}

static int num_procs(void)
{
	return omp_get_num_procs() >= 1;
}

static int in_parallel(void)
{
	int inside = 0, serial = 1;

#pragma omp parallel
	{
#pragma omp single
		inside = omp_in_parallel();
	}
#pragma omp parallel if (0)
	serial = omp_in_parallel();
	return inside && !serial && !omp_in_parallel();
}

static int dynamic(void)
{
	omp_set_dynamic(0);
	return omp_get_dynamic() == 0;
}

static int nested(void)
{
	omp_set_nested(0);
	return omp_get_nested() == 0;
}

static int schedule(void)
{
	omp_sched_t kind;
	int chunk;

	omp_set_schedule(omp_sched_guided, 7);
	omp_get_schedule(&kind, &chunk);
	return kind == omp_sched_guided && chunk == 7;
}

static int thread_limit(void)
{
	return omp_get_thread_limit() >= threads;
}

static int active_levels(void)
{
	omp_set_max_active_levels(1);
	return omp_get_max_active_levels() == 1;
}

static int levels(void)
{
	int wrong = omp_get_level() != 0 || omp_get_active_level() != 0;

#pragma omp parallel reduction(+ : wrong)
	{
		int me = omp_get_thread_num();

		wrong += omp_get_level() != 1 || omp_get_active_level() != 1;
		wrong += omp_get_ancestor_thread_num(1) != me;
		wrong += omp_get_ancestor_thread_num(0) != 0;
		wrong += omp_get_team_size(1) != threads || omp_get_team_size(0) != 1;
		wrong += omp_get_team_size(2) != -1;
#pragma omp parallel num_threads(1) reduction(+ : wrong)
		{
			wrong += omp_get_level() != 2 || omp_get_active_level() != 1;
			wrong += omp_get_ancestor_thread_num(1) != me;
		}
	}
	return !wrong;
}

static int in_final(void)
{
	return omp_in_final() == 0;
}

static int lock(void)
{
	omp_lock_t lock;
	int count = 0, tested, again;

	omp_init_lock(&lock);
	tested = omp_test_lock(&lock);
	again = omp_test_lock(&lock);
	omp_unset_lock(&lock);
#pragma omp parallel
	for (int i = 0; i < 10; i++) {
		omp_set_lock(&lock);
		count++;
		omp_unset_lock(&lock);
	}
	omp_destroy_lock(&lock);
	return tested && !again && count == 10 * threads;
}

static int nest_lock(void)
{
	omp_nest_lock_t lock;
	int count = 0, depth;

	omp_init_nest_lock(&lock);
	omp_set_nest_lock(&lock);
	depth = omp_test_nest_lock(&lock);
	omp_unset_nest_lock(&lock);
	omp_unset_nest_lock(&lock);
#pragma omp parallel
	for (int i = 0; i < 10; i++) {
		omp_set_nest_lock(&lock);
		omp_set_nest_lock(&lock);
		count++;
		omp_unset_nest_lock(&lock);
		count++;
		omp_unset_nest_lock(&lock);
	}
	omp_destroy_nest_lock(&lock);
	return depth == 2 && count == 20 * threads;
}

static int wtime(void)
{
	double before = omp_get_wtime(), after;

	for (volatile int i = 0; i < 1000; i++)
		;
	after = omp_get_wtime();
	return after >= before && after < before + 60 && omp_get_wtick() > 0 && omp_get_wtick() < 1;
}

static const struct check checks[] = {
	{"omp_set_num_threads, omp_get_num_threads, omp_get_max_threads", num_threads},
	{"omp_get_thread_num", thread_num},
	{"omp_get_num_procs", num_procs},
	{"omp_in_parallel", in_parallel},
	{"omp_set_dynamic, omp_get_dynamic", dynamic},
	{"omp_set_nested, omp_get_nested", nested},
	{"omp_set_schedule, omp_get_schedule", schedule},
	{"omp_get_thread_limit", thread_limit},
	{"omp_set_max_active_levels, omp_get_max_active_levels", active_levels},
	{"omp_get_level, omp_get_active_level, omp_get_ancestor_thread_num, omp_get_team_size",
	 levels},
	{"omp_in_final", in_final},
	{"omp_init_lock, omp_destroy_lock, omp_set_lock, omp_unset_lock, omp_test_lock", lock},
	{"omp_init_nest_lock, omp_destroy_nest_lock, omp_set_nest_lock, omp_unset_nest_lock, "
	 "omp_test_nest_lock",
	 nest_lock},
	{"omp_get_wtime, omp_get_wtick", wtime},
};

int main(void)
{
	threads = omp_get_max_threads();
	return CHECK_ALL(checks);
}
