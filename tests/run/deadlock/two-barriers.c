/* SPDX-License-Identifier: GPL-2.0-or-later */
/* two-barriers.c - nodes of one team at different barriers, which OpenMP forbids. */
#include <omp.h>
#include <stdio.h>

int main(void)
{
#pragma omp parallel
	{
		if (omp_get_thread_num() == 1) {
#pragma omp barrier
			printf("one\n");
		} else {
#pragma omp barrier
			printf("other\n");
		}
	}
	return 0;
}
