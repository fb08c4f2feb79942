/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kept.c - the first thread keeps its lock at the end of the region; the others wait for it. */
#include <omp.h>
#include <stdio.h>

int main(void)
{
	omp_lock_t lock;

	omp_init_lock(&lock);
#pragma omp parallel
	{
#pragma omp master
		omp_set_lock(&lock);
#pragma omp barrier
		if (omp_get_thread_num() != 0)
			omp_set_lock(&lock);
	}
	printf("not reached\n");
	return 0;
}
