/* SPDX-License-Identifier: GPL-2.0-or-later */
/* locks-owner.c - a nest lock is the task's that set it; omp_set_num_threads() is read back. */
#include <omp.h>
#include <stdio.h>

static omp_nest_lock_t lock;

int main(void)
{
	int got[4] = {-1, -1, -1, -1};

	omp_init_nest_lock(&lock);
	omp_set_nest_lock(&lock);
	got[0] = omp_test_nest_lock(&lock);
#pragma omp parallel if (0) shared(got)
	got[1] = omp_test_nest_lock(&lock);
	omp_unset_nest_lock(&lock);
#pragma omp parallel num_threads(1) shared(got)
	{
		got[2] = omp_test_nest_lock(&lock);
#pragma omp task if (0) shared(got)
		got[3] = omp_test_nest_lock(&lock);
	}
	omp_unset_nest_lock(&lock);
	omp_set_num_threads(6);
	printf("%d %d %d %d, %d\n", got[0], got[1], got[2], got[3], omp_get_max_threads());
	omp_destroy_nest_lock(&lock);
	return 0;
}
