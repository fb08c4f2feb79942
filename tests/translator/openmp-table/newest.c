/* SPDX-License-Identifier: GPL-2.0-or-later */
/* newest.c - what CAPE accepts of OpenMP that gcc 12 does not know or does not link. */
#include <omp.h>

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

static const struct check checks[] = {
	{"assume, assumes", assume},
	{"unroll", unroll},
	{"tile", tile},
	{"omp_init_lock_with_hint, omp_init_nest_lock_with_hint", lock_hints},
};

int main(void)
{
	return CHECK_ALL(checks);
}
