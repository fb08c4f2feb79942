/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lock_foreign.c - a lock that another node has set is unset. */
#include <omp.h>

static omp_lock_t door;

int main(void)
{
	omp_init_lock(&door);
#pragma omp parallel
	{
		if (omp_get_thread_num() == 1)
			omp_set_lock(&door);
#pragma omp barrier
		if (omp_get_thread_num() == 0)
			omp_unset_lock(&door);
	}
	return 0;
}
