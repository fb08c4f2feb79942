/* SPDX-License-Identifier: GPL-2.0-or-later */
/* environment.c - the variables of OpenMP 3.1; environment.env sets each of them. */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static int num_threads(void)
{
	int team = 0;

#pragma omp parallel
	{
#pragma omp single
		team = omp_get_num_threads();
	}
	return team == 2 && omp_get_max_threads() == 2;
}

static int schedule(void)
{
	omp_sched_t kind;
	int chunk, by[40], wrong = 0;

	omp_get_schedule(&kind, &chunk);
#pragma omp parallel for schedule(runtime)
	for (int i = 0; i < 40; i++)
		by[i] = omp_get_thread_num();
	for (int i = 0; i < 40; i++)
		wrong += by[i] != i / 3 % 2;
	return (kind & 7) == omp_sched_static && chunk == 3 && !wrong;
}

static int dynamic(void)
{
	return omp_get_dynamic() == 0;
}

static int nested(void)
{
	return omp_get_nested() == 0 && omp_get_max_active_levels() == 1;
}

static int thread_limit(void)
{
	return omp_get_thread_limit() == 8;
}

static int task_priority(void)
{
	return omp_get_max_task_priority() == 5;
}

/* What has no meaning here disturbs nothing. */
static int is_set(const char *name)
{
	return getenv(name) != NULL && num_threads();
}

static int stack_size(void)
{
	return is_set("OMP_STACKSIZE");
}

static int wait_policy(void)
{
	return is_set("OMP_WAIT_POLICY");
}

static int proc_bind(void)
{
	return is_set("OMP_PROC_BIND");
}

static int display(void)
{
	return is_set("OMP_DISPLAY_ENV");
}

static int later(void)
{
	char format[16];

	omp_get_affinity_format(format, sizeof(format));
	return omp_get_max_teams() == 3 && omp_get_teams_thread_limit() == 4 &&
	       omp_get_default_allocator() == omp_large_cap_mem_alloc && strcmp(format, "%n") == 0;
}

static const struct check checks[] = {
	{"OMP_NUM_THREADS", num_threads},
	{"OMP_SCHEDULE", schedule},
	{"OMP_DYNAMIC", dynamic},
	{"OMP_NESTED, OMP_MAX_ACTIVE_LEVELS", nested},
	{"OMP_THREAD_LIMIT", thread_limit},
	{"OMP_STACKSIZE", stack_size},
	{"OMP_WAIT_POLICY", wait_policy},
	{"OMP_PROC_BIND", proc_bind},
	{"OMP_DISPLAY_ENV", display},
	{"OMP_MAX_TASK_PRIORITY", task_priority},
	{"OMP_NUM_TEAMS, OMP_TEAMS_THREAD_LIMIT, OMP_ALLOCATOR, OMP_AFFINITY_FORMAT", later},
};

int main(void)
{
	return CHECK_ALL(checks);
}
