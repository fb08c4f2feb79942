/* SPDX-License-Identifier: GPL-2.0-or-later */
/* newest.c - what CAPE accepts of OpenMP that gcc 12 does not know or does not link. */
#include <omp.h>
#include <string.h>

#include "check.h"

#define N 40

#pragma omp assumes no_openmp_routines

static int marks[N];

static int all_marked(void)
{
	int right = 1;

	for (int i = 0; i < N; i++) {
		right &= marks[i] == 1;
		marks[i] = 0;
	}
	return right;
}

static int assume(void)
{
	int a = 0;

#pragma omp assume holds(a == 0)
	{
		a++;
	}
	return a == 1;
}

static int unroll(void)
{
#pragma omp unroll partial(4)
	for (int i = 0; i < N; i++)
		marks[i]++;
	return all_marked();
}

static int tile(void)
{
#pragma omp tile sizes(4, 4)
	for (int i = 0; i < 5; i++)
		for (int j = 0; j < 8; j++)
			marks[i * 8 + j]++;
	return all_marked();
}

static int lock_hints(void)
{
	omp_lock_t lock;
	omp_nest_lock_t nest_lock;
	int free_lock, depth;

	omp_init_lock_with_hint(&lock, omp_sync_hint_contended);
	omp_init_nest_lock_with_hint(&nest_lock, omp_sync_hint_uncontended);
	free_lock = omp_test_lock(&lock);
	depth = omp_test_nest_lock(&nest_lock);
	omp_unset_lock(&lock);
	omp_unset_nest_lock(&nest_lock);
	omp_destroy_lock(&lock);
	omp_destroy_nest_lock(&nest_lock);
	return free_lock && depth == 1;
}

static int host_memory(void)
{
	int host = omp_get_initial_device(), in[4] = {1, 2, 3, 4}, out[4] = {0};
	int *block = omp_target_alloc(sizeof(in), host);
	int right;

	right = block && omp_target_memcpy(block, in, sizeof(in), 0, 0, host, host) == 0 &&
		omp_target_memcpy(out, block, 8, 8, 0, host, host) == 0;
	omp_target_free(block, host);
	return right && out[0] == 0 && out[2] == 1 && out[3] == 2;
}

static int places(void)
{
	return omp_get_place_num_procs(0) == 0 && omp_get_partition_num_places() == 0;
}

static int affinity(void)
{
	char line[16];

	return omp_capture_affinity(line, sizeof(line), "%n of %N") == 6 &&
	       strcmp(line, "0 of 1") == 0;
}

static int teams(void)
{
	omp_set_num_teams(3);
	omp_set_teams_thread_limit(5);
	return omp_get_max_teams() == 3 && omp_get_teams_thread_limit() == 5;
}

static const struct check checks[] = {
	{"assume, assumes", assume},
	{"unroll", unroll},
	{"tile", tile},
	{"omp_init_lock_with_hint, omp_init_nest_lock_with_hint", lock_hints},
	{"omp_target_alloc, omp_target_memcpy and the like, of the host", host_memory},
	{"omp_get_place_num_procs, omp_get_partition_num_places and the like", places},
	{"omp_capture_affinity, omp_display_affinity, omp_set_affinity_format", affinity},
	{"omp_set_num_teams, omp_get_max_teams, omp_set_teams_thread_limit", teams},
};

int main(void)
{
	return CHECK_ALL(checks);
}
